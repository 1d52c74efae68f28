"""Find out whether a replica still is what its log says, trusting nothing that it computed before.

The base is handed, and the log is sent, to an empty replica of the same group, through the same doors as a peer's:
every header is built anew, every chain and signature checked, every op folded in order. Then both digests are compared,
the cells that are stored are summed up anew, and what shows is compared with the cells. What no digest covers is
compared one by one. A log that is whole but shorter than this device once made it is a finding, too. A file that was
tampered with can hold anything: what cannot even be read is a finding, no crash.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, islice, zip_longest
from random import Random
from typing import Final

from replica.core import Core
from replica.errors import ReplicaError, StoreFailed
from replica.feeds import Feeds
from replica.folding import Totals, digests_of
from replica.frame import decode_frame, encode_frame
from replica.ids import DeviceId, OpId, OpRef
from replica.late import is_late
from replica.missing import missing
from replica.oplog import FoldStatus
from replica.ops import OpKind
from replica.outbox import Outbox
from replica.refold import sum_up
from replica.rows import rehashed
from replica.signing import Verify, verify_commit
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.state import digest
from replica.state.adds import Add
from replica.state.cells import Cell, Key, State, memory_key, renumber
from replica.state.memories import MemoryCell
from replica.state.register import Dot, Vector
from replica.storage.memory_store import MemoryStore
from replica.storage.store import SqliteStore
from replica.vouched import vouched_ops

# What code that trusts its own file raises when it should not have.
_UNREADABLE: Final = (
    ReplicaError,
    sqlite3.DatabaseError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
# Cells that are compared at once: enough to share what a look costs, and few beside what the log takes.
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Verification:
    """How many ops were checked, every mismatch, each as a sentence, and what nobody could check.

    `vouched`: ops that came within a snapshot and not as their authors signed them, by the device whose word they are
    known by.
    """

    ops: int
    problems: tuple[str, ...]
    vouched: Mapping[DeviceId, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def verify_replica(
    core: Core, *, verify: Verify = verify_commit, told: Callable[[int], None] = lambda done: None
) -> Verification:
    """Check a replica's log, state and digests against each other; `verify` is replaceable only to remember results.

    `told` hears how much is done: of the ops of the log and the cells of the state, so many were looked at.
    `StoreFailed` where the disk does not let what was told last be shown.
    """
    store = MemoryStore()
    fresh = Core(
        store,
        device=core.device,
        sign=_never,
        random=Random(0),
        verify=verify,
        understood=core.understood,
    )
    fresh.adopt(core.membership)
    fresh.take_proofs(
        [proof for proof in core.proofs.values() if proof.id not in core.idle],
        [core.proofs[each] for each in sorted(core.idle)],
    )
    problems: list[str] = []
    ops = 0
    try:
        core.store.follow()  # and not amid the reading of the log, which that moves
        if any(feed.base_seq > feed.fork for feed in core.feeds):
            absorb(fresh, read_snapshot(make_snapshot(core), core), now_ms=0)
        outbox = Outbox({})
        outbox.sent_base(core)
        while (frame := outbox.next_frame(core)) is not None:
            ops += len(frame.ops)
            taken = fresh.take(decode_frame(encode_frame(frame)), now_ms=0)
            told(ops)
            problems += [
                f"op {refusal.seq} of {refusal.origin.device.hex()[:8]} does not hold: {refusal.reason}"
                for refusal in taken.refusals
            ]
        problems += _compare_rows(core, fresh, verify)
        problems += _check_evidence(core)
        problems += _compare_vectors(core, fresh)
        summed = Totals(unfolded=core.totals.unfolded)
        # Read once, and compared with the log and with what shows on the way.
        unlike: list[str] = []
        cells = _compared_cells(core, fresh, store.keys(), summed, unlike, lambda done: told(ops + done))
        shown = core.store.check(cells)
        for _ in cells:
            pass  # whatever no one looked at
        problems += _compare_digests(core, fresh, summed)
        problems += unlike
        problems += shown
        problems += _missing(core)
    except StoreFailed:  # it says nothing of what is stored
        raise
    except _UNREADABLE as error:
        problems.append(_unreadable(error))
    return Verification(ops, tuple(problems), vouched_ops(core))


def verify_beside(
    reading: sqlite3.Connection, core: Core, *, told: Callable[[int], None] = lambda done: None
) -> Verification:
    """Check the store of a core as another connection reads it, so that whoever writes need not wait.

    It is in a transaction, and all that was told showed when that began: nothing is written here. `told` hears how much
    is done, as of `verify_replica`.
    """
    try:
        # It signs the snapshot that it hands to itself, where there is a base.
        beside = Core(SqliteStore(reading), device=core.device, sign=core.sign, random=Random(0))
    except _UNREADABLE as error:
        return Verification(0, (_unreadable(error),))
    return verify_replica(beside, told=told)


def _unreadable(error: Exception) -> str:
    return f"the store holds something that cannot be read: {type(error).__name__} {error}"


def _missing(core: Core) -> Iterator[str]:
    for at_ms, held, seq in missing(core):
        day = datetime.fromtimestamp(at_ms / 1000, UTC).date()
        yield (
            f"this device misses {seq - held} of its {seq} writes: {held} were left of them on {day}; "
            "a sync with a device that was told of them brings them back"
        )


def _compare_digests(core: Core, fresh: Core, totals: Totals) -> Iterator[str]:
    """Compare the digests that are stored, those of the log, and what the stored cells add up to."""
    stored, refolded, summed = core.digests(), fresh.digests(), digests_of(totals, core.frontier())
    for name, told, found in (
        ("digest", stored.visible, refolded.visible),
        ("state digest", stored.state, refolded.state),
    ):
        if told != found:
            yield f"the log folds to {name} {found.hex()[:16]}, stored is {told.hex()[:16]}"
    if summed != stored:
        yield "the stored cells do not add up to the stored digests"


def _compare_rows(core: Core, fresh: Core, verify: Verify) -> Iterator[str]:
    """Compare what the headers cannot show: ids within a chain, statuses, and signatures that were not sent along."""
    for row, again in zip_longest(core.rows_above_base(), fresh.store.rows()):
        if row is None or again is None:
            yield "the log has another length than what could be taken of it"
            return
        name = f"op {row.seq} at position {row.pos}"
        if row.id != again.id:
            yield f"{name} is stored under another id than its header has"
        # An op made wrong and then erased is marked by what it was, or by what is left of it: whichever came first.
        if row.status != again.status and row.payload is not None:
            yield f"{name} is marked {FoldStatus(row.status).name}, and is {FoldStatus(again.status).name}"
        if row.signature is not None:
            key = core.membership.public_key(core.feeds[row.feed].origin.device)
            if key is None or not verify(key, OpId(row.id), row.signature):
                yield f"the signature of {name} does not verify"


def _check_evidence(core: Core) -> Iterator[str]:
    """Check the ops that stayed in the log below the end of a base that was handed over, and that the state has them.

    They are in no frame that is sent, so each header is built anew here, and each signature checked.
    """
    held: dict[int, tuple[int, OpId]] = {}
    for row in chain(core.store.late_rows(), core.store.rows()):
        feed = core.feeds[row.feed]
        if row.seq > feed.base_seq:
            continue
        name = f"op {row.seq} of {feed.origin.device.hex()[:8]}, which the base covers,"
        seq, before = held.get(row.feed, (0, None))
        if seq == row.seq - 1:  # what stands before others may be known by its short id only
            found = rehashed(row, feed.origin, before)
            if found != row.id:
                yield f"{name} is stored under another id than its header has"
        held[row.feed] = row.seq, OpId(row.id)
        if row.signature is not None and not core.is_signed(feed.origin.device, OpId(row.id), row.signature):
            yield f"the signature of {name} does not verify"
        if core.may_prove and is_late(row):
            continue  # what it says is still to be folded
        if row.kind == OpKind.REMEMBER and row.status == FoldStatus.FOLDED and row.rid is not None:
            key = memory_key(row.rid)
            cell = core.store.load([key]).get(key)
            adds = cell.adds if isinstance(cell, MemoryCell) else {}
            if Dot(row.feed, row.seq, row.id[:8]) not in adds and not core.store.tombstoned([row.rid]):
                yield f"{name} added a memory that is not there"


def _compare_vectors(core: Core, fresh: Core) -> Iterator[str]:
    """Compare what each feed's writer is believed to have seen: the next op of that feed is folded by it."""
    for feed in core.feeds:
        dot = fresh.feeds.locate(feed.head_place) if feed.seq > feed.fork else None
        if dot is not None and _ends(core.feeds, feed.vector) != _ends(
            fresh.feeds, fresh.feeds[dot.feed].vector
        ):
            yield f"feed {feed.no} is stored as having seen something else than its ops say"


def _ends(feeds: Feeds, vector: Vector) -> set[OpRef]:
    """Return the last places that a vector covers, without stems that a covered branch leaves: which of two branches is
    the stem hangs on which came first.
    """
    ends = dict(vector)
    for no in vector:
        feed = feeds[no]
        while feed.parent is not None:
            if ends.get(feed.parent, 0) <= feed.fork:
                ends.pop(feed.parent, None)
            feed = feeds[feed.parent]
    return set(feeds.places(ends))


def _compared_cells(
    core: Core,
    fresh: Core,
    keys: KeysView[Key],
    summed: Totals,
    unlike: list[str],
    told: Callable[[int], None],
) -> Iterator[tuple[Key, Cell]]:
    """Give every cell, compared: also the parts that no digest covers (writes that lost, stamps, hidden documents).

    `keys` are those of the cells that the log makes; when all were given, `summed` is what the stored ones add up to,
    and `unlike` says which are stored otherwise.
    """

    feeds = Counter(feed.origin for feed in core.feeds)
    # Where no chain has branches, which is nearly always, an op is in the one feed of its origin.
    only = {feed.origin: feed.no for feed in core.feeds if feeds[feed.origin] == 1}

    def moved(dot: Dot) -> Dot:
        if (no := only.get(fresh.feeds.origin_of(dot.feed))) is not None:
            return Dot(no, dot.seq, dot.id8)
        held = core.feeds.locate(OpRef(fresh.feeds.origin_of(dot.feed), dot.seq, dot.id8))
        return dot if held is None else held

    def origin(number: int) -> int:
        return core.feeds.origin_number(fresh.feeds.origin(number))

    def is_told(cell: Cell, again: Cell | None) -> bool:
        if again is None:
            return False
        stored, folded = _bare_adds(cell), _bare_adds(again)
        if stored is not None and folded is not None:
            return {moved(dot): add for dot, add in folded.items()} == stored
        return _comparable(cell) == _comparable(renumber(again, moved, origin))

    left, seen = {*keys}, 0  # of what is stored no key is held on to, which a million times is a lot
    for page in _pages(core.store.all_cells()):
        _add_up(State(dict(page)), summed, core)
        refolded = fresh.store.load([key for key, _ in page])
        for key, cell in page:
            if key not in left or not is_told(cell, refolded.get(key)):
                unlike.append(
                    f"the {key.part.name.lower()} {key.name.hex()} is stored otherwise than the log folds it"
                )
            left.discard(key)
        seen += len(page)
        told(seen)
        yield from page
    _add_up(State({}, core.store.all_tombstones()), summed, core)
    unlike += [f"the {key.part.name.lower()} {key.name.hex()} is missing" for key in left]


def _pages(cells: Iterable[tuple[Key, Cell]]) -> Iterator[list[tuple[Key, Cell]]]:
    left = iter(cells)
    while page := list(islice(left, _PAGE)):
        yield page


def _bare_adds(cell: Cell) -> dict[Dot, Add] | None:
    """Return the adds of a memory that was told and nothing else, as nearly all were; None of other cells."""
    return cell.adds if isinstance(cell, MemoryCell) and cell.is_only_added() else None


def _comparable(cell: Cell) -> object:
    if not isinstance(cell, MemoryCell):
        return cell
    return replace(cell, edits={}), {base: text.written_anew() for base, text in cell.edits.items()}


def _add_up(state: State, totals: Totals, core: Core) -> None:
    """Add a part of a state to the set hashes of the whole."""
    part = Totals()
    sum_up(state, part, core.feeds)
    totals.visible = digest.reduced(totals.visible + part.visible)
    totals.cells = digest.reduced(totals.cells + part.cells)
    totals.tombstones = digest.reduced(totals.tombstones + part.tombstones)


def _never(message: bytes) -> bytes:
    raise AssertionError(f"a verification signs nothing, not even {len(message)} bytes")
