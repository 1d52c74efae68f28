"""Keep a replica in one SQLite file.

Plain synchronous SQL on one connection: the daemon calls it on the connection's own thread (one call for each
transaction), the simulator and most tests call it directly. The log is written with `synchronous=FULL`, so what a
write returned is on the disk.

Full text, vectors and queues belong to whoever needs them: a `DerivedTables` is told, inside the same transaction, what
changed in each memory that shows. Its tables are never hashed, never shipped and can be rebuilt at any time.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import quote

from replica.codec import pack, unpack
from replica.erasure import Proof, read_proof
from replica.errors import StoreFailed
from replica.feeds import Feed
from replica.fields import FIELDS
from replica.ids import ID8_BYTES, DeviceId, OpId, Origin, show_memory_id
from replica.membership import Member, Membership, Revocation
from replica.oplog import Changes, Row, Status
from replica.state.cells import Cell, Key, Part, decode_cell, encode_cell
from replica.state.memories import Memory, MemoryCell, show
from replica.state.register import winner
from replica.storage.schema import check, migrate

# SQLite takes 32,766 parameters since 3.32; a power of two below it keeps the few statements cached.
_PARAMETERS_MAX: Final = 16_384
# Random 16-byte keys make checkpoints the cost of large syncs; 16,000 pages (64 MB) halve it.
_CHECKPOINT_PAGES: Final = 16_000

_BASE: Final = "CASE WHEN base = x'' THEN state ELSE base END"

_MEMORY_COLUMNS: Final = ("rid", "text", "content", "created", "updated", "feed", "accesses", "last_access")
_FIELD_COLUMNS: Final = tuple(FIELDS)
_ALL_COLUMNS: Final = (*_MEMORY_COLUMNS, *_FIELD_COLUMNS, "more")
_UPDATE_MEMORY: Final = (
    "UPDATE memory SET " + ", ".join(f'"{name}" = ?' for name in _ALL_COLUMNS) + " WHERE id = ?"
)


class RowChange(NamedTuple):
    """What a batch did to one row of the memory table, for derived tables. `id` is the row's number."""

    id: int
    rid: bytes
    before: Memory | None
    after: Memory | None


class DerivedTables(Protocol):
    """Tables that a higher layer keeps in step with the memories that show."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create or upgrade the tables; runs once for each opening, outside any transaction."""
        ...

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch, inside its transaction."""
        ...

    def purge(self, connection: sqlite3.Connection) -> None:
        """Leave no trace of rows that are gone, inside a transaction of its own."""
        ...


def connect(path: str, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a SQLite file the way a replica needs it; autocommit, so that transactions are explicit."""
    if read_only:
        name = f"file:{quote(path)}?mode=ro"
        connection = sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)
    else:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            check(connection)  # before anything is set: a file that is not ours is left as it is
        except BaseException:
            connection.close()
            raise
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA busy_timeout = 5000")
    return connection


class SqliteStore:
    """A `replica.oplog.Store` over one SQLite connection."""

    def __init__(self, connection: sqlite3.Connection, derived: Sequence[DerivedTables] = ()) -> None:
        self.connection = connection
        self._derived = derived
        migrate(connection)
        for tables in derived:
            tables.migrate(connection)
        ((self._last_memory,),) = connection.execute("SELECT ifnull(max(id), 0) FROM memory")

    # -- reading ---------------------------------------------------------------------------------------------

    def feeds(self) -> list[Feed]:
        """Return every feed, in the order of their numbers."""
        return [
            Feed(
                no,
                origin_no,
                Origin(DeviceId(device), incarnation),
                parent,
                fork,
                seq,
                OpId(head),
                unpack(vector),
                unpack(fork_vector),
                None if fork_head is None else OpId(fork_head),
                base_seq,
                None if base_head is None else OpId(base_head),
                base_signature,
                unpack(base_vector),
            )
            for (
                no,
                origin_no,
                device,
                incarnation,
                parent,
                fork,
                seq,
                head,
                vector,
                fork_vector,
                fork_head,
                base_seq,
                base_head,
                base_signature,
                base_vector,
            ) in self.connection.execute("SELECT * FROM feed ORDER BY no")
        ]

    def meta(self) -> Mapping[str, bytes]:
        """Return the replica's own small facts."""
        return dict(self.connection.execute("SELECT name, value FROM meta"))

    def id_at(self, feed: int, seq: int) -> bytes:
        """Return the id of an op that lies on this very feed."""
        for (op_id,) in self.connection.execute("SELECT id FROM op WHERE feed = ? AND seq = ?", (feed, seq)):
            return bytes(op_id)
        ((first, ids),) = self.connection.execute(
            "SELECT first, ids FROM spine WHERE feed = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            (feed, seq),
        )
        at = (seq - first) * ID8_BYTES
        return bytes(ids[at : at + ID8_BYTES])

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[Row]:
        """Return ops in commit order."""
        return self._rows("WHERE pos > ? ORDER BY pos LIMIT ?", after, -1 if limit is None else limit)

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return the ops of one feed from seq `first` to `last`."""
        return self._rows("WHERE feed = ? AND seq BETWEEN ? AND ? ORDER BY seq", feed, first, last)

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[Row]:
        """Return those of `feed_rows` that had seen something new of others."""
        return self._rows(
            "WHERE feed = ? AND seq BETWEEN ? AND ? AND seen != x'' ORDER BY seq", feed, first, last
        )

    def memory_rows(self, rid: bytes) -> Iterable[Row]:
        """Return the ops on one memory, in commit order."""
        return self._rows("WHERE rid = ? ORDER BY pos", rid)

    def unknown_rows(self) -> Iterable[Row]:
        """Return the ops that were not understood, in commit order."""
        return self._rows("WHERE status != 0 AND status = ? ORDER BY pos", Status.UNKNOWN)

    def kind_rows(self, kind: int) -> Iterable[Row]:
        """Return the ops of one kind, in commit order."""
        return self._rows("WHERE kind = ? ORDER BY pos", kind)

    def _rows(self, where: str, *parameters: Any) -> Iterable[Row]:
        return map(Row._make, self.connection.execute(f"SELECT * FROM op {where}", parameters))

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        names: dict[Part, list[bytes]] = {}
        for key in keys:
            names.setdefault(key.part, []).append(key.name)
        return {
            Key(part, name): decode_cell(part, state)
            for part, wanted in names.items()
            for name, state in self._select(
                "SELECT name, state FROM cell WHERE part = ? AND name IN", wanted, part
            )
            if state is not None
        }

    def load_base(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist in the base."""
        return {
            key: decode_cell(key.part, base)
            for key in keys
            for (base,) in self.connection.execute(
                f"SELECT {_BASE} FROM cell WHERE part = ? AND name = ?", key
            )
            if base is not None
        }

    def all_base_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell of the base."""
        for part, name, base in self.connection.execute(
            f"SELECT part, name, {_BASE} FROM cell WHERE base IS NOT NULL"
        ):
            yield Key(Part(part), name), decode_cell(part, base)

    def base_tombstones(self) -> set[bytes]:
        """Return the memories that were forgotten by compacted ops."""
        return {rid for (rid,) in self.connection.execute("SELECT rid FROM tombstone WHERE in_base")}

    def proofs(self) -> list[Proof]:
        """Return every proof of an erasure."""
        return [
            read_proof(frame) for (frame,) in self.connection.execute("SELECT frame FROM proof ORDER BY id")
        ]

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        return {rid for (rid,) in self._select("SELECT rid FROM tombstone WHERE rid IN", list(rids))}

    def unpurged(self) -> set[OpId]:
        """Return the ids of the proofs whose words may still be in some page of the file."""
        return {OpId(op_id) for (op_id,) in self.connection.execute("SELECT id FROM proof WHERE NOT purged")}

    def purge(self) -> bool:
        """Leave no trace of what was erased in any page of the file; False if a reader was in the way.

        Deleted content is zeroed as it goes (`secure_delete`); full text keeps words in old segments until it is
        optimised, and the log that SQLite writes ahead keeps old pages until it is emptied.
        """
        for tables in self._derived:
            with transaction(self.connection):
                tables.purge(self.connection)
        ((busy, _, _),) = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell."""
        for part, name, state in self.connection.execute(
            "SELECT part, name, state FROM cell WHERE state IS NOT NULL"
        ):
            yield Key(Part(part), name), decode_cell(part, state)

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        return {rid for (rid,) in self.connection.execute("SELECT rid FROM tombstone")}

    def _select(self, sql: str, names: list[bytes], *before: Any) -> Iterator[Any]:
        for start in range(0, len(names), _PARAMETERS_MAX):
            chunk = names[start : start + _PARAMETERS_MAX]
            yield from self.connection.execute(f"{sql} ({','.join('?' * len(chunk))})", (*before, *chunk))

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        return Membership(
            (
                Member(DeviceId(device), key, certificate, name, DeviceId(by), signature)
                for device, key, certificate, name, by, signature in self.connection.execute(
                    "SELECT device, public_key, certificate, name, introduced_by, signature FROM member"
                )
            ),
            (
                Revocation(DeviceId(device), DeviceId(by), signature)
                for device, by, signature in self.connection.execute(
                    "SELECT device, by, signature FROM revocation"
                )
            ),
        )

    def check(self) -> list[str]:
        """Return what is wrong with the file, and with what shows compared with the cells."""
        problems = [
            f"SQLite: {found}"
            for (found,) in self.connection.execute("PRAGMA integrity_check")
            if found != "ok"
        ]
        columns = ", ".join(f'"{name}"' for name in _ALL_COLUMNS)
        rows = {row[0]: row for row in self.connection.execute(f"SELECT {columns} FROM memory")}
        for key, cell in self.all_cells():
            if isinstance(cell, MemoryCell) and rows.pop(key.name, None) != memory_row(show(key.name, cell)):
                problems.append(f"memory {show_memory_id(key.name)} shows something else than was folded")
        problems += [f"memory {show_memory_id(rid)} shows, but was never folded" for rid in rows]
        return [*problems, *self._check_edges()]

    def _check_edges(self) -> Iterator[str]:
        shown = {
            tuple(names): (weight, hlc)
            for *names, weight, hlc in self.connection.execute(
                "SELECT source, relation, target, weight, hlc FROM edge"
            )
        }
        for key, cell in self.all_cells():
            if key.part is Part.EDGE and isinstance(cell, dict):
                _, hlc, weight = winner(cell)
                folded = None if weight is None else (weight, hlc)
                if shown.pop(tuple(unpack(key.name)), None) != folded:
                    yield f"the edge {unpack(key.name)} shows something else than was folded"
        yield from (f"the edge {list(names)} shows, but was never folded" for names in shown)

    # -- writing ---------------------------------------------------------------------------------------------

    def write(self, changes: Changes, now_ms: int) -> None:
        """Make the changes durable, all or none."""
        last_memory = self._last_memory
        try:
            with transaction(self.connection):
                self._write(changes, now_ms)
        except BaseException:
            self._last_memory = last_memory
            raise

    def _write(self, changes: Changes, now_ms: int) -> None:
        execute_many = self.connection.executemany
        # Plain tuples bind in two thirds of the time that named ones take.
        execute_many("INSERT INTO op VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", map(tuple, changes.rows))
        execute_many(
            "INSERT OR REPLACE INTO feed VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            map(_feed_row, changes.feeds),
        )
        execute_many(
            """INSERT INTO cell (part, name, state) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
                base = CASE WHEN base = x'' THEN state ELSE base END, state = excluded.state""",
            [
                (key.part, key.name, encode_cell(cell))
                for key, cell in changes.cells.items()
                if cell is not None
            ],
        )
        gone = [tuple(key) for key, cell in changes.cells.items() if cell is None]
        execute_many(
            "UPDATE cell SET base = CASE WHEN base = x'' THEN state ELSE base END, state = NULL"
            " WHERE part = ? AND name = ?",
            gone,
        )
        execute_many("DELETE FROM cell WHERE part = ? AND name = ? AND base IS NULL", gone)
        execute_many("INSERT OR IGNORE INTO tombstone VALUES (?, 0)", [(rid,) for rid in changes.tombstones])
        execute_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", changes.meta.items())
        execute_many("INSERT INTO member VALUES (?, ?, ?, ?, ?, ?)", changes.members)
        execute_many("INSERT INTO revocation VALUES (?, ?, ?)", changes.revocations)
        execute_many(
            "INSERT INTO proof VALUES (?, ?, 0)", [(proof.id, proof.frame) for proof in changes.proofs]
        )
        execute_many("UPDATE proof SET purged = 1 WHERE id = ?", [(op_id,) for op_id in changes.purged])
        execute_many(
            "UPDATE op SET payload = NULL, payload_hash = ? WHERE pos = ?",
            [(digest, pos) for pos, digest in changes.erased],
        )
        execute_many(
            "UPDATE op SET status = ? WHERE pos = ?", [(status, pos) for pos, status in changes.statuses]
        )
        self._write_base(changes)
        self._write_edges(changes)
        if changes.memories:
            self._write_memories(changes, now_ms)

    def _write_base(self, changes: Changes) -> None:
        execute_many = self.connection.executemany
        execute_many("DELETE FROM op WHERE pos = ?", [(pos,) for pos in changes.compacted])
        execute_many("INSERT INTO spine VALUES (?, ?, ?)", map(tuple, changes.spine))
        execute_many(
            """INSERT INTO cell (part, name, base) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
                base = CASE WHEN state = excluded.base THEN x'' ELSE excluded.base END""",
            [
                (key.part, key.name, encode_cell(cell))
                for key, cell in changes.base_cells.items()
                if cell is not None
            ],
        )
        gone = [tuple(key) for key, cell in changes.base_cells.items() if cell is None]
        execute_many("UPDATE cell SET base = NULL WHERE part = ? AND name = ?", gone)
        execute_many("DELETE FROM cell WHERE part = ? AND name = ? AND state IS NULL", gone)
        execute_many(
            "INSERT INTO tombstone VALUES (?, 1) ON CONFLICT DO UPDATE SET in_base = 1",
            [(rid,) for rid in changes.base_tombstones],
        )

    def _write_edges(self, changes: Changes) -> None:
        for key, cell in changes.cells.items():
            if key.part is Part.EDGE:
                source, relation, target = unpack(key.name)
                assert isinstance(cell, dict)
                _, hlc, weight = winner(cell)
                if weight is None:
                    self.connection.execute(
                        "DELETE FROM edge WHERE source = ? AND relation = ? AND target = ?",
                        (source, relation, target),
                    )
                else:
                    self.connection.execute(
                        "INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?, ?)",
                        (source, relation, target, weight, hlc),
                    )

    def _write_memories(self, changes: Changes, now_ms: int) -> None:
        shown = [change.rid for change in changes.memories if change.before is not None]
        numbers = dict(self._select("SELECT rid, id FROM memory WHERE rid IN", shown))
        inserts: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
        updates, deletes = [], []
        seen: list[RowChange] = []
        for rid, before, after in changes.memories:
            number = numbers.get(rid)
            if number is None:
                self._last_memory += 1
                number = self._last_memory
            if after is None:
                deletes.append((number,))
            elif before is None:
                columns, values = _filled_columns(after)
                inserts.setdefault(columns, []).append((number, *values))
            else:
                updates.append((*memory_row(after), number))
            seen.append(RowChange(number, rid, before, after))
        for columns, rows in inserts.items():
            names = ", ".join(f'"{name}"' for name in ("id", *columns))
            self.connection.executemany(
                f"INSERT INTO memory ({names}) VALUES ({', '.join('?' * (len(columns) + 1))})", rows
            )
        self.connection.executemany(_UPDATE_MEMORY, updates)
        self.connection.executemany("DELETE FROM memory WHERE id = ?", deletes)
        for tables in self._derived:
            tables.changed(self.connection, seen, now_ms)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a block in one write transaction; a disk that refuses becomes `StoreFailed`, with nothing half-written."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if connection.in_transaction:  # SQLite rolls back by itself on a full disk
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreFailed(
            f"the store could not be written ({error}); nothing was changed. Free some space or make the file "
            "writable, then try again"
        ) from error


def content_number(text: str) -> int:
    """Return the signed 64-bit hash of a text's words, by which duplicates find each other."""
    folded = " ".join(text.split()).casefold()
    return int.from_bytes(hashlib.sha256(folded.encode()).digest()[:8], signed=True)


def _filled_columns(memory: Memory) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the columns that hold something, and what: most memories have few fields, and each column costs time."""
    if not memory.fields:
        return _MEMORY_COLUMNS, _shown(memory)
    row = memory_row(memory)
    filled = [i for i, value in enumerate(row) if value is not None]
    return tuple(_ALL_COLUMNS[i] for i in filled), tuple(row[i] for i in filled)


def memory_row(memory: Memory) -> tuple[Any, ...]:
    """Return a memory as columns of the memory table, without its number."""
    fields = memory.fields
    values = [fields.get(name) for name in _FIELD_COLUMNS]
    more = None
    if fields:
        for i, value in enumerate(values):
            if isinstance(value, list | dict):
                values[i] = json.dumps(value, ensure_ascii=False, sort_keys=True)
        unknown = {name: fields[name] for name in sorted(fields) if name not in FIELDS}
        more = pack(unknown) if unknown else None
    return (*_shown(memory), *values, more)


def _shown(memory: Memory) -> tuple[Any, ...]:
    rid, text, _, *rest = memory
    return rid, text, content_number(text), *rest


def _feed_row(feed: Feed) -> tuple[Any, ...]:
    return (
        feed.no,
        feed.origin_no,
        feed.origin.device,
        feed.origin.incarnation,
        feed.parent,
        feed.fork,
        feed.seq,
        feed.head,
        pack(feed.vector),
        pack(feed.fork_vector),
        feed.fork_head,
        feed.base_seq,
        feed.base_head,
        feed.base_signature,
        pack(feed.base_vector),
    )
