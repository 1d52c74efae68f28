"""Revoke a device: remove it from the group for good."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import PeerView
from samemind.commands.group._parts import peer_line as _peer
from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.errors import Failed
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokePeer:
    """Revoke a device: remove it from the group for good."""

    device: str = argument("its id or name", metavar="ID")
    undo: bool = option(
        "--undo",
        "also undo what it did: those it introduced are removed, those it revoked return",
        default=False,
    )


async def run(device: "Device", options: RevokePeer) -> PeerView:
    """Put a device out of the group: links to it close here at once, and elsewhere as others hear of it."""
    from replica import revoking
    from samemind.commands.group._peers import other_device, refreshed

    peer = await other_device(device, options.device)

    def is_out(core: "Core", _: object) -> bool:
        acts = revoking(core.membership, device.identity.sign, device.device_id, [peer], undo=options.undo)
        core.learn(*acts, now_ms=device.now_ms())
        return peer not in core.membership.standing

    if not await device.replica.run(is_out):
        raise Failed(
            f"{options.device} is still in the group: what this device says does not count there, as it is revoked",
            code="not_a_member",
            hint="revoke it on a device that is in the group; if none is left: samemind group rebuild",
        )
    return await refreshed(device, peer)


def render(document: Document) -> list[str]:
    return [_peer(document)]


COMMAND: Final = Command(
    "peers revoke",
    RevokePeer,
    PeerView,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    opens_mind=False,
    agents=Agents.NEVER,
    panel=True,
    library=Method(
        "revoke_peer",
        "Revoke a device for good; `undo` also undoes whom it introduced and whom it revoked.",
    ),
    place=5,
    elsewhere=("kick", "unpair"),
)
