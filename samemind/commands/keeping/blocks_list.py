"""List the editable blocks, which are part of every prompt."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import BlockView
from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.options import MomentOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBlocks(MomentOptions):
    """List the editable blocks, which are part of every prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """All blocks, by label. Iterating gives them."""

    blocks: list[BlockView]

    def __iter__(self) -> Iterator[BlockView]:
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)


async def run(device: "Device", options: ListBlocks) -> Blocks:
    """List the blocks."""
    from cognition.profile import owner as known
    from samemind.commands.keeping._profile import block_view
    from samemind.moments import read_at

    return await read_at(
        device,
        options.as_of,
        options.seen_by,
        lambda connection: Blocks(blocks=[block_view(block) for block in known.blocks(connection)]),
    )


def render(document: Document) -> list[str]:
    return [f"{one_line(one['label'])}: {one_line(one['text'])}" for one in document["blocks"]] or [
        "no blocks: samemind blocks edit LABEL TEXT"
    ]


COMMAND: Final = Command(
    "blocks list",
    ListBlocks,
    Blocks,
    run=run,
    render=render,
    place=12,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("blocks"),
    rows="blocks",
    short=True,
)
