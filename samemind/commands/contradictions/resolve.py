"""Resolve a contradiction: choose what is kept; the rest is hidden, not deleted."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.contradictions._parts import ID_DIGITS, ContradictionView, subject
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.errors import NeedsDecision, NotFound, Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, day_or_clock

if TYPE_CHECKING:
    import sqlite3

    from cognition.contradictions.slots import Judged
    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveContradiction:
    """Resolve a contradiction: choose what is kept; the rest is hidden, not deleted."""

    id: str = argument("its id, or at least its first 6 characters", takes=Takes.ID)
    keep_a: bool = option("--keep-a", "what was said first is true", default=False)
    keep_b: bool = option("--keep-b", "what was said later is true", default=False)
    keep_both: bool = option("--keep-both", "all of them are true", default=False)
    keep: str | None = option(
        "--keep", "the id of a memory: what it says is true, of more than two", takes=Takes.RID
    )
    since: str | None = option(
        "--since",
        "it changed: what is kept holds from then on, and the other held until then: a day, or "
        "words such as "
        "'last March' or 'gestern'",
        takes=Takes.TIME,
    )
    merge: str | None = option("--merge", "none is right: this is", metavar="TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """How a contradiction stands now; `rid` is the memory that a merger made. `changed`: whether anything did."""

    contradiction: ContradictionView
    rid: str | None = None
    changed: bool


async def run(device: "Device", options: ResolveContradiction) -> Resolved:
    """Decide one; a decision that stands already changes nothing, and a merger may have to be undone before another."""
    from cognition.contradictions.resolving import changed, decide, merge
    from cognition.contradictions.snoozing import snoozed
    from cognition.contradictions.tables import judged_of
    from replica import new_memory_id, show_memory_id
    from replica.reads.devices import device_names
    from samemind.commands.contradictions._work import find_contradiction, view_of
    from samemind.formats.times import read_since

    decisions = [options.keep_a, options.keep_b, options.keep_both, options.keep is not None]
    if sum(decisions) + (options.merge is not None) > 1:
        raise Usage("expected one of --keep-a, --keep-b, --keep-both, --keep and --merge, got several")
    since_ms = (
        None if options.since is None else read_since(options.since, name="since", now_ms=device.now_ms())
    )
    if since_ms is not None and (options.keep_both or options.merge is not None):
        raise Usage(
            "expected --since with --keep-a, --keep-b or --keep: it says since when one of them holds"
        )

    def write(core: "Core", connection: "sqlite3.Connection") -> Resolved:
        record = find_contradiction(connection, options.id)
        judged = judged_of(connection, record.slot)
        named = {"entity": record.entity, "relation": record.relation}
        merged = None
        now_ms = device.now_ms()
        if options.merge is not None:
            merged = new_memory_id(now_ms, device.random)
            text = _checked(connection, judged, options.merge)
            merge(core, judged, merged, text, workspace=record.workspace, **named, now_ms=now_ms)
            done = True
        elif (words := _merged_into(connection, judged, options)) is not None:
            raise Usage(
                f"this is merged already: {words}",
                code="merged",
                hint=f"`samemind contradictions reopen {record.slot.hex()[:ID_DIGITS]}` undoes that; then decide anew",
            )
        elif since_ms is not None:
            (value,) = _chosen(connection, judged, options)
            core.commit(changed(core, judged, value, since_ms, **named), now_ms)
            done = True
        else:
            values = _chosen(connection, judged, options)
            done = decide(core, connection, record.slot, values, **named, now_ms=now_ms)
        judged = judged_of(connection, record.slot)
        view = view_of(connection, record, judged, device_names(connection), snoozed(connection, now_ms))
        return Resolved(
            contradiction=view, rid=None if merged is None else show_memory_id(merged), changed=done
        )

    return await device.replica.run(write)


def _merged_into(
    connection: "sqlite3.Connection", judged: "Judged", options: ResolveContradiction
) -> str | None:
    """Return the words into which a contradiction was merged, where these have to be undone first."""
    from cognition.contradictions.resolving import merger_of
    from replica.reads.texts import texts_called
    from samemind.formats.ids import find_memory

    merged = merger_of(connection, judged)
    kept = None if options.keep is None else find_memory(connection, options.keep)
    return None if merged in (None, kept) else one_line(texts_called(connection, [merged])[merged])


def _checked(connection: "sqlite3.Connection", judged: "Judged", text: str) -> str:
    """Return what is to stand for all of them; refused if it is too long, or tells a secret that none of them holds."""
    from replica.codec import check_text
    from samemind.commands.contradictions._work import texts_of
    from samemind.refusing import refuse_secret

    check_text(text)
    refuse_secret(text, known=texts_of(connection, judged).values())
    return text


def _chosen(connection: "sqlite3.Connection", judged: "Judged", options: ResolveContradiction) -> list[str]:
    """Return which values are to be kept."""
    from replica import show_memory_id
    from samemind.formats.ids import find_memory

    values = [side[0].told.value for side in judged.sides]
    if options.keep_both:
        return values
    if options.keep is not None:
        rid = find_memory(connection, options.keep)
        for number, side in enumerate(judged.sides):
            if any(belief.told.rid == rid for belief in side):
                return [values[number]]
        raise NotFound(f"the memory {show_memory_id(rid)} says nothing about this")
    if options.keep_a or options.keep_b:
        return [values[0 if options.keep_a else 1]]
    shown = " or ".join(side[-1].told.value for side in judged.sides)
    raise NeedsDecision(
        f"which of them is true: {shown}?",
        hint="say --keep-a, --keep-b, --keep-both, --keep RID or --merge TEXT; "
        "with --since TIME it has changed, and both were true",
    )


def render(document: Document) -> list[str]:
    """Return how a contradiction stands after a decision."""
    found = document["contradiction"]
    # Since when it holds is shown where it has changed: words such as "last summer" are a day only now.
    changed = found["settled_by"] == "change"
    held = dict.fromkeys(
        one_line(belief["value"])
        + (f", since {day_or_clock(belief['valid_from'])}" if changed and belief["valid_from"] else "")
        for belief in found["beliefs"]
        if belief["standing"] == "held"
    )
    return [f"{subject(found['entity'], found['relation'])}{' and '.join(held)}"]


COMMAND: Final = Command(
    "contradictions resolve",
    ResolveContradiction,
    Resolved,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=CoreTool(
        place=8,
        name="resolve",
        title="Resolve a contradiction",
        description=(
            "Settle a contradiction as the user decides: keep a, b or both, or merge them; since when, if "
            "it changed."
        ),
        offered=(
            "id",
            "keep_a",
            "keep_b",
            "keep_both",
            "keep",
            "merge",
            "since",
        ),
    ),
    panel=True,
    library=Method(
        "resolve",
        (
            "Resolve a contradiction: choose what is kept; the rest is hidden, not deleted.\n\n"
            "With `since` it changed: what is kept holds from then on, and the others held until "
            "then."
        ),
    ),
    idempotent=True,
    workspace=Workspace.CONTRADICTION,
    place=4,
)
