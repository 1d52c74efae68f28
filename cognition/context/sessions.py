"""Sum up a conversation in two or three of its own sentences, and list conversations. Nothing of it is stored.

The sentences chosen hold what the conversation is about: words that many of its turns share, and that not every turn
does. They follow in the order in which they were said, each with its speaker. A pure function of the turns, so every
device tells the same of a session, and what is forgotten is in no summary.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cognition.extraction.sentences import sentences
from cognition.ranking.stem import stem
from cognition.words import STOP_WORDS, words
from replica.reads.conversations import Conversation, count_conversations, latest_conversations, turns_of

SENTENCES_MAX: Final = 3
# A sentence that long is a story, and one that short says nothing without the turn before it.
SENTENCE_CHARACTERS_MAX: Final = 240
_TELLING_MIN: Final = 4
# A sentence that shares so much with one that was chosen says the same.
_OVERLAP_MAX: Final = 0.5
# Turns beyond these change a summary of three sentences no more.
_TURNS_MAX: Final = 2_000


class TalkTurn(NamedTuple):
    """One memory of a conversation, in its place."""

    text: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class TalkSession:
    """One conversation; `topic` is its title, where its turns have one."""

    name: str
    memories: int
    speakers: tuple[str, ...]
    started_ms: int
    ended_ms: int
    summary: str
    topic: str | None


def summary_of(turns: Sequence[TalkTurn]) -> str:
    """Return two or three sentences of a conversation that say what it is about; fewer where it has no more."""
    said = [
        (at, " ".join(sentence.split()), turn.speaker)
        for at, turn in enumerate(turns)
        for sentence in sentences(turn.text)
    ]
    telling = [_telling(sentence) for _, sentence, _ in said]
    shared = Counter(word for each in telling for word in each)
    half = max(2, len(said) / 2)

    def weight(i: int) -> float:
        # The words that come up again, unless they come up everywhere; per word, so that length is no merit.
        useful = sum(min(shared[word], half) - 1 for word in telling[i])
        return float(useful / max(_TELLING_MIN, len(telling[i])) ** 0.5)

    fit = [
        i
        for i, (_, sentence, _) in enumerate(said)
        if len(telling[i]) >= _TELLING_MIN
        and len(sentence) <= SENTENCE_CHARACTERS_MAX
        and not sentence.endswith("?")
    ] or list(range(len(said)))
    chosen: list[int] = []
    for i in sorted(fit, key=lambda i: (-weight(i), i)):
        if all(_overlap(telling[i], telling[other]) <= _OVERLAP_MAX for other in chosen):
            chosen.append(i)
            if len(chosen) == SENTENCES_MAX:
                break
    return " ".join(_said(said[i][1], said[i][2]) for i in sorted(chosen))


def list_sessions(
    connection: sqlite3.Connection, *, limit: int, offset: int = 0, name: str | None = None
) -> tuple[list[TalkSession], int]:
    """Return conversations, the latest first and without the first `offset`, and how many there are in all."""
    found = latest_conversations(connection, name, limit=limit, offset=offset)
    return [_session(connection, each) for each in found], count_conversations(connection, name)


def _session(connection: sqlite3.Connection, of: Conversation) -> TalkSession:
    turns = list(_turns(connection, of.name))
    speakers = tuple(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    return TalkSession(of.name, of.memories, speakers, of.began_ms, of.ended_ms, summary_of(turns), of.topic)


def _turns(connection: sqlite3.Connection, name: str) -> Iterator[TalkTurn]:
    return map(TalkTurn._make, turns_of(connection, name, limit=_TURNS_MAX))


def _telling(sentence: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(sentence) if word not in STOP_WORDS)


def _overlap(one: Iterable[str], other: frozenset[str]) -> float:
    words_of_one = set(one)
    return len(words_of_one & other) / max(1, min(len(words_of_one), len(other)))


def _said(sentence: str, speaker: str | None) -> str:
    ended = sentence if sentence[-1:] in ".!?…" else f"{sentence}."
    return f"{speaker}: {ended}" if speaker else ended
