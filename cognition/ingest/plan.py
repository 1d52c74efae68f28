"""Decide what is written for a text that is told: the memory itself, and a memory for each fact in it.

The text is kept word by word; its facts are memories of their own beside it, each with its parent's id, in
the same commit. A fact's id follows from its parent's and from what it says, so two devices that take in the
same source write the same memories, and a later version that reads a text otherwise adds to them.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Final

from cognition.contradictions.telling import PendingClaims, telling_of
from cognition.contradictions.values import folded, words_of
from cognition.extraction.values import Extraction, Fact, Statement, When, beginning
from cognition.memories import RECALLED
from replica import MemoryId, Remember, Value, Write, derived_memory_id, is_known

# What a fact has from the memory it was taken from: where, when and by whom it was said.
_INHERITED: Final = (
    *("speaker", "conversation", "turn", "position", "told_at", "source", "workspace"),
    *("domain", "project", "topic", "tags"),
)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What to write for one text: the memory first, then its facts. `dropped` counts uncertain or excess facts.

    `statements` are what it states of which one thing can be true, each with the memory that says so: the fact, if
    there is one of it, so that who forgets the fact takes the statement back.
    """

    writes: tuple[Write, ...]
    facts: tuple[MemoryId, ...]
    dropped: int
    statements: tuple[tuple[MemoryId, Statement], ...] = ()


def dated(text: str, fields: Mapping[str, Value], *, now_ms: int, zone: tzinfo = UTC) -> dict[str, Value]:
    """Return the fields of a text with when that happened, if it names one time and none was given."""
    if fields.get("source") == RECALLED:
        return dict(fields)
    from cognition.extraction.dates import find_dates  # here, as below: who only writes loads no grammar
    from cognition.extraction.language import language_of

    text = beginning(text)
    dates = find_dates(text, told_at_ms=_told_ms(fields, now_ms), language=language_of(text), zone=zone)
    return _with_date(fields, dates)


def read_text(
    text: str, fields: Mapping[str, Value], *, now_ms: int, zone: tzinfo = UTC, among: str | None = None
) -> tuple[dict[str, Value], Extraction]:
    """Return what a text says, and its fields likewise `dated`.

    `among` tells its people from others of the same names: each is claimed about as "John (conv-26)".
    """
    if fields.get("source") == RECALLED:
        return dict(fields), Extraction()
    from cognition.contradictions.reading import read_statements
    from cognition.extraction.engine import extract
    from cognition.extraction.language import language_of

    told_at_ms, speaker = _told_ms(fields, now_ms), fields.get("speaker")
    by = speaker if isinstance(speaker, str) else None
    language = language_of(beginning(text))
    found = extract(text, told_at_ms=told_at_ms, speaker=by, language=language, zone=zone)
    statements = read_statements(text, told_at_ms=told_at_ms, speaker=by, language=language, zone=zone)
    if among is not None:
        statements = tuple(replace(each, entity=f"{each.entity} ({among})") for each in statements)
    return _with_date(fields, found.dates), Extraction(
        found.facts, found.triples, found.entities, found.dates, found.dropped, statements
    )


def _told_ms(fields: Mapping[str, Value], now_ms: int) -> int:
    told_at = fields.get("told_at")
    return told_at if isinstance(told_at, int) else now_ms


def _with_date(fields: Mapping[str, Value], dates: Sequence[When]) -> dict[str, Value]:
    if len(dates) != 1 or "event_start" in fields or "event_end" in fields:
        return dict(fields)
    return {**fields, "event_start": dates[0].start_ms, "event_end": dates[0].end_ms}


def take_in(rid: MemoryId, text: str, fields: Mapping[str, Value], found: Extraction) -> TakenIn:
    """Return the writes for a memory and the facts that were found in it."""
    writes = [Write(Remember(text, fields), rid)]
    facts = []
    for fact in found.facts:
        facts.append(fact_id(rid, fact))
        writes.append(Write(Remember(fact.content, _fields_of(fact, rid, fields)), facts[-1]))
    given = {_slot_of(statement) for statement in found.given}
    said = (
        *((rid, statement) for statement in found.given),
        *(
            (_memory_of(statement, rid, facts, found.facts), statement)
            for statement in found.statements
            if _slot_of(statement) not in given
        ),
    )
    return TakenIn(tuple(writes), tuple(facts), found.dropped, said)


def _slot_of(statement: Statement) -> tuple[str, str]:
    return folded(statement.entity), folded(statement.relation)


def stated(
    connection: sqlite3.Connection,
    taken: TakenIn,
    fields: Mapping[str, Value],
    writes: Iterable[Write],
    now_ms: int,
    *,
    newer: bool,
) -> list[tuple[PendingClaims, Statement]]:
    """Return what a telling states, each with the memory that will say so; `newer`: a later word stands without asking.

    A statement whose fact is not written stands on the telling itself.
    """
    written = {write.rid for write in writes}
    own = taken.writes[0].rid
    assert own is not None
    found = []
    for rid, statement in taken.statements:
        at = rid if rid in written or rid == own or is_known(connection, rid) else own
        found.append((telling_of(at, fields, now_ms, newer=newer), statement))
    return found


def fact_id(parent: MemoryId, fact: Fact) -> MemoryId:
    """Return the id that every device gives to this fact of this memory."""
    return derived_memory_id("fact", f"{parent.hex()} {fact.content}")


def _memory_of(
    statement: Statement, parent: MemoryId, rids: Sequence[MemoryId], facts: Sequence[Fact]
) -> MemoryId:
    """Return the memory that makes a statement: the fact that names its subject and what it says of it, or the text."""
    topic = statement.relation.partition(":")[2]
    words = words_of(topic or statement.value)
    for rid, fact in zip(rids, facts, strict=True):
        named = statement.entity.partition(" (")[0]
        about = fact.subject is None or folded(fact.subject).startswith(folded(named))
        if about and words <= words_of(fact.content):
            return rid
    return parent


def _fields_of(fact: Fact, parent: MemoryId, fields: Mapping[str, Value]) -> dict[str, Value]:
    own: dict[str, Value] = {name: fields[name] for name in _INHERITED if name in fields}
    own |= {"parent": parent, "type": fact.type, "certainty": fact.confidence}
    if fact.when is not None:
        own |= {"event_start": fact.when.start_ms, "event_end": fact.when.end_ms}
    return own
