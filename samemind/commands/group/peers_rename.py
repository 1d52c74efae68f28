"""Give a device another name here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import PeerView
from samemind.commands.group._parts import peer_line as _peer
from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamePeer:
    """Give a device another name here."""

    device: str = argument("its id or name", metavar="ID")
    name: str = argument("the new name", metavar="NAME")


async def run(device: "Device", options: RenamePeer) -> PeerView:
    """Call a device by another name, here only."""
    from replica import peer_notes
    from samemind.commands.group._peers import other_device, refreshed
    from samemind.config import check_name

    name = check_name(options.name)
    peer = await other_device(device, options.device)
    await device.replica.run(lambda _, connection: peer_notes.note_nickname(connection, peer, name))
    return await refreshed(device, peer)


def render(document: Document) -> list[str]:
    return [_peer(document)]


COMMAND: Final = Command(
    "peers rename",
    RenamePeer,
    PeerView,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    opens_mind=False,
    agents=Agents.NEVER,
    panel=True,
    library=Method("rename_peer"),
    place=3,
)
