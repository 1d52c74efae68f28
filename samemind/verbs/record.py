"""Show the record: what was written, by whom, and whether all of it holds."""

import sqlite3
from datetime import datetime
from typing import Any, Final

import replica
from replica import Body, Core, Kind, Row, op_uuid, show_memory_id
from replica.history import history as happened
from replica.history import horizon_ms
from samemind.device import Device
from samemind.fields import DOOR_NAMES, LABELS_OFF, LABELS_ON
from samemind.ids import find_memory
from samemind.results.memories import History, Version
from samemind.surface.memories import ShowHistory
from samemind.times import at_stamp
from samemind.views import show_field

# What each device is called here.
NAMES: Final = (
    "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
)


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
        names = dict(connection.execute(NAMES))
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
        horizon = shown_horizon(horizon_ms(connection))
        return History(rid=show_memory_id(rid), versions=versions, horizon=horizon)

    return await device.replica.run(read)


def shown_horizon(ms: int) -> datetime | None:
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


def show_kind(kind: int) -> str:
    """Return what an op does, in a word; a number where this version does not know."""
    try:
        return Kind(kind).name.lower()
    except ValueError:
        return f"kind {kind}"
