"""Dismiss a trigger, on every device."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import TriggerView, moved_lines
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, argument

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissTrigger:
    """Dismiss a trigger, on every device."""

    id: str = argument("its id", takes=Takes.ID)


async def run(device: "Device", options: DismissTrigger) -> TriggerView:
    """Say that nobody wants to hear of it."""
    from cognition.triggers.lattice import TriggerStatus
    from samemind.commands.keeping._triggers import moved_to

    return await moved_to(device, options.id, TriggerStatus.DISMISSED)


COMMAND: Final = Command(
    "triggers dismiss",
    DismissTrigger,
    TriggerView,
    run=run,
    render=moved_lines,
    place=4,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=13,
        name="triggers_dismiss",
        title="Dismiss a trigger",
        description="Say that the user does not want to hear of a trigger.",
    ),
    panel=True,
    library=Method("dismiss"),
    idempotent=True,
)
