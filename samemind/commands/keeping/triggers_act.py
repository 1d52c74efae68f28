"""Mark a trigger as acted on, on every device."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import TriggerView, moved_lines
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, argument

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ActOnTrigger:
    """Mark a trigger as acted on, on every device."""

    id: str = argument("its id", takes=Takes.ID)


async def run(device: "Device", options: ActOnTrigger) -> TriggerView:
    """Say that it was acted on."""
    from cognition.triggers.lattice import TriggerStatus
    from samemind.commands.keeping._triggers import moved_to

    return await moved_to(device, options.id, TriggerStatus.ACTED)


COMMAND: Final = Command(
    "triggers act",
    ActOnTrigger,
    TriggerView,
    run=run,
    render=moved_lines,
    place=3,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=12,
        name="triggers_act",
        title="Settle a trigger",
        description="Say that what a trigger brought up is done or decided.",
    ),
    panel=True,
    library=Method("act"),
    idempotent=True,
)
