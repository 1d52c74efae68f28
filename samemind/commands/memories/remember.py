"""Store a memory."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replica.memory_types import MEMORY_TYPES
from samemind.commands.contradictions._parts import nominated, raised
from samemind.commands.memories._claims import CLAIM, CLAIMS_MAX, claims_of
from samemind.commands.memories._remembered import Remembered, ReminderView
from samemind.commands.memories._wordings import WORDINGS_MAX, wordings_of
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.options import TIME
from samemind.rendering import HELD_BACK, Document, clock, counted, repeated

if TYPE_CHECKING:
    import sqlite3

    from cognition import Extraction
    from cognition.reminding.due_fields import Reminding
    from replica import Core, Value
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberMemory:
    """Store a memory."""

    text: str = argument("what to remember; - reads it from standard input", metavar="TEXT", joined=True)
    type: str | None = option("--type", "what kind of memory it is", choices=MEMORY_TYPES)
    importance: float | None = option("--importance", "how much it matters, 0 to 1")
    valence: float | None = option("--valence", "how it feels, -1 to 1")
    certainty: float | None = option("--certainty", "how sure the speaker is, 0 to 1")
    half_life: float | None = option(
        "--half-life", "seconds until its strength has halved", metavar="SECONDS"
    )
    domain: str | None = option("--domain", "area of life or work")
    project: str | None = option("--project", "project it belongs to")
    topic: str | None = option("--topic", "what it is about")
    speaker: str | None = option("--speaker", "who said it")
    session: str | None = option("--session", "the chat it came from")
    turn: str | None = option("--turn", "which turn of the chat")
    event_start: str | None = option("--event-start", f"when it happened: {TIME}", takes=Takes.TIME)
    event_end: str | None = option("--event-end", "when that ended", takes=Takes.TIME)
    at: str | None = option("--at", "when it was said; words too", takes=Takes.TIME)
    source: str | None = option("--source", "where it comes from")
    tag: tuple[str, ...] = option("--tag", "a label; may be given several times", default=())
    meta: tuple[str, ...] = option(
        "--meta", "anything else worth keeping; several times", default=(), takes=Takes.PAIRS
    )
    pin: bool = option("--pin", "keep it in the core profile", default=False)
    workspace: str | None = option("--workspace", "a space that several agents share")
    wait: bool = option(
        "--wait", "return once it can be found by meaning, too", hidden_from=("agents",), default=False
    )
    no_dedup: bool = option("--no-dedup", "has no effect: what you store is always stored", default=False)
    no_facts: bool = option(
        "--no-facts", "do not store the facts it states as memories of their own", default=False
    )
    read: bool = option(
        "", "return when it was read: with its facts, and with what it repeats or contradicts", default=True
    )
    nominees: bool = option(
        "--nominees", "name at most three older memories that it may repeat or contradict", default=False
    )
    wordings: tuple[str, ...] = option(
        "--wording",
        f"the same in other words, for search only; at most {WORDINGS_MAX}",
        default=(),
        metavar="TEXT",
        hidden_from=("panel",),
    )
    claims: tuple[str, ...] = option(
        "--claim",
        f"what it says, to be compared with what is known: {CLAIM}; at most {CLAIMS_MAX}",
        default=(),
        metavar="CLAIM",
    )
    rid: str | None = option(
        "--rid", "the id to store it under; stored twice under one id, it is one memory", metavar="ID"
    )


async def run(device: "Device", options: RememberMemory) -> Remembered:
    """Store a memory, and the facts in it beside it: always a new one, whatever is known already.

    What says the same is linked to it, and shown with it as one. Both are done later, unless they are waited for.
    """
    from cognition import take_in
    from cognition.ingest import NewTelling
    from cognition.linking import with_origin
    from cognition.reminding.due_fields import with_reminder
    from cognition.wordings.tables import give
    from replica import is_known, new_memory_id, op_uuid, parse_memory_id, show_memory_id
    from samemind.commands.contradictions._work import open_among
    from samemind.commands.memories._found import found_in
    from samemind.commands.memories._pins import check_pins
    from samemind.held_back import kept_back
    from samemind.ids import check_asked_again
    from samemind.talk import note_talk

    other_words = wordings_of(options.wordings, options.text) if options.wordings else []
    now_ms = device.now_ms()
    reminding = with_reminder(options.text, fields_of(options, now_ms), now_ms)
    told = reminding.fields
    given = claims_of(options.claims, speaker=options.speaker, text=options.text, now_ms=now_ms)
    awaited = options.read or options.wait or options.nominees or bool(given)
    tells = not awaited and not _looks_at_others(options)
    asked, found = _read(options, told, now_ms, for_facts=awaited and not options.no_facts)
    found = replace(found, given=given) if given else found

    def write(core: "Core", connection: "sqlite3.Connection") -> Remembered:
        now_ms = device.now_ms()
        rid = new_memory_id(now_ms, device.random) if options.rid is None else parse_memory_id(options.rid)
        if options.rid is not None and is_known(connection, rid):
            check_asked_again(core, rid, options.text)
            if not awaited:
                return Remembered(rid=show_memory_id(rid), op_id=None)
            device.mind.ingest.read_all(core, connection)
            return found_in(connection, rid, dropped=take_in(rid, options.text, asked, found).dropped)
        if options.pin:
            check_pins(connection)
        fields = with_origin(connection, options.text, asked)
        held = kept_back(connection, rid, options.text, fields, now_ms)
        if held is not None:
            return Remembered(rid=show_memory_id(held), op_id=None, held=True)
        telling = NewTelling(rid, options.text, fields, now_ms, is_fresh=options.rid is None)
        ingest = device.mind.ingest
        if not awaited:
            op = ingest.tell(core, connection, telling, facts=not options.no_facts, may_follow=tells)
            give(connection, {rid: other_words})
            return Remembered(rid=show_memory_id(rid), op_id=str(op_uuid(op.id, op.hlc)))
        read = ingest.tell_and_read(core, connection, telling, found)
        give(connection, {rid: other_words})
        return Remembered(
            rid=show_memory_id(rid),
            op_id=str(op_uuid(read.op.id, read.op.hlc)),
            facts=[show_memory_id(fact) for fact in read.facts],
            says_same=[show_memory_id(other) for other in read.says_same],
            contradictions=[slot.hex() for slot in open_among(connection, read.slots)],
            facts_dropped=read.dropped,
            read=True,
        )

    remembered = await device.replica.run(write, tells=tells)
    if remembered.op_id is not None:
        reminder, lacks_time = _reminder_view(reminding), reminding.lacks_time
        remembered = replace(remembered, reminder=reminder, reminder_missing=lacks_time)
        await note_talk(device, [asked])
        if other_words:
            device.mind.wordings.came()
    return remembered if remembered.held else await _waited(device, options, remembered)


def _looks_at_others(options: RememberMemory) -> bool:
    """Say whether other memories are looked at to store this one: those that were told a moment ago show first then."""
    from cognition.memories import RECALLED

    return bool(options.rid or options.wordings or options.pin or options.source == RECALLED)


async def _waited(device: "Device", options: RememberMemory, stored: Remembered) -> Remembered:
    """Wait for what was asked for beside storing it, and return it too."""
    from replica import parse_memory_id
    from samemind.commands.contradictions._nominees import nominees_of

    if options.wait:
        await device.mind.settle()
        await device.mind.wordings.catch_up()
    if not options.nominees:  # embedding it and comparing it cost more than storing it
        return stored
    return replace(stored, nominees=await nominees_of(device, parse_memory_id(stored.rid)))


def _read(
    options: RememberMemory, told: "dict[str, Value]", now_ms: int, *, for_facts: bool
) -> "tuple[dict[str, Value], Extraction]":
    """Return the fields with the time that the words name, and what they state, where that is wanted now."""
    from cognition import Extraction, read_text
    from cognition.ingest_plan import dated, own_zone

    if for_facts:
        return read_text(options.text, told, now_ms=now_ms, zone=own_zone())
    return dated(options.text, told, now_ms=now_ms, zone=own_zone()), Extraction()


def fields_of(options: RememberMemory, now_ms: int) -> "dict[str, Value]":
    """Return the fields that a `remember` asks for; `now_ms` is when."""
    from samemind.fields import REMEMBERED_AS, read_meta
    from samemind.times import read_when

    fields: dict[str, Value] = {}
    for name in (
        "type", "importance", "valence", "certainty", "half_life", "domain", "project", "topic", "speaker",
        "session", "turn", "source", "workspace",
    ):  # fmt: skip
        value = getattr(options, name)
        if value is not None:
            fields[REMEMBERED_AS.get(name, name)] = value
    for name in ("at", "event_start", "event_end"):
        value = getattr(options, name)
        if value is not None:
            fields[REMEMBERED_AS.get(name, name)] = read_when(value, name=name, now_ms=now_ms)
    if options.tag:
        fields["tags"] = sorted(set(options.tag))
    if options.meta:
        fields["meta"] = read_meta(options.meta)
    if options.pin:
        fields["pinned"] = True
    return fields


def render(document: Document) -> list[str]:
    if document.get("held"):
        return [f"{document['rid']} {HELD_BACK}"]
    same = len(document["says_same"])
    told = f" (says the same as {counted(same, 'telling', 'tellings')} before)" if same else ""
    return [
        f"{document['rid']}{told}",
        *_reminder(document),
        *raised(document),
        *nominated(document["nominees"]),
    ]


def _reminder_view(reminding: "Reminding") -> ReminderView | None:
    from samemind.times import at_ms

    due = None if reminding.due_ms is None else at_ms(reminding.due_ms)
    return None if due is None else ReminderView(due=due, repeats=reminding.repeats)


def _reminder(document: Document) -> list[str]:
    if document.get("reminder_missing"):
        rid = document["rid"]
        return [
            "no reminder: it names no certain time to come",
            f"to be reminded: samemind set {rid} type=prospective event_start=YYYY-MM-DDTHH:MM",
        ]
    reminder = document.get("reminder")
    if reminder is None:
        return []
    return [f"reminder: {clock(reminder['due'])}{repeated(reminder['repeats'])}"]


COMMAND: Final = Command(
    "remember",
    RememberMemory,
    Remembered,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=CoreTool(
        place=1,
        name="remember",
        title="Remember",
        description=(
            "Store one thing worth knowing later: a fact, a preference, a decision, an event. One "
            "idea in plain words, with the names spelled out. Telling it again is harmless."
        ),
        offered=(
            "text",
            "type",
            "importance",
            "certainty",
            "speaker",
            "project",
            "topic",
            "tag",
            "at",
            "event_start",
            "event_end",
            "session",
            "source",
            "meta",
            "pin",
            "workspace",
            "wordings",
            "claims",
        ),
        seldom=("event_end", "wordings", "claims"),
    ),
    panel=True,
    library=Method(
        "remember",
        (
            "Store a memory, durably.\n\n"
            "What follows from its words (`facts`, `says_same`, `contradictions`) takes longer than "
            "storing it. With `read=False` nobody waits for it: it is worked out behind that, "
            "before anything else is answered. With `wait` it is also waited for until the memory "
            "is found by meaning, and with `nominees` these are asked for too."
        ),
    ),
    workspace=Workspace.PUT,
    waits_for_reading=False,
    place=1,
    elsewhere=("add", "create", "note", "remind", "save", "store"),
    daily=True,
)
