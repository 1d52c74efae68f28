"""Show the record: what was written, by whom, and whether all of it holds."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import replica
from replica import Body, Core, Kind, Row, Status, op_uuid, show_memory_id
from replica.history import history as happened
from replica.history import horizon_ms
from replica.incarnations import pardoned
from replica.missing import missing
from replica.oplog import Changes
from replica.verify import Verification, verify_replica
from samemind.control.server import Say
from samemind.device import Device
from samemind.errors import Usage
from samemind.fields import DOOR_NAMES, LABELS_OFF, LABELS_ON
from samemind.housekeeping import fold_away
from samemind.results.device import Compacted, Digest, FrontierEntry, Log, OpView, Verified
from samemind.results.memories import History, Version
from samemind.results.plain import to_json
from samemind.surface.device import Compact, ShowDigest, ShowLog, Verify
from samemind.surface.memories import ShowHistory
from samemind.times import at_stamp
from samemind.verbs.ids import find_memory
from samemind.verbs.views import show_field, show_origin

LOG_MAX: Final = 100_000
# Ops are read and said in pages, so that a log of millions needs no memory.
FOLLOW_PAGE: Final = 1_000

_SELECT: Final = """
SELECT o.pos, o.id, o.hlc, o.seq, o.kind, o.rid, o.signature IS NOT NULL, o.status, f.device, f.incarnation,
       ifnull(p.nickname, n.name)
FROM op o JOIN feed f ON f.no = o.feed LEFT JOIN member n ON n.device = f.device LEFT JOIN peer p ON
p.device = f.device
"""
# What each device is called here.
_NAMES: Final = (
    "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
)


async def digest(device: Device, options: ShowDigest) -> Digest:
    """Show both digests, and what they are over."""

    def read(core: Core, connection: sqlite3.Connection) -> Digest:
        digests = core.digests()
        ((memories,),) = connection.execute("SELECT count(*) FROM memory")
        ((ops,),) = connection.execute("SELECT count(*) FROM op")
        return Digest(
            digest=digests.visible.hex(),
            state_digest=digests.state.hex(),
            memories=memories,
            ops=ops,
            frontier=[
                FrontierEntry(origin=show_origin(*head.origin), seq=head.seq, head=head.id8.hex())
                for head in core.frontier().heads
            ],
        )

    return await device.replica.run(read)


async def log(device: Device, options: ShowLog, say: Say) -> Log:
    """Show the last ops; with `follow`, say every op that comes."""
    if not 0 <= options.limit <= LOG_MAX:
        raise Usage(f"expected a limit of 0 to {LOG_MAX}, got {options.limit}", code="invalid")

    def last(connection: sqlite3.Connection) -> list[OpView]:
        rows = connection.execute(f"{_SELECT} ORDER BY o.pos DESC LIMIT ?", (options.limit,)).fetchall()
        return [_view(row) for row in reversed(rows)]

    position = device.replica.position
    ops = await device.replica.read(last)
    if not options.follow:
        ahead = await device.replica.run(_erasures_ahead)
        return Log(ops=[*ops, *ahead][max(0, len(ops) + len(ahead) - options.limit) :])
    for op in ops:
        await say(to_json(op))
    if ops:
        position = ops[-1].position
    while True:
        await device.replica.changed(position)
        page = await device.replica.read(partial(_page, position))
        for op in page:
            await say(to_json(op))
            position = op.position


def _erasures_ahead(core: Core, connection: sqlite3.Connection) -> list[OpView]:
    """Return the erasures that act here already, ahead of their places in the log: nobody erases without a trace."""
    names = dict(connection.execute(_NAMES))
    ops = [core.proofs[each].op() for each in core.ahead]
    return [
        _view((0, op.id, op.hlc, op.seq, op.kind, None, True, None, *op.origin, names.get(op.origin.device)))
        for op in sorted(ops, key=lambda op: (op.hlc, op.id))
    ]


async def verify(device: Device, options: Verify) -> Verified:
    """Check everything; the writer waits meanwhile, so that the log holds still."""

    def check(core: Core, _: object) -> tuple[Verification, int]:
        accepted = 0
        if options.accept_loss:
            accepted = sum(lost.seq - lost.held for lost in missing(core))
            core.incidents = pardoned(core.incidents)
            core.write(Changes(), device.now_ms())
        return verify_replica(core), accepted

    verification, accepted = await device.replica.run(check)
    return Verified(
        ok=verification.ok,
        ops=verification.ops,
        problems=list(verification.problems),
        vouched={by.hex(): ops for by, ops in sorted(verification.vouched.items())},
        accepted=accepted,
    )


async def compact(device: Device, options: Compact) -> Compacted:
    """Fold what every device has; those that were not heard of for the length of a lease hold nothing back."""

    compacted = await fold_away(device, before_ms=None)

    def count(core: Core, connection: sqlite3.Connection) -> Compacted:
        ((left,),) = connection.execute("SELECT count(*) FROM op")
        return Compacted(compacted=compacted, ops=left, horizon=_horizon(core.horizon_ms))

    return await device.replica.run(count)


async def history(device: Device, options: ShowHistory) -> History:
    """Show what happened to a memory, also to one that was forgotten since, as far as the log still tells."""

    def read(core: Core, connection: sqlite3.Connection) -> History:
        rid = find_memory(connection, options.rid, forgotten=True)
        rows = list(map(Row._make, connection.execute("SELECT * FROM op WHERE rid = ? ORDER BY pos", (rid,))))
        writers = {
            no: (device_id, name)
            for no, device_id, name in connection.execute(
                """SELECT f.no, f.device, ifnull(p.nickname, n.name) FROM feed f
                   LEFT JOIN member n ON n.device = f.device LEFT JOIN peer p ON p.device = f.device"""
            )
        }
        versions = [
            Version(
                op_id=str(op_uuid(row.id, row.hlc)),
                at=at_stamp(row.hlc),
                device=writers[row.feed][0].hex(),
                device_name=writers[row.feed][1],
                kind=show_kind(row.kind),
                text=text,
                change=_change(body),
            )
            for row, body, text in happened(rid, rows)
        ]
        names = dict(connection.execute(_NAMES))
        erased = [
            Version(
                op_id=str(op_uuid(op.id, op.hlc)),
                at=at_stamp(op.hlc),
                device=op.origin.device.hex(),
                device_name=names.get(op.origin.device),
                kind=show_kind(op.kind),
                text=None,
                change={},
            )
            for op in (proof.op() for proof in core.proofs.values() if rid in proof.rids)
        ]
        versions += sorted(erased, key=lambda version: (version.at, version.op_id))
        horizon = _horizon(horizon_ms(connection))
        return History(rid=show_memory_id(rid), versions=versions, horizon=horizon)

    return await device.replica.run(read)


def _horizon(ms: int) -> datetime | None:
    return at_stamp(ms << 16) if ms else None


def _change(body: Body | None) -> dict[str, Any]:
    """Return the fields that an op wrote, as the doors show them."""
    match body:
        case replica.Remember(fields=fields):
            return {DOOR_NAMES.get(name, name): show_field(name, value) for name, value in fields.items()}
        case replica.Set(name, value):
            return {DOOR_NAMES.get(name, name): show_field(name, value)}
        case replica.Tag(labels):
            return {LABELS_ON: list(labels)}
        case replica.Untag(labels):
            return {LABELS_OFF: list(labels)}
        case replica.Claim(entity=entity, relation=relation, value=value):
            return {"claim": f"{entity} {relation} {value}"}
        case _:
            return {}


def ops_after(connection: sqlite3.Connection, position: int, *, limit: int = FOLLOW_PAGE) -> list[OpView]:
    """Return the first ops behind a position of the log."""
    rows = connection.execute(f"{_SELECT} WHERE o.pos > ? ORDER BY o.pos LIMIT ?", (position, limit))
    return [_view(row) for row in rows]


def _page(position: int, connection: sqlite3.Connection) -> list[OpView]:
    return ops_after(connection, position)


def _view(row: Sequence[Any]) -> OpView:
    position, op_id, hlc, seq, kind, rid, signed, status, device, incarnation, device_name = row
    return OpView(
        position=position,
        op_id=str(op_uuid(op_id, hlc)),
        hash=op_id.hex(),
        origin=show_origin(device, incarnation),
        device=device.hex(),
        device_name=device_name,
        seq=seq,
        hlc=hlc,
        at=at_stamp(hlc),
        kind=show_kind(kind),
        rid=None if rid is None else show_memory_id(rid),
        signed=bool(signed),
        status="ahead" if status is None else Status(status).name.lower(),
    )


def show_kind(kind: int) -> str:
    """Return what an op does, in a word; a number where this version does not know."""
    try:
        return Kind(kind).name.lower()
    except ValueError:
        return f"kind {kind}"
