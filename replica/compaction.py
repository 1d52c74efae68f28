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
from itertools import chain, islice
from typing import Final

from replica.collector import collector_paused
from replica.core import Core
from replica.feeds import join
from replica.hlc import HLC_MAX, at_end_of, latest_plausible, milliseconds
from replica.ids import DeviceId, OpId
from replica.oplog import Changes, FoldStatus, LogRow, SpinePiece
from replica.remains import remains_of
from replica.rows import body_of, op_of, read_places
from replica.state.cells import State
from replica.state.fold import fold, keys_of
from replica.state.register import Dot, Vector

LEASE_MS: Final = 90 * 24 * 3_600_000
# What one transaction folds, if its end is signed: so long a writer waits that comes in between, 0.1 s.
_FOLDED_AT_ONCE: Final = 5_000
# And otherwise: more than the largest batch that one signature covers, or such a batch could never leave.
COMPACT_OPS_MAX: Final = 50_000
# More than any feed has.
SEQ_MAX: Final = 2**63 - 1


def compactable(
    core: Core,
    held_by_others: Sequence[Vector],
    *,
    before_ms: int | None = None,
    now_ms: int | None = None,
    ops_max: int = COMPACT_OPS_MAX,
) -> list[LogRow]:
    """Return the rows that may leave the log, in commit order, when each of these vectors is folded somewhere.

    With `before_ms`, only what was stamped by then; at most `ops_max` of them, and of many some thousands. A stamp from
    further ahead of `now_ms` than can be right tells of no time: its op leaves with the next one behind it in the log.
    """
    latest = HLC_MAX if before_ms is None else at_end_of(before_ms)
    believed = HLC_MAX if now_ms is None else latest_plausible(now_ms)
    cap: dict[int, int] = {}
    while True:
        chosen, unsigned = _choose(core, held_by_others, cap, _Stamps(core, believed, latest), ops_max)
        if not unsigned:
            return chosen
        cap |= unsigned


class _Stamps:
    """Says of ops, in commit order, whether they are as old as what may leave.

    Else one op from the year 6429, of a wrong clock or a bad member, would keep all that had seen it in the log for
    ever. When it came, whatever its stamp, was before what stands behind it.
    """

    def __init__(self, core: Core, believed: int, latest: int) -> None:
        self._store = core.store
        self._believed = believed
        self._latest = latest
        self._next = (0, 0)

    def may_leave(self, pos: int, hlc: int) -> bool:
        """Say whether an op at a position, of this stamp, is old enough."""
        if hlc <= self._believed:
            return hlc <= self._latest
        if pos >= self._next[0]:
            behind = self._store.rows(after=pos)
            believed = ((row.pos, row.hlc) for row in behind if row.hlc <= self._believed)
            self._next = next(believed, (SEQ_MAX, HLC_MAX))
        return self._next[1] <= self._latest


def _choose(
    core: Core, held_by_others: Sequence[Vector], cap: Mapping[int, int], stamps: _Stamps, ops_max: int
) -> tuple[list[LogRow], dict[int, int]]:
    """Return what may leave, and for each feed that then ended unsigned, its last signed op: where to stop instead."""
    feeds = core.feeds
    base = {feed.no: feed.base_seq for feed in feeds}
    signed = dict(base)
    based = dict(base)
    begun = {feed.no: feed.fork + 1 for feed in feeds}
    # Of each feed, what all others hold, as far as it may leave.
    shared = {no: min((vector.get(no, 0) for vector in held_by_others), default=SEQ_MAX) for no in base}
    last = {no: min(seq, cap.get(no, seq)) for no, seq in shared.items()}
    unknown = FoldStatus.UNKNOWN
    blocked: set[int] = set()
    unsigned: set[int] = set()
    chosen: list[LogRow] = []
    for row in chain(core.store.late_rows(), core.store.rows(after=_last_held_back(core, shared))):
        pos, no, seq, hlc, _, _, ends, _, seen, _, _, _, signature, status = row
        if no in blocked:
            continue
        if seq <= based[no]:  # folded already, and kept as evidence until everybody has it
            if shared[no] >= seq and stamps.may_leave(pos, hlc):
                chosen.append(row)
            continue
        needs = feeds.vector_of(read_places(seen)) if seen else {}
        if seq == begun[no]:
            join(needs, feeds[no].fork_vector)
        if (
            seq > last[no]
            or not stamps.may_leave(pos, hlc)
            or status == unknown
            or (needs and any(base.get(other, 0) < held for other, held in needs.items() if other != no))
        ):
            blocked.add(no)
            continue
        if len(chosen) == ops_max or (len(chosen) >= _FOLDED_AT_ONCE and not unsigned):
            break
        chosen.append(row)
        base[no] = seq
        if signature is not None and ends:
            signed[no] = seq
            unsigned.discard(no)
        else:
            unsigned.add(no)
    return chosen, {no: signed[no] for no in unsigned}


def _last_held_back(core: Core, shared: Vector) -> int:
    """Return the position before the first op that all others hold: much that one of them lacks may lie before it."""
    firsts = (
        row.pos
        for feed in core.feeds
        for row in islice(core.store.feed_rows(feed.no, feed.fork + 1, shared[feed.no]), 1)
    )
    return max(0, min(firsts, default=core.position + 1) - 1)


def leased(core: Core, now_ms: int) -> list[DeviceId]:
    """Return the members that hold compaction back: not revoked, and heard of within the lease.

    Who was heard of when this device's clock was years ahead would otherwise hold it back for years.
    """
    return [
        device
        for device in sorted(core.membership.standing - {core.device})
        if device in core.contacts and abs(now_ms - core.contacts[device].heard_ms) < LEASE_MS
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
    with collector_paused():
        rows = compactable(core, folded, before_ms=before_ms, now_ms=now_ms, ops_max=ops_max)
        if not rows:
            return 0
        with core.undoing():
            # A stamp of the future is somebody's wrong clock; what it hides is not the time from now on.
            until_ms = now_ms if before_ms is None else min(now_ms, before_ms)
            core.horizon_ms = max(core.horizon_ms, min(until_ms, max(milliseconds(row.hlc) for row in rows)))
            core.write(_into_base(core, rows), now_ms)
        return len(rows)


def _into_base(core: Core, leaving: Sequence[LogRow]) -> Changes:
    feeds = core.feeds
    rows = [row for row in leaving if row.seq > feeds[row.feed].base_seq]
    # Nearly all ops added a memory of which nothing was said since, here or anywhere: these need not be folded again.
    settled = core.store.bare_adds(rows[0].pos, rows[-1].pos) if rows else frozenset[int]()
    said = {
        row.pos: (op, body, keys_of(op, body))
        for row in rows
        if row.pos not in settled
        and (body := body_of(op := op_of(row, feeds.origin_of(row.feed)), core.understood)) is not None
    }
    held = core.store.load_base({key for _, _, keys in said.values() for key in keys})
    base_tombstones = core.store.base_tombstones()
    state = State(dict(held), set(base_tombstones))
    vectors: dict[int, Vector] = {}
    ids: dict[int, bytearray] = {}
    first: dict[int, int] = {}
    last: dict[int, LogRow] = {}
    for row in rows:
        pos, no, seq, _, _, _, _, _, seen, _, _, op_id, _, _ = row
        vector = vectors.get(no)
        if vector is None:
            feed = feeds[no]
            vector = dict(feed.base_vector if feed.base_seq > feed.fork else feed.fork_vector)
            vectors[no] = vector
            ids[no], first[no] = bytearray(), seq
        vector[no] = seq
        if seen:
            join(vector, feeds.vector_of(read_places(seen)))
        if pos in said:
            op, body, keys = said[pos]
            dot = Dot(no, seq, op_id[:8])
            fold(state, op, body, keys, dot, feeds[no].origin_no, vector, feeds.locate)
        ids[no] += op_id[:8]
        last[no] = row
    going = state.tombstones - base_tombstones
    # As long as the log begins where it did: below it, what stands before an op is known by its short id only.
    remains = remains_of(feeds, rows, state.tombstones)
    for no, row in last.items():
        feed = feeds[no]
        feed.base_seq, feed.base_head = row.seq, OpId(row.id)
        feed.base_signature, feed.base_vector = row.signature, vectors[no]
    return Changes(
        feeds=[feeds[no] for no in last],
        compacted=[row.pos for row in leaving],
        settled=[row.pos for row in rows if row.pos in settled],
        spine=[SpinePiece(no, first[no], bytes(ids[no])) for no in last],
        remains=remains,
        remains_cut=core.edits_cut(going),
        base_cells={key: state.cells.get(key) for key in state.touched},
        base_tombstones=going,
    )
