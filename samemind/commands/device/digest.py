"""Show digests of the state, which are equal on devices that agree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowDigest:
    """Show digests of the state, which are equal on devices that agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierEntry:
    """The last op held of one feed."""

    origin: str
    seq: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """Equal on replicas that agree: `digest` over what shows, `state_digest` over everything folded."""

    digest: str
    state_digest: str
    memories: int
    ops: int
    frontier: list[FrontierEntry]


async def run(device: "Device", options: ShowDigest) -> Digest:
    """Show both digests, and what they are over."""
    from replica.reads.counts import count_memories, count_ops
    from samemind.formats.views import show_origin

    def read(core: "Core", connection: "sqlite3.Connection") -> Digest:
        digests = core.digests()
        return Digest(
            digest=digests.visible.hex(),
            state_digest=digests.state.hex(),
            memories=count_memories(connection),
            ops=count_ops(connection),
            frontier=[
                FrontierEntry(origin=show_origin(*head.origin), seq=head.seq, head=head.id8.hex())
                for head in core.frontier().heads
            ],
        )

    return await device.replica.run(read)


def render(document: Document) -> list[str]:
    return [
        f"{document['digest']}  {counted(document['memories'], 'memory', 'memories')}, {counted(document['ops'], 'op')}"
    ]


COMMAND: Final = Command(
    "digest",
    ShowDigest,
    Digest,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("digest", "Return digests of the state, which are equal on devices that agree."),
    place=5,
)
