"""Replicas without shells: cores of one group, whole conversations between them, and ops written by hand."""

import sqlite3
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from replica.codec import SALT_BYTES, encode_payload, header, header_hash, payload_hash
from replica.core import Core, Taken
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import MemoryId, OpId, OpRef, Origin, new_memory_id
from replica.membership import introduce
from replica.oplog import LogRow, Store
from replica.ops import KIND_OF, Body, Edit, Op, Remember, Write
from replica.outbox import frame_of
from replica.remains import read_remains
from replica.signing import sign_commit
from replica.state.memories import Memory, MemoryCell, show
from replica.state.text import EditedText, base_name
from replica.storage.memory_store import MemoryStore
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from sync.exchange import Exchange
from sync.identity import Identity
from tests.support.links import identity

NOW_MS = 1_700_000_000_000
DAY_MS = 86_400_000
# Messages that two devices may need to agree; a conversation that goes on for longer never ends.
MESSAGES_MAX = 1_000

MakeStore = Callable[[], Store]


def sqlite_store(path: str = ":memory:") -> SqliteStore:
    """A fresh store in SQLite; its connection is closed when nobody holds it any more."""
    connection = connect(path)
    store = SqliteStore(connection)
    weakref.finalize(store, connection.close)
    return store


def core_of(name: str, store: Store | None = None, *, seed: str = "") -> Core:
    """A device of that name, alone in its group. A copy of a device needs a seed of its own."""
    who = identity(name)
    core = Core(store or MemoryStore(), device=who.device_id, sign=who.sign, random=Random(name + seed))
    core.found(
        introduce(who.sign, who.device_id, public_key=who.public_key, certificate=who.certificate, name=name)
    )
    return core


def acquaint(core: Core, name: str, *others: str) -> None:
    """Let the device of that name introduce others to its core, as pairing does."""
    who = identity(name)
    core.learn(
        [
            introduce(
                who.sign,
                who.device_id,
                public_key=identity(other).public_key,
                certificate=identity(other).certificate,
                name=other,
            )
            for other in others
            if other != name
        ],
        [],
    )


def group(*names: str, make_store: MakeStore = MemoryStore) -> list[Core]:
    """Devices that were all paired with each other."""
    cores = [core_of(name, make_store()) for name in names]
    for core, name in zip(cores, names, strict=True):
        acquaint(core, name, *names)
    return cores


def sync(one: Core, other: Core, now_ms: int = NOW_MS) -> tuple[Exchange, Exchange]:
    """Let two devices converse until neither has anything to say."""
    ours, theirs = Exchange(one, other.device, now_ms), Exchange(other, one.device, now_ms)
    converse(ours, theirs, now_ms)
    return ours, theirs


def converse(ours: Exchange, theirs: Exchange, now_ms: int) -> None:
    """Let both ends of a link speak until neither has anything to say."""
    to_them, to_us = ours.more(now_ms), theirs.more(now_ms)
    for _ in range(MESSAGES_MAX):
        if not to_them and not to_us:
            return
        if to_them:
            to_us += theirs.receive(to_them.pop(0), now_ms)
        if to_us:
            to_them += ours.receive(to_us.pop(0), now_ms)
    raise AssertionError(f"two devices still had something to say after {MESSAGES_MAX} messages")


def settle(cores: Sequence[Core], now_ms: int = NOW_MS) -> None:
    """Let everybody hear of everything."""
    for _ in range(2):
        for one, other in pairwise(cores):
            sync(one, other, now_ms)
        for one, other in pairwise(reversed(cores)):
            sync(one, other, now_ms)


def remember(core: Core, *texts: str, now_ms: int = NOW_MS) -> list[MemoryId]:
    """Commit one memory for each text, all in one commit; returns their ids, which are sorted."""
    rids = sorted(
        new_memory_id(now_ms, Random(f"{core.device.hex()} {core.position} {i} {text}"))
        for i, text in enumerate(texts)
    )
    core.commit([Write(Remember(text, {}), rid) for text, rid in zip(texts, rids, strict=True)], now_ms)
    return rids


def say(core: Core, body: Body, rid: MemoryId | None = None, *, now_ms: int = NOW_MS) -> Op:
    """Commit one change."""
    (op,) = core.commit([Write(body, rid)], now_ms)
    return op


def edit(core: Core, rid: MemoryId, text: str, *, now_ms: int = NOW_MS) -> Op:
    """Make a memory read differently."""
    (op,) = core.commit(core.edits_of(rid, text), now_ms)
    return op


def memories(core: Core) -> dict[bytes, Memory]:
    """What shows here, by memory."""
    return {
        key.name: show(key.name, cell) for key, cell in core.store.all_cells() if isinstance(cell, MemoryCell)
    }


def texts(core: Core) -> set[str]:
    """What is remembered here."""
    return {memory.text for memory in memories(core).values()}


def everything(core: Core) -> Frame:
    """The whole log as one frame."""
    return frame_of(core, list(core.store.entries(0, {}, core.feeds.origin_of)))


def rows_of(core: Core) -> list[LogRow]:
    """The whole log."""
    return list(core.store.rows())


def carry(frame: Frame) -> Frame:
    """What arrives when a frame crosses a link."""
    return decode_frame(encode_frame(frame))


def take(core: Core, frame: Frame, now_ms: int = NOW_MS) -> Taken:
    """Let a frame cross a link and be taken."""
    return core.take(carry(frame), now_ms)


def unproven_texts(core: Core) -> set[bytes]:
    """Return the memories of the base whose edited texts are not what the signed edits that were kept come to."""
    proven: dict[bytes, list[Edit]] = {}
    for data in core.store.remains():
        _, proof = read_remains(data, core.membership, core.verify)
        for rid, signed in proof.edits:
            proven.setdefault(rid, []).append(Edit(signed.base, signed.update))
    wrong = set()
    for key, cell in core.store.all_base_cells():
        if not isinstance(cell, MemoryCell) or not cell.edits:
            continue
        made = {
            base_name(key.name, add.text): EditedText.from_base(key.name, add.text)
            for add in cell.adds.values()
        }
        for told in proven.get(key.name, []):
            if told.base in made:
                made[told.base].apply(told.update)
        if any(
            base not in made or document.state() != made[base].state()
            for base, document in cell.edits.items()
        ):
            wrong.add(key.name)
    return wrong


def agree(*cores: Core) -> bool:
    """Say whether these devices hold, and show, the same."""
    return len({core.digests() for core in cores}) == 1


@dataclass
class Hand:
    """Ops written by hand with a member's real key: what a `Core` writes, and what it never would."""

    name: str
    incarnation: bytes = b"by hand."
    seq: int = 0
    prev: OpId | None = None
    hlc: int = NOW_MS << 16
    salts: Random = field(default_factory=lambda: Random(5))

    @property
    def who(self) -> Identity:
        return identity(self.name)

    @property
    def origin(self) -> Origin:
        return Origin(self.who.device_id, self.incarnation)

    def fork(self) -> "Hand":
        """A second writer that goes on from the same op, as a cloned disk does."""
        return Hand(self.name, self.incarnation, self.seq, self.prev, self.hlc, Random(self.seq + 77))

    def write(
        self,
        body: Body | None = None,
        rid: bytes | None = None,
        *,
        seen: Iterable[OpRef] = (),
        kind: int | None = None,
        version: int = 1,
        plain: bytes | None = None,
        ends: bool = True,
        hlc: int | None = None,
        prev: bytes | None = None,
        seq: int | None = None,
    ) -> Op:
        """The next op of the chain; whatever is given by name replaces what would be right."""
        self.hlc = self.hlc + 1 if hlc is None else hlc
        seq = self.seq + 1 if seq is None else seq
        before = self.prev if prev is None else OpId(prev)
        if plain is not None:
            payload = self.salts.randbytes(SALT_BYTES) + plain
        else:
            assert body is not None
            payload = encode_payload(self.salts.randbytes(SALT_BYTES), body)
        if kind is None:
            kind = KIND_OF[type(body)]
        seen, digest = tuple(seen), payload_hash(payload)
        raw = header(self.origin, seq, self.hlc, seen, kind, version, ends, rid, before, digest)
        op_id = header_hash(raw)
        target = None if rid is None else MemoryId(rid)
        op = Op(self.origin, seq, self.hlc, seen, kind, version, ends, target, before, digest, payload, op_id)
        self.seq, self.prev = seq, op_id
        return op

    def segment(self, *ops: Op) -> Segment:
        """What a frame says of these ops, with the signature of the last one."""
        return Segment(ops[0].origin, ops[0].seq, ops[0].prev, sign_commit(self.who.sign, ops[-1].id), None)

    def frame(self, *ops: Op) -> Frame:
        """A frame of these ops alone."""
        return Frame((self.segment(*ops),), ops, (0,) * len(ops))


def frame_of_segments(*segments: tuple[Segment, Sequence[Op]]) -> Frame:
    """One segment after the other."""
    ops = tuple(op for _, each in segments for op in each)
    numbers = tuple(at for at, (_, each) in enumerate(segments) for _ in each)
    return Frame(tuple(segment for segment, _ in segments), ops, numbers)


def spoil(path: Path, table: str) -> None:
    """Overwrite the page at which a table begins, as a bad disk does."""
    connection = sqlite3.connect(path)
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,))
    ((size,),) = connection.execute("PRAGMA page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x99" * size)
