"""Let what is known by a member's word give way to signed ops that came later (`replica.late`).

What follows is what would have, had the ops been here before the word. Those that reach back to the beginning, each
with all that its author had seen, are folded from nothing, as they were when they were written. Those that do not reach
back so far still prove what stands on its own: that a memory was added, in which words, and that one was forgotten.
Then the base as it is counts as somebody's snapshot, and is merged into that (`replica.state.merge`): it adds what no
signed op is here of, and takes nothing away from what is. Where all of the base came signed, nothing of it is left.

The same goes for a signed op that the base does not cover. If it adds a memory under an id that was drawn for it, then
nobody has deleted or edited that memory who had not seen the op, and so no word of such a deletion or edit counts.

An op whose effect is proven is no longer vouched for by anybody. If a memory was left out, or told in other words,
whoever vouched for that is named.
"""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from typing import Any, Final

from replica.collector import collector_paused
from replica.core import Core
from replica.evidence import Fault
from replica.feeds import join
from replica.ids import OpRef
from replica.late import is_late
from replica.meta import Vouched
from replica.oplog import Changes, FoldStatus, LogRow, Remains
from replica.ops import OpKind
from replica.refold import Refolded, added_by, changes_to, refold
from replica.remains import SignedChanges, read_remains, remains_of
from replica.rows import op_of, read_places
from replica.state.cells import Key, State, encode_cell, memory_key
from replica.state.memories import MemoryCell
from replica.state.merge import News, merge_states
from replica.state.register import Dot, Vector
from replica.vouched import voucher

# What such an op does hangs on nothing that its author had seen.
_ON_ITS_OWN: Final = (OpKind.REMEMBER, OpKind.FORGET)


def give_way(core: Core, now_ms: int) -> bool:
    """Let signed ops that came late replace what was told instead of them, in one transaction; say whether any did."""
    came_late = core.may_prove and core.store.last_late() is not None
    denied, core.denied, core.may_prove = core.denied, set(), False
    if not came_late and not denied:
        return False
    with collector_paused(), core.undoing():
        proof = _Proof.of(core)
        if not proof.is_news() and not proof.is_other_than_told(denied):
            return False
        proof.run(now_ms)
    return True


@dataclass(slots=True)
class _Proof:
    """Signed ops below the end of the base. `rows`: those that reach back to the beginning, in a causal order.

    `reach`: up to which seq of each feed those go. `vectors`: what the writer of the last of them had seen. `alone`:
    others that came late, and of which that counts which stands on its own.
    """

    core: Core
    rows: list[LogRow]
    reach: Vector
    vectors: dict[int, Vector]
    alone: list[LogRow]
    remains: list[Remains] = field(default_factory=list)

    @classmethod
    def of(cls, core: Core) -> "_Proof":
        """Find out how far they go."""
        rows, reach, vectors = _reaching_back(core)
        alone = [
            row
            for row in core.store.late_rows()
            if row.seq > reach[row.feed] and row.kind in _ON_ITS_OWN and row.status == FoldStatus.FOLDED
        ]
        return cls(core, rows, reach, vectors, alone)

    def is_news(self) -> bool:
        """Say whether anything may change by them."""
        return any(self.reach[each.feed] >= each.first for each in self.core.vouched) or bool(self.alone)

    def is_other_than_told(self, denied: Set[bytes]) -> bool:
        """Say whether the base tells anything of these memories that does not count, since ops above it added them."""
        store = self.core.store
        told = State(store.load_base(map(memory_key, denied)), store.base_tombstones() & denied)
        if not told.cells and not told.tombstones:
            return False
        left = merge_states(State(), told, self._news(told))
        return left.tombstones != told.tombstones or any(
            key not in left.cells or encode_cell(left.cells[key]) != encode_cell(cell)
            for key, cell in told.cells.items()
        )

    def run(self, now_ms: int) -> None:
        """Fold the base and the log anew."""
        core, feeds = self.core, self.core.feeds
        mine = refold(
            State(),
            [*self.rows, *self.alone],
            feeds,
            lambda no, seq: feeds.vector_at(no, seq) or {},
            understood=core.understood,
        ).state
        theirs = State(dict(core.store.all_base_cells()), core.store.base_tombstones())
        self._accuse(mine, theirs, now_ms)
        merged = mine if self._is_all() else merge_states(mine, theirs, self._news(theirs))
        for rid in core.erased:
            merged.kill(rid)
        self._right_vectors()
        base_cells: dict[Key, Any] = dict.fromkeys(theirs.cells)
        refolded = refold(
            merged,
            core.rows_above_base(),
            feeds,
            core.feeds.vector_at,
            understood=core.understood,
        )
        changes = self._changes(refolded, theirs.tombstones, merged.tombstones)
        changes.remains_cut = core.edits_cut(merged.tombstones - theirs.tombstones)
        changes.base_cells = base_cells | merged.cells
        changes.base_tombstones = set(merged.tombstones)
        core.totals = refolded.totals
        core.vouched = self._still_vouched()
        core.write(changes, now_ms)
        core.merged += 1

    def _changes(self, refolded: Refolded, before: Set[bytes], gone: Set[bytes]) -> Changes:
        """Return what changes but for the base, from which these memories were `gone` before, and are now."""
        core = self.core
        back = before - gone  # no signed op has deleted them
        changes = changes_to(core.store, refolded)
        changes.tombstones_gone = set(back)
        changes.tombstones |= refolded.state.tombstones & back
        proven = [row for row in self.rows if self._was_word(row)]
        changes.remains = remains_of(core.feeds, proven, gone)
        changes.feeds = [core.feeds[no] for no in self.vectors]
        return changes

    def _was_word(self, row: LogRow) -> bool:
        return is_late(row) and voucher(self.core, row.feed, row.seq) is not None

    def _is_all(self) -> bool:
        """Say whether everything in the base came signed."""
        return all(self.reach[feed.no] >= feed.base_seq for feed in self.core.feeds)

    def _news(self, theirs: State) -> News:
        """Say what of the base no signed op is here of."""
        core = self.core
        alone = {(row.feed, row.seq) for row in self.alone}

        def covers(dot: Dot) -> bool:
            return core.feeds[dot.feed].base_seq >= dot.seq

        def held(dot: Dot) -> bool:
            return self.reach[dot.feed] >= dot.seq or (dot.feed, dot.seq) in alone

        def is_new(place: OpRef) -> bool:
            dot = core.feeds.locate(place)
            return dot is not None and covers(dot) and not held(dot)

        beyond = [feed for feed in core.feeds if feed.base_seq > self.reach[feed.no]]
        kept = self._kept(is_new)
        added = added_by(core.rows_above_base())
        if self._has_folded():
            kept.rids |= theirs.tombstones - added  # those of its own among the rest cannot be told apart
        return News(
            covers,
            held,
            is_new,
            {feed.origin_no for feed in beyond},
            {feed.origin.device for feed in beyond},
            kept.rids,
            kept.edits,
            added,
            kept.taken_back,
        )

    def _kept(self, is_new: Callable[[OpRef], bool]) -> SignedChanges:
        """Return what the signed ops come to that are kept of what left the log."""
        core = self.core
        kept = SignedChanges(set(core.erased))
        for data in core.store.remains():
            _, proof = read_remains(data, core.membership, core.verify)
            kept.add(proof, is_new)
        return kept

    def _has_folded(self) -> bool:
        """Say whether this device has folded ops into the base that were signed, and are not in the log any more."""
        core = self.core
        by_word: dict[int, int] = {}
        for each in core.vouched:
            by_word[each.feed] = by_word.get(each.feed, 0) + each.ops
        return any(
            feed.base_seq - feed.fork - by_word.get(feed.no, 0)
            > sum(not is_late(row) for row in core.store.feed_rows(feed.no, feed.fork + 1, feed.base_seq))
            for feed in core.feeds
        )

    def _right_vectors(self) -> None:
        """Know what the writers of the last ops of the base had seen by these, and not by what somebody said of it."""
        feeds = self.core.feeds
        for no, vector in self.vectors.items():
            feed = feeds[no]
            if self.reach[no] < feed.base_seq:
                continue
            feed.base_vector, feed.vector = dict(vector), dict(vector)
            for row in self.core.store.seen_rows(no, feed.base_seq + 1, feed.seq):
                feeds.see(feed.vector, read_places(row.seen))
            feed.vector[no] = feed.seq

    def _still_vouched(self) -> list[Vouched]:
        """Return what is known by word after this."""
        cut = (each._replace(first=max(each.first, self.reach[each.feed] + 1)) for each in self.core.vouched)
        return [each for each in cut if each.first <= each.last]

    def _accuse(self, mine: State, theirs: State, now_ms: int) -> None:
        """Name who vouched for a base without memories that signed ops have added, or with others in their place."""
        for key, cell in mine.cells.items():
            if not isinstance(cell, MemoryCell):
                continue
            told = theirs.cells.get(key)
            adds = told.adds if isinstance(told, MemoryCell) else {}
            if key.name in theirs.tombstones:
                continue
            for dot, add in cell.adds.items():
                by = voucher(self.core, dot.feed, dot.seq)
                if by is not None and adds.get(dot) != add:
                    self.core.accuse(by, Fault.SNAPSHOT_DENIES, now_ms)


def _reaching_back(core: Core) -> tuple[list[LogRow], Vector, dict[int, Vector]]:
    """Return the ops below the end of the base that are in the log with all that their authors had seen.

    In an order in which each comes after those; with up to which seq of each feed they go, and what the writer of the
    last one of each had seen.
    """
    feeds = core.feeds
    reach: Vector = {feed.no: feed.fork for feed in feeds}
    vectors: dict[int, Vector] = {}
    found: list[LogRow] = []
    waiting = {
        feed.no: list(core.store.feed_rows(feed.no, feed.fork + 1, feed.base_seq))[::-1]
        for feed in feeds
        if feed.base_seq > feed.fork
    }
    goes_on = True
    while goes_on:
        goes_on = False
        for no, rows in waiting.items():
            feed = feeds[no]
            while rows and rows[-1].seq == reach[no] + 1 and rows[-1].status != FoldStatus.UNKNOWN:
                seen = op_of(rows[-1], feed.origin).seen
                needs = _needs(core, seen)
                if needs is None or any(reach[other] < seq for other, seq in needs.items() if other != no):
                    break
                if feed.parent is not None and (reach[feed.parent] < feed.fork or not feed.fork_vector):
                    break  # of a branch that came in a base it may not be known what the writer of its stem had seen
                join(vectors.setdefault(no, dict(feed.fork_vector)), needs)
                found.append(rows.pop())
                reach[no] = vectors[no][no] = found[-1].seq
                goes_on = True
    return found, reach, vectors


def _needs(core: Core, seen: Iterable[OpRef]) -> Vector | None:
    """Return the vector of what an op has seen; None if some of that is not held."""
    places = [place for place in seen if core.membership.allows(place.origin, place.seq)]
    if any(core.feeds.locate(place) is None for place in places):
        return None
    return core.feeds.vector_of(places)
