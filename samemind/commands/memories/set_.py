"""Set fields of a memory; an empty value clears a field."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._parts import memory_lines
from samemind.declaring import Agents, ByHand, Command, Effects, Takes, Workspace, argument
from samemind.formats.memory_view import MemoryView

if TYPE_CHECKING:
    from samemind.commands.memories._changes import Asked
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFields:
    """Set fields of a memory; an empty value clears a field."""

    rid: str = argument("its id", takes=Takes.RID)
    values: tuple[str, ...] = argument(
        "importance=0.8, topic=travel, tags=a,b, meta.key=value, …", metavar="FIELD=VALUE", many=True
    )


async def run(device: "Device", options: SetFields) -> MemoryView:
    """Write fields, each a register of its own."""
    from replica import FIELDS
    from samemind.commands.memories._changes import set_fields
    from samemind.formats.fields import META_ENTRIES, read_assignment, read_typed

    assignments = [read_assignment(word) for word in options.values]
    asked: Asked = {name: read_typed(name, typed) for name, typed in assignments if name in FIELDS}
    entries = {
        name.removeprefix(META_ENTRIES): typed or None for name, typed in assignments if name not in FIELDS
    }
    if entries:
        asked[META_ENTRIES] = entries
    return await set_fields(device, options.rid, asked)


COMMAND: Final = Command(
    "set",
    SetFields,
    MemoryView,
    run=run,
    render=memory_lines,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("set"),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=7,
)
