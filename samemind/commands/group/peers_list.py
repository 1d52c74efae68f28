"""List the other devices of the group."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import PeerView
from samemind.commands.group._parts import peer_line as _peer
from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPeers:
    """List the other devices of the group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """The other devices of the group."""

    peers: list[PeerView]


async def run(device: "Device", options: ListPeers) -> Peers:
    """List them."""
    from samemind.commands.group._peers import peer_views

    return Peers(peers=await peer_views(device))


def render(document: Document) -> list[str]:
    return [_peer(peer) for peer in document["peers"]] or ["no other devices: samemind pair"]


COMMAND: Final = Command(
    "peers list",
    ListPeers,
    Peers,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("peers", "Return the other devices of the group."),
    opens_mind=False,
    rows="peers",
    place=2,
    short=True,
    elsewhere=("devices",),
)
