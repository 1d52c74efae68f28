"""Show the log of ops, one a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.errors import Usage
from samemind.plain import to_json
from samemind.printable import one_line
from samemind.rendering import DEVICE_DIGITS, Document, clock

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.control.server import Say
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowLog:
    """Show the log of ops, one a line."""

    limit: int = option("--limit", "how many of the last ops", default=20, metavar="N", short="-n")
    follow: bool = option(
        "--follow", "go on with every op that comes", hidden_from=("agents", "library"), default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpView:
    """One op of the log."""

    position: int
    op_id: str
    hash: str
    origin: str
    device: str
    device_name: str | None
    seq: int
    hlc: int
    at: datetime
    kind: str
    rid: str | None
    signed: bool
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Ops in the order in which this device committed them."""

    ops: list[OpView]


LOG_MAX: Final = 100_000
# Ops are read and said in pages, so that a log of millions needs no memory.
FOLLOW_PAGE: Final = 1_000
_SELECT: Final = """
SELECT o.pos, o.id, o.hlc, o.seq, o.kind, o.rid, o.signature IS NOT NULL, o.status, f.device, f.incarnation,
       ifnull(p.nickname, n.name)
FROM op o JOIN feed f ON f.no = o.feed LEFT JOIN member n ON n.device = f.device LEFT JOIN peer p ON
p.device = f.device
"""


async def run(device: "Device", options: ShowLog, say: "Say") -> Log:
    """Show the last ops; with `follow`, say every op that comes."""
    from functools import partial

    if not 0 <= options.limit <= LOG_MAX:
        raise Usage(f"expected a limit of 0 to {LOG_MAX}, got {options.limit}", code="invalid")

    def last(connection: "sqlite3.Connection") -> list[OpView]:
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


def _erasures_ahead(core: "Core", connection: "sqlite3.Connection") -> list[OpView]:
    """Return the erasures that act here already, ahead of their places in the log: nobody erases without a trace."""
    from samemind.commands.device._record import NAMES

    names = dict(connection.execute(NAMES))
    ops = [core.proofs[each].op() for each in core.ahead]
    return [
        _view((0, op.id, op.hlc, op.seq, op.kind, None, True, None, *op.origin, names.get(op.origin.device)))
        for op in sorted(ops, key=lambda op: (op.hlc, op.id))
    ]


def ops_after(connection: "sqlite3.Connection", position: int, *, limit: int = FOLLOW_PAGE) -> list[OpView]:
    """Return the first ops behind a position of the log."""
    rows = connection.execute(f"{_SELECT} WHERE o.pos > ? ORDER BY o.pos LIMIT ?", (position, limit))
    return [_view(row) for row in rows]


def _page(position: int, connection: "sqlite3.Connection") -> list[OpView]:
    return ops_after(connection, position)


def _view(row: Sequence[Any]) -> OpView:
    from replica import Status, op_uuid, show_memory_id
    from samemind.commands.device._record import show_kind
    from samemind.times import at_stamp
    from samemind.views import show_origin

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


def render(document: Document) -> list[str]:
    return [op_line(op) for op in document["ops"]]


def op_line(op: Document) -> str:
    who = one_line(op["device_name"] or "") or op["device"][:DEVICE_DIGITS]
    status = "" if op["status"] == "folded" else f"  {op['status']}"
    return f"{clock(op['at'])}  {who:<12} {op['seq']:>6}  {op['kind']:<9} {op['rid'] or ''}{status}"


def render_said(document: Document) -> list[str]:
    return [op_line(document)]


COMMAND: Final = Command(
    "log",
    ShowLog,
    Log,
    run=run,
    render=render,
    render_said=render_said,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("log", "Return the last ops of the log."),
    news=True,
    streams=True,
    place=6,
)
