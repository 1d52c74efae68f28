"""Keep what shows of the cells in columns that queries can filter, and tell who follows it.

The `memory`, `edge` and `claim` tables are rewritten by the fold, in its transaction, and never hashed. Full text,
vectors and queues belong to whoever needs them: a `DerivedTables` is told, inside the same transaction, what changed in
each memory that shows. Its tables are never hashed, never shipped and can be rebuilt at any time.

Who tells one thing after another waits for none of that. The commit holds the op, aside of the log
(`replica.storage.told`); the next write that is anything else has it logged and shown first, and derived tables told
(`FollowingTables`). So does whoever reads (`Replica.read`, `Replica.run`), and each opening: nobody ever sees a store
that does not show all that was told, whatever ended a program in between.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from functools import cached_property, lru_cache, partial
from itertools import islice, repeat
from operator import itemgetter
from struct import Struct
from typing import Any, Final, NamedTuple, Protocol, overload, runtime_checkable

from replica.beside import thread_beside
from replica.codec import pack, unpack
from replica.fields import FIELDS, column_value, column_values, is_shown
from replica.hlc import COUNTER_BITS
from replica.ids import show_memory_id
from replica.oplog import Changes, RowsAhead
from replica.state.cells import Cell, CellKind, Key, Proposal, TellingLink, memory_key
from replica.state.memories import BareMemory, Memory, MemoryCell, show, show_added
from replica.state.register import winner
from replica.storage.added import MEMORY_CELLS, adds_from, memory_cell, packed_cells, write_whole_cells
from replica.storage.claims import claim_rows, shown_claims, write_claims
from replica.storage.links import shown_links, write_links
from replica.storage.proposals import members, shown_proposals, write_proposals
from replica.storage.same_slots import same_slot_row, shown_same_slots, write_same_slots
from replica.storage.schema import INDEX_OF_CONTENTS
from replica.storage.settings import check_settings, write_lesson, write_setting
from replica.storage.sql import (
    derived_transaction,
    has_index,
    index_made_anew,
    insert_many,
    select_named,
    transaction,
)
from replica.storage.told import first_aside, keep_aside, may_be_kept_aside, move
from replica.storage.triggers import shown_triggers, trigger_rows, write_triggers

_MEMORY_COLUMNS: Final = ("rid", "text", "content", "created", "updated", "feed", "accesses", "last_access")
# A memory that is new and has nothing beside its text was opened by nobody: so much less is bound for each.
NEW_COLUMNS: Final = _MEMORY_COLUMNS[:-2]
_FIELD_COLUMNS: Final = tuple(FIELDS)
_ALL_COLUMNS: Final = (*_MEMORY_COLUMNS, *_FIELD_COLUMNS, "more")
_UPDATE_MEMORY: Final = (
    "UPDATE memory SET " + ", ".join(f'"{name}" = ?' for name in _ALL_COLUMNS) + " WHERE id = ?"
)

_CELLS_BETWEEN: Final = f"{MEMORY_CELLS} WHERE m.id BETWEEN ? AND ?"
# What follows is read so many at a time; seldom are there as many.
_FOLLOWED_AT_ONCE: Final = 1_000
# Rows that are compared with their cells at a time.
_CHECKED_AT_ONCE: Final = 500
# Rows that are made and written so many at a time lie in the processor's caches meanwhile.
_ADDED_AT_ONCE: Final = 20_000
# To make rows by the column takes half the time of many, and twice that of one.
_BY_COLUMN_MIN: Final = 50
# Sets of fields that memories have together: some dozens in a store.
_FIELDS_KEPT: Final = 256
# As many as a device gets at once that joins a group; fewer are not worth a change of the schema.
_FILLING_ROWS_MIN: Final = 10_000
# Nothing looks anything up in these while rows come: `replica.reads.duplicates` asks whether there is that of contents.
# That of times is there where derived tables are (`replica.derived`), and what was told elsewhere is in no order of it.
_OF_CONTENTS: Final = "memory_by_content"
_FILLED_AFTER: Final = (_OF_CONTENTS, "memory_by_conversation", "memory_by_topic", "memory_by_time")
# Where more comes, the second frame of a device that joins is worth it: 20,000 memories take a twentieth less time and
# 100,000 a tenth, 5,000 as much as before. Until the last has come, who looks for a content reads all rows: of 100,000
# in 7 ms.
_LEFT_OUT_ROWS_MIN: Final = 1_000
# What a register says that nobody wrote.
_NO_EDGE: Final = (None, 0, None)
_tuple = tuple.__new__  # by name it takes three times as long, and there is one for each memory
_first = itemgetter(0)
_first_number = Struct(">q").unpack_from


_Inserts = dict[tuple[str, ...], list[tuple[Any, ...]]]
"""Rows of the memory table to be inserted, each with its number in front, by which columns they fill."""


_Ready = tuple[list[tuple[bytearray, bytearray]], _Inserts, Sequence["RowChange"]]
"""What is to be written of some memories: their cells, their rows, and what derived tables are told."""


class RowChange(NamedTuple):
    """What a batch did to one row of the memory table, for derived tables. `id` is the row's number."""

    id: int
    rid: bytes
    before: Memory | None
    after: Memory | None


class NewRows(Sequence[RowChange]):
    """Rows of new memories of which one add is all that is known, under numbers that follow one another.

    Nearly all of a sync are such. Whoever needs no more than their numbers, or than texts and fields, has no change
    made for each.
    """

    def __init__(self, first: int, added: Sequence[BareMemory]) -> None:
        self._make: Callable[[], Sequence[BareMemory]] = lambda: added
        self.numbers = range(first, first + len(added))
        """The numbers of the rows, in their order."""

    @classmethod
    def made_later(
        cls, numbers: range, fields: Set[str], make: Callable[[], Sequence[BareMemory]]
    ) -> "NewRows":
        """Return rows of memories that are made when somebody asks for more than is given here."""
        rows = cls(numbers.start, ())
        rows.numbers, rows.fields, rows._make = numbers, fields, make
        return rows

    @cached_property
    def _added(self) -> Sequence[BareMemory]:
        return self._make()

    @property
    def are_bare(self) -> bool:
        """Whether none has anything beside its text."""
        return not self.fields

    def said(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """Give the number, the text and the fields of each."""
        for number, (_, _, (_, text, fields)) in zip(self.numbers, self._added, strict=True):
            yield number, text, fields

    @cached_property
    def fields(self) -> Set[str]:
        """The fields that any came with: most questions are of fields that none has, and need no look at each."""
        return frozenset().union(*(one.add.fields for one in self._added))

    def column(self, name: str, lacking: Any = None) -> Iterator[Any]:
        """Give what each came with in one field, and `lacking` for those that came without it."""
        if name not in self.fields:
            return repeat(lacking, len(self))
        return (one.add.fields.get(name, lacking) for one in self._added)

    def having(self, names: Set[str]) -> list[RowChange]:
        """Return those that came with any of these fields."""
        if names.isdisjoint(self.fields):
            return []
        rows = zip(self.numbers, self._added, strict=True)
        return [_new_row(number, one) for number, one in rows if not names.isdisjoint(one.add.fields)]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int) -> RowChange: ...
    @overload
    def __getitem__(self, at: slice) -> list[RowChange]: ...
    def __getitem__(self, at: int | slice) -> RowChange | list[RowChange]:
        if isinstance(at, slice):
            return [*map(_new_row, self.numbers[at], self._added[at])]
        return _new_row(self.numbers[at], self._added[at])

    def __iter__(self) -> Iterator[RowChange]:
        return map(_new_row, self.numbers, self._added)


def new_and_others(changes: Sequence[RowChange]) -> tuple[list[int], Sequence[RowChange]]:
    """Return the numbers of `NewRows` and no change, or no number and the changes, each of which is to be looked at."""
    return ([*changes.numbers], ()) if isinstance(changes, NewRows) else ([], changes)


def _new_row(number: int, one: BareMemory) -> RowChange:
    return _tuple(RowChange, (number, one.rid, None, show_added(one)))


class DerivedTables(Protocol):
    """Tables that a higher layer keeps in step with the memories that show."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create or upgrade the tables; runs once for each opening, outside any transaction."""
        ...

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch, inside its transaction.

        Without changes where proposals, links, judgments or settings changed; as `NewRows` where they are nothing else.
        """
        ...

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of rows that are gone, inside a transaction of its own."""
        ...


@runtime_checkable
class FollowingTables(DerivedTables, Protocol):
    """Derived tables that tell new memories which were told one by one from others, or may have been filled with some.

    A store that keeps no derived tables shows memories of which these hear later.
    """

    def follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Do what `changed` does, of memories that were told one by one (`Changes.may_follow`).

        Some may be known: tables that were made anew were filled from all that shows. To queue a memory twice is to
        queue it once, so what only queues has nothing else to do.
        """
        self.changed(connection, changes, now_ms)


class Shown:
    """The memory and edge tables of one store, and the tables derived from them."""

    def __init__(self, connection: sqlite3.Connection, derived: Sequence[DerivedTables]) -> None:
        self._connection = connection
        self._derived = derived
        self._following = [each for each in derived if isinstance(each, FollowingTables)]
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """Read row numbers anew: at the start, and when a transaction was rolled back."""
        ((self._last_memory, self._unfollowed),) = self._connection.execute(
            "SELECT ifnull((SELECT max(id) FROM memory), 0), (SELECT first FROM unfollowed)"
        )
        self._first_aside = first_aside(self._connection)
        self.lacks_contents = not has_index(self._connection, _OF_CONTENTS)
        """Whether the index of contents was left out, since most of the store comes in more than one batch."""
        self.uncommitted = False
        """Whether something follows in a transaction that has not ended: who reads beside it does not see it yet."""

    @property
    def lags(self) -> bool:
        """Whether something is kept aside and does not show yet, or derived tables have to hear of some memories."""
        return self.keeps_aside or (self._unfollowed is not None and bool(self._following))

    @property
    def keeps_aside(self) -> bool:
        """Whether ops are kept aside of the log (`replica.storage.told`)."""
        return self._first_aside is not None

    def follow(self) -> None:
        """Show what does not show yet, and tell derived tables what they did not hear of, inside a transaction."""
        self.uncommitted |= self.lags
        if self._unfollowed is not None and self._following:
            for page in _pages_from(self._connection, self._unfollowed):
                for tables in self._following:
                    tables.follow(self._connection, page, _last_ms(page))
            self._connection.execute("DELETE FROM unfollowed")
            self._unfollowed = None
        if self._first_aside is not None:
            move(self._connection)
            for added in adds_from(self._connection, self._first_aside):
                self._show_told(added)
            self._first_aside = None

    def _show_told(self, added: Sequence[BareMemory]) -> None:
        inserts: _Inserts = {}
        seen = [*self._show_added(added, inserts)]
        self._insert(inserts)
        for tables in self._derived:
            tell = tables.follow if isinstance(tables, FollowingTables) else tables.changed
            tell(self._connection, seen, _last_ms(seen))
        if not self._following and self._unfollowed is None:  # whoever keeps derived tables tells them
            self._unfollowed = seen[0].id
            self._connection.execute("INSERT INTO unfollowed VALUES (?)", (self._unfollowed,))

    def write(self, changes: Changes, now_ms: int) -> None:
        """Follow a batch, inside its transaction, which `keep_aside` did not take."""
        others = {key: cell for key, cell in changes.cells.items() if key.part is not CellKind.MEMORY}
        settings = related = False
        if others:
            self._write_edges(others)
            settings = self._write_settings(others)
            proposed = write_proposals(self._connection, others)
            linked = write_links(self._connection, others)
            judged = write_same_slots(self._connection, others)
            related = proposed or linked or judged
        if changes.memories or changes.bare or related:
            self._write_memories(changes, now_ms)
        if changes.rows_ahead is not None:
            self._write_ahead(changes.added, changes.rows_ahead, now_ms)
        elif changes.added:
            self._write_added(changes.added, changes.count_added, now_ms)
        elif settings:
            self._tell((), now_ms)

    def _write_added(
        self,
        added: Sequence[BareMemory],
        count: Callable[[Sequence[BareMemory]], None] | None,
        now_ms: int,
    ) -> None:
        """Write the cells and rows of memories that come within a base.

        While SQLite derives from some of them, mostly in a few long statements, the next are counted and made ready.
        """

        def ready(start: int) -> _Ready:
            page = added[start : start + _ADDED_AT_ONCE]
            if count is not None:
                count(page)
            inserts: _Inserts = {}
            cells = [*zip((bytearray(one.rid) for one in page), packed_cells(page), strict=True)]
            return cells, inserts, self._show_added(page, inserts)

        starts = range(0, len(added), _ADDED_AT_ONCE)
        with self._filling(len(added), held=self._last_memory), thread_beside() as begin:
            made: Callable[[], _Ready] = partial(ready, starts[0])
            for following in (*starts[1:], None):
                cells, inserts, seen = made()
                write_whole_cells(self._connection, cells)
                self._insert(inserts)
                if following is not None:
                    made = begin(partial(ready, following))
                self._tell(seen, now_ms)
        self._tell((), now_ms)  # what needed the index of contents is done now

    def _write_ahead(self, added: Sequence[BareMemory], packed: RowsAhead, now_ms: int) -> None:
        """Write the same of what was packed ahead and is counted."""
        with self._filling(len(added), held=self._last_memory):
            packed.write(self._last_memory)
            start = 0
            for rows, fields in packed.pages:
                numbers = range(self._last_memory + 1, self._last_memory + rows + 1)
                make = partial(_slice, added, start, start + rows)
                self._last_memory, start = numbers[-1], start + rows
                self._tell(NewRows.made_later(numbers, fields, make), now_ms)
        self._tell((), now_ms)

    def _show_added(self, added: Sequence[BareMemory], inserts: _Inserts) -> Sequence[RowChange]:
        """Put the rows of new memories, of which nothing is known but one add, with what is to be inserted."""
        seen = NewRows(self._last_memory + 1, added)
        self._last_memory += len(added)
        if len(added) >= _BY_COLUMN_MIN:
            columns, rows = rows_of(added, seen.fields, seen.numbers)
            inserts[columns] = rows
            return seen
        unlabelled = inserts.setdefault(NEW_COLUMNS, [])
        for number, one in zip(seen.numbers, added, strict=True):
            rid, (feed, _, _), (hlc, text, fields) = one
            row = number, bytearray(rid), text, content_number(text), hlc, hlc, feed
            if fields:
                names, values = _filled_fields(fields)
                inserts.setdefault((*NEW_COLUMNS, *names), []).append((*row, *values))
            else:
                unlabelled.append(row)
        return seen

    def purge(self) -> None:
        """Leave no trace of rows that are gone."""
        for tables in self._derived:
            with transaction(self._connection):
                tables.purge(self._connection)

    def check(self, cells: Iterable[tuple[Key, Cell]]) -> Iterator[str]:
        """Return where what shows differs from the cells."""
        left = {rid for (rid,) in self._connection.execute("SELECT rid FROM memory")}
        edges = {
            tuple(names): (weight, hlc)
            for *names, weight, hlc in self._connection.execute(
                "SELECT source, relation, target, weight, hlc FROM edge"
            )
        }
        claims = shown_claims(self._connection)
        triggers = shown_triggers(self._connection)
        proposals = shown_proposals(self._connection)
        links = shown_links(self._connection)
        judgments = shown_same_slots(self._connection)
        others: dict[Key, Cell] = {}
        for key, cell, row in self._with_rows(cells):
            if isinstance(cell, MemoryCell):
                left.discard(key.name)
                if claims.pop(key.name, set()) != set(claim_rows(cell)):
                    yield f"memory {show_memory_id(key.name)} shows other claims than were folded"
                if triggers.pop(key.name, set()) != set(trigger_rows(cell)):
                    yield f"memory {show_memory_id(key.name)} shows other triggers than were folded"
                if row != memory_row(show(key.name, cell)):
                    yield f"memory {show_memory_id(key.name)} shows something else than was folded"
            elif key.part is CellKind.EDGE and isinstance(cell, dict):
                _, hlc, weight = winner(cell)
                folded = None if weight is None else (weight, hlc)
                if edges.pop(tuple(unpack(key.name)), None) != folded:
                    yield f"the edge {unpack(key.name)} shows something else than was folded"
            elif isinstance(cell, Proposal):
                if proposals.pop(key.name, set()) != set(members(cell)):
                    yield f"the proposal {key.name.hex()} shows other members than were folded"
            elif isinstance(cell, TellingLink):
                if links.pop(key.name, None) != (*cell.rids, cell.sureness):
                    yield f"the link {key.name.hex()} shows something else than was folded"
            elif key.part is CellKind.SAME_SLOT:
                if judgments.pop(key.name, None) != same_slot_row(key, cell):
                    yield f"the judgment {key.name.hex()} shows something else than was folded"
            elif key.part in (CellKind.SETTING, CellKind.FEEDBACK):
                others[key] = cell
        yield from check_settings(self._connection, others)
        yield from (f"memory {show_memory_id(rid)} shows, but was never folded" for rid in left)
        yield from (f"memory {show_memory_id(rid)} shows claims that were never folded" for rid in claims)
        yield from (f"memory {show_memory_id(rid)} shows triggers that were never folded" for rid in triggers)
        yield from (f"the proposal {name.hex()} shows, but was never folded" for name in proposals)
        yield from (f"the link {name.hex()} shows, but was never folded" for name in links)
        yield from (f"the judgment {name.hex()} shows, but was never folded" for name in judgments)
        yield from (f"the edge {list(names)} shows, but was never folded" for names in edges)

    def _with_rows(
        self, cells: Iterable[tuple[Key, Cell]]
    ) -> Iterator[tuple[Key, Cell, tuple[Any, ...] | None]]:
        """Return each cell with the row of its memory, if it is one's and there is a row: a page of them at a time."""
        columns = ", ".join(f'"{name}"' for name in _ALL_COLUMNS)
        left = iter(cells)
        while page := list(islice(left, _CHECKED_AT_ONCE)):
            rids = [name for (part, name), _ in page if part is CellKind.MEMORY]
            found = select_named(self._connection, f"SELECT {columns} FROM memory WHERE rid IN", rids)
            rows = {row[0]: row for row in found}
            for key, cell in page:
                yield key, cell, rows.get(key.name) if key.part is CellKind.MEMORY else None

    def _write_edges(self, cells: Mapping[Key, Cell | None]) -> None:
        for key, cell in cells.items():
            if key.part is CellKind.EDGE:
                source, relation, target = unpack(key.name)
                assert cell is None or isinstance(cell, dict)
                _, hlc, weight = winner(cell) if cell else _NO_EDGE
                if weight is None:
                    self._connection.execute(
                        "DELETE FROM edge WHERE source = ? AND relation = ? AND target = ?",
                        (source, relation, target),
                    )
                else:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?, ?)",
                        (source, relation, target, weight, hlc),
                    )

    def _write_settings(self, cells: Mapping[Key, Cell | None]) -> bool:
        """Follow the settings and what feedback taught; say whether a setting is among them."""
        found = False
        for key, cell in cells.items():
            if key.part is CellKind.SETTING:
                write_setting(self._connection, key, cell)
                found = True
            elif key.part is CellKind.FEEDBACK:
                write_lesson(self._connection, key, cell)
        return found

    def keep_aside(self, changes: Changes) -> bool:
        """Keep a batch aside that may be logged and shown later; of another show what came before it, and say False."""
        if not self._follows(changes):
            self.follow()
            return False
        keep_aside(self._connection, changes)
        if self._first_aside is None:
            self._first_aside = changes.entries[0].pos
        return True

    def _follows(self, changes: Changes) -> bool:
        """Say whether a batch does nothing but add memories, with nothing on them that derived tables are to judge."""
        return (
            changes.may_follow
            and bool(self._following)
            and changes.is_of_ops_alone()
            and len(changes.bare) == len(changes.entries) > 0
            and not changes.cells
            and may_be_kept_aside(changes)
        )

    def _write_memories(self, changes: Changes, now_ms: int) -> None:
        shown = [change.rid for change in changes.memories if change.before is not None]
        numbers = {}
        if shown:
            numbers = dict(select_named(self._connection, "SELECT rid, id FROM memory WHERE rid IN", shown))
        inserts: _Inserts = {}
        bare = self._show_added(changes.bare, inserts)
        updates, deletes = [], []
        others: list[RowChange] = []
        stale: list[tuple[int]] = []
        laden: list[tuple[int, MemoryCell]] = []
        for rid, before, after, cell in changes.memories:
            number = numbers.get(rid)
            if number is None:
                self._last_memory += 1
                number = self._last_memory
            if before is not None:
                stale.append((number,))
            if cell is not None and (cell.claims or cell.triggers):
                laden.append((number, cell))
            if after is None:
                deletes.append((number,))
            elif before is None:
                columns, values = _filled_columns(after)
                inserts.setdefault(columns, []).append((number, *values))
            else:
                updates.append((*memory_row(after), number))
            others.append(_tuple(RowChange, (number, rid, before, after)))
        seen = [*bare, *others] if others else bare
        new = sum(map(len, inserts.values()))
        with self._filling(new, held=self._last_memory - new, more_comes=changes.more_comes):
            self._insert(inserts)
        if updates:
            self._connection.executemany(_UPDATE_MEMORY, updates)
        if deletes:
            self._connection.executemany("DELETE FROM memory WHERE id = ?", deletes)
        if stale or laden:
            write_claims(self._connection, stale, laden)
            write_triggers(self._connection, stale, laden)
        if changes.count_added is None or not changes.bare:
            self._tell(seen, now_ms)
        else:
            with thread_beside() as begin:
                counted = begin(partial(changes.count_added, changes.bare))
                self._tell(seen, now_ms)
                counted()

    def _tell(self, seen: Sequence[RowChange], now_ms: int) -> None:
        for tables in self._derived:
            tables.changed(self._connection, seen, now_ms)

    def _insert(self, inserts: _Inserts) -> None:
        for columns, rows in inserts.items():
            zeros = () if _MEMORY_COLUMNS[-1] in columns else _MEMORY_COLUMNS[-2:]
            names = ", ".join(f'"{name}"' for name in ("id", *columns, *zeros))
            row = ", ".join(["?"] * (len(columns) + 1) + ["0"] * len(zeros))
            insert_many(self._connection, f"INSERT INTO memory ({names}) VALUES", f"({row})", rows)

    @contextmanager
    def _filling(self, rows: int, *, held: int, more_comes: bool = False) -> Iterator[None]:
        """Make anew after the block, if that brings most of the table, the indexes of what comes in no order.

        That of contents only with what comes last: where it grows from batch to batch, each writes most of its pages.
        """
        with ExitStack() as made:
            if more_comes and rows >= max(held, _LEFT_OUT_ROWS_MIN) and not self.lacks_contents:
                self._connection.execute(f"DROP INDEX {_OF_CONTENTS}")
                self.lacks_contents = True
            if rows >= max(held, _FILLING_ROWS_MIN):
                for name in _FILLED_AFTER:
                    made.enter_context(index_made_anew(self._connection, name))
            yield
        if rows and not more_comes:
            self._index_contents()

    def _index_contents(self) -> None:
        if self.lacks_contents:
            self._connection.execute(INDEX_OF_CONTENTS)
            self.lacks_contents = False

    def all_came(self) -> None:
        """Make the index of contents if it was left out, and have derived tables do what waits for it."""
        self._index_contents()
        rows = self._connection.execute("SELECT updated FROM memory ORDER BY id DESC LIMIT 1")
        self._tell((), next((updated >> COUNTER_BITS for (updated,) in rows), 0))


def index_contents(connection: sqlite3.Connection) -> None:
    """Make the index of contents, which a program that was ended while most of its store came has left out."""
    if not has_index(connection, _OF_CONTENTS):
        with derived_transaction(connection):
            connection.execute(INDEX_OF_CONTENTS)


def _slice(added: Sequence[BareMemory], start: int, stop: int) -> Sequence[BareMemory]:
    return added[start:stop]


def _last_ms(changes: Sequence[RowChange]) -> int:
    return max(after.updated for *_, after in changes if after is not None) >> COUNTER_BITS


def _pages_from(connection: sqlite3.Connection, first: int | None) -> Iterator[list[RowChange]]:
    """Return what shows from a number on as it came, a page at a time."""
    while first is not None:
        rows = connection.execute(
            "SELECT id, rid FROM memory WHERE id >= ? ORDER BY id LIMIT ?", (first, _FOLLOWED_AT_ONCE)
        ).fetchall()
        if not rows:
            return
        cells = dict(map(memory_cell, connection.execute(_CELLS_BETWEEN, (first, rows[-1][0]))))
        page = []
        for number, rid in rows:
            cell = cells[memory_key(rid)]
            assert isinstance(cell, MemoryCell)
            page.append(RowChange(number, rid, None, show(rid, cell)))
        yield page
        first = rows[-1][0] + 1


def content_number(text: str) -> int:
    """Return the signed 64-bit hash of a text's words, by which duplicates find each other."""
    folded = " ".join(text.split()).casefold()
    number: int = _first_number(hashlib.sha256(folded.encode()).digest())[0]
    return number


def _filled_columns(memory: Memory) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the columns that hold something, and what: most memories have few fields, and each column costs time."""
    names, values = _filled_fields(memory.fields)
    return (*_MEMORY_COLUMNS, *names), (*_shown(memory), *values)


def _filled_fields(fields: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[Any]]:
    names = _columns_of(tuple(fields))
    if names is not None:
        # No call for each: few hold a list or a map.
        return names, [
            column_value(value) if type(value) in (list, dict) else value
            for value in map(fields.__getitem__, names)
        ]
    row = _field_row(fields)
    filled = [i for i, value in enumerate(row) if value is not None]
    return [_ALL_COLUMNS[len(_MEMORY_COLUMNS) + i] for i in filled], [row[i] for i in filled]


def rows_of(
    added: Sequence[BareMemory], named: Set[str], firsts: Iterable[Any]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the columns that some of these memories fill, and the row of each, with one of `firsts` before it.

    `named`: the fields that any of them has. Rows that go in by their order cost less than those that are told apart by
    which columns they fill.
    """
    rids, dots, adds = zip(*added, strict=True)
    stamps, texts, fields = zip(*adds, strict=True)
    columns: Iterable[Iterable[Any]]
    names = _columns_of(tuple(sorted(named)))
    if names is None:
        names, columns = _ALL_COLUMNS[len(_MEMORY_COLUMNS) :], zip(*map(_field_row, fields), strict=True)
    else:
        columns = [column_values([each.get(name) for each in fields]) for name in names]
    shown = (map(bytearray, rids), texts, map(content_number, texts), stamps, stamps, map(_first, dots))
    return (*NEW_COLUMNS, *names), [*zip(firsts, *shown, *columns, strict=True)]


@lru_cache(_FIELDS_KEPT)
def _columns_of(names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return these fields in the order of their columns, if all have one, whatever they hold."""
    if any(name not in FIELDS or FIELDS[name].later for name in names):
        return None
    return tuple(name for name in _FIELD_COLUMNS if name in names)


def memory_row(memory: Memory) -> tuple[Any, ...]:
    """Return a memory as columns of the memory table, without its number."""
    return (*_shown(memory), *_field_row(memory.fields))


def _field_row(fields: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return fields as columns, and those together that have none."""
    values = [fields.get(name) for name in _FIELD_COLUMNS]
    more = None
    if fields:
        for i, value in enumerate(values):
            if isinstance(value, list | dict):
                values[i] = column_value(value)
        unknown = {name: fields[name] for name in sorted(fields) if not is_shown(name, fields[name])}
        if unknown:
            more = pack(unknown)
            values = [
                None if name in unknown else value for name, value in zip(_FIELD_COLUMNS, values, strict=True)
            ]
    return (*values, more)


def _shown(memory: Memory) -> tuple[Any, ...]:
    rid, text, _, *rest = memory
    return rid, text, content_number(text), *rest
