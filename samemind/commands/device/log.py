"""Show the log of ops, one per line."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.errors import NotFound, Usage
from samemind.formats.plain import to_json
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from replica.reads.log import LoggedOp
    from samemind.control.server import Say
    from samemind.device import Device


LOG_MAX: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowLog:
    """Show the log of ops, one per line."""

    limit: int = option(
        "--limit", "this many of the last ops", default=20, metavar="N", short="-n", least=0, most=LOG_MAX
    )
    after: int | None = option(
        "--after",
        "in place of the last ops, the first behind this position",
        metavar="POSITION",
        least=0,
    )
    wait: bool = option(
        "--wait", "with --after: wait until there is one", default=False, hidden_from=("agents",)
    )
    follow: bool = option(
        "--follow", "keep printing ops as they come", hidden_from=("agents", "library"), default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpView:
    """One op of the log. `rid` is the memory that it is about; `rids` are those that a `forget` or an `erase` names."""

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
    rids: list[str] = field(default_factory=list)
    signed: bool
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Ops in the order in which this device committed them. What comes later is behind `position`."""

    ops: list[OpView]
    position: int


# Ops are read and said in pages, so that a log of millions needs no memory.
FOLLOW_PAGE: Final = 1_000


async def run(device: "Device", options: ShowLog, say: "Say") -> Log:
    """Show the last ops, or those behind a position; with `follow`, say every op that comes."""
    from replica.reads.log import last_ops

    def last(connection: "sqlite3.Connection") -> list[OpView]:
        return list(map(_view, last_ops(connection, options.limit)))

    position = device.replica.position
    if options.after is not None:
        if options.after > position:
            raise Usage(
                f"expected a position of this log, which ends at {position}, got {options.after}",
                code="invalid",
            )
        if options.wait and options.limit:
            await device.replica.changed(options.after)
        found = await _behind(device, options.after, options.limit)
    else:
        ops = await device.replica.read(last)
        found = Log(ops=ops, position=ops[-1].position if ops else position)
    if options.follow:
        while True:
            for op in found.ops:
                await say(to_json(op))
            await device.replica.changed(found.position)
            found = await _behind(device, found.position, FOLLOW_PAGE)
    if options.after is not None:
        return found
    ahead = await device.replica.run(_erasures_ahead)
    shown = [*found.ops, *ahead][max(0, len(found.ops) + len(ahead) - options.limit) :]
    return Log(ops=shown, position=found.position)


async def _behind(device: "Device", position: int, limit: int) -> Log:
    """Return the first ops behind a position; `NotFound` where some of them are folded away."""
    end = device.replica.position
    ops = await device.replica.read(partial(ops_after, position=position, limit=limit))
    last = ops[-1].position if ops else end if limit else position
    if last != position + len(ops):
        raise NotFound(
            f"ops behind position {position} of the log were folded away",
            code="too_late",
            hint="list the memories anew, and go on from the `position` that `samemind log --limit 0` shows",
        )
    return Log(ops=ops, position=last)


def _erasures_ahead(core: "Core", connection: "sqlite3.Connection") -> list[OpView]:
    """Return the erasures that act here already, ahead of their places in the log: nobody erases without a trace."""
    from replica.reads.devices import device_names
    from replica.reads.log import LoggedOp

    names = device_names(connection)
    ops = [(proof.op(), proof.rids) for proof in map(core.proofs.__getitem__, core.ahead)]
    return [
        _view(
            LoggedOp(
                0,
                op.id,
                op.hlc,
                op.seq,
                op.kind,
                None,
                True,
                None,
                *op.origin,
                names.get(op.origin.device),
                rids,
            )
        )
        for op, rids in sorted(ops, key=lambda each: (each[0].hlc, each[0].id))
    ]


def ops_after(connection: "sqlite3.Connection", position: int, *, limit: int) -> list[OpView]:
    """Return the first ops behind a position of the log."""
    from replica.reads.log import ops_after as logged_after

    return list(map(_view, logged_after(connection, position, limit)))


def _view(op: "LoggedOp") -> OpView:
    from replica import FoldStatus, op_uuid, show_memory_id
    from samemind.commands.device._record import show_kind
    from samemind.formats.times import at_stamp
    from samemind.formats.views import show_origin

    return OpView(
        position=op.position,
        op_id=str(op_uuid(op.id, op.hlc)),
        hash=op.id.hex(),
        origin=show_origin(op.device, op.incarnation),
        device=op.device.hex(),
        device_name=op.device_name,
        seq=op.seq,
        hlc=op.hlc,
        at=at_stamp(op.hlc),
        kind=show_kind(op.kind),
        rid=None if op.rid is None else show_memory_id(op.rid),
        rids=[show_memory_id(rid) for rid in op.forgot],
        signed=bool(op.is_signed),
        status="ahead" if op.status is None else FoldStatus(op.status).name.lower(),
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
    rows="ops",
    place=6,
)
