"""Keep a replica in dictionaries: for simulations of a thousand devices, where SQLite would want 80 KB each.

Nothing survives the process. Cells are kept as bytes, so that a batch that fails half-way leaves no trace in them.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy

from replica.feeds import Feed
from replica.membership import Member, Membership, Revocation
from replica.oplog import Changes, Row
from replica.state.cells import Cell, Key, decode_cell, encode_cell


class MemoryStore:
    """A `replica.oplog.Store` that forgets everything when it goes."""

    def __init__(self) -> None:
        self._feeds: list[Feed] = []
        self._meta: dict[str, bytes] = {}
        self._rows: list[Row] = []
        self._rows_by_feed: dict[int, list[Row]] = {}
        self._cells: dict[Key, bytes] = {}
        self._tombstones: set[bytes] = set()
        self._members: list[Member] = []
        self._revocations: list[Revocation] = []

    def feeds(self) -> list[Feed]:
        """Return every feed, in the order of their numbers."""
        return deepcopy(self._feeds)

    def meta(self) -> Mapping[str, bytes]:
        """Return the replica's own small facts."""
        return dict(self._meta)

    def last_pos(self) -> int:
        """Return the position of the last op in the log."""
        return self._rows[-1].pos if self._rows else 0

    def id_at(self, feed: int, seq: int) -> bytes:
        """Return the id of an op that lies on this very feed."""
        (row,) = self.feed_rows(feed, seq, seq)
        return row.id

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[Row]:
        """Return ops in commit order."""
        start = after if not self._rows else max(0, after - self._rows[0].pos + 1)
        return self._rows[start:] if limit is None else self._rows[start : start + limit]

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return the ops of one feed from seq `first` to `last`."""
        rows = self._rows_by_feed.get(feed, [])
        if not rows:
            return []
        at = max(0, first - rows[0].seq)
        return rows[at : max(at, last - rows[0].seq + 1)]

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return those of `feed_rows` that had seen something new of others."""
        return [row for row in self.feed_rows(feed, first, last) if row.seen]

    def memory_rows(self, rid: bytes) -> Iterable[Row]:
        """Return the ops on one memory, in commit order."""
        return [row for row in self._rows if row.rid == rid]

    def kind_rows(self, kind: int) -> Iterable[Row]:
        """Return the ops of one kind, in commit order."""
        return [row for row in self._rows if row.kind == kind]

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        return {key: decode_cell(key.part, self._cells[key]) for key in keys if key in self._cells}

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        return self._tombstones.intersection(rids)

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell."""
        for key, state in self._cells.items():
            yield key, decode_cell(key.part, state)

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        return set(self._tombstones)

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        return Membership(self._members, self._revocations)

    def check(self) -> list[str]:
        """Return nothing: nothing is kept beside the cells."""
        return []

    def write(self, changes: Changes, now_ms: int) -> None:
        """Keep the changes."""
        for row in changes.rows:
            self._rows.append(row)
            self._rows_by_feed.setdefault(row.feed, []).append(row)
        for feed in changes.feeds:
            del self._feeds[feed.no : feed.no + 1]
            self._feeds.insert(feed.no, deepcopy(feed))
        for key, cell in changes.cells.items():
            if cell is None:
                self._cells.pop(key, None)
            else:
                self._cells[key] = encode_cell(cell)
        self._tombstones |= changes.tombstones
        self._members += changes.members
        self._revocations += changes.revocations
        self._meta |= changes.meta
