"""List pairs of memories that may contradict or repeat each other and nobody has judged, likeliest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import NomineeView, nominated
from samemind.declaring import Agents, Command, Effects, Method, Workspace, option
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, counted

if TYPE_CHECKING:
    from samemind.device import Device


LIST_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContradictions:
    """List pairs of memories that may contradict or repeat each other and nobody has judged, likeliest first."""

    workspace: str | None = option("--workspace", "only those of this space", metavar="W")
    limit: int = option(
        "--limit", "at most this many", default=20, metavar="N", short="-n", least=0, most=LIST_MAX
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Two memories that may repeat or contradict each other: the later one, and the earlier one as its nominee."""

    rid: str
    text: str
    told_at: datetime | None
    nominee: NomineeView

    def __str__(self) -> str:
        return f"{self.rid} {self.nominee.rid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Pairs that nobody judged, the likeliest first, and how many there are. Iterating gives them.

    `left`: texts that were not compared, since that took too long; they are older than those that were.
    """

    nominees: list[Unjudged]
    total: int
    left: int = 0

    def __iter__(self) -> Iterator[Unjudged]:
        return iter(self.nominees)

    def __len__(self) -> int:
        return len(self.nominees)


async def run(device: "Device", options: ReviewContradictions) -> Review:
    """List the pairs that nobody judged, in order of weight."""
    from cognition.fading.tiers import told_ms
    from replica import show_memory_id
    from samemind.commands.contradictions._nominees import nominee_view
    from samemind.formats.times import at_ms

    pairs, left = await device.mind.unjudged(options.workspace)
    return Review(
        nominees=[
            Unjudged(
                rid=show_memory_id(told.rid),
                text=told.memory.text,
                told_at=at_ms(told_ms(told.memory)),
                nominee=nominee_view(each),
            )
            for told, each in pairs[: options.limit]
        ],
        total=len(pairs),
        left=left,
    )


def render(document: Document) -> list[str]:
    """Return pairs that nobody judged, three lines each."""
    lines = []
    for each in document["nominees"]:
        when = f"  ({clock(each['told_at'])})" if each["told_at"] else ""
        lines.append(f"{each['rid']}  {one_line(each['text'])}{when}")
        lines += [*nominated([each["nominee"]]), f"    {one_line(each['nominee']['why'])}"]
    more = document["total"] - len(document["nominees"])
    if lines and more > 0:
        lines.append(f"and {more} more")
    if document["left"]:
        lines.append(f"{counted(document['left'], 'older text')} not compared: it took too long")
    return lines or ["nothing waits to be judged"]


COMMAND: Final = Command(
    "contradictions review",
    ReviewContradictions,
    Review,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "review", "List pairs of memories that may contradict or repeat each other and nobody has judged."
    ),
    workspace=Workspace.PUT,
    rows="nominees",
    place=3,
)
