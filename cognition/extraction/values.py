"""What extraction finds: facts, triples, names and dates, as plain values.

A `Fact` is a memory to be: one statement that can be read without its neighbours, because its subject is named
and its date is resolved. What it was taken from stays as it was said; these only stand beside it.
"""

from typing import Final

from replica.memory_types import MEMORY_TYPES
from replica.values import dataclass

# What sort of statement a fact is, beside its memory type: a decision and a location are both factual.
KINDS: Final = ("fact", "decision", "preference", "event", "plan", "feeling", "relationship")

# A guess below this is not worth a memory; what is dropped is counted.
CONFIDENCE_MIN: Final = 0.3

# More facts than this in one text is a list or a page, for which patterns are the wrong tool.
FACTS_MAX: Final = 10
# Longer texts are documents; what lies beyond is not looked at.
TEXT_CHARACTERS_MAX: Final = 20_000
# So far back the end of a sentence is looked for; a longer sentence is cut between two words.
_SENTENCE_CHARACTERS: Final = 1_000
_ENDS: Final = ("\n", ". ", "! ", "? ", "。", "！", "？", "؟", "।")

# Words that stand for a person without naming one: no triple may have such a subject.
_PRONOUNS: Final = """
    i me we us you he him she her it they them this that these those who someone somebody everyone everybody
    nobody yo tú él ella nosotros ellos ellas usted ich wir du er sie es ihr я мы ты вы он она они оно ми ти ви
    він вона вони воно
"""
PRONOUNS: Final = frozenset(_PRONOUNS.split())


def beginning(text: str, characters_max: int = TEXT_CHARACTERS_MAX) -> str:
    """Return what is read of a text: all of it, or of one of more characters its first whole sentences.

    A cut within one would make up what nobody said: "Ann lives in New", or a name such as "Lisb".
    """
    if len(text) <= characters_max:
        return text
    head = text[:characters_max]
    end = max(head.rfind(mark, -_SENTENCE_CHARACTERS) for mark in _ENDS)
    return head[: (end if end >= 0 else head.rfind(" ", -_SENTENCE_CHARACTERS)) + 1] or head


@dataclass(frozen=True, slots=True)
class Triple:
    """One relation between a named subject and a value."""

    subject: str
    predicate: str
    object: str

    def __post_init__(self) -> None:
        if not self.subject or self.subject.casefold() in PRONOUNS:
            raise ValueError(f"expected a named subject, got {self.subject!r}")
        if not self.predicate or not self.object:
            raise ValueError(f"expected a predicate and an object, got {self.predicate!r}, {self.object!r}")


@dataclass(frozen=True, slots=True)
class When:
    """A stretch of time that some words of a text name: both ends included, in ms since 1970."""

    start_ms: int
    end_ms: int
    words: str
    at: int
    """Where in the text the words begin."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement taken from a text."""

    content: str
    kind: str
    type: str
    confidence: float
    pattern: str
    subject: str | None = None
    speaker: str | None = None
    triple: Triple | None = None
    when: When | None = None

    def __post_init__(self) -> None:
        if not self.content.strip():
            raise ValueError("expected a fact to say something, got an empty content")
        if self.kind not in KINDS:
            raise ValueError(f"expected a kind among {', '.join(KINDS)}; got {self.kind!r}")
        if self.type not in MEMORY_TYPES:
            raise ValueError(f"expected a type among {', '.join(MEMORY_TYPES)}; got {self.type!r}")
        if not 0 <= self.confidence <= 1:  # also refuses NaN
            raise ValueError(f"expected a confidence from 0 to 1, got {self.confidence!r}")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text states that may be true of one thing only: of whom, in which respect, and what."""

    entity: str
    relation: str
    value: str
    changes: bool = False
    """It says that something else held before."""
    valid_from: int | None = None
    """Since when it holds, in ms since 1970, if the text says so."""
    ends: bool = False
    """The value no longer holds, and nothing takes its place."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that was found in one text. `dropped` counts facts that were too uncertain, or too many."""

    facts: tuple[Fact, ...] = ()
    triples: tuple[Triple, ...] = ()
    entities: tuple[str, ...] = ()
    dates: tuple[When, ...] = ()
    dropped: int = 0
    statements: tuple[Statement, ...] = ()
    given: tuple[Statement, ...] = ()
    """What whoever told it says that it states; this counts before what is read of the same."""
