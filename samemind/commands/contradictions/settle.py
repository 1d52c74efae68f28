"""Judge how two memories relate, after reading both; a later verdict replaces an earlier one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.errors import Usage
from samemind.formats.rendering import Document, day_or_clock

if TYPE_CHECKING:
    import sqlite3

    from cognition.judging.verdicts import StandingVerdict
    from replica import Core, MemoryId, Op
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Judge how two memories relate, after reading both; a later verdict replaces an earlier one."""

    a: str = argument("the id of one memory", metavar="A", takes=Takes.RID)
    b: str = argument("the id of the other", metavar="B", takes=Takes.RID)
    verdict: str = argument(
        "same (both hold, of one thing), changed (the later one holds now), disagree (not both "
        "can be true), "
        "two_things (never ask again) or repeats (one thing in other words)",
        metavar="VERDICT",
        choices=("same", "changed", "disagree", "two_things", "repeats"),
    )
    since: str | None = option("--since", "when it changed: a day, or words: 'last March'", takes=Takes.TIME)
    by: str = option(
        "--by", "who judges; a person outranks an agent", default="person", choices=("person", "agent")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The verdict that stands on two memories, and who gave it; `changed`: whether this call did.

    `contradictions` are those between the two, by their ids, whether they are open or settled by it. A verdict of
    somebody who ranks higher stands: then nothing was written. `since` is when it changed, as it was said just now.
    """

    a: str
    b: str
    verdict: str
    by: str
    changed: bool
    op_id: str | None = None
    contradictions: list[str] = field(default_factory=list)
    since: datetime | None = None


async def run(device: "Device", options: Settle) -> Settled:
    """Write what two memories are to each other, unless somebody who ranks higher has said so."""
    from cognition.contradictions.values import folded
    from cognition.judging.settling import in_order
    from cognition.judging.settling import settle as write_verdict
    from cognition.judging.verdicts import WEIGHTS, Judge, StandingVerdict, Verdict, standing
    from samemind.formats.ids import find_memory
    from samemind.formats.times import read_since

    verdict, judge = Verdict(options.verdict), Judge(options.by)
    since_ms = (
        None if options.since is None else read_since(options.since, name="since", now_ms=device.now_ms())
    )
    if since_ms is not None and verdict is not Verdict.CHANGED:
        raise Usage(f"expected --since with changed alone, got it with {verdict.value}", code="invalid")

    def write(core: "Core", connection: "sqlite3.Connection") -> Settled:
        rids = find_memory(connection, options.a), find_memory(connection, options.b)
        if rids[0] == rids[1]:
            raise Usage("expected two memories, got one twice", code="invalid")
        older, newer = in_order(connection, rids)
        if folded(older.workspace or "") != folded(newer.workspace or ""):
            raise Usage("expected two memories of one workspace", code="invalid")
        held = standing(connection, *rids)
        weight = WEIGHTS[judge]
        if held is not None and (held.weight > weight or (held == (verdict, weight) and since_ms is None)):
            return _settled(rids, held, changed=False)
        op, slots = write_verdict(
            core, connection, older, newer, verdict, weight=weight, since_ms=since_ms, now_ms=device.now_ms()
        )
        return _settled(
            rids, StandingVerdict(verdict, weight), changed=True, op=op, slots=slots, since_ms=since_ms
        )

    return await device.replica.run(write)


def _settled(
    rids: "tuple[MemoryId, MemoryId]",
    held: "StandingVerdict",
    *,
    changed: bool,
    op: "Op | None" = None,
    slots: Sequence[bytes] = (),
    since_ms: int | None = None,
) -> Settled:
    from cognition.judging.verdicts import WEIGHTS, Judge
    from replica import op_uuid, show_memory_id
    from samemind.formats.times import at_ms

    judge = min(Judge, key=lambda each: abs(WEIGHTS[each] - held.weight))
    return Settled(
        a=show_memory_id(rids[0]),
        b=show_memory_id(rids[1]),
        verdict=held.verdict.value,
        by=judge.value,
        changed=changed,
        op_id=None if op is None else str(op_uuid(op.id, op.hlc)),
        contradictions=[slot.hex() for slot in slots],
        since=None if since_ms is None else at_ms(since_ms),
    )


def render(document: Document) -> list[str]:
    """Return the verdict that stands."""
    since = f" since {day_or_clock(document['since'])}" if document["since"] else ""
    stands = f"{document['a']} and {document['b']}: {document['verdict']}{since}, by {document['by']}"
    lines = [stands if document["changed"] else f"{stands} (it stood already)"]
    return [*lines, *(f"contradiction {each[:ID_DIGITS]}" for each in document["contradictions"])]


COMMAND: Final = Command(
    "settle",
    Settle,
    Settled,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=9,
        name="settle",
        title="Settle two memories",
        description=(
            "Say what a memory and a nominee of `remember` are to each other, once you have read "
            "both: repeats (one thing in other words), changed (the later one holds now), disagree "
            "(not both can be true; the user is asked), two_things (never named again) or same "
            "(both hold, of one thing). Leave it where you cannot tell."
        ),
        offered=(
            "a",
            "b",
            "verdict",
            "since",
        ),
    ),
    panel=True,
    library=Method(
        "settle",
        (
            "Judge how two memories relate: same, changed, disagree, two_things or repeats.\n\n"
            "`by` is `person` or `agent`: a person outranks an agent, so a program passes `agent`."
        ),
    ),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=6,
)
