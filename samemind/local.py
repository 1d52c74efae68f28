"""Ask the device of this process, as others ask one that is elsewhere."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from samemind.catalog import verb_named
from samemind.declaring import Command, read_options
from samemind.formats.plain import as_received, to_json
from samemind.performing import raise_translated, result_of

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device

Result = TypeVar("Result")


class Local:
    """A device in this process."""

    def __init__(self, device: "Device") -> None:
        self.device = device

    async def ask(self, verb: str, options: Mapping[str, Any], say: "Say") -> Mapping[str, Any]:
        """Perform a verb here."""
        document: Mapping[str, Any] = to_json(await self.result(verb_named(verb), options, say))
        return document

    async def result(self, verb: Command[Any, Result], options: Mapping[str, Any], say: "Say") -> Result:
        """Perform a verb here, and return its result."""
        try:
            return as_received(await result_of(self.device, verb, read_options(verb, options), say))
        except Exception as error:
            raise_translated(error)
