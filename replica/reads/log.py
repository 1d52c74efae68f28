"""Read the log and its feeds: which ops came, on what, and who wrote them."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, Final, NamedTuple

from replica.codec import decode_payload, verdicts_in
from replica.errors import StoreCorrupt
from replica.ids import ID8_BYTES, DeviceId, MemoryId, OpRef, Origin
from replica.meta import Meta
from replica.oplog import LogRow
from replica.ops import Erase, Forget, OpKind
from replica.reads.devices import WRITERS
from replica.storage.schema import MIGRATIONS, check
from replica.storage.sql import select_named

# Nobody decides so often; a member who writes them without end must not make everybody read without end.
VERDICTS_READ_MAX: Final = 32_768
# How msgpack begins bytes as long as the short id of an op.
_SHORT_ID: Final = bytes((0xC4, ID8_BYTES))

_LOGGED: Final = f"""SELECT o.pos, o.id, o.hlc, o.seq, o.kind, o.rid, o.signature IS NOT NULL, o.status,
    f.device, f.incarnation, ifnull(p.nickname, n.name),
    CASE WHEN o.kind IN ({OpKind.FORGET:d}, {OpKind.ERASE:d}) THEN o.payload END FROM op o JOIN feed f ON f.no = o.feed
    {WRITERS}"""


class LoggedOp(NamedTuple):
    """An op, without what it says; `device_name` is what its writer is called here, None of no member.

    `status` is None of an op that is not in the log. `forgot` are the memories that it forgets or erases.
    """

    position: int
    id: bytes
    hlc: int
    seq: int
    kind: int
    rid: bytes | None
    is_signed: int
    status: int | None
    device: bytes
    incarnation: bytes
    device_name: str | None
    forgot: tuple[MemoryId, ...]


class LoggedVerdicts(NamedTuple):
    """What an op of the log, at `seq` of `feed`, said of claims: which to keep. `op` and each claim are short ids."""

    op: bytes
    feed: int
    seq: int
    hlc: int
    keeps: dict[bytes, bool]


class FeedWriter(NamedTuple):
    """Who writes a feed; `name` is what the device is called here, None of no member."""

    device: DeviceId
    name: str | None


class OpRange(NamedTuple):
    """Ops of one feed that came after a position: their first and last numbers, and first and last stamps."""

    incarnation: bytes
    first_seq: int
    last_seq: int
    first_hlc: int
    last_hlc: int


class Act(NamedTuple):
    """The kind of an op, and the memories whose rows it may change: what it acts on, or what it forgets."""

    kind: int
    rids: tuple[MemoryId, ...]


class ChangedMemory(NamedTuple):
    """A memory that shows and that an op changed, with the incarnation and the stamp of the op."""

    rid: MemoryId
    incarnation: bytes
    hlc: int


def read_meta(connection: sqlite3.Connection) -> Meta:
    """Return what the replica keeps of itself beside its log."""
    return Meta.read(dict(connection.execute("SELECT name, value FROM meta")))


def check_tables(connection: sqlite3.Connection) -> None:
    """Read a row of the log and of what shows.

    `StoreCorrupt` where the file is no store of ours; `StoreNewer` where a later program made it.
    """
    version = check(connection)
    try:
        connection.execute("SELECT 1 FROM op, memory, feed LIMIT 1").fetchall()
    except sqlite3.OperationalError as error:
        raise StoreCorrupt(
            f"expected a store of version 1 to {len(MIGRATIONS)}, got a file of version {version} "
            f"without its tables ({error})"
        ) from None


def last_position(connection: sqlite3.Connection) -> int:
    """Return the position of the last op of the log; 0 where it holds none."""
    ((position,),) = connection.execute("SELECT ifnull(max(pos), 0) FROM op")
    return int(position)


def acts_between(connection: sqlite3.Connection, after: int, until: int, limit: int) -> list[Act]:
    """Return what the ops behind a position act on, up to another: at most `limit`, the first of them first."""
    rows = connection.execute(
        """SELECT kind, rid, CASE WHEN kind IN (?, ?) THEN payload END FROM op
           WHERE pos > ? AND pos <= ? ORDER BY pos LIMIT ?""",
        (OpKind.FORGET, OpKind.ERASE, after, until, limit),
    )
    return [Act(kind, _acted_on(kind, rid, payload)) for kind, rid, payload in rows]


def _acted_on(kind: int, rid: bytes | None, payload: bytes | None) -> tuple[MemoryId, ...]:
    if payload is not None:
        body = decode_payload(kind, payload)
        assert isinstance(body, Forget | Erase)
        return body.rids
    return () if rid is None else (MemoryId(rid),)


def last_ops(connection: sqlite3.Connection, limit: int) -> list[LoggedOp]:
    """Return the last ops of the log, at most `limit`, the first of them first."""
    return _logged(connection, f"{_LOGGED} ORDER BY o.pos DESC LIMIT ?", (limit,))[::-1]


def ops_after(connection: sqlite3.Connection, position: int, limit: int) -> list[LoggedOp]:
    """Return the first ops behind a position of the log, at most `limit`."""
    return _logged(connection, f"{_LOGGED} WHERE o.pos > ? ORDER BY o.pos LIMIT ?", (position, limit))


def _logged(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[LoggedOp]:
    return [
        LoggedOp._make((*row, () if payload is None else _acted_on(row[4], None, payload)))
        for *row, payload in connection.execute(sql, values)
    ]


def ops_on(connection: sqlite3.Connection, rid: MemoryId) -> list[LogRow]:
    """Return every op of the log on a memory, in the order in which they came."""
    return [
        LogRow._make(row) for row in connection.execute("SELECT * FROM op WHERE rid = ? ORDER BY pos", (rid,))
    ]


def forgets_of(connection: sqlite3.Connection, rid: MemoryId) -> list[LogRow]:
    """Return the ops that forgot a memory, in the order in which they came; each may name others, too."""
    return [
        LogRow._make(row)
        for row in connection.execute(
            "SELECT * FROM op WHERE kind = ? AND instr(payload, ?) ORDER BY pos", (OpKind.FORGET, rid)
        )
    ]


def verdicts_on(connection: sqlite3.Connection, claims: Set[bytes]) -> list[LoggedVerdicts]:
    """Return what the ops of the log that were folded said of these claims, what others overrode too.

    Of more than `VERDICTS_READ_MAX` resolutions in the log, only the newest are read.
    """
    rows = connection.execute(
        f"""SELECT id, feed, seq, hlc, payload FROM op
           WHERE kind = {OpKind.RESOLVE:d} AND status = 0 AND payload IS NOT NULL ORDER BY pos DESC LIMIT ?""",
        (VERDICTS_READ_MAX,),
    )
    found = []
    for op, feed, seq, hlc, payload in rows:
        # By its bytes alone, nearly every one is of other claims.
        if claims.isdisjoint(piece[:ID8_BYTES] for piece in payload.split(_SHORT_ID)):
            continue
        keeps = {claim: keep for claim, keep in verdicts_in(payload).items() if claim in claims}
        if keeps:
            found.append(LoggedVerdicts(op[:ID8_BYTES], feed, seq, hlc, keeps))
    return found


def ranges_after(connection: sqlite3.Connection, position: int) -> Iterator[OpRange]:
    """Return what each feed got behind a position of the log, in the order of feeds."""
    rows = connection.execute(
        """SELECT f.incarnation, min(o.seq), max(o.seq), min(o.hlc), max(o.hlc)
           FROM op o JOIN feed f ON f.no = o.feed WHERE o.pos > ? GROUP BY f.no""",
        (position,),
    )
    return map(OpRange._make, rows)


def last_stamp_at(connection: sqlite3.Connection, place: OpRef) -> int:
    """Return the latest stamp of an op at a place, of all branches; 0 where the log was folded below it."""
    ((stamp,),) = connection.execute(
        """SELECT max(o.hlc) FROM op o JOIN feed f ON f.no = o.feed
           WHERE f.device = ? AND f.incarnation = ? AND o.seq = ?""",
        (*place.origin, place.seq),
    )
    return stamp or 0


def memories_changed(
    connection: sqlite3.Connection, device: DeviceId, kinds: Sequence[OpKind], first_hlc: int, last_hlc: int
) -> Iterator[ChangedMemory]:
    """Return the memories that show and that ops of these kinds by a device changed, an op each, in no order.

    Of ops with stamps of this range, both ends in it.
    """
    rows = connection.execute(
        f"""SELECT o.rid, f.incarnation, o.hlc FROM op o JOIN feed f ON f.no = o.feed JOIN memory m ON m.rid = o.rid
           WHERE f.device = ? AND o.kind IN ({",".join("?" * len(kinds))}) AND o.hlc BETWEEN ? AND ?""",
        (device, *kinds, first_hlc, last_hlc),
    )
    return (ChangedMemory(MemoryId(rid), incarnation, hlc) for rid, incarnation, hlc in rows)


def feed_writers(connection: sqlite3.Connection) -> dict[int, FeedWriter]:
    """Return who writes each feed, by its number."""
    rows = connection.execute(f"SELECT f.no, f.device, ifnull(p.nickname, n.name) FROM feed f {WRITERS}")
    return {no: FeedWriter(DeviceId(device), name) for no, device, name in rows}


def origins_of(connection: sqlite3.Connection, feeds: Iterable[int]) -> dict[int, Origin]:
    """Return the origins of feeds, by their numbers."""
    rows = select_named(connection, "SELECT no, device, incarnation FROM feed WHERE no IN", [*feeds])
    return {no: Origin(DeviceId(device), incarnation) for no, device, incarnation in rows}
