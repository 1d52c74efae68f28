"""Show every change to a memory."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.formats.memory_view import Meta, TextVariant
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock, plain, variant_lines

if TYPE_CHECKING:
    import sqlite3

    from replica import Body, Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHistory:
    """Show every change to a memory."""

    rid: str = argument("its id", takes=Takes.RID)
    limit: int | None = option(
        "--limit", "at most this many of the latest; without it, all", metavar="N", short="-n", least=0
    )
    offset: int = option("--offset", "skip this many of the latest", default=0, metavar="N", least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One thing that happened to a memory.

    Which op, when, on which device, and the memory's text after it.
    """

    op_id: str
    at: datetime
    device: str
    device_name: str | None
    kind: str
    text: str | None
    change: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that happened to a memory, oldest first; what came before the `horizon`, if there is one, may lack."""

    rid: str
    versions: list[Version]
    total: int = 0
    """How many there are, shown or not."""
    horizon: datetime | None = None
    variants: list[TextVariant] = field(default_factory=list)
    """Where devices edited one place of it at once, and nobody since: what each wrote, the latest first."""


async def run(device: "Device", options: ShowHistory) -> History:
    """Show what happened to a memory, also to one that was forgotten since, as far as the log still tells."""
    from replica import memories_called, op_uuid, show_memory_id
    from replica.history import history as happened
    from replica.history import horizon_ms
    from replica.reads.devices import device_names
    from replica.reads.ids import is_forgotten
    from replica.reads.log import feed_writers, forgets_of, ops_on
    from samemind.commands.device._record import show_kind, shown_horizon
    from samemind.formats.ids import find_memory
    from samemind.formats.times import at_stamp
    from samemind.formats.views import text_variants

    def read(core: "Core", connection: "sqlite3.Connection") -> History:
        rid = find_memory(connection, options.rid, forgotten=True)
        rows, writers = ops_on(connection, rid), feed_writers(connection)
        if is_forgotten(connection, rid):
            rows += forgets_of(connection, rid)
        rows.sort(
            key=lambda row: (row.hlc, row.seq, row.id)
        )  # the same on all devices, in whatever order it came
        versions = [
            Version(
                op_id=str(op_uuid(row.id, row.hlc)),
                at=at_stamp(row.hlc),
                device=writers[row.feed].device.hex(),
                device_name=writers[row.feed].name,
                kind=show_kind(row.kind),
                text=text,
                change=_change(body),
            )
            for row, body, text in happened(rid, rows)
        ]
        names = device_names(connection)
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
        shown = (it.memory for it in memories_called(connection, (rid,)))
        return History(
            rid=show_memory_id(rid),
            versions=_latest(versions, options.offset, options.limit),
            total=len(versions),
            horizon=horizon,
            variants=text_variants(connection, shown).get(rid, []),
        )

    return await device.replica.run(read)


def _latest(versions: list[Version], offset: int, limit: int | None) -> list[Version]:
    """Return at most `limit` versions before the last `offset`, the oldest first."""
    end = max(0, len(versions) - offset)
    return versions[0 if limit is None else max(0, end - limit) : end]


def _change(body: "Body | None") -> dict[str, Any]:
    """Return the fields that an op wrote, as the doors show them."""
    import replica
    from samemind.formats.fields import DOOR_NAMES, LABELS_OFF, LABELS_ON
    from samemind.formats.views import show_field

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


def render(document: Document) -> list[str]:
    lines = []
    for version in document["versions"]:
        who = one_line(version["device_name"] or "") or version["device"][:DEVICE_DIGITS]
        change = " ".join(f"{name}={plain(value)}" for name, value in version["change"].items())
        text = "" if version["text"] is None else one_line(version["text"])
        lines.append(f"{clock(version['at'])}  {who:<12} {version['kind']:<9} {change or text}")
    if earlier := document["total"] - len(lines):
        lines.append(f"{len(lines)} of {earlier + len(lines)}: -n and --offset choose which are shown")
    return [*lines, *variant_lines(document)]


COMMAND: Final = Command(
    "history",
    ShowHistory,
    History,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("history", "Return every change to a memory."),
    workspace=Workspace.READ_BY_ID,
    rows="versions",
    place=14,
)
