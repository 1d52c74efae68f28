"""Hostile snapshots: a member covers true ops, its own newest among them, and says what it likes of all the others.

Whoever holds those others must not change by it. So it lies only to who holds all that it holds itself, but that one
new op of its own, without which a snapshot would be passed over: of what is lacking, a member's word is all there is.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from replica.codec import Reading, pack, unpack
from replica.compaction import compact
from replica.core import Core
from replica.frame import decode_frame, encode_frame
from replica.outbox import Outbox
from replica.rows import body_of
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from replica.snapshot_adds import AddColumns, Added, AddedRow, columns_of
from replica.state.text import EditedText, base_name
from replica.storage.memory_store import MemoryStore
from replica.zstd import compress
from simulations.device import Device
from simulations.hostile.behaviour import Act, Behaviour, answer
from simulations.hostile.ordinary import remembering
from simulations.world import World
from sync.parts import parts_of
from sync.wire.messages import encode_message

_CONTEXT: Final = b"samemind snapshot 1\0"
# Where the parts of a snapshot stand in it.
_FEEDS, _CELLS, _TOMBSTONES, _ADDS, _REMAINS = 2, 4, 5, 7, 8
_MEMORY: Final = 0
_PROPOSAL: Final = 3
_RECEIPTS: Final = 4
_LINK: Final = 6

Lie = Callable[[list[Any], list[AddedRow], Random], None]
"""(plain snapshot, what others added, random): change both; the adds are put in afterwards."""


def _leaves_out(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    others.clear()
    plain[_CELLS] = [cell for cell in plain[_CELLS] if cell[0] not in (_MEMORY, _PROPOSAL, _LINK)]


def _deletes(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    gone = {row.rid for row in others} | {cell[1] for cell in plain[_CELLS] if cell[0] == _MEMORY}
    _leaves_out(plain, others, random)
    plain[_TOMBSTONES] = sorted({*plain[_TOMBSTONES], *gone})
    plain[_REMAINS] = []


def _rewords(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    others[:] = [row._replace(text=f"not {row.text}") for row in others]


def _edits(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    """Let memories read otherwise, and say that they have a topic, and were taken in by everybody."""
    for row in others:
        document = EditedText.from_base(row.rid, row.text)
        document.apply(document.edit(f"not {row.text}", random))
        at = [row.feed, row.seq, _id8(plain, row), row.hlc]
        edits = {base_name(row.rid, row.text): document.state()}
        cell = [[[*at, row.text, row.fields]], {"topic": [[*at, "nobody's"]]}, edits, row.hlc, [], [], [], {}]
        plain[_CELLS].append([_MEMORY, row.rid, pack(cell)])
    others.clear()


def _brings_back(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    plain[_TOMBSTONES], plain[_REMAINS] = [], []


def _confirms(plain: list[Any], others: list[AddedRow], random: Random) -> None:
    devices = sorted({feed[0] for feed in plain[_FEEDS]} - {plain[0]})  # of itself it may say so
    known = {cell[1] for cell in plain[_CELLS] if cell[0] == _RECEIPTS}
    plain[_CELLS] += [
        [_RECEIPTS, rid, pack(devices)] for rid in plain[_TOMBSTONES] if devices and rid not in known
    ]


_LIES: Final[Mapping[str, tuple[str, Lie]]] = {
    "snapshot leaves out": ("hands over a snapshot without what others wrote", _leaves_out),
    "snapshot deletes": ("hands over a snapshot in which everything was forgotten", _deletes),
    "snapshot rewords": ("hands over a snapshot in which others said something else", _rewords),
    "snapshot edits": ("hands over a snapshot with edits and fields that nobody wrote", _edits),
    "snapshot brings back": ("hands over a snapshot without deletions", _brings_back),
    "snapshot confirms": ("hands over a snapshot in which everybody confirms each deletion", _confirms),
}


def _id8(plain: list[Any], row: AddedRow) -> bytes:
    feed = plain[_FEEDS][row.feed]
    at = 8 * (row.seq - feed[3] - 1)
    found: bytes = feed[9][at : at + 8]
    return found


def _base_of(hostile: Device, now_ms: int) -> list[Any]:
    """Return what a snapshot of everything that a device holds says, as plain values."""
    core = hostile.core
    copy = Core(
        MemoryStore(),
        device=core.device,
        sign=core.sign,
        random=Random(0),
        verify=core.verify,
        understood=core.understood,
    )
    copy.adopt(core.membership)
    copy.take_proofs(
        [proof for proof in core.proofs.values() if proof.id not in core.idle],
        [core.proofs[each] for each in sorted(core.idle)],
    )
    if any(feed.base_seq > feed.fork for feed in core.feeds):
        absorb(copy, read_snapshot(make_snapshot(core), core), now_ms)
    outbox = Outbox({})
    outbox.sent_base(core)
    while (frame := outbox.next_frame(core)) is not None:
        copy.take(decode_frame(encode_frame(frame)), now_ms)
    compact(copy, now_ms)
    _, body = unseal(make_snapshot(copy))
    plain: list[Any] = unpack(body)
    return plain


def _spoilt(hostile: Device, lie: Lie, now_ms: int, random: Random) -> bytes:
    """Return a snapshot of everything that a hostile device holds, signed, with a lie about what others wrote."""
    plain = _base_of(hostile, now_ms)
    ops = sum(feed[5] - feed[3] for feed in plain[_FEEDS])

    def ids(feeds: Sequence[int], seqs: Sequence[int]) -> list[bytes]:
        return [b""] * len(seqs)

    rows = [
        AddedRow(each.rid, each.dot.feed, each.dot.seq, each.add.hlc, each.add.text, each.add.fields)
        for each in Added(AddColumns.read(Reading(pack(plain[_ADDS]))), ids, ops=ops)
    ]
    own = [row for row in rows if plain[_FEEDS][row.feed][0] == hostile.key.device]
    others = [row for row in rows if plain[_FEEDS][row.feed][0] != hostile.key.device]
    lie(plain, others, random)
    plain[_ADDS] = columns_of([*own, *others])
    body = pack(plain)
    signature = hostile.core.sign(_CONTEXT + hashlib.sha256(body).digest())
    return compress(pack([signature, body]))


def _lies(lie: Lie) -> Act:
    def act(world: World, hostile: Device, victim: Device, random: Random) -> bool:
        def say() -> list[bytes]:
            if hostile.core.frontier() != victim.core.frontier() or not victim.core.has_folded_all:
                return []  # what it lacks, or an older version does not understand yet, is believed
            now_ms = hostile.now(world.now_ms)
            frame = remembering(world, hostile, random, f"lies {random.random()}")
            held = hostile.held
            bodies = [body_of(op, hostile.core.understood) for op in frame.ops]
            world.observer.wrote(hostile.name, held, frame.ops, bodies)
            world.attempt(hostile, lambda: hostile.core.take(frame, now_ms))
            world.notice(hostile)
            snapshot = _spoilt(hostile, lie, now_ms, random)
            world.snapshots[hashlib.sha256(snapshot).digest()] = snapshot
            world.count("lying snapshots")
            return [encode_message(part) for part in parts_of(snapshot)]

        return answer(world, hostile, victim, say)

    return act


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    name: Behaviour(says, _lies(lie)) for name, (says, lie) in _LIES.items()
}
