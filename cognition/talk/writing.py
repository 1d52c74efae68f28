"""Turn what a model read in a talk into memories beside the messages it is from.

Every record names its message as its parent, so that forgetting or erasing the message takes along what was
read in it. Ids follow from parent and content: the same answer twice writes nothing new.
"""

import json
from collections.abc import Sequence
from typing import Final

from cognition.entities import TOLD_TRIPLE
from cognition.extraction.contract import ModelReading, ReadMemory
from cognition.talk.queue import MODEL, TalkJob, WindowTurn
from replica import MemoryId, Remember, Value, Write, derived_memory_id
from replica.fields import Scalar

KIND: Final = "kind"
OBSERVATION: Final = "observation"
SUMMARY: Final = "session summary"
CONTRADICTS: Final = "contradicts"


def reading_writes(reading: ModelReading, turns: Sequence[WindowTurn], job: TalkJob) -> list[Write]:
    """Return the writes of a reading: memories, observations that are less than their message, the summary."""
    writes = {}
    for memory in reading.memories:
        turn = turns[memory.message]
        if memory.content != turn.message.text:
            writes[_id_of(turn.rid, memory.content)] = Remember(memory.content, _fields(memory, turn, job))
    for text, place in reading.observations:
        turn = turns[place]
        if text != " ".join(turn.message.text.split()):
            fields: dict[str, Value] = {**_common(turn, job), "meta": {KIND: OBSERVATION}, "certainty": 1.0}
            writes.setdefault(_id_of(turn.rid, text), Remember(text, fields))
    if reading.summary is not None:
        last = turns[-1]
        own: dict[str, Value] = {**_common(last, job), "type": "semantic", "meta": {KIND: SUMMARY}}
        own.pop("speaker", None)  # it is nobody's words
        writes[_id_of(last.rid, SUMMARY)] = Remember(reading.summary, own)
    return [Write(body, rid) for rid, body in writes.items()]


def _fields(memory: ReadMemory, turn: WindowTurn, job: TalkJob) -> dict[str, Value]:
    fields = {**_common(turn, job), "type": memory.type, "certainty": memory.confidence}
    if memory.speaker is not None:
        fields["speaker"] = memory.speaker
    if memory.event_start_ms is not None:
        fields["event_start"] = memory.event_start_ms
    if memory.event_end_ms is not None:
        fields["event_end"] = memory.event_end_ms
    meta: dict[str, Scalar] = {}
    if memory.contradicts is not None:
        meta[CONTRADICTS] = memory.contradicts
    if memory.triple is not None:
        said = memory.triple
        meta[TOLD_TRIPLE] = json.dumps([said.subject, said.predicate, said.object], ensure_ascii=False)
    return {**fields, "meta": meta} if meta else fields


def _common(turn: WindowTurn, job: TalkJob) -> dict[str, Value]:
    fields: dict[str, Value] = {
        "parent": turn.rid,
        "source": MODEL,
        "conversation": job.conversation,
        "told_at": turn.message.told_at_ms,
    }
    if turn.message.speaker is not None:
        fields["speaker"] = turn.message.speaker
    return fields if job.workspace is None else {**fields, "workspace": job.workspace}


def _id_of(parent: MemoryId, content: str) -> MemoryId:
    return derived_memory_id("model", f"{parent.hex()} {content}")
