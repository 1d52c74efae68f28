"""Fold ops that everybody has into the base, and let them leave the log.

An op may leave once every member under a lease has folded it. A member that was not heard of for the length of a lease
holds nothing back; it meets the base later, as a snapshot that is merged (`replica.snapshot`). So leases are about
space, never about correctness.

The base is closed: with an op it holds everything that op has seen. It ends, for each feed, at a signed op, the end of
a whole commit, since below the last signature nothing could be checked. Ops that this program does not understand stay,
and hold back what depends on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from replica.core import Core
from replica.feeds import join
from replica.hlc import HLC_MAX, at_end_of, milliseconds
from replica.ids import DeviceId, OpId
from replica.oplog import Changes, FoldStatus, LogRow, SpinePiece
from replica.ops import OpKind
from replica.remains import remains_of
from replica.rows import body_of, op_of
from replica.state.cells import State
from replica.state.fold import fold, keys_of
from replica.state.register import Dot, Vector

LEASE_MS: Final = 90 * 24 * 3_600_000
# What one transaction folds: some two seconds for a writer that waits. More than the largest batch that one signature
# covers, or such a batch could never leave.
COMPACT_OPS_MAX: Final = 50_000


def compactable(
    core: Core,
    held_by_others: Sequence[Vector],
    *,
    before_ms: int | None = None,
    ops_max: int = COMPACT_OPS_MAX,
) -> list[LogRow]:
    """Return the rows that may leave the log, in commit order, when each of these vectors is folded somewhere.

    With `before_ms`, only what was stamped by then; at most `ops_max` of them.
    """
    latest = HLC_MAX if before_ms is None else at_end_of(before_ms)
    cap: dict[int, int] = {}
    while True:
        chosen, unsigned = _choose(core, held_by_others, cap, latest, ops_max)
        if not unsigned:
            return chosen
        cap |= unsigned


def _choose(
    core: Core, held_by_others: Sequence[Vector], cap: Mapping[int, int], latest: int, ops_max: int
) -> tuple[list[LogRow], dict[int, int]]:
    """Return what may leave, and for each feed that then ended unsigned, its last signed op: where to stop instead."""
    feeds = core.feeds
    base = {feed.no: feed.base_seq for feed in feeds}
    signed = dict(base)
    blocked: set[int] = set()
    chosen: list[LogRow] = []
    for row in chain(core.store.late_rows(), core.store.rows()):
        no = row.feed
        if no in blocked:
            continue
        if row.seq <= feeds[no].base_seq:  # folded already, and kept as evidence until everybody has it
            if row.hlc <= latest and all(vector.get(no, 0) >= row.seq for vector in held_by_others):
                chosen.append(row)
            continue
        op = op_of(row, feeds.origin_of(no))
        needs = feeds.vector_of(op.seen)
        feed = feeds[no]
        if row.seq == feed.fork + 1:
            join(needs, feed.fork_vector)
        if (
            row.seq > cap.get(no, row.seq)
            or row.hlc > latest
            or row.status == FoldStatus.UNKNOWN
            or any(vector.get(no, 0) < row.seq for vector in held_by_others)
            or any(base.get(other, 0) < seq for other, seq in needs.items() if other != no)
        ):
            blocked.add(no)
            continue
        if len(chosen) == ops_max:
            break
        chosen.append(row)
        base[no] = row.seq
        if row.signature is not None and row.ends:
            signed[no] = row.seq
    return chosen, {no: signed[no] for no, seq in base.items() if signed[no] < seq}


def leased(core: Core, now_ms: int) -> list[DeviceId]:
    """Return the members that hold compaction back: not revoked, and heard of within the lease."""
    return [
        device
        for device in sorted(core.membership.standing - {core.device})
        if device in core.contacts and now_ms - core.contacts[device].heard_ms < LEASE_MS
    ]


@dataclass(frozen=True, slots=True)
class CompactionOutlook:
    """About how many ops may leave the log now, and the member that holds back the most, if one does."""

    ops: int
    held_by: DeviceId | None


def outlook(core: Core, now_ms: int) -> CompactionOutlook:
    """Return what compacting would come to; by frontiers alone, so a few ops more than can really go."""
    above = {feed.no: feed.seq - feed.base_seq for feed in core.feeds}
    lacking: dict[DeviceId, int] = {}
    going = dict(above)
    for device in leased(core, now_ms):
        folded = core.contacts[device].folded
        for feed in core.feeds:
            holds = min(max(folded.get(feed.no, 0) - feed.base_seq, 0), above[feed.no])
            going[feed.no] = min(going[feed.no], holds)
            lacking[device] = lacking.get(device, 0) + above[feed.no] - holds
    worst = max(lacking, key=lambda device: (lacking[device], device), default=None)
    return CompactionOutlook(sum(going.values()), worst if worst is not None and lacking[worst] else None)


def compact(core: Core, now_ms: int, *, before_ms: int | None = None, ops_max: int = COMPACT_OPS_MAX) -> int:
    """Move what may leave into the base, in one transaction; return how many ops that were.

    The log then tells nothing of what was stamped earlier than the newest of them: the horizon.
    """
    folded = [core.contacts[device].folded for device in leased(core, now_ms)]
    rows = compactable(core, folded, before_ms=before_ms, ops_max=ops_max)
    if not rows:
        return 0
    with core.undoing():
        # A stamp of the future is somebody's wrong clock; what it hides is not the time from now on.
        core.horizon_ms = max(core.horizon_ms, min(now_ms, max(milliseconds(row.hlc) for row in rows)))
        core.write(_into_base(core, rows), now_ms)
    return len(rows)


def _into_base(core: Core, leaving: Sequence[LogRow]) -> Changes:
    feeds = core.feeds
    rows = [row for row in leaving if row.seq > feeds[row.feed].base_seq]
    ops = [op_of(row, feeds.origin_of(row.feed)) for row in rows]
    bodies = [body_of(op, core.understood) for op in ops]
    keys = {
        key for op, body in zip(ops, bodies, strict=True) if body is not None for key in keys_of(op, body)
    }
    held = core.store.load_base(keys)
    base_tombstones = core.store.base_tombstones()
    state = State(dict(held), set(base_tombstones))
    vectors: dict[int, Vector] = {}
    ids: dict[int, bytearray] = {}
    first: dict[int, int] = {}
    last: dict[int, LogRow] = {}
    for row, op, body in zip(rows, ops, bodies, strict=True):
        feed = feeds[row.feed]
        vector = vectors.get(row.feed)
        if vector is None:
            vector = dict(feed.base_vector if feed.base_seq > feed.fork else feed.fork_vector)
            vectors[row.feed] = vector
            ids[row.feed], first[row.feed] = bytearray(), row.seq
        vector[row.feed] = row.seq
        join(vector, feeds.vector_of(op.seen))
        if body is not None:
            dot = Dot(row.feed, row.seq, row.id[:8])
            fold(state, op, body, keys_of(op, body), dot, feed.origin_no, vector, feeds.locate)
        ids[row.feed] += row.id[:8]
        last[row.feed] = row
    edited = {row.rid for row in rows if row.kind == OpKind.EDIT and row.rid is not None}
    going = state.tombstones - base_tombstones
    # As long as the log begins where it did: below it, what stands before an op is known by its short id only.
    remains = remains_of(feeds, rows, going | core.store.tombstoned(edited))
    for no, row in last.items():
        feed = feeds[no]
        feed.base_seq, feed.base_head = row.seq, OpId(row.id)
        feed.base_signature, feed.base_vector = row.signature, vectors[no]
    return Changes(
        feeds=[feeds[no] for no in last],
        compacted=[row.pos for row in leaving],
        spine=[SpinePiece(no, first[no], bytes(ids[no])) for no in last],
        remains=remains,
        remains_cut=core.edits_cut(going),
        base_cells={key: state.cells.get(key) for key in state.touched},
        base_tombstones=going,
    )
