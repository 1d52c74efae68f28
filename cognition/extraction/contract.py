"""Say what a model is to answer when it reads talk, and take its answer apart with suspicion.

Two answers are asked for, each one JSON object. A *reading*: typed memories, literal observations, a summary of
two or three sentences, and who spoke. And *core facts*: the few lasting things about the user. A model is not
trusted with the shape of its answer nor with its content. What is not such an object is refused as a whole
(`BadAnswer`: ask again). Inside one, each part stands or falls by itself: an observation that nobody said, a
triple about "she", a date that is none, is left out and counted. The talk itself is kept in any case.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple

from cognition.extraction.sentences import sentences
from cognition.extraction.values import CONFIDENCE_MIN, PRONOUNS, Triple
from replica.json_text import parse_json
from replica.memory_types import MEMORY_TYPES
from replica.values import dataclass

# LO-06: what a core fact may be about.
CATEGORIES: Final = ("identity", "preference", "project")
# LO-04: only what the model is sure of becomes part of the profile.
CORE_CONFIDENCE_MIN: Final = 0.75
# Ten messages hold no more; a model that goes on and on is no use.
MEMORIES_MAX: Final = 40
CONTENT_CHARACTERS_MAX: Final = 1_000
SUMMARY_SENTENCES: Final = range(2, 4)

_FIRST_PERSON: Final = frozenset({"i", "me", "my", "myself", "the user", "user", "the speaker", "speaker"})


class BadAnswer(ValueError):
    """An answer is not what was asked for; the message says what was expected and what came."""


class Message(NamedTuple):
    """One message of a talk: who said it, what, and when."""

    speaker: str | None
    text: str
    told_at_ms: int


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """A memory that a model took from a talk; `message` is the place in the window that it was taken from."""

    content: str
    type: str
    confidence: float
    message: int
    speaker: str | None = None
    triple: Triple | None = None
    contradicts: str | None = None
    event_start_ms: int | None = None
    event_end_ms: int | None = None


class Observation(NamedTuple):
    """A literal copy of what was said, and the message it is from."""

    text: str
    message: int


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A whole answer. `dropped` counts what in it was not to be believed, or too unsure to keep."""

    memories: tuple[ReadMemory, ...]
    observations: tuple[Observation, ...]
    summary: str | None
    speakers: tuple[str, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A lasting fact about the user; `updates` is the number of the known fact that it replaces.

    True: it replaces one, and the model did not say which.
    """

    fact: str
    category: str
    confidence: float
    updates: int | Literal[True] | None = None


class ModelVerdict(NamedTuple):
    """What a model says that a new note and one of the older ones are to each other; `older` is that one's place."""

    older: int
    verdict: str
    older_words: str
    new_words: str


def read_reading(answer: str, window: Sequence[Message]) -> ModelReading:
    """Return what a model read in a window of messages, less what does not hold."""
    found = _object(answer, {"memories": list, "observations": list, "summary": str, "speakers": list})
    if len(found["memories"]) > MEMORIES_MAX:
        raise BadAnswer(f"expected at most {MEMORIES_MAX} memories, got {len(found['memories'])}")
    speakers = tuple(dict.fromkeys(name for name in _strings(found["speakers"]) if _is_there(name, window)))
    memories, wrong = _each(found["memories"], lambda item: _memory(_map(item), window, speakers))
    observations, unfaithful = _each(found["observations"], lambda item: _observation(item, window))
    kept = [memory for memory in memories if memory.confidence >= CONFIDENCE_MIN]
    summary = _summary(found["summary"])
    dropped = (
        wrong
        + unfaithful
        + len(memories)
        - len(kept)
        + (summary is None)
        + (len(found["speakers"]) - len(speakers))
    )
    return ModelReading(tuple(kept), tuple(dict.fromkeys(observations)), summary, speakers, dropped)


def read_core_facts(answer: str, known: int) -> tuple[list[ModelFact], int]:
    """Return the facts that a model is sure of, and how many it is not; `known` facts were shown to it, from 1."""
    found = _object(answer, {"facts": list})
    facts, wrong = _each(found["facts"], lambda item: _core_fact(_map(item), known))
    sure = [fact for fact in facts if fact.confidence >= CORE_CONFIDENCE_MIN]
    return sure, wrong + len(facts) - len(sure)


def read_wordings(answer: str, count: int) -> list[list[str]]:
    """Return the other words that a model found for each of `count` messages, which it was shown from 1."""
    found: list[list[str]] = [[] for _ in range(count)]
    items, _ = _each(_object(answer, {"wordings": list})["wordings"], _map)
    for item in items:
        number, texts = item.get("message"), item.get("texts")
        # Of which message it does not say is of none: its words would stand for something else.
        if type(number) is int and 1 <= number <= count and isinstance(texts, list):
            found[number - 1] += _strings(texts)
    return found


def read_verdicts(answer: str, new: str, older: Sequence[str], *, among: Sequence[str]) -> list[ModelVerdict]:
    """Return a model's verdicts `among` these on a new note and older ones, one for each of these at most.

    What it says must stand in the texts: a verdict counts only with words of both that are there.
    """
    items, _ = _each(_object(answer, {"verdicts": list})["verdicts"], _map)
    found: dict[int, ModelVerdict] = {}
    for item in items:
        number, verdict = item.get("older"), item.get("verdict")
        if type(number) is not int or not 1 <= number <= len(older) or verdict not in among:
            continue
        told, now = (_quoted(item.get(name)) for name in ("older_words", "new_words"))
        if told and now and told in _quoted(older[number - 1]) and now in _quoted(new):
            found.setdefault(number - 1, ModelVerdict(number - 1, verdict, told, now))
    return list(found.values())


def _quoted(text: Any) -> str:
    """Return words as they are compared: as they may have been shown; nothing where there is no letter and no digit."""
    if not isinstance(text, str) or not any(map(str.isalnum, text)):
        return ""
    return " ".join(text.split()).replace("<", "‹").replace(">", "›").casefold()


def _object(answer: str, wanted: Mapping[str, type]) -> dict[str, Any]:
    """Return the JSON object of an answer; models like to wrap it in a fence, or in a sentence."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = parse_json(answer[start : end + 1]) if 0 <= start < end else None
    except ValueError as error:
        raise BadAnswer(f"expected a JSON object, got {answer[:80]!r} ({error})") from None
    if not isinstance(found, dict):
        raise BadAnswer(f"expected a JSON object, got {answer[:80]!r}")
    for name, kind in wanted.items():
        if not isinstance(found.get(name), kind):
            raise BadAnswer(f"expected a {kind.__name__} as {name}, got {found.get(name)!r:.80}")
    return found


def _each(items: Iterable[Any], read: Callable[[Any], Any]) -> tuple[list[Any], int]:
    """Return what can be read of a list, and how many items cannot."""
    good, bad = [], 0
    for item in items:
        try:
            good.append(read(item))
        except (ValueError, KeyError, TypeError, OverflowError):
            bad += 1
    return good, bad


def _map(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise BadAnswer(f"expected an object, got {item!r:.80}")
    return item


def _memory(item: dict[str, Any], window: Sequence[Message], speakers: Sequence[str]) -> ReadMemory:
    message = _place(item.get("message"), window)
    speaker = item.get("speaker")
    if speaker is not None and speaker not in speakers:
        speaker = window[message].speaker
    kind = item["type"]
    if kind not in MEMORY_TYPES:
        raise BadAnswer(f"expected a type among {', '.join(MEMORY_TYPES)}; got {kind!r}")
    contradicts = item.get("contradicts")
    return ReadMemory(
        content=_text(item["content"]),
        type=kind,
        confidence=_confidence(item["confidence"]),
        message=message,
        speaker=speaker,
        triple=_triple(item.get("triple"), speaker or window[message].speaker),
        contradicts=_text(contradicts) if contradicts else None,
        event_start_ms=_moment(item.get("event_start"), end=False),
        event_end_ms=_moment(item.get("event_end") or item.get("event_start"), end=True),
    )


def _triple(found: Any, speaker: str | None) -> Triple | None:
    """Return a triple whose subject is named: "I" is the speaker, any other pronoun is nobody."""
    if not isinstance(found, list) or len(found) != 3:
        return None
    subject, predicate, thing = (part.strip() if isinstance(part, str) else "" for part in found)
    if subject.casefold() in _FIRST_PERSON:
        subject = speaker or ""
    if not subject or subject.casefold() in PRONOUNS or not predicate or not thing:
        return None
    return Triple(subject, "_".join(predicate.lower().split()), thing)


def _observation(item: Any, window: Sequence[Message]) -> Observation:
    text = _text(item["text"] if isinstance(item, dict) else item)
    for place, message in enumerate(window):
        if text in " ".join(message.text.split()):
            return Observation(text, place)
    raise BadAnswer(f"expected words of the talk, got {text!r:.80}")


def _summary(text: str) -> str | None:
    parts = sentences(" ".join(text.split()))
    return " ".join(parts)[:CONTENT_CHARACTERS_MAX] if len(parts) in SUMMARY_SENTENCES else None


def _core_fact(item: dict[str, Any], known: int) -> ModelFact:
    category = item["category"]
    if category not in CATEGORIES:
        raise BadAnswer(f"expected a category among {', '.join(CATEGORIES)}; got {category!r}")
    updates = item.get("updates_previous")
    if updates is not True and (not isinstance(updates, int) or not 1 <= updates <= known):
        updates = None
    return ModelFact(
        _text(item["fact"]),
        category,
        _confidence(item["confidence"]),
        updates,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadAnswer(f"expected text, got {value!r:.80}")
    return " ".join(value.split())[:CONTENT_CHARACTERS_MAX]


def _strings(values: Iterable[Any]) -> list[str]:
    return [value.strip() for value in values if isinstance(value, str) and value.strip()]


def _confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadAnswer(f"expected a confidence from 0 to 1, got {value!r:.40}")
    return float(value)


def _place(value: Any, window: Sequence[Message]) -> int:
    """Return the place of a message that is numbered from 1; a model that does not say which means the last."""
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= len(window):
        return value - 1
    return len(window) - 1


def _is_there(name: str, window: Sequence[Message]) -> bool:
    return any(name == message.speaker or name in message.text for message in window)


def _moment(value: Any, *, end: bool) -> int | None:
    """Return the first or last millisecond of a day, or a moment, as ISO text names it."""
    if not isinstance(value, str) or not value:
        return None
    moment = datetime.fromisoformat(value)
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    if end and len(value) == len("2024-01-31"):
        moment += timedelta(days=1, milliseconds=-1)
    return int(moment.timestamp() * 1_000)
