"""Decide whether a new memory says what one that is held says already, in almost the same words.

Exact repetition is settled before this by the content's hash. Here memories whose wording is near (the newest
by `cognition.minhash`, older ones by the words they were filed under) are compared by meaning, on vectors of
their bare text: labels make a text look other than it is. Only above a cosine of 0.92, and only of one type,
workspace and speaker, are two held to be one.

Even then words decide what becomes of it. Where numbers, names or a "not" differ, two texts that look the same
say different things: nothing is overwritten. A contradiction is never a matter of likeness: only where both
state a value of one thing of one subject, of which there is one (where Ann lives), does the new one contradict.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np

from cognition.embedding.embedder import Embedder
from cognition.errors import ModelUnavailable
from cognition.extraction import extract, proper_nouns
from cognition.memories import Shown, read_memories
from cognition.minhash import NearTexts, jaccard, trigrams
from cognition.words import quoted, terms, words

COSINE_MIN: Final = 0.92
# The newest memories whose signatures are kept: a program that runs once has to make these first. Older ones are asked
# for by the longest of a text's words, each once, since a word is sought in every segment of the full text: whatever
# holds the two longest of four, or the two behind these. Of LoCoMo's lines with up to a quarter of their words changed,
# as far as they are repetitions still, 99.4 % hold them; any two of the four, asked for with each word twice, 99.96 %.
NEAR_MAX: Final = 2_000
OLDER_WORDS: Final = 4
JACCARD_MIN: Final = 0.5
# Two texts that share half of their trigrams share two thirds of those that each has, and more than so much of their
# words, counted in characters: of the 9,000 lines of that kind, all do.
WORDS_MIN: Final = 0.5
# Nominees compared by meaning, and older rows that are looked at; further ones are older, and alike to these.
NOMINEES_MAX: Final = 16
# A merged confidence grows by this with each repetition.
CONFIDENCE_STEP: Final = 0.15

# Two memories that differ in one of these are two events, however alike they are worded.
_OWN: Final = ("workspace", "speaker", "conversation", "turn", "position", "told_at", "event_start", "event_end",
               "parent")  # fmt: skip
# What a text says of one subject only once: two values are a contradiction.
_SINGLE: Final = frozenset(
    {"lives_in", "works_at", "works_as", "age", "relationship_status", "diet", "founded_in"}
)
_NUMBERS: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_NOT: Final = re.compile(
    r"\b(?:no|not|never|none|without|cannot|nor|nobody|nothing|stopped|quit|hate|hates|kein\w*|nicht|nie|sin|nunca|jamás|не|нет|ні"
    r"|немає)\b|n['’]t\b",
    re.IGNORECASE,
)  # fmt: skip
_WORDS: Final = re.compile(r"\w+")
_COUNT_WORDS: Final = """
    one two three four five six seven eight nine ten eleven twelve first second third last next
"""
_COUNTS: Final = frozenset(_COUNT_WORDS.split())


class Verdict(Enum):
    """What becomes of a new memory."""

    ADD = "add"
    UPDATE = "update"
    SKIP = "skip"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and the memory it is about; ADD is about none."""

    verdict: Verdict
    about: Shown | None = None


def decide(
    text: str,
    fields: Mapping[str, Any],
    candidates: Sequence[tuple[Shown, float]],
) -> Decision:
    """Return what becomes of a text, given memories that may say the same and their cosines to it."""
    ordered = sorted(candidates, key=lambda each: (-each[1], each[0].rid))
    for shown, cosine in ordered:
        held = shown.memory
        if (
            cosine <= COSINE_MIN
            or not same_place(fields, held.fields)
            or _telling(text) != _telling(held.text)
        ):
            continue
        said, known = _words(text), _words(held.text)
        return Decision(Verdict.SKIP if said <= known else Verdict.UPDATE, shown)
    places = _places(text)
    for shown, _ in ordered if places else ():
        if fields.get("workspace") == shown.memory.fields.get("workspace") and any(
            places.get(place, value) != value for place, value in _places(shown.memory.text).items()
        ):
            return Decision(Verdict.CONTRADICTION, shown)
    return Decision(Verdict.ADD)


def same_place(fields: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Say whether two memories may be one: of one type, by one speaker, and not two moments."""
    return fields.get("type") == held.get("type") and all(fields.get(name) == held.get(name) for name in _OWN)


def merged(fields: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a held memory that a repetition changes, with their new values."""
    wanted = {name: value for name, value in fields.items() if name not in ("tags", "meta", "certainty")}
    tags = sorted({*fields.get("tags", ()), *held.get("tags", ())})
    if tags:
        wanted["tags"] = tags
    meta = {**held.get("meta", {}), **fields.get("meta", {})}
    mentions = held.get("meta", {}).get("mentions", 1)
    wanted["meta"] = {**meta, "mentions": (mentions if isinstance(mentions, int) else 1) + 1}
    certainty = held.get("certainty", fields.get("certainty"))
    if certainty is not None:
        wanted["certainty"] = reinforced(certainty)
    return {name: value for name, value in wanted.items() if held.get(name) != value}


def reinforced(confidence: float) -> float:
    """Return how sure a memory is after it was told once more."""
    return min(1.0, round(confidence + CONFIDENCE_STEP, 6))


class Deduplicator:
    """Finds what a new text repeats. Used on the store's writer thread only, so it takes no locks."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._near = NearTexts(NEAR_MAX)
        self._upto = 0

    def decide(self, connection: sqlite3.Connection, text: str, fields: Mapping[str, Any]) -> Decision:
        """Return what becomes of a text that is about to be stored."""
        self._catch_up(connection)
        nominees = self._near.nominate(text)
        nominees = [*nominees, *self._older(connection, text)][:NOMINEES_MAX]
        shown = list(read_memories(connection, nominees))
        if not shown:
            return Decision(Verdict.ADD)
        try:
            vectors = self._embedder.embed([text, *(one.memory.text for one in shown)])
            cosines = np.einsum("ij,j->i", vectors[1:], vectors[0]).tolist()
        except ModelUnavailable:  # nothing is merged unseen; contradictions need no model
            cosines = [0.0] * len(shown)
        return decide(text, fields, list(zip(shown, cosines, strict=True)))

    def _older(self, connection: sqlite3.Connection, text: str) -> list[int]:
        """Return older memories that share most of their wording with a text, the newest first."""
        first = self._near.first
        if first is None or first <= 1:
            return []
        telling = sorted(terms(text), key=lambda word: (-len(word), word))[:OLDER_WORDS]
        if not telling:
            return []
        rows = connection.execute(
            """SELECT m.id, m.text FROM memory_text f JOIN memory m ON m.id = f.rowid
               WHERE f.memory_text MATCH ? AND f.rowid < ? ORDER BY f.rowid DESC LIMIT ?""",
            (_most_of(telling), first, NOMINEES_MAX),
        )
        said, grams = set(words(text)), trigrams(text)
        wanted = WORDS_MIN * sum(map(len, said))
        return [
            number
            for number, known in rows
            # To look for words takes a fifth of the time of taking a text apart, and most rows have but two of them.
            if sum(map(len, filter(known.casefold().__contains__, said))) >= wanted
            and jaccard(grams, trigrams(known)) >= JACCARD_MIN
        ]

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Take in what came since, by any way; what was changed or forgotten since is read anew when nominated."""
        rows = connection.execute(
            "SELECT id, text FROM memory WHERE id > ? ORDER BY id DESC LIMIT ?", (self._upto, NEAR_MAX)
        ).fetchall()
        if rows:
            rows.reverse()
            self._near.add([number for number, _ in rows], [text for _, text in rows])
            self._upto = rows[-1][0]


def _most_of(wanted: Sequence[str]) -> str:
    """Return the full text query for what holds most of at most four words, the longest first."""
    match quoted(wanted):
        case [one, two, three, four]:
            return f"({one} AND {two}) OR ({three} AND {four})"
        case [one, two, three]:
            return f"({one} AND ({two} OR {three})) OR ({two} AND {three})"
        case some:
            return " AND ".join(some)


def _places(text: str) -> dict[tuple[str, str], str]:
    """Return what a text says of a subject that can have one such value only: (subject, relation) → value."""
    triples = extract(text, told_at_ms=0).triples
    return {(each.subject, each.predicate): each.object for each in triples if each.predicate in _SINGLE}


def _telling(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return what two texts must share to say the same: numbers, names, and whether one says "not"."""
    numbers = frozenset(_NUMBERS.findall(text)) | (_COUNTS & _words(text))
    return numbers, proper_nouns(text), len(_NOT.findall(text)) % 2 == 1


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.casefold()))
