"""Mark a trigger as shown, so that no device shows it again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import TriggerView, moved_lines
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, argument

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverTrigger:
    """Mark a trigger as shown, so that no device shows it again."""

    id: str = argument("its id, or at least its first 6 characters", takes=Takes.ID)


async def run(device: "Device", options: DeliverTrigger) -> TriggerView:
    """Say that it is shown, unless some device has said so."""
    from cognition.triggers.lattice import TriggerStatus
    from samemind.commands.keeping._triggers import moved_to

    return await moved_to(device, options.id, TriggerStatus.DELIVERED)


COMMAND: Final = Command(
    "triggers deliver",
    DeliverTrigger,
    TriggerView,
    run=run,
    render=moved_lines,
    place=2,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=10,
        name="triggers_deliver",
        title="Raise a trigger",
        description=(
            "Call it right before you tell the user of a trigger; tell them only if the result has `changed`."
        ),
    ),
    panel=True,
    library=Method(
        "deliver",
        (
            "Mark a trigger as shown. Show it only if the result has `changed`: if not, another device has shown it."
        ),
    ),
    idempotent=True,
)
