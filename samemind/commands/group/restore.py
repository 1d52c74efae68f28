"""Repair the group with its recovery code: revoke devices, and readmit those that they revoked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import GroupView, group_lines
from samemind.declaring import Agents, ByHand, Command, Effects, argument, option
from samemind.errors import NeedsDecision

if TYPE_CHECKING:
    import sqlite3

    from replica.core import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreGroup:
    """Repair the group with its recovery code: revoke devices, and readmit those that they revoked."""

    code: tuple[str, ...] = argument(
        (
            "the words of the recovery code; the command line asks for them instead, or reads its "
            "standard input"
        ),
        metavar="WORD",
        many=True,
        optional=True,
    )
    without: tuple[str, ...] = option(
        "--without",
        "the id or name of a device to revoke; may be given several times",
        metavar="ID",
        default=(),
    )


async def run(device: "Device", options: RestoreGroup) -> GroupView:
    """Revoke devices in the name of the code, keep whom those introduced, and take back whom they revoked."""
    from replica import revoking
    from replica.membership import name_root
    from samemind.commands.group._members import group_view, kept
    from samemind.formats.ids import find_device
    from sync.recovery import NAME, RecoveryCode

    code = RecoveryCode.parse(" ".join(options.code))
    gone = [
        await device.replica.read(lambda connection, text=text: find_device(connection, text))  # type: ignore[misc]
        for text in options.without
    ]

    def restore(core: "Core", connection: "sqlite3.Connection") -> GroupView:
        if core.device in gone:
            raise NeedsDecision(
                "this device cannot revoke itself",
                code="own_device",
                hint="restore from a device that stays, or leave this one out of --without",
            )
        if core.membership.root != code.id:
            core.follow(name_root(code.sign, code.id, public_key=code.public_key, name=NAME))
        acts = revoking(core.membership, code.sign, code.id, gone, undo=True, keep=kept(core, gone))
        core.learn(*acts, now_ms=device.now_ms())
        return group_view(core, connection)

    view = await device.replica.run(restore)
    if device.syncer is not None:
        await device.syncer.refresh()
    return view


COMMAND: Final = Command(
    "group restore",
    RestoreGroup,
    GroupView,
    run=run,
    render=group_lines,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=ByHand("restore_group"),
    rows="members",
    place=8,
)
