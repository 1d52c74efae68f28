"""Core facts: the few lasting things about the user, as ordinary memories with a category.

A core fact's text is the fact, its certainty the confidence, its creation the first time it was heard and its
last change the last time. The rest is metadata under the names below. Heard again, it grows surer; replaced, it
is archived and its successor names it: who asks later what was true then still finds it.
"""

import logging
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cognition.extraction.contract import ModelFact
from cognition.memories import Shown, read_memories
from cognition.ranking.stem import stem
from cognition.talk.queue import MODEL, TalkJob
from cognition.words import terms
from replica import MemoryId, Remember, Set, Value, Write, content_number, derived_memory_id, show_memory_id
from replica.labelling import field_writes
from replica.reads.profile import surest_numbers

_log = logging.getLogger(__name__)

CATEGORY: Final = "category"
LAST_CONVERSATION: Final = "last_conversation"
UPDATES: Final = "updates"
# LO-09: what replaces another fact starts here, however sure the one before had become.
CONFIDENCE_BASELINE: Final = 0.8
# A confidence grows by this with each repetition.
CONFIDENCE_STEP: Final = 0.15
# Shown to the model with the talk, the surest first, so that it says only what is new.
KNOWN_MAX: Final = 40
# A member may have written any number, and nobody hears a fact oftener.
MENTIONS_MAX: Final = 1_000_000
# What each category is for the types of memory.
_TYPES: Final = {"identity": "factual", "preference": "affective", "project": "semantic"}


def known_facts(connection: sqlite3.Connection, workspace: str | None) -> list[Shown]:
    """Return the core facts of a workspace that hold: the surest and latest first."""
    numbers = surest_numbers(connection, workspace, limit=KNOWN_MAX)
    found = {it.id: it for it in read_memories(connection, numbers)}
    return [found[number] for number in numbers if number in found]


def core_writes(facts: Sequence[ModelFact], known: Sequence[Shown], job: TalkJob) -> list[Write]:
    """Return what a model's core facts change: new ones, ones heard again, ones that replace another."""
    said_before = {content_number(it.memory.text): it for it in known}
    writes: list[Write] = []
    for fact in {content_number(each.fact): each for each in facts}.values():
        same = said_before.get(content_number(fact.fact))
        if same is not None:
            fields = merged({"meta": {LAST_CONVERSATION: job.conversation}}, same.memory.fields)
            writes += field_writes(same.rid, fields, same.memory.fields)
            continue
        meta: dict[str, Any] = {CATEGORY: fact.category, LAST_CONVERSATION: job.conversation}
        confidence = fact.confidence
        previous = _previous(fact, known)
        if previous is not None:
            meta[UPDATES] = show_memory_id(previous.rid)
            confidence = CONFIDENCE_BASELINE
            writes.append(Write(Set("archived", True), previous.rid))
        writes.append(Write(Remember(fact.fact, _fields(fact, job, meta, confidence)), _id_of(fact, job)))
    return writes


def _previous(fact: ModelFact, known: Sequence[Shown]) -> Shown | None:
    """Return the fact that this one replaces, if it replaces one.

    Where the model only says that there is one, it is the one of its category that shares most of its words, if no
    other shares as many; else both stand, since an archived fact that still holds would be missed.
    """
    if fact.updates is None:
        return None
    if fact.updates is not True:
        return known[fact.updates - 1]
    said = {stem(word) for word in terms(fact.fact)}
    shared = [
        (len(said & {stem(word) for word in terms(it.memory.text)}), it)
        for it in known
        if it.memory.fields.get("meta", {}).get(CATEGORY) == fact.category
    ]
    most = max((count for count, _ in shared), default=0)
    found = [it for count, it in shared if count == most]
    if most and len(found) == 1:
        return found[0]
    _log.info("a model said that a core fact replaces another; which one could not be told, so both stand")
    return None


def merged(fields: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a held memory that a repetition changes, with their new values."""
    wanted = {name: value for name, value in fields.items() if name not in ("tags", "meta", "certainty")}
    tags = sorted({*fields.get("tags", ()), *held.get("tags", ())})
    if tags:
        wanted["tags"] = tags
    meta = {**held.get("meta", {}), **fields.get("meta", {})}
    mentions = held.get("meta", {}).get("mentions", 1)
    counted = mentions if isinstance(mentions, int) and 0 < mentions < MENTIONS_MAX else 1
    wanted["meta"] = {**meta, "mentions": counted + 1}
    certainty = held.get("certainty", fields.get("certainty"))
    if certainty is not None:
        wanted["certainty"] = reinforced(certainty)
    return {name: value for name, value in wanted.items() if held.get(name) != value}


def reinforced(confidence: float) -> float:
    """Return how sure a memory is after it was told once more."""
    return min(1.0, round(confidence + CONFIDENCE_STEP, 6))


def _fields(fact: ModelFact, job: TalkJob, meta: dict[str, Any], confidence: float) -> dict[str, Value]:
    fields: dict[str, Value] = {
        "type": _TYPES[fact.category],
        "certainty": confidence,
        "source": MODEL,
        "conversation": job.conversation,
        "meta": meta,
    }
    return fields if job.workspace is None else {**fields, "workspace": job.workspace}


def _id_of(fact: ModelFact, job: TalkJob) -> MemoryId:
    return derived_memory_id("core", f"{job.workspace or ''}\n{job.conversation}\n{fact.fact}")
