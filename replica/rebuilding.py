"""Carry a log over into a new group: what stays is signed as it was, what goes leaves no trace.

A rebuilt group is a new one, founded by the device that rebuilds it. Its root names the *authors* whose ops belong to
it and how far those go (`Membership.allows`): to no end of a device that stays; as far as they are held of one that was
in the group earlier; and of one that turned bad none, or those that a device that stays had seen by some moment. That
is told by what its honest readers signed, not by its own stamps: nobody backdates what another one has not seen.

An op that stays keeps its place, its stamp, its signature and so its id; with it stay the ids of memories, their
history, tombstones and proofs of erasure. It may have seen ops that went: by the root's word every device passes over
those alike, so the new group converges as any other does (`docs/explanation/convergence.md`). What was written *on top*
of an op that went is put right by new ops of this device:

- a text that somebody who stays had edited further reads as that left it;
- words that only a proof of one that went had erased are gone here. They are erased anew in this device's name, since
  a header without its payload needs a proof;
- a memory that only those told goes, unless it is asked for: then this device tells it again, under the same id.

What lies below the base can be told apart only as far as `replica.pruning` says.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from replica.core import Core
from replica.feeds import Feed, join
from replica.frame import Frame, decode_frame, encode_frame
from replica.history import history
from replica.hlc import COUNTER_BITS
from replica.ids import DeviceId, MemoryId, Origin
from replica.limits import (
    COMMIT_OPS_MAX,
    COMMIT_PAYLOAD_BYTES_MAX,
    FRAME_OPS_TARGET,
    FRAME_PAYLOAD_BYTES_TARGET,
    NAMES_MAX,
)
from replica.membership import INCARNATIONS_MAX, Reach, name_author, name_root, names_author, reach_of, revoke
from replica.oplog import Changes, LogEntry
from replica.ops import TEXT_KINDS, Edit, Erase, OpKind, Remember, Write
from replica.outbox import frame_of
from replica.signing import Sign
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.state.cells import memory_key
from replica.state.memories import Memory, MemoryCell, show
from replica.state.register import Vector

Holds = Callable[[Origin, int], bool]
"""Whether an op, by its place, is carried over."""
# Words of memories that are told again, in one commit: a few large ones, or thousands of notes.
_BYTES_AT_ONCE: Final = COMMIT_PAYLOAD_BYTES_MAX // 4


@dataclass(slots=True)
class Carried:
    """What came of it. `refused`: why ops could not be taken over, each reason once."""

    ops: int = 0
    dropped: int = 0
    refused: list[str] = field(default_factory=list)
    texts: list[MemoryId] = field(default_factory=list)
    """Memories whose text was put right."""
    erased: list[MemoryId] = field(default_factory=list)
    """Memories that only those who go had erased, and whose words are gone."""
    told: list[MemoryId] = field(default_factory=list)
    """Memories that this device told again."""


def authors_of(
    core: Core, stay: Collection[DeviceId], bad: Collection[DeviceId], *, until_ms: int | None = None
) -> dict[DeviceId, Reach | None]:
    """Return how far the ops of each device but this one go; with `until_ms`, what was seen of bad ones before it."""
    seen: Vector = {} if until_ms is None else _seen_by(core, {*stay, core.device}, until_ms)
    reaches: dict[DeviceId, Reach | None] = {}
    for device in core.membership.members:
        if device == core.device:
            continue
        if device in stay:
            reaches[device] = None
            continue
        by_origin: dict[Origin, list[Feed]] = {}
        for feed in core.feeds:
            if feed.origin.device == device:
                by_origin.setdefault(feed.origin, []).append(feed)
        reach = {
            origin.incarnation: _signed_end(core, feeds, seen)
            if device in bad
            else max(each.seq for each in feeds)
            for origin, feeds in by_origin.items()
        }
        longest = sorted(((seq, incarnation) for incarnation, seq in reach.items() if seq), reverse=True)
        reaches[device] = {incarnation: seq for seq, incarnation in longest[:INCARNATIONS_MAX]}
    return reaches


def holds_of(reaches: Mapping[DeviceId, Reach | None]) -> Holds:
    """Return what says whether an op stays; whoever is not among these stays whole."""

    def holds(origin: Origin, seq: int) -> bool:
        reach = reaches.get(origin.device)
        return reach is None or seq <= reach.get(origin.incarnation, 0)

    return holds


def found(
    old: Core,
    new: Core,
    sign: Sign,
    reaches: Mapping[DeviceId, Reach | None],
    bad: Collection[DeviceId],
    now_ms: int,
) -> None:
    """Make the group of a new store: this device is its root, and says who wrote what is carried over."""
    known = old.membership.members
    own = known[old.device]
    new.found(own)
    new.follow(name_root(sign, own.device, public_key=own.public_key, name=own.name))
    new.learn(
        [
            name_author(
                sign,
                own.device,
                public_key=known[each].public_key,
                name=known[each].name,
                reach=reaches[each],
            )
            for each in sorted(reaches)
        ],
        [
            revoke(sign, own.device, each)
            for each in sorted({*bad, *(old.membership.revoked & reaches.keys())})
        ],
        now_ms=now_ms,
    )


def carry_over(old: Core, new: Core, holds: Holds, now_ms: int) -> Carried:
    """Take what stays of a log into another store of the same device, below what that may hold already."""
    carried = Carried()
    if any(feed.base_seq > feed.fork and holds(feed.origin, feed.base_seq) for feed in old.feeds):
        _take_base(old, new, holds, now_ms)
    proofs = [each for each in old.proofs.values() if holds(each.op().origin, each.op().seq)]
    known = [each for each in proofs if each.author in new.membership.members]
    new.take_proofs(
        [each for each in known if each.id not in old.idle], [each for each in known if each.id in old.idle]
    )
    carried.erased = _erased_by_others(old, new, holds)
    for at in range(0, len(carried.erased), NAMES_MAX):
        new.commit([Write(Erase(tuple(carried.erased[at : at + NAMES_MAX])))], now_ms)
    reasons: dict[str, None] = {}
    for frame in _frames(old, holds, carried):
        taken = new.take(
            decode_frame(encode_frame(frame)), now_ms
        )  # all is hashed and checked, as from a peer
        carried.ops += taken.ops
        reasons |= dict.fromkeys(each.reason for each in taken.refusals)
    carried.refused = list(reasons)
    return carried


def mend_texts(old: Core, new: Core, holds: Holds, carried: Carried, now_ms: int) -> None:
    """Let texts that stay read as whoever stays left them, where they had edited what others wrote that goes."""
    for rid in _edited_by_others(old, holds):
        text = _as_left(old, rid, holds)
        shown = shown_of(new, [rid]).get(rid)
        if text is not None and shown is not None and shown.text != text:
            new.commit(new.edits_of(rid, text), now_ms)
            carried.texts.append(rid)


def tell_again(old: Core, new: Core, rids: Iterable[MemoryId], carried: Carried, now_ms: int) -> None:
    """Tell memories under their ids as they show in the old store, where the new one has none and no tombstone."""
    asked = [rid for rid in rids if rid not in new.store.tombstoned([rid])]
    here, there = shown_of(new, asked), shown_of(old, asked)
    writes: list[Write] = []
    size = 0
    for rid in asked:
        if rid in here or rid not in there:
            continue
        writes.append(Write(Remember(there[rid].text, there[rid].fields), rid))
        size += len(there[rid].text)
        carried.told.append(rid)
        if len(writes) == COMMIT_OPS_MAX or size > _BYTES_AT_ONCE:
            new.commit(writes, now_ms)
            writes, size = [], 0
    new.commit(writes, now_ms)


def joined_holds(new: Core) -> Holds:
    """Return what a device carries over that moves into a rebuilt group: the ops of those that stay, and its own.

    Of the others the founder has carried over all that stays.
    """
    every = (*new.membership.members.values(), *new.membership.further)
    ended = {each.device for each in every if names_author(each) and reach_of(each) is not None}

    def holds(origin: Origin, seq: int) -> bool:
        device = origin.device
        return device in new.membership.members and device not in ended and new.membership.allows(origin, seq)

    return holds


def told_by(core: Core, device: DeviceId) -> list[MemoryId]:
    """Return the memories that live and that a device told."""
    return [
        MemoryId(key.name)
        for key, cell in core.store.all_cells()
        if isinstance(cell, MemoryCell)
        and any(core.feeds.origin_of(dot.feed).device == device for dot in cell.adds)
    ]


def shown_of(core: Core, rids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
    """Return what shows of these memories."""
    cells = core.store.load(map(memory_key, rids))
    return {
        MemoryId(key.name): show(key.name, cell)
        for key, cell in cells.items()
        if isinstance(cell, MemoryCell)
    }


def _seen_by(core: Core, devices: Collection[DeviceId], until_ms: int) -> Vector:
    """Return what these devices had seen by a moment, by their own stamps; of what left the log, all or nothing."""
    seen: Vector = {}
    if core.horizon_ms < until_ms:
        join(seen, {feed.no: feed.base_seq for feed in core.feeds})
    for feed in core.feeds:
        if feed.origin.device not in devices:
            continue
        last = 0
        for row in core.store.feed_rows(feed.no, feed.base_seq + 1, feed.seq):
            if row.hlc >> COUNTER_BITS >= until_ms:
                break
            last = row.seq
        join(seen, (core.feeds.vector_at(feed.no, last) if last else None) or {})
    return seen


def _signed_end(core: Core, feeds: list[Feed], seen: Vector) -> int:
    """Return the last signed op of an origin up to where it was seen; 0 if the base does not end before that.

    Where chains part, up to there: by its seq alone nobody knows which of two ops is meant.
    """
    stem, *branches = feeds
    until = min([seen.get(stem.no, 0), *(branch.fork for branch in branches)])
    if until < stem.base_seq or stem.fork:
        return 0
    ends = (
        row.seq
        for row in core.store.feed_rows(stem.no, stem.base_seq + 1, until)
        if row.signature is not None and row.ends
    )
    return max(ends, default=stem.base_seq)


def _take_base(old: Core, new: Core, holds: Holds, now_ms: int) -> None:
    """Take over what left the log; who had vouched for some of it still does, and nobody for the rest."""
    absorb(new, read_snapshot(make_snapshot(old, holds), new), now_ms)
    new.vouched = [each for each in new.vouched if each.by != new.device]
    new.write(Changes(), now_ms)


def _erased_by_others(old: Core, new: Core, holds: Holds) -> list[MemoryId]:
    """Return the memories of which ops that stay lack their words, by no proof that stays."""
    proven = new.erased
    return sorted(
        {
            MemoryId(row.rid)
            for row in old.store.rows()
            if row.payload is None
            and row.rid is not None
            and row.kind in TEXT_KINDS
            and row.rid not in proven
            and holds(old.feeds.origin_of(row.feed), row.seq)
        }
    )


def _frames(old: Core, holds: Holds, carried: Carried) -> Iterator[Frame]:
    """Give the ops of the log that stay, in commit order; a frame ends where each of its feeds is signed."""
    entries: list[LogEntry] = []
    unsigned: set[int] = set()
    size = 0
    for entry in old.store.entries(0, {}, old.feeds.origin_of):
        _, no, op, signature, _ = entry
        if op.seq <= old.feeds[no].base_seq:
            continue
        if not holds(op.origin, op.seq):
            carried.dropped += 1
            continue
        entries.append(entry)
        size += len(op.payload or b"")
        if signature is None:
            unsigned.add(no)
        else:
            unsigned.discard(no)
        if not unsigned and (len(entries) >= FRAME_OPS_TARGET or size >= FRAME_PAYLOAD_BYTES_TARGET):
            yield frame_of(old, entries)
            entries, size = [], 0
    if entries:
        yield frame_of(old, entries)


def _edited_by_others(old: Core, holds: Holds) -> list[MemoryId]:
    """Return the memories whose text was edited by an op in the log that goes."""
    return sorted(
        {
            MemoryId(row.rid)
            for row in old.store.rows()
            if row.kind == OpKind.EDIT
            and row.rid is not None
            and not holds(old.feeds.origin_of(row.feed), row.seq)
        }
    )


def _as_left(old: Core, rid: MemoryId, holds: Holds) -> str | None:
    """Return a text with all edits that stay and those that they were made on; None if they were made on no others."""
    rows = list(old.store.memory_rows(rid))
    covered: Vector = {}
    for row in rows:
        if row.kind == OpKind.EDIT and holds(old.feeds.origin_of(row.feed), row.seq):
            join(covered, old.feeds.vector_at(row.feed, row.seq) or {})
    built_on = [row for row in rows if covered.get(row.feed, 0) >= row.seq]
    if all(row.kind != OpKind.EDIT or holds(old.feeds.origin_of(row.feed), row.seq) for row in built_on):
        return None
    text = None
    for each in history(rid, built_on):
        if isinstance(each.body, Edit | Remember):
            text = each.text if each.text is not None else text
    return text
