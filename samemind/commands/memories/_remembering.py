"""Do what `remember` asks for: all of it loads at once, which each telling would look up again by its names."""

import sqlite3
from dataclasses import replace
from typing import Any

from cognition import Extraction, read_text, take_in
from cognition.ingest.gate import NewTelling
from cognition.ingest.linking import with_origin
from cognition.ingest.plan import dated
from cognition.memories import RECALLED
from cognition.own_zone import own_zone
from cognition.reminding.due_fields import Reminding, with_reminder
from cognition.reminding.repeating import rule_text
from cognition.wordings.tables import give
from replica import (
    Core,
    Value,
    is_known,
    memories_called,
    new_memory_id,
    op_uuid,
    parse_memory_id,
    show_memory_id,
)
from replica.hlc import COUNTER_BITS
from samemind.commands.contradictions._work import open_among
from samemind.commands.memories._claims import claims_of
from samemind.commands.memories._found import found_in
from samemind.commands.memories._pins import check_pins
from samemind.commands.memories._remembered import Remembered, ReminderView
from samemind.commands.memories._to_remember import RememberMemory
from samemind.commands.memories._wordings import wordings_of
from samemind.device import Device
from samemind.formats.fields import REMEMBERED_AS, read_meta
from samemind.formats.ids import check_asked_again
from samemind.formats.own_zone import own_zone_name
from samemind.formats.times import at_ms, is_in_words, read_when
from samemind.held_back import kept_back
from samemind.talk import note_talk


async def remember(device: Device, options: RememberMemory) -> Remembered:
    """Store a memory, and the facts in it beside it: always a new one, whatever is known already.

    What says the same is linked to it, and shown with it as one. Both are done later, unless they are waited for.
    """
    other_words = wordings_of(options.wordings, options.text) if options.wordings else []
    now_ms = device.now_ms()
    reminding = with_reminder(options.text, fields_of(options, now_ms), now_ms, own_zone=own_zone_name)
    told = reminding.fields
    given = claims_of(options.claims, speaker=options.speaker, text=options.text, now_ms=now_ms)
    awaited = options.read or options.wait or options.nominees or bool(given)
    tells = not awaited and not _looks_at_others(options)
    asked, found = _read(options, told, now_ms, for_facts=awaited and not options.no_facts)
    found = replace(found, given=given) if given else found

    def write(core: Core, connection: sqlite3.Connection) -> Remembered:
        now_ms = device.now_ms()
        rid = new_memory_id(now_ms, device.random) if options.rid is None else parse_memory_id(options.rid)
        if options.rid is not None and is_known(connection, rid):
            check_asked_again(core, rid, options.text)
            if not awaited:
                return _with_first_times(options, connection, Remembered(rid=show_memory_id(rid), op_id=None))
            device.mind.ingest.read_all(core, connection)
            again = found_in(connection, rid, dropped=take_in(rid, options.text, asked, found).dropped)
            return _with_first_times(options, connection, again)
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
        remembered = _with_times(options, reminding, remembered)
        await note_talk(device, [asked])
        if other_words:
            device.mind.wordings.came()
    return remembered if remembered.held else await _waited(device, options, remembered)


def _looks_at_others(options: RememberMemory) -> bool:
    """Say whether other memories are looked at to store this one: those that were told a moment ago show first then."""
    return bool(options.rid or options.wordings or options.pin or options.source == RECALLED)


async def _waited(device: Device, options: RememberMemory, stored: Remembered) -> Remembered:
    """Wait for what was asked for beside storing it, and return it too."""
    from samemind.commands.contradictions._nominees import nominees_of

    if options.wait:
        await device.mind.settle()
        await device.mind.wordings.catch_up()
    if not options.nominees:  # embedding it and comparing it cost more than storing it
        return stored
    return replace(stored, nominees=await nominees_of(device, parse_memory_id(stored.rid)))


def _read(
    options: RememberMemory, told: dict[str, Value], now_ms: int, *, for_facts: bool
) -> tuple[dict[str, Value], Extraction]:
    """Return the fields with the time that the words name, and what they state, where that is wanted now."""
    if for_facts:
        return read_text(options.text, told, now_ms=now_ms, zone=own_zone())
    return dated(options.text, told, now_ms=now_ms, zone=own_zone()), Extraction()


def fields_of(options: RememberMemory, now_ms: int) -> dict[str, Value]:
    """Return the fields that a `remember` asks for; `now_ms` is when."""
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


def _with_first_times(
    options: RememberMemory, connection: sqlite3.Connection, again: Remembered
) -> Remembered:
    """Return the answer to what is asked again, with the times of the first: its words count from when it was told."""
    for shown in memories_called(connection, [parse_memory_id(again.rid)]):
        memory = shown.memory
        first_ms = memory.created >> COUNTER_BITS
        reminding = with_reminder(options.text, fields_of(options, first_ms), first_ms)
        due_ms = None if reminding.due_ms is None else memory.fields.get("event_start")
        stored = reminding._replace(
            fields={**reminding.fields, **memory.fields}, due_ms=due_ms, repeats=rule_text(memory)
        )
        return _with_times(options, stored, again)
    return again


def _with_times(options: RememberMemory, reminding: Reminding, remembered: Remembered) -> Remembered:
    """Return the answer, with the times that were read of words and when it is due."""
    if options.at or options.event_start or options.event_end:
        remembered = replace(remembered, **_times_read(options, reminding.fields))
    if reminding.due_ms is not None or reminding.lacks_time:
        reminder, lacks_time = _reminder_view(reminding), reminding.lacks_time
        remembered = replace(remembered, reminder=reminder, reminder_missing=lacks_time)
    return remembered


def _times_read(options: RememberMemory, told: dict[str, Value]) -> dict[str, Any]:
    """Return which times were read of words; one that was given in digits is what its giver knows."""
    found = {}
    for name in ("at", "event_start", "event_end"):
        said, time_ms = getattr(options, name), told.get(REMEMBERED_AS.get(name, name))
        if said is not None and isinstance(time_ms, int) and is_in_words(said):
            found[REMEMBERED_AS.get(name, name)] = at_ms(time_ms)
    return found


def _reminder_view(reminding: Reminding) -> ReminderView | None:
    due = None if reminding.due_ms is None else at_ms(reminding.due_ms)
    return None if due is None else ReminderView(due=due, repeats=reminding.repeats)
