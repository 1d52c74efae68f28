"""Read the LoCoMo benchmark: long conversations, of which every turn becomes a memory.

The text stays as it was said. A picture that was shared with it is described in `meta`, since its words are
the describer's and not the speaker's. Times in the file carry no zone: they are taken as UTC, so that every
device reads them alike.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from replica import Value, derived_memory_id
from samemind.portable.records import Item, Reads, Record, Unreadable

SOURCE: Final = "locomo"
_SESSION: Final = re.compile(r"session_(\d+)")
# "1:56 pm on 8 May, 2023"
_SAID_AT: Final = "%I:%M %p on %d %B, %Y"


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(
            isinstance(each, dict) and "conversation" in each and "sample_id" in each for each in document
        )
    )


def read(document: object) -> Iterator[Record]:
    """Return every turn of every conversation, in the order in which they were said."""
    if not isinstance(document, list | Iterator):
        yield Unreadable(line=1, reason="expected a list of LoCoMo conversations")
        return
    number = 0
    for sample in document:
        if not looks_like([sample]):
            number += 1
            yield Unreadable(line=number, reason="expected a LoCoMo conversation")
            continue
        conversation = sample["conversation"]
        if not isinstance(conversation, dict):
            number += 1
            yield Unreadable(line=number, reason=f"expected sessions of {sample['sample_id']}, got none")
            continue
        sessions = sorted(
            (int(found[1]), name) for name in conversation if (found := _SESSION.fullmatch(name)) is not None
        )
        for _, session in sessions:
            turns = conversation[session]
            if not isinstance(turns, list):
                number += 1
                yield Unreadable(line=number, reason=f"expected the turns of {session}, got something else")
                continue
            for position, turn in enumerate(turns):
                number += 1
                try:
                    yield _item(number, sample["sample_id"], session, position, turn, conversation)
                except (KeyError, TypeError, ValueError) as error:
                    yield Unreadable(
                        line=number, reason=f"expected a turn of {sample['sample_id']}, {error!r}"
                    )


def _item(
    number: int,
    sample: str,
    session: str,
    position: int,
    turn: Mapping[str, Any],
    conversation: Mapping[str, Any],
) -> Item:
    turn_id, text, speaker = turn["dia_id"], turn["text"], turn["speaker"]
    if not all(isinstance(each, str) and each.strip() for each in (turn_id, text, speaker)):
        raise ValueError("a turn has a dia_id, a speaker and a text")
    fields: dict[str, Value] = {
        "speaker": speaker,
        "conversation": f"{sample}:{session}",
        "turn": turn_id,
        "position": position,
        "source": SOURCE,
    }
    said_at = conversation.get(f"{session}_date_time")
    if said_at is not None:
        moment = datetime.strptime(said_at, _SAID_AT).replace(tzinfo=UTC)
        fields["told_at"] = int(moment.timestamp() * 1_000)
    meta = {
        key: turn[name]
        for key, name in (("caption", "blip_caption"), ("picture_query", "query"))
        if name in turn
    }
    if meta:
        fields["meta"] = meta
    rid = derived_memory_id(SOURCE, f"{sample}:{turn_id}")
    # The Johns of two samples are two people: what one says does not contradict the other.
    return Item(line=number, rid=rid, text=text, fields=fields, among=sample, reads=Reads.ASKED)
