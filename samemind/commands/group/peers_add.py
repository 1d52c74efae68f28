"""Save an address at which a device can always be reached."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import PeerView
from samemind.commands.group._parts import peer_line as _peer
from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPeer:
    """Save an address at which a device can always be reached."""

    device: str = argument("its id or name", metavar="ID")
    address: str = option("--address", "where it listens", metavar="HOST:PORT", default="")


async def run(device: "Device", options: AddPeer) -> PeerView:
    """Note where a device can always be reached."""
    from samemind.commands.group._peers import other_device, refreshed
    from sync import Address, peers

    address = Address.parse(options.address)
    peer = await other_device(device, options.device)
    await device.replica.run(lambda _, connection: peers.fix_address(connection, peer, address))
    return await refreshed(device, peer)


def render(document: Document) -> list[str]:
    return [_peer(document)]


COMMAND: Final = Command(
    "peers add",
    AddPeer,
    PeerView,
    run=run,
    render=render,
    effects=Effects.ADD,
    opens_mind=False,
    agents=Agents.NEVER,
    panel=True,
    library=Method("add_peer"),
    place=4,
)
