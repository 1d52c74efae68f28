"""Show one block."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import BlockView
from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.options import MomentOptions
from samemind.formats.printable import safe
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBlock(MomentOptions):
    """Show one block."""

    label: str = argument("its label", metavar="LABEL")


async def run(device: "Device", options: GetBlock) -> BlockView:
    """Show one block."""
    from samemind.commands.keeping._profile import checked_label, find_block
    from samemind.moments import read_at

    label = checked_label(options.label)
    return await read_at(
        device, options.as_of, options.seen_by, lambda connection: find_block(connection, label)
    )


def render(document: Document) -> list[str]:
    return [safe(document["text"])]


COMMAND: Final = Command(
    "blocks get",
    GetBlock,
    BlockView,
    run=run,
    render=render,
    place=13,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("block"),
)
