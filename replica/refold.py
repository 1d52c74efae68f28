"""Fold a log anew on top of a base.

Needed when what can be folded has changed (an upgrade understands more) or what lies below has (two bases were merged).
It is the same fold in the same order as when the ops came, so the result is what they would have made then.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from replica.codec import wire_place
from replica.core import Core
from replica.feeds import Feeds, join
from replica.folding import Totals
from replica.ids import OpRef, is_drawn_for
from replica.meta import SHOWN_BY
from replica.oplog import Changes, FoldStatus, LogRow, MemoryChange, Store
from replica.ops import OpKind
from replica.rows import Understood, body_of, op_of, status_without_body
from replica.state import digest
from replica.state.cells import Cell, CellKind, Key, State, decode_cell, encode_cell
from replica.state.fold import fold, keys_of
from replica.state.memories import BareMemory, Memory, MemoryCell, show, show_registers
from replica.state.register import Dot, Vector

VectorAt = Callable[[int, int], Vector | None]
ShowAs = Callable[[bytes, MemoryCell], Memory]


@dataclass(slots=True)
class Refolded:
    """The state that a log makes on a base, its set hashes, and the status of each of its rows by position.

    `shown`: what shows of each memory that lives.
    """

    state: State
    totals: Totals
    statuses: dict[int, FoldStatus]
    shown: Mapping[Key, Memory] = field(default_factory=dict)


def refold(
    base: State,
    rows: Iterable[LogRow],
    feeds: Feeds,
    vector_at: VectorAt,
    *,
    understood: Understood,
    added: Callable[[bytes], BareMemory | None] | None = None,
) -> Refolded:
    """Fold rows, in commit order, on a base, which stays as it is: the cells that they touch are copied.

    What was erased has a tombstone in each base since its proof was taken in, and no words in any row.

    `added` takes the memory with an id out of those of the base that have no cell in it; one that a row touches gets
    it. Those that stay are not in the set hashes (`count_added`).
    """
    result = Refolded(State(dict(base.cells), set(base.tombstones)), Totals(), {})
    copied: set[Key] = set()
    vectors: dict[int, Vector] = {}
    for row in rows:
        feed = feeds[row.feed]
        if row.feed not in vectors:
            before = vector_at(row.feed, row.seq - 1) if row.seq > 1 else {}
            assert before is not None, "a log begins where its base ends"
            vectors[row.feed] = before
        vector = vectors[row.feed]
        vector[row.feed] = row.seq
        op = op_of(row, feed.origin)
        if op.seen:
            join(vector, feeds.vector_of(op.seen))
        body = body_of(op, understood)
        if body is None:
            status = status_without_body(op, understood)
        else:
            status = FoldStatus.FOLDED
            keys = keys_of(op, body)
            for key in keys:
                if added and key.part is CellKind.MEMORY and (one := added(key.name)) is not None:
                    base.cells[key] = one.cell()
                if key in base.cells and key not in copied:
                    copied.add(key)
                    result.state.cells[key] = decode_cell(key.part, encode_cell(base.cells[key]))
            fold(
                result.state,
                op,
                body,
                keys,
                Dot(row.feed, row.seq, row.id[:8]),
                feed.origin_no,
                vector,
                feeds.locate,
            )
        result.statuses[row.pos] = status
        if status is FoldStatus.UNKNOWN:
            place = OpRef(feed.origin, row.seq, row.id[:8])
            unfolded = result.totals.unfolded + digest.element(wire_place(place))
            result.totals.unfolded = digest.reduced(unfolded)
    result.shown = sum_up(result.state, result.totals, feeds)
    return result


def added_by(rows: Iterable[LogRow]) -> set[bytes]:
    """Return the memories that these rows add under ids drawn for them: whoever deleted one must have seen its row.

    Under any other id somebody may have forgotten the same before, where nobody has heard of this row.
    """
    return {
        row.rid
        for row in rows
        if row.kind == OpKind.REMEMBER
        and row.status == FoldStatus.FOLDED
        and row.rid is not None
        and is_drawn_for(row.rid, row.hlc)
    }


def sum_up(state: State, totals: Totals, feeds: Feeds) -> dict[Key, Memory]:
    """Set the set hashes of a whole state, from nothing; return what shows of the memories that have cells."""
    visible = cells = tombstones = digest.EMPTY
    shown: dict[Key, Memory] = {}
    for key, cell in state.cells.items():
        memory = None
        if isinstance(cell, MemoryCell):
            memory = shown[key] = show(key.name, cell)
        seen, held = digest.elements(key, cell, memory, feeds.origin_of)
        visible += seen
        cells += held
    for rid in state.tombstones:
        tombstones += digest.tombstone_element(rid)
    totals.visible, totals.cells = digest.reduced(visible), digest.reduced(cells)
    totals.tombstones = digest.reduced(tombstones)
    return shown


def changes_to(store: Store, refolded: Refolded, was_shown: ShowAs = show) -> Changes:
    """Return what turns the state that is stored into the one that was folded anew; it was shown by `was_shown`.

    In the order of the cells: a snapshot's are sorted, and SQLite takes sorted rows in half the time.
    """
    old = dict(store.all_cells())
    new = refolded.state.cells
    changes = Changes(tombstones=refolded.state.tombstones - store.all_tombstones())
    for key in dict.fromkeys([*old, *new]):
        before, after = old.get(key), new.get(key)
        changes.cells[key] = after
        if key.part is CellKind.MEMORY:
            was = was_shown(key.name, before) if isinstance(before, MemoryCell) else None
            cell = after if isinstance(after, MemoryCell) else None
            now = refolded.shown.get(key)
            if was != now or _hanging_on(before) != _hanging_on(after):
                changes.memories.append(MemoryChange(key.name, was, now, cell))
    changes.statuses = list(refolded.statuses.items())
    return changes


def _hanging_on(cell: Cell | None) -> object:
    """Return what the tables of claims and triggers show of a cell."""
    return (cell.claims, cell.verdicts, cell.triggers) if isinstance(cell, MemoryCell) else ({}, {}, {})


def refold_after_upgrade(core: Core, now_ms: int) -> bool:
    """Fold the log anew if this program understands ops in it, or shows what they say, otherwise than an older one did.

    Say whether it did.
    """
    shown_before = core.shown_by < SHOWN_BY
    if not shown_before and not any(
        row.version <= core.understood.get(row.kind, 0) for row in core.store.unknown_rows()
    ):
        return False
    base = State(dict(core.store.all_base_cells()), core.store.base_tombstones())
    refolded = refold(
        base,
        core.rows_above_base(),
        core.feeds,
        core.feeds.vector_at,
        understood=core.understood,
    )
    with core.undoing():
        changes = changes_to(core.store, refolded, show_registers if shown_before else show)
        core.totals, core.shown_by = refolded.totals, SHOWN_BY
        core.write(changes, now_ms)
    return True
