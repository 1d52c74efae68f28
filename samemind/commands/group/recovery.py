"""Print a recovery code, by which any device can repair the group after a theft: once, on the oldest device."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from replica.core import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeRecovery:
    """Print a recovery code, by which any device can repair the group after a theft: once, on the oldest device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A recovery code: printed once, kept nowhere. `group_id` is what others know it by."""

    code: str
    group_id: str


async def run(device: "Device", options: MakeRecovery) -> Recovery:
    """Hand the root of the group on to a key that is printed here, and kept nowhere."""
    import secrets

    from samemind.commands.group._members import check_may_found, founding
    from sync.recovery import RecoveryCode

    code = RecoveryCode.draw(secrets.token_bytes)

    def found(core: "Core", _: object) -> None:
        check_may_found(core)
        awaited = core.membership.awaits  # in place of which the owner says it, where there is one
        core.learn(*founding(core, device, code), now_ms=device.now_ms(), by=awaited)

    await device.replica.run(found)
    if device.syncer is not None:
        await device.syncer.refresh()
    return Recovery(code=str(code), group_id=code.id.hex())


def render(document: Document) -> list[str]:
    return [
        document["code"],
        "",
        "Write these words down, and keep them where no device is: whoever has them can revoke any device.",
        "They are shown this once. With them, on any device: samemind group restore --without NAME",
    ]


COMMAND: Final = Command(
    "group recovery",
    MakeRecovery,
    Recovery,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=Method(
        "make_recovery",
        "Make the recovery code, by which any device can repair the group: once, on the oldest device.",
    ),
    place=7,
)
