"""Keep a replica in one SQLite file.

Plain synchronous SQL on one connection: the daemon calls it on the connection's own thread (one call for each
transaction), the simulator and most tests call it directly. The log is written with `synchronous=FULL`, so what a
write returned is on the disk.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, suppress
from typing import Any, Final, TypeVar

from replica.codec import pack, unpack
from replica.erasure import Proof, read_proof
from replica.errors import StoreCorrupt, StoreFailed
from replica.feeds import Feed
from replica.ids import ID8_BYTES, DeviceId, OpId, Origin
from replica.membership import IntroducedMember, Membership, Revocation
from replica.oplog import Changes, FoldStatus, LogEntry, LogRow, OriginOf, PartRow, SpinePiece
from replica.remains import joined
from replica.rows import entries_of, log_row, values_of
from replica.state.cells import Cell, CellKind, Key, decode_cell, encode_cell
from replica.state.register import Vector
from replica.storage.added import MEMORY_CELLS, added_cell, is_told_by_its_op, memory_cell
from replica.storage.ahead import PackedRows, packed_rows
from replica.storage.schema import migrate
from replica.storage.shown import DerivedTables, Shown, index_contents
from replica.storage.sql import (
    ROWS_AT_ONCE,
    RoomAhead,
    derived_transaction,
    insert_many,
    select_named,
    transaction,
)
from replica.storage.told import ALL_OPS, read_aside

Result = TypeVar("Result")

# Below 16 MB a file is not worth the writing.
_SHRINK_PAGES_MIN: Final = 4_096

# A recall reads for milliseconds; a check or a backup for minutes, and all who write meanwhile would wait for it each.
_PURGE_WAITS_MS: Final = 100
# A row of `meta` that the core leaves alone: it comes into its place with a restored store, and outlives whoever was
# killed before the check of that.
_UNCHECKED: Final = "unchecked"

# Short ids in one row: it is read whole for any one of them, and 800 kB took a hundred times as long as this.
_SPINE_IDS_MAX: Final = 1_024

# How a proof stands to its op, which has come where it is 0.
_ACTS_AHEAD: Final = 1
_WAITS: Final = 2

_OP_ROW: Final = f"({', '.join('?' * len(LogRow._fields))})"
# An op that adds a memory and says nothing else, as nearly all of a sync: what is bound takes most of an insert's time.
_ADD_ROW: Final = "(?, ?, ?, ?, 1, 1, ?, ?, x'', ?, NULL, ?, NULL, 0)"
_MEMORY_CELL: Final = f"{MEMORY_CELLS} WHERE m.rid = ?"
_BASE: Final = "CASE WHEN base = x'' THEN state ELSE base END"


class SqliteStore:
    """A `replica.oplog.Store` over one SQLite connection."""

    def __init__(self, connection: sqlite3.Connection, derived: Sequence[DerivedTables] = ()) -> None:
        self.connection = connection
        migrate(connection)
        self._has_functions = False
        self._room = RoomAhead(connection)
        if derived:  # else it may be opened only for reading
            with suppress(StoreFailed):  # on a full disk, what is there still answers
                index_contents(connection)
        for tables in derived:
            tables.migrate(connection)
        self._shown = Shown(connection, derived)
        if derived:
            with suppress(StoreFailed):
                self.follow()

    # -- reading ---------------------------------------------------------------------------------------------

    def feeds(self) -> list[Feed]:
        """Return every feed, in the order of their numbers, which begin with 0 and leave none out."""
        feeds = [
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
        if self._shown.keeps_aside:
            for no, (seq, head, vector) in read_aside(self.connection).heads.items():
                if no not in range(len(feeds)):
                    raise StoreCorrupt(
                        f"expected ops that are kept aside to be of a feed, got some of feed {no}"
                    )
                feeds[no].seq, feeds[no].head, feeds[no].vector = seq, OpId(head), unpack(vector)
        return feeds

    def meta(self) -> Mapping[str, bytes]:
        """Return the replica's own small facts."""
        meta = dict(self.connection.execute("SELECT name, value FROM meta"))
        return meta | read_aside(self.connection).meta if self._shown.keeps_aside else meta

    def id_at(self, feed: int, seq: int) -> bytes:
        """Return the id of an op that lies on this very feed."""
        for (op_id,) in self.connection.execute(
            f"SELECT id FROM {self._ops} WHERE feed = ? AND seq = ?", (feed, seq)
        ):
            return bytes(op_id)
        ((first, ids),) = self.connection.execute(
            "SELECT first, ids FROM spine WHERE feed = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            (feed, seq),
        )
        at = (seq - first) * ID8_BYTES
        return bytes(ids[at : at + ID8_BYTES])

    def short_ids(self, feed: int, first: int, last: int) -> bytes:
        """Return 8 bytes of the id of each op of this very feed from `first` to `last`; zeros where none is held."""
        ids = bytearray((last - first + 1) * ID8_BYTES)
        for begins, piece in self.connection.execute(
            "SELECT first, ids FROM spine WHERE feed = ? AND first <= ? AND first + length(ids) / ? > ?",
            (feed, last, ID8_BYTES, first),
        ):
            skip = max(0, first - begins)
            part = piece[skip * ID8_BYTES : (last - begins + 1) * ID8_BYTES]
            at = (begins + skip - first) * ID8_BYTES
            ids[at : at + len(part)] = part
        for seq, op_id in self.connection.execute(
            f"SELECT seq, id FROM {self._ops} WHERE feed = ? AND seq BETWEEN ? AND ?", (feed, first, last)
        ):
            at = (seq - first) * ID8_BYTES
            ids[at : at + ID8_BYTES] = op_id[:ID8_BYTES]
        return bytes(ids)

    def spine(self, feed: int) -> bytes:
        """Return the short ids of all of a feed's ops that are in the base."""
        pieces = self.connection.execute("SELECT ids FROM spine WHERE feed = ? ORDER BY first", (feed,))
        return b"".join(ids for (ids,) in pieces)

    def rows(self, *, after: int = 0, limit: int | None = None) -> Iterable[LogRow]:
        """Return ops in commit order."""
        return self._rows("WHERE pos > ? ORDER BY pos LIMIT ?", after, -1 if limit is None else limit)

    def entries(self, after: int, known: Vector, origin_of: OriginOf) -> Iterable[LogEntry]:
        """Return the ops behind a position that `known` does not cover, in commit order."""
        rows = self.connection.execute(f"SELECT * FROM {self._ops} WHERE pos > ? ORDER BY pos", (after,))
        return entries_of(rows, known, origin_of)

    def feed_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return the ops of one feed from seq `first` to `last`."""
        return self._rows("WHERE feed = ? AND seq BETWEEN ? AND ? ORDER BY seq", feed, first, last)

    def seen_rows(self, feed: int, first: int, last: int) -> Iterable[LogRow]:
        """Return those of `feed_rows` that had seen something new of others."""
        return self._rows(
            "WHERE feed = ? AND seq BETWEEN ? AND ? AND seen != x'' ORDER BY seq", feed, first, last
        )

    def memory_rows(self, rid: bytes) -> Iterable[LogRow]:
        """Return the ops on one memory, in commit order."""
        return self._rows("WHERE rid = ? ORDER BY pos", rid)

    def late_rows(self) -> Iterable[LogRow]:
        """Return the ops that came after their effect was known by a member's word, as they came."""
        return self._rows("WHERE pos < 1 ORDER BY pos")

    def last_late(self) -> int | None:
        """Return the position of the last of those; None if there is none."""
        ((pos,),) = self.connection.execute("SELECT max(pos) FROM op WHERE pos < 1")
        return None if pos is None else int(pos)

    def unknown_rows(self) -> Iterable[LogRow]:
        """Return the ops that were not understood, in commit order."""
        return self._rows("WHERE status != 0 AND status = ? ORDER BY pos", FoldStatus.UNKNOWN)

    def _rows(self, where: str, *parameters: Any) -> Iterable[LogRow]:
        return map(log_row, self.connection.execute(f"SELECT * FROM {self._ops} {where}", parameters))

    @property
    def _ops(self) -> str:
        return ALL_OPS if self._shown.keeps_aside else "op"

    def load(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return those of the cells that exist."""
        self.follow()
        return self.load_shown(keys)

    def load_shown(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Return the same of what shows already: who only reads can have nothing follow."""
        wanted = list(keys)
        if len(wanted) == 1 and wanted[0].part is CellKind.MEMORY:  # a memory that is told
            return dict(map(memory_cell, self.connection.execute(_MEMORY_CELL, (wanted[0].name,))))
        memories = [name for part, name in wanted if part is CellKind.MEMORY]
        names: dict[CellKind, list[bytes]] = {}
        if len(memories) < len(wanted):
            for part, name in wanted:
                names.setdefault(part, []).append(name)
            names.pop(CellKind.MEMORY, None)
        # Ids begin with the time: those that come to a new device, or are news to an old one, lie away from all here.
        if len(memories) > 1 and not self._has_between(min(memories), max(memories)):
            memories = []
        found = select_named(self.connection, f"{MEMORY_CELLS} WHERE m.rid IN", memories)
        return dict(map(memory_cell, found)) | {
            Key(part, name): decode_cell(part, state)
            for part, named in names.items()
            for name, state in select_named(
                self.connection, "SELECT name, state FROM cell WHERE part = ? AND name IN", named, part
            )
            if state is not None
        }

    def _has_between(self, first: bytes, last: bytes) -> bool:
        sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE rid BETWEEN ? AND ?)"
        ((found,),) = self.connection.execute(sql, (first, last))
        return bool(found)

    def bare_adds(self, first: int, last: int) -> Set[int]:
        """Return the positions of ops that added a memory which has no cell: nothing is known of it but this."""
        self.follow()
        found = self.connection.execute(
            """SELECT o.pos FROM op o JOIN memory m ON m.rid = o.rid
               WHERE o.pos BETWEEN ? AND ? AND o.kind = 1 AND o.status = 0 AND o.payload IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM cell WHERE part = 0 AND name = o.rid)""",
            (first, last),
        )
        return {pos for (pos,) in found}

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
            yield Key(CellKind(part), name), decode_cell(part, base)

    def packed_base(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Give part, name and encoded cell of everything in the base, ordered by part and name."""
        yield from self.connection.execute(
            f"SELECT part, name, {_BASE} FROM cell WHERE base IS NOT NULL ORDER BY part, name"
        )

    def base_tombstones(self) -> set[bytes]:
        """Return the memories that were forgotten by compacted ops."""
        return {rid for (rid,) in self.connection.execute("SELECT rid FROM tombstone WHERE in_base")}

    def remains(self) -> list[bytes]:
        """Return the frames of what stayed of deletions below the base."""
        return [frame for (frame,) in self.connection.execute("SELECT frame FROM remains ORDER BY id")]

    def proofs(self) -> list[Proof]:
        """Return every proof of an erasure."""
        return [
            read_proof(frame) for (frame,) in self.connection.execute("SELECT frame FROM proof ORDER BY id")
        ]

    def tombstoned(self, rids: Iterable[bytes]) -> set[bytes]:
        """Return those of the memories that were forgotten."""
        wanted = set(rids)
        if len(wanted) == 1:
            (rid,) = wanted
            found = self.connection.execute("SELECT 1 FROM tombstone WHERE rid = ?", (rid,)).fetchone()
            return set() if found is None else wanted
        # Where fewer were ever forgotten than are asked for, as in a sync, they are read in a fraction of the time.
        few = self.connection.execute("SELECT rid FROM tombstone LIMIT ?", (len(wanted),)).fetchall()
        if len(few) < len(wanted):
            return wanted.intersection(rid for (rid,) in few)
        rows = select_named(self.connection, "SELECT rid FROM tombstone WHERE rid IN", [*wanted])
        return {rid for (rid,) in rows}

    def proofs_ahead(self) -> tuple[set[OpId], set[OpId]]:
        """Return the proofs whose ops have not come: those that act, and those that wait."""
        ahead = dict(self.connection.execute("SELECT id, ahead FROM proof WHERE ahead != 0"))
        return (
            {OpId(each) for each, how in ahead.items() if how == _ACTS_AHEAD},
            {OpId(each) for each, how in ahead.items() if how == _WAITS},
        )

    def unpurged(self) -> set[OpId]:
        """Return the ids of the proofs whose words may still be in some page of the file."""
        return {OpId(op_id) for (op_id,) in self.connection.execute("SELECT id FROM proof WHERE NOT purged")}

    @property
    def lags(self) -> bool:
        """Whether something was told that does not show yet, or of which derived tables have still to hear."""
        return self._shown.lags or self._shown.uncommitted

    def follow(self) -> None:
        """Show what was told and does not show yet, and tell derived tables what they did not hear of."""
        if self._shown.lags:
            self._derive(self._shown.follow)
            self._shown.uncommitted = False

    def all_came(self) -> None:
        """Make the index of contents if it was left out, and what waits for it; without room, that waits for more."""
        if self._shown.lacks_contents:
            with suppress(StoreFailed):
                self._derive(self._shown.all_came)

    def _derive(self, work: Callable[[], None]) -> None:
        try:
            with derived_transaction(self.connection):
                work()
        except BaseException:
            self._shown.forget_numbers()
            raise

    def rows_ahead(self) -> AbstractContextManager[PackedRows]:
        """Give room for memories of a base that are to be written, until the block ends."""
        return packed_rows(self.connection)

    def make_room(self) -> None:
        """Make room on the disk for what comes next, while nothing waits for that."""
        with suppress(StoreFailed), derived_transaction(self.connection):
            self._room.make()

    def purge(self) -> bool:
        """Leave no trace of what was erased in any page of the file; False if a reader was in the way.

        Deleted content is zeroed as it goes (`secure_delete`); full text keeps words in old segments until it is
        optimised, and the log that SQLite writes ahead keeps old pages until it is emptied.
        """
        self._shown.purge()
        ((waits_ms,),) = self.connection.execute("PRAGMA busy_timeout")
        self.connection.execute(f"PRAGMA busy_timeout = {min(waits_ms, _PURGE_WAITS_MS)}")
        try:
            ((busy, _, _),) = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {waits_ms}")
        return not busy

    def shrink(self) -> None:
        """Write the file anew where most of a large one is free: SQLite reuses pages, but never gives them back."""
        ((pages,),) = self.connection.execute("PRAGMA page_count")
        ((free,),) = self.connection.execute("PRAGMA freelist_count")
        if pages >= _SHRINK_PAGES_MIN and 2 * free > pages:
            self.connection.execute("VACUUM")

    def all_cells(self) -> Iterator[tuple[Key, Cell]]:
        """Return every cell."""
        self.follow()
        yield from map(memory_cell, self.connection.execute(MEMORY_CELLS))
        for part, name, state in self.connection.execute(
            "SELECT part, name, state FROM cell WHERE part != ? AND state IS NOT NULL", (CellKind.MEMORY,)
        ):
            yield Key(CellKind(part), name), decode_cell(part, state)

    def all_memories(self) -> set[bytes]:
        """Return the id of every memory that lives."""
        self.follow()
        return {rid for (rid,) in self.connection.execute("SELECT rid FROM memory")}

    def all_tombstones(self) -> set[bytes]:
        """Return every forgotten memory's id."""
        return {rid for (rid,) in self.connection.execute("SELECT rid FROM tombstone")}

    def parts(self, peer: DeviceId) -> list[PartRow]:
        """Return the parts that have come of a peer's snapshot, from the first on."""
        rows = self.connection.execute("SELECT * FROM part WHERE peer = ? ORDER BY no", (peer,))
        return [PartRow(DeviceId(device), *row) for device, *row in rows]

    def parts_bytes(self) -> dict[DeviceId, int]:
        """Return of each peer how many bytes of a snapshot of its have come and wait for the rest."""
        rows = self.connection.execute("SELECT peer, sum(length(part)) FROM part GROUP BY peer")
        return {DeviceId(peer): size for peer, size in rows}

    def membership(self) -> Membership:
        """Return the group as it was last told."""
        return Membership(
            self._introductions("member"),
            (
                Revocation(DeviceId(device), DeviceId(by), signature)
                for device, by, signature in self.connection.execute(
                    "SELECT device, by, signature FROM revocation"
                )
            ),
            self._introductions("introduction"),
        )

    def _introductions(self, table: str) -> list[IntroducedMember]:
        rows = self.connection.execute(
            f"SELECT device, public_key, certificate, name, introduced_by, signature FROM {table}"
        ).fetchall()
        if any(None in row for row in rows):  # no column may be empty, but a flipped bit makes one so
            raise StoreCorrupt(
                f"expected whole introductions of members in the table {table}, got one in parts"
            )
        return [
            IntroducedMember(DeviceId(device), key, certificate, name, DeviceId(by), signature)
            for device, key, certificate, name, by, signature in rows
        ]

    def check(self, cells: Iterable[tuple[Key, Cell]]) -> list[str]:
        """Return what is wrong with the file, and with what shows compared with these cells, which are all."""
        self.follow()
        found = [text for (text,) in self.connection.execute("PRAGMA integrity_check") if text != "ok"]
        return [*(f"SQLite: {text}" for text in found), *self._shown.check(cells)]

    # -- writing ---------------------------------------------------------------------------------------------

    def write(self, changes: Changes, now_ms: int) -> None:
        """Make the changes durable, all or none."""
        try:
            many = len(changes.entries) + len(changes.added) >= ROWS_AT_ONCE
            with transaction(self.connection, inserts_many=many):
                self._room.keep()
                if not self._shown.keep_aside(changes):
                    self._write(changes, now_ms)
                    self._many("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(changes.meta().items()))
            self._shown.uncommitted = False
        except BaseException:
            self._shown.forget_numbers()
            raise

    def _write(self, changes: Changes, now_ms: int) -> None:
        self._write_log(changes.entries)
        self._many(
            "INSERT OR REPLACE INTO feed VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [_feed_row(feed) for feed in changes.feeds],
        )
        # Of each feed the first: its ops come unbroken.
        logged = {feed: op.seq for _, feed, op, _, _ in reversed(changes.entries)}
        # The cells of a whole base that is new here are the state and the base in one.
        whole: list[tuple[Any, ...]] = []
        moved: list[tuple[Any, ...]] = []
        for key, cell in changes.cells.items():
            if cell is None or (logged and is_told_by_its_op(cell, logged)):
                continue
            both = cell is changes.base_cells.get(key)
            (whole if both else moved).append((key.part, key.name, encode_cell(cell)))
        self._many(
            """INSERT INTO cell (part, name, state) VALUES (?, ?, ?) ON CONFLICT (part, name) DO UPDATE SET
                base = CASE WHEN base = x'' THEN state ELSE base END, state = excluded.state""",
            moved,
        )
        self._many(
            """INSERT INTO cell VALUES (?, ?, ?, x'') ON CONFLICT (part, name) DO UPDATE SET
                base = x'', state = excluded.state""",
            whole,
        )
        if gone := [tuple(key) for key, cell in changes.cells.items() if cell is None]:
            self._many(
                "UPDATE cell SET base = CASE WHEN base = x'' THEN state ELSE base END, state = NULL"
                " WHERE part = ? AND name = ?",
                gone,
            )
            self._many("DELETE FROM cell WHERE part = ? AND name = ? AND base IS NULL", gone)
        if changes.is_of_ops_alone():  # nearly all commits: what is not there costs as much as it would
            self._shown.write(changes, now_ms)
            return
        self._many("DELETE FROM tombstone WHERE rid = ?", [(rid,) for rid in changes.tombstones_gone])
        self._many("INSERT OR IGNORE INTO tombstone VALUES (?, 0)", [(rid,) for rid in changes.tombstones])
        self._write_group(changes)
        self._many("UPDATE proof SET ahead = 0 WHERE id = ?", [(op_id,) for op_id in changes.arrived])
        self._many("UPDATE proof SET purged = 1 WHERE id = ?", [(op_id,) for op_id in changes.purged])
        self._many(
            "UPDATE op SET payload = NULL, payload_hash = ? WHERE pos = ?",
            [(digest, pos) for pos, digest in changes.erased],
        )
        self._many(
            "UPDATE op SET status = ? WHERE pos = ?", [(status, pos) for pos, status in changes.statuses]
        )
        self._write_base(changes)
        if changes.parts_gone is True:
            self.connection.execute("DELETE FROM part")
        elif changes.parts_gone:
            self.connection.execute("DELETE FROM part WHERE peer = ?", (changes.parts_gone,))
        if (part := changes.part) is not None:
            self.connection.execute(
                "DELETE FROM part WHERE peer = ? AND (no >= ? OR digest != ?)",
                (part.peer, part.no, part.digest),
            )
            self.connection.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", part)
        self._shown.write(changes, now_ms)

    def _write_log(self, entries: Sequence[LogEntry]) -> None:
        """Append ops to the log; of adds that say nothing else, only what differs from one to the next is bound."""
        adds: list[tuple[Any, ...]] = []
        others: list[tuple[Any, ...]] = []
        for entry in entries:
            pos, feed, op, signature, status = entry
            _, seq, hlc, seen, kind, version, ends, rid, _, _, payload, op_id = op
            says_no_more = not seen and signature is None and not status
            if kind == version == 1 and says_no_more and rid is not None and payload is not None:
                ids = bytearray(rid), bytearray(payload), bytearray(op_id)  # see `insert_many`
                adds.append((pos, feed, seq, hlc, 1 if ends else 0, *ids))
            else:
                others.append(values_of(entry))
        insert_many(self.connection, "INSERT INTO op VALUES", _ADD_ROW, adds)
        insert_many(self.connection, "INSERT INTO op VALUES", _OP_ROW, others)

    def _write_group(self, changes: Changes) -> None:
        self._many("INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?, ?, ?)", changes.members)
        self._many(
            """INSERT OR REPLACE INTO introduction
               (device, public_key, certificate, name, introduced_by, signature) VALUES (?, ?, ?, ?, ?, ?)""",
            changes.further,
        )
        self._many("INSERT INTO revocation VALUES (?, ?, ?)", changes.revocations)
        self._many(
            "INSERT OR REPLACE INTO proof VALUES (?, ?, 0, ?)",
            [(proof.id, proof.frame, _ACTS_AHEAD * changes.ahead) for proof in changes.proofs],
        )
        self._many(
            "INSERT INTO proof VALUES (?, ?, 1, ?)",
            [(proof.id, proof.frame, _WAITS) for proof in changes.idle],
        )

    def _write_base(self, changes: Changes) -> None:
        if (changes.settled or changes.remains) and not self._has_functions:
            # Not before: SQLite adds none anew while anything is being read, and those who only read make stores, too.
            self.connection.create_function("added_cell", 5, added_cell, deterministic=True)
            self.connection.create_function("joined", 2, joined, deterministic=True)
            self._has_functions = True
        if changes.compacted:
            # Before the ops go that told of them; a cell that is written in this batch is told of there.
            untold = self.load(
                key for key in changes.base_cells if key.part is CellKind.MEMORY and key not in changes.cells
            )
            self._many(
                "INSERT OR IGNORE INTO cell (part, name, state) VALUES (?, ?, ?)",
                [(key.part, key.name, encode_cell(cell)) for key, cell in untold.items()],
            )
        self._many(
            "INSERT INTO cell SELECT 0, rid, added_cell(feed, seq, id, hlc, payload), x'' FROM op"
            " WHERE pos BETWEEN ? AND ?",
            spans(changes.settled),
        )
        self._many("DELETE FROM op WHERE pos BETWEEN ? AND ?", spans(changes.compacted))
        self._many("INSERT INTO spine VALUES (?, ?, ?)", list(_short_pieces(changes.spine)))
        self._many(
            "UPDATE remains SET frame = ? WHERE id = ?",
            [(frame, op_id) for op_id, frame in changes.remains_cut if frame is not None],
        )
        self._many(
            "DELETE FROM remains WHERE id = ?",
            [(op_id,) for op_id, frame in changes.remains_cut if frame is None],
        )
        self._many(
            "INSERT INTO remains VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET frame = joined(frame, excluded.frame)",
            changes.remains,
        )
        self._many(
            """INSERT INTO cell (part, name, base) VALUES (?, ?, ?) ON CONFLICT (part, name) DO UPDATE SET
                base = CASE WHEN state = excluded.base THEN x'' ELSE excluded.base END""",
            [
                (key.part, key.name, encode_cell(cell))
                for key, cell in changes.base_cells.items()
                if cell is not None and cell is not changes.cells.get(key)
            ],
        )
        gone = [tuple(key) for key, cell in changes.base_cells.items() if cell is None]
        self._many("UPDATE cell SET base = NULL WHERE part = ? AND name = ?", gone)
        self._many("DELETE FROM cell WHERE part = ? AND name = ? AND state IS NULL", gone)
        self._many(
            "INSERT INTO tombstone VALUES (?, 1) ON CONFLICT (rid) DO UPDATE SET in_base = 1",
            [(rid,) for rid in changes.base_tombstones],
        )

    def _many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:  # most changes are of few kinds, and an empty statement costs as much as a short one
            self.connection.executemany(sql, rows)


def reading_ahead(
    read: Callable[[sqlite3.Connection], Result], derived: Sequence[DerivedTables]
) -> Callable[[sqlite3.Connection], Result]:
    """Return the same, of what will show once the disk has room for `follow`: followed in memory, and taken back.

    Where not even that can be done, it reads what shows.
    """

    def ahead(connection: sqlite3.Connection) -> Result:
        ((refuses,),) = connection.execute("PRAGMA query_only")
        for pragma in ("query_only = OFF", "cache_spill = OFF", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        try:
            try:
                connection.execute("BEGIN IMMEDIATE")
                Shown(connection, derived).follow()
            except (sqlite3.OperationalError, StoreFailed):
                connection.rollback()
            return read(connection)
        finally:
            connection.rollback()
            for pragma in ("temp_store = DEFAULT", "cache_spill = ON", f"query_only = {refuses}"):
                connection.execute(f"PRAGMA {pragma}")

    return ahead


def mark_unchecked(connection: sqlite3.Connection) -> None:
    """Say that nobody has checked this store, which was put back from a file that others may have changed."""
    with transaction(connection):
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_UNCHECKED, pack(True)))


def mark_checked(connection: sqlite3.Connection) -> None:
    """Say that all of this store adds up."""
    with transaction(connection):
        connection.execute("DELETE FROM meta WHERE name = ?", (_UNCHECKED,))


def is_unchecked(connection: sqlite3.Connection) -> bool:
    """Say whether this store was put back, and either not checked since or found not to add up."""
    return connection.execute("SELECT 1 FROM meta WHERE name = ?", (_UNCHECKED,)).fetchone() is not None


def spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the unbroken runs of growing numbers, as first and last."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def _short_pieces(pieces: Iterable[SpinePiece]) -> Iterator[SpinePiece]:
    """Cut what is written of a base's short ids into rows that are quickly read."""
    for piece in pieces:
        for at in range(0, len(piece.ids) // ID8_BYTES, _SPINE_IDS_MAX):
            ids = piece.ids[at * ID8_BYTES : (at + _SPINE_IDS_MAX) * ID8_BYTES]
            yield SpinePiece(piece.feed, piece.first + at, ids)


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
