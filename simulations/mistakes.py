"""Rules that somebody could have written, each wrong: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run: (owner, name of the attribute, wrong version).
"""

from collections.abc import Container, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

import replica.admission
import replica.codec
import replica.compaction
import replica.core
import replica.outbox
import replica.refold
import replica.rows
import replica.snapshot
import replica.state.digest
import replica.state.fold
import replica.state.memories
import replica.state.merge
import replica.storage.shown
import sync.exchange
from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.tables import ClaimTables
from replica.admission import Refusal, WholeId
from replica.chains import Chains
from replica.core import Core, Taken
from replica.feeds import Feeds
from replica.folding import OriginOf, Totals, WorkingSet
from replica.frame import Frame
from replica.ids import DeviceId, Origin, Place
from replica.membership import Membership
from replica.oplog import Changes, Row, Store
from replica.ops import Claim, Op
from replica.outbox import Outbox
from replica.refold import Refolded
from replica.snapshot_parts import Snapshot, SnapshotFeed, read_parts
from replica.state.cells import Key, Part, State, feedback_key, memory_key
from replica.state.memories import HeldTrigger, MemoryCell
from replica.state.merge import Has
from replica.state.register import Dot, Register, Vector, saw, winner
from replica.state.text import EditedText
from replica.storage.memory_store import MemoryStore
from replica.storage.shown import RowChange
from replica.storage.store import SqliteStore
from simulations.patching import swapped
from sync.session import Session

if TYPE_CHECKING:
    from simulations.world import World

Swap = tuple[Any, str, Any]


# -- wrong rules of the model ----------------------------------------------------------------------------------


def hlc_order(world: "World") -> Sequence[Swap]:
    """Oldest stamp first, each feed on its own: what an op has seen may come later."""
    right, first_missing = Core.take, replica.admission._first_missing

    def take(self: Core, frame: Frame, now_ms: int) -> Taken:
        taken, refusals = 0, list[Refusal]()
        starts = {at: op.hlc for op, at in reversed(list(zip(frame.ops, frame.segment_of, strict=True)))}
        for at in sorted(starts, key=lambda at: starts[at]):
            ops = tuple(op for op, of in zip(frame.ops, frame.segment_of, strict=True) if of == at)
            part = right(self, Frame((frame.segments[at],), ops, (0,) * len(ops)), now_ms)
            taken += part.ops
            refusals += part.refusals
        return Taken(taken, tuple(refusals))

    def only_prev(
        frame: Frame, taken: set[int], feeds: Chains, whole_id: WholeId
    ) -> tuple[int, Refusal] | None:
        unseen = frame._replace(ops=tuple(op._replace(seen=()) for op in frame.ops))
        return first_missing(unseen, taken, feeds, whole_id)

    return [(Core, "take", take), (replica.admission, "_first_missing", only_prev)]


def pairwise(world: "World") -> Sequence[Swap]:
    def write(register: Register, dot: Dot, hlc: int, value: Any, vector: Vector) -> Register:
        for head, (held, _) in register.items():
            if not saw(vector, head) and (held, head.id8) > (hlc, dot.id8):
                return register
        return {dot: (hlc, value)}

    return [(replica.state.fold, "write", write)]


def no_hash(world: "World") -> Sequence[Swap]:
    def locate(self: Feeds, place: Place) -> Dot | None:
        for feed in self.of(place.origin):
            if feed.fork < place.seq <= feed.seq:
                return Dot(feed.no, place.seq, self.id8(feed.no, place.seq))
        return None

    return [(Feeds, "locate", locate)]


class _Everything:
    def __contains__(self, item: object) -> bool:
        return True


def no_proof(world: "World") -> Sequence[Swap]:
    right = replica.admission.admit

    def admit(*args: Any, **options: Any) -> Any:
        return right(*args, **(options | {"erased": _Everything()}))

    return [(replica.core, "admit", admit)]


def tie_feed(world: "World") -> Sequence[Swap]:
    def by_feed(register: Register) -> tuple[Dot, int, Any]:
        dot = max(register, key=lambda head: (register[head][0], head.feed, head.seq))
        return dot, *register[dot]

    modules = (replica.state.memories, replica.state.digest, replica.storage.shown)
    return [(module, "winner", by_feed) for module in modules]


def cut(world: "World") -> Sequence[Swap]:
    right = Membership.public_key

    def public_key(self: Membership, device: DeviceId) -> bytes | None:
        return None if device in self.revoked else right(self, device)

    return [(Membership, "public_key", public_key)]


def no_incarnation(world: "World") -> Sequence[Swap]:
    return [(Core, "heard_of_myself", lambda self, places: False)]


def any_add(world: "World") -> Sequence[Swap]:
    def known(state: State, keys: Sequence[Key], vector: Vector) -> MemoryCell | None:
        for key in keys:
            cell = state.cells.get(key)
            if isinstance(cell, MemoryCell):
                state.touched[key] = None
                return cell
        return None

    return [(replica.state.fold, "_known", known)]


def claim_drop(world: "World") -> Sequence[Swap]:
    """A claim drops those of its slot that hang on the same memory, as a register would."""
    right = replica.state.fold.fold

    def fold(state: State, op: Op, body: Any, *how: Any) -> None:
        cell = state.memory(op.rid) if isinstance(body, Claim) and op.rid is not None else None
        if cell is not None:
            for dot, claim in list(cell.claims.items()):
                if (claim.entity, claim.relation) == (body.entity, body.relation):
                    del cell.claims[dot]
                    cell.verdicts.pop(dot, None)
        right(state, op, body, *how)

    return [(replica.core, "fold", fold)]


def replace_state(world: "World") -> Sequence[Swap]:
    def theirs(mine: State, theirs: State, i_have: Has, they_have: Has) -> State:
        return theirs

    return [(replica.snapshot, "merge_states", theirs)]


def union(world: "World") -> Sequence[Swap]:
    right = replica.state.merge.merge_states

    def union(mine: State, theirs: State, i_have: Has, they_have: Has) -> State:
        return right(mine, theirs, lambda dot: False, lambda dot: False)

    return [(replica.snapshot, "merge_states", union)]


def mid_commit(world: "World") -> Sequence[Swap]:
    right = replica.compaction._choose

    def choose(*args: Any) -> tuple[list[Row], dict[int, int]]:
        return right(*args)[0][:1], {}

    return [(replica.compaction, "_choose", choose)]


def no_spine(world: "World") -> Sequence[Swap]:
    def held(self: Any, feed: SnapshotFeed) -> tuple[int, Dot | None]:
        feeds = self.core.feeds
        for own in feeds.of(feed.origin):
            seq = min(own.seq, feed.seq)
            if seq > max(feed.fork, own.fork):
                return seq, Dot(own.no, seq, feeds.id8(own.no, seq))
        return feed.fork, None

    return [(replica.snapshot._Absorption, "_held", held)]


def no_full_vector(world: "World") -> Sequence[Swap]:
    right = replica.outbox.frame_of

    def frame_of(*args: Any) -> Frame:
        frame = right(*args)
        return frame._replace(segments=tuple(each._replace(vector=None) for each in frame.segments))

    return [(replica.outbox, "frame_of", frame_of), (replica.admission, "_past_unknown", lambda *_: False)]


class _Knowing:
    """A status that nothing has, in place of `Status`."""

    UNKNOWN = -1


def compact_unknown(world: "World") -> Sequence[Swap]:
    return [(replica.compaction, "Status", _Knowing)]


def snapshot_of_state(world: "World") -> Sequence[Swap]:
    """Whatever is held is folded into the base just before it is handed over, understood or not."""
    right = replica.snapshot.make_snapshot

    def make(core: Core) -> bytes:
        with swapped(replica.compaction, "Status", _Knowing):
            rows = replica.compaction.compactable(core, [])
            if rows:
                core.write(replica.compaction._into_base(core, rows), 0)
        return right(core)

    def lacks_anything(self: Outbox, core: Core) -> bool:
        return self.lacking(core) > 0

    return [(sync.exchange, "make_snapshot", make), (Outbox, "lacks_base", lacks_anything)]


def tombstones_collected(world: "World") -> Sequence[Swap]:
    stores = (SqliteStore, MemoryStore)
    return [(store, "base_tombstones", lambda self: set()) for store in stores]


def accesses_added(world: "World") -> Sequence[Swap]:
    """Totals of one origin are added where bases merge, instead of taking the higher."""
    right = replica.state.merge.merge_states

    def merge(mine: State, theirs: State, i_have: Has, they_have: Has) -> State:
        merged = right(mine, theirs, i_have, they_have)
        for key, cell in merged.cells.items():
            a, b = mine.cells.get(key), theirs.cells.get(key)
            if isinstance(cell, MemoryCell) and isinstance(a, MemoryCell) and isinstance(b, MemoryCell):
                for origin in a.accesses.keys() & b.accesses.keys():
                    count = a.accesses[origin][0] + b.accesses[origin][0]
                    cell.accesses[origin] = (count, cell.accesses[origin][1])
        return merged

    return [(replica.snapshot, "merge_states", merge)]


def old_takes_new(world: "World") -> Sequence[Swap]:
    right = replica.snapshot.read_snapshot

    def read(data: bytes, core: Core) -> Snapshot:
        if (snapshot := right(data, core)).feeds:
            return snapshot
        snapshot = read_parts(replica.codec.unpack(replica.snapshot.unseal(data)[1]))
        known = (Part.MEMORY, Part.EDGE)  # what an old program has tables for
        return snapshot._replace(kinds={}, cells=tuple(cell for cell in snapshot.cells if cell[0] in known))

    return [(sync.exchange, "read_snapshot", read)]


def keeps_erased(world: "World") -> Sequence[Swap]:
    return [(Core, "_erase", lambda self, proofs, changes: None)]


def replaces_shown(world: "World") -> Sequence[Swap]:
    world.memo.replaces_shown_only = True
    return []


# -- others: one at least for every checker --------------------------------------------------------------------


def unsigned(world: "World") -> Sequence[Swap]:
    right = replica.admission.admit

    def admit(*args: Any, **options: Any) -> Any:
        return right(*args, **(options | {"verify": lambda *_: True}))

    return [(replica.core, "admit", admit)]


def not_durable(world: "World") -> Sequence[Swap]:
    world.disks_forget = True
    return []


def no_tombstone(world: "World") -> Sequence[Swap]:
    def kill(self: State, rid: bytes) -> None:
        self.cells.pop(memory_key(rid), None)
        self.touched[memory_key(rid)] = None

    return [(State, "kill", kill)]


def edits_share_a_client(world: "World") -> Sequence[Swap]:
    right = EditedText.edit

    def edit(self: EditedText, text: str, random: Random) -> bytes:
        return right(self, text, Random(7))

    return [(EditedText, "edit", edit)]


def never_caught_up(world: "World") -> Sequence[Swap]:
    return [(Session, "caught_up", lambda self: None)]


def sends_all(world: "World") -> Sequence[Swap]:
    right = Outbox.__init__

    def begin(self: Outbox, known: Vector, pos: int = 0, parted: Container[Origin] = ()) -> None:
        right(self, {}, pos, parted)

    return [(Outbox, "__init__", begin)]


def digest_drifts(world: "World") -> Sequence[Swap]:
    """A batch that takes something away leaves the digest as it was."""
    right = WorkingSet.settle

    def settle(self: WorkingSet, totals: Totals, origin_of: OriginOf) -> Changes:
        before = totals.visible
        changes = right(self, totals, origin_of)
        if None in changes.cells.values():
            totals.visible = before
        return changes

    return [(WorkingSet, "settle", settle)]


def vector_forgets(world: "World") -> Sequence[Swap]:
    right = Chains.see

    def see(self: Chains, vector: Vector, places: Any) -> None:
        right(self, vector, list(places)[1:])

    return [(Chains, "see", see)]


def record_stays(world: "World") -> Sequence[Swap]:
    """The question stays open when what was said on one side is forgotten."""
    right = ClaimTables.changed

    def changed(self: ClaimTables, connection: Any, changes: Sequence[RowChange], now_ms: int) -> None:
        right(self, connection, [each for each in changes if each.after is not None], now_ms)

    return [(ClaimTables, "changed", changed)]


def summary_stays(world: "World") -> Sequence[Swap]:
    """A summary does not notice that members of it are forgotten."""
    right = SummaryTables.changed

    def changed(self: SummaryTables, connection: Any, changes: Sequence[RowChange], now_ms: int) -> None:
        right(self, connection, [each for each in changes if each.after is not None], now_ms)

    return [(SummaryTables, "changed", changed)]


def status_falls(world: "World") -> Sequence[Swap]:
    """The last word on a trigger counts, instead of the highest status."""
    return [(HeldTrigger, "joined", lambda self, other: self)]


def edges_stay(world: "World") -> Sequence[Swap]:
    """An edge that was taken away still shows to queries."""

    def at_least_something(register: Register) -> tuple[Dot, int, Any]:
        dot, hlc, weight = winner(register)
        return dot, hlc, 0.5 if weight is None else weight

    return [(replica.storage.shown, "winner", at_least_something)]


def statuses_stay(world: "World") -> Sequence[Swap]:
    """A log that is folded anew after an upgrade still says that it was not understood."""
    right = replica.refold.changes_to

    def changes_to(store: Store, refolded: Refolded) -> Changes:
        changes = right(store, refolded)
        changes.statuses = []
        return changes

    return [(replica.refold, "changes_to", changes_to)]


def lesson_lost(world: "World") -> Sequence[Swap]:
    """What was taught last on a device takes the place of what was taught there before."""

    def one_key(place: Place) -> Key:
        return feedback_key(Place(place.origin, 1, bytes(8)))

    return [(replica.state.fold, "feedback_key", one_key)]
