"""Snapshots as a member makes them who lies: of what it holds, with whatever it likes left out, changed or invented."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

import zstandard

from replica.codec import decode_payload, pack
from replica.core import Core
from replica.ids import DeviceId, OpId
from replica.ops import OpKind, Remember
from replica.signing import Sign, sign_commit
from replica.snapshot_adds import AddedRow, columns_of
from replica.state.text import EditedText, base_name


@dataclass
class Lie:
    """The parts of a snapshot that covers everything that `core` holds; it signs as `maker`."""

    core: Core
    maker: DeviceId
    sign: Sign
    feeds: list[list[Any]] = field(default_factory=list)
    origins: list[list[bytes]] = field(default_factory=list)
    cells: list[list[Any]] = field(default_factory=list)
    tombstones: list[bytes] = field(default_factory=list)
    adds: list[AddedRow] = field(default_factory=list)
    remains: list[bytes] = field(default_factory=list)
    vouched: list[Any] = field(default_factory=list)
    layout: int = 3
    knows_all: bool = True
    """Whether each head says that it has seen all others."""

    @classmethod
    def of(cls, core: Core) -> "Lie":
        """The truth about every add that a device holds, under its own signature: what is to be spoilt."""
        lie = cls(core, core.device, core.sign)
        for feed in core.feeds:
            assert feed.parent is None, "a liar has enough to do without branches"
            rows = [*core.store.feed_rows(feed.no, 1, feed.seq)]
            assert len(rows) == feed.seq
            spine = b"".join(row.id[:8] for row in rows)
            device, incarnation = feed.origin
            signature = rows[-1].signature or b""
            lie.feeds.append([device, incarnation, None, 0, {}, feed.seq, rows[-1].id, signature, {}, spine])
            lie.origins.append([device, incarnation])
            for row in rows:
                if row.kind == OpKind.REMEMBER and row.payload is not None and row.rid is not None:
                    said = decode_payload(row.kind, row.payload)
                    assert isinstance(said, Remember)
                    lie.adds.append(
                        AddedRow(row.rid, feed.no, row.seq, row.hlc, said.text, dict(said.fields))
                    )
        return lie

    def invent(self, ops: int, random: Random) -> None:
        """Let the maker's own chain go on with ops that there are none of, signed at the end."""
        for feed in self.feeds:
            if feed[0] == self.maker:
                break
        else:
            feed = [self.maker, random.randbytes(8), None, 0, {}, 0, b"", b"", {}, b""]
            self.feeds.append(feed)
            self.origins.append(feed[:2])
        feed[5] += ops
        feed[6] = random.randbytes(32)
        feed[7] = sign_commit(self.sign, OpId(feed[6]))
        feed[9] += random.randbytes(8 * (ops - 1)) + feed[6][:8]

    def invent_for_all(self, ops: int, random: Random) -> None:
        """Let every chain go on so; of others, nobody signed that."""
        for feed in self.feeds:
            feed[5], feed[6], feed[7] = feed[5] + ops, random.randbytes(32), b""
            feed[9] += random.randbytes(8 * (ops - 1)) + feed[6][:8]

    def in_cell(self, row: AddedRow, **said: Any) -> None:
        """Say more of a memory than that it was added."""
        self.adds.remove(row)
        dot = [row.feed, row.seq, self.id8(row)]
        adds = [[*dot, row.hlc, row.text, row.fields]]
        parts: dict[str, Any] = {
            "fields": {}, "edits": {}, "edited": 0, "accesses": [], "claims": [], "verdicts": [], "triggers": {},
        }  # fmt: skip
        self.cells.append([0, row.rid, pack([adds, *(parts | said).values()])])

    def id8(self, row: AddedRow) -> bytes:
        """The short id of the op that added a memory."""
        spine: bytes = self.feeds[row.feed][9]
        return spine[8 * (row.seq - 1) : 8 * row.seq]

    def rewrite(self, row: AddedRow, text: str) -> None:
        """Let a memory read otherwise, without anybody having edited it."""
        document = EditedText.from_base(row.rid, row.text)
        document.apply(document.edit(text, Random(1)))
        self.in_cell(row, edits={base_name(row.rid, row.text): document.state()}, edited=row.hlc)

    def sealed(self) -> bytes:
        """The snapshot as it travels, with the maker's real signature."""
        for feed in self.feeds:
            feed[8] = {number: each[5] for number, each in enumerate(self.feeds) if self.knows_all}
        body = [
            self.maker,
            {0: self.layout},
            self.feeds,
            self.origins,
            self.cells,
            sorted(self.tombstones),
            0,
            columns_of(self.adds),
        ]
        packed = pack([*body, self.remains, self.vouched] if self.layout == 3 else body)
        signature = self.sign(b"samemind snapshot 1\0" + sha256(packed).digest())
        return zstandard.compress(pack([signature, packed]))


def wipe(lie: Lie, random: Random) -> None:
    """Everything is covered, and nothing is there."""
    lie.adds.clear()


def tombstones(lie: Lie, random: Random) -> None:
    """Everything was forgotten, says no op."""
    lie.tombstones = [row.rid for row in lie.adds]
    lie.adds.clear()


def texts(lie: Lie, random: Random) -> None:
    """Everything reads otherwise."""
    for row in [*lie.adds]:
        lie.rewrite(row, f"not {row.text}")


def words(lie: Lie, random: Random) -> None:
    """Everything was remembered in other words."""
    lie.adds = [row._replace(text=f"not {row.text}") for row in lie.adds]


def fields(lie: Lie, random: Random) -> None:
    """Everything has a topic, set by the op that added it."""
    for row in [*lie.adds]:
        lie.in_cell(row, fields={"topic": [[row.feed, row.seq, lie.id8(row), row.hlc, "put in its mouth"]]})


def accesses(lie: Lie, random: Random) -> None:
    """Everything was recalled a million times."""
    for row in [*lie.adds]:
        lie.in_cell(row, accesses=[[row.feed, 10**6, 1]])


def receipts(lie: Lie, random: Random) -> None:
    """Everybody has confirmed every erasure."""
    devices = sorted({feed[0] for feed in lie.feeds})
    lie.cells += [[4, row.rid, pack(devices)] for row in lie.adds]


LIES: dict[str, Callable[[Lie, Random], None]] = {
    each.__name__: each for each in (wipe, tombstones, texts, words, fields, accesses, receipts)
}
