"""Show the members of the group, who outranks whom, and who was revoked by whom."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import GroupView, group_lines
from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowGroup:
    """Show the members of the group, who outranks whom, and who was revoked by whom."""


async def run(device: "Device", options: ShowGroup) -> GroupView:
    """Show it as this device knows it."""
    from samemind.commands.group._members import group_view

    return await device.replica.run(group_view)


COMMAND: Final = Command(
    "group show",
    ShowGroup,
    GroupView,
    run=run,
    render=group_lines,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "group", "Return the members of the group, who outranks whom, and who was revoked by whom."
    ),
    opens_mind=False,
    rows="members",
    place=6,
    short=True,
)
