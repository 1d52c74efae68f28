"""Perform a verb on a device.

The one way in which every door, in this process or another, gets anything done.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from samemind.errors import Usage
from samemind.results.plain import to_json
from samemind.surface.declare import Verb

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device


async def perform(device: "Device", verb: Verb[Any, Any], options: Any, say: "Say") -> Mapping[str, Any]:
    """Do it, and return the result as the document that every door shows."""
    if verb.alone:
        raise Usage(f"{verb.name} is done by the command line itself", code="not_here")
    function = getattr(import_module(verb.module), verb.performs)
    result = await (function(device, options, say) if verb.streams else function(device, options))
    document: Mapping[str, Any] = to_json(result)
    return document
