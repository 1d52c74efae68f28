"""Take facts, triples, names and dates out of one text, without a model.

A text is read sentence by sentence and clause by clause. A clause whose predicate fits a pattern becomes a
fact, with its subject named, its verb in the third person and its date resolved; one that fits none becomes
nothing, since the text itself is kept anyway. Precision comes first: what leans on something unsaid ("it",
"your book", "she" whom nobody named) is left out.

Everything is a function of the arguments, so two devices that read the same text find the same.
"""

# ruff: noqa: E501 - lists of words are easier to read in long lines

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, tzinfo
from typing import Final

from cognition.extraction.clauses import Clause, ClauseReader
from cognition.extraction.closed_words import ZONE_BEHIND_TIME, is_calendar_word, is_closed_word
from cognition.extraction.dates import find_dates, show_when
from cognition.extraction.english import BY_FIRST_WORD, third_person
from cognition.extraction.language import language_of
from cognition.extraction.meant import meant
from cognition.extraction.names import NAME, names
from cognition.extraction.other_languages import DENIED, LEANING
from cognition.extraction.other_languages import PATTERNS as OTHER_LANGUAGES
from cognition.extraction.pattern import FactPattern, compiled
from cognition.extraction.saying import whole_value
from cognition.extraction.sentences import sentences
from cognition.extraction.values import (
    CONFIDENCE_MIN,
    FACTS_MAX,
    PRONOUNS,
    Extraction,
    Fact,
    Triple,
    When,
    beginning,
)
from cognition.nowhere import is_nowhere

# A shorter text, or one sentence, is its own fact: taking it apart would only store it twice.
TEXT_CHARACTERS_MIN: Final = 60
SENTENCES_MIN: Final = 2
# A run without a space that is no word of any language: a key, a picture in letters. A pattern begins anew at each
# letter of a word and reads to its end, so that 20,000 letters held a device up for a minute.
_NO_WORDS: Final = re.compile(r"\S{200,}")

# Small letters only: "My Fair Lady" is of nobody.
_OWN: Final = re.compile(r"\b(?:my|our|me|us|myself|ourselves|mine|ours)\b")
_THEIRS: Final = {
    "my": "their", "our": "their", "me": "them", "us": "them", "myself": "themselves", "ourselves": "themselves",
    "mine": "theirs", "ours": "theirs",
}  # fmt: skip
_SPACES: Final = re.compile(r"\s{2,}")
_ARTICLE: Final = re.compile(r"^(?:an?|the) ")
# Relations whose object has to be named to be worth a claim: "lives in a small town" says too little.
_NAMED_OBJECTS: Final = frozenset({"lives_in", "comes_from", "works_at", "spouse"})
_NAME: Final = re.compile(NAME)
_FIRM: Final = re.compile(rf" at (?P<name>{NAME})(?: \(|$)")
# Behind these a date is what is told, and not when it was.
_IS_THE_FACT: Final = re.compile(r"(?:\b(?:is|was|are|founded|established|created|born|birthday)|['’]s) $")
# Of a longer sentence in other languages than English the rest is not read: a run of names is tried from each of them, so
# that one sentence of twenty thousand characters took minutes, on every device.
SENTENCE_CHARACTERS_MAX: Final = 1_000
_SELF: Final = frozenset({"I", "i", "we", "We"})
_MODALS: Final = frozenset({"might", "may"})


def extract(
    text: str,
    *,
    told_at_ms: int,
    speaker: str | None = None,
    language: str | None = None,
    zone: tzinfo = UTC,
    confidence_min: float = CONFIDENCE_MIN,
) -> Extraction:
    """Return what a text says: at most ten facts, and none of a text too short to hold several."""
    text = beginning(text)
    language = language_of(text) if language is None else language
    parts = sentences(text)
    found = list(facts_in(meant(text), told_at_ms=told_at_ms, speaker=speaker, language=language, zone=zone))
    kept = _different(fact for fact in found if fact.confidence >= confidence_min)
    triples = tuple(dict.fromkeys(triple for fact in kept for triple in _triples(fact)))
    if len(text) < TEXT_CHARACTERS_MIN or len(parts) < SENTENCES_MIN:
        facts: list[Fact] = []
        dropped = len(found) - len(kept)
    else:
        facts = kept[:FACTS_MAX]
        dropped = len(found) - len(facts)
    dates = find_dates(text, told_at_ms=told_at_ms, language=language, zone=zone)
    return Extraction(
        facts=tuple(facts),
        triples=triples,
        entities=_entities(text, dates, speaker, language, kept),
        dates=dates,
        dropped=dropped,
    )


def _triples(fact: Fact) -> Iterator[Triple]:
    """Return what a fact states of whom: of a role at a firm, the role and the firm."""
    if fact.triple is not None:
        yield fact.triple
        firm = _FIRM.search(fact.content) if fact.pattern == "role at" else None
        if firm is not None:
            yield Triple(fact.triple.subject, "works_at", firm["name"])


def facts_in(
    parts: Iterable[str], *, told_at_ms: int, speaker: str | None, language: str, zone: tzinfo = UTC
) -> Iterator[Fact]:
    """Return every fact of some sentences, in order, however few or short they are."""
    reader = ClauseReader(speaker)
    for sentence in parts:
        dates = find_dates(sentence, told_at_ms=told_at_ms, language=language, zone=zone)
        when = dates[0] if len(dates) == 1 else None
        if when is not None and _IS_THE_FACT.search(sentence[: when.at]):
            when = None
        if when is not None:  # with the date resolved, its words would only be in the way
            sentence = _without(sentence, when)
        shown = "" if when is None else f" ({show_when(when, zone=zone, language=language)})"
        if language in OTHER_LANGUAGES:
            yield from filter(_is_somewhere, _whole(sentence, language, speaker, when, shown))
            continue
        for clause in reader.clauses(sentence):
            if clause.relative is not None:
                yield _relative(clause, speaker)
            fact = _fact(clause, reader.speaker, when, shown)
            if fact is not None and _is_somewhere(fact):
                yield fact


def _is_somewhere(fact: Fact) -> bool:
    """Say whether a fact of where somebody lives tells a place: nobody lives in fear as in a town."""
    triple = fact.triple
    return triple is None or triple.predicate != "lives_in" or not is_nowhere(triple.object)


def _fact(clause: Clause, speaker: str | None, when: When | None, shown: str) -> Fact | None:
    first = clause.predicate.split(" ", 1)[0]
    for pattern in BY_FIRST_WORD.get(first, ()):
        match = compiled(pattern.predicate).match(clause.predicate)
        if match is None or not _suits(pattern, clause, match):
            continue
        own = clause.spoken in _SELF
        verb = match["verb"].strip()
        infinitive = verb.endswith(" to") or verb in _MODALS
        value = whole_value(match["value"], own=own, infinitive=infinitive)
        if value is None or len(value.split()) > pattern.words_max:
            continue
        if pattern.value is not None and compiled(pattern.value).search(value) is None:
            continue
        groups = match.groupdict()
        named = groups.get("object")
        if clause.subject is None:
            content = f"{clause.spoken} {verb} {value}"
        elif own:
            content = f"{clause.subject} {_of(f'{third_person(verb)} {value}', speaker, theirs=True)}"
        else:
            content = f"{clause.subject} {_of(f'{verb} {value}', speaker, theirs=False)}"
        if clause.spoken.lower() == "my name":
            content = f"{clause.spoken if speaker in (None, clause.subject) else f'{speaker}{chr(39)}s name'} is {value}"
        if pattern.kind == "preference":  # it is told at some time, and holds at all times
            when, shown = None, ""
        thing = value if named is None else whole_value(named, own=own, infinitive=False) or value
        return Fact(
            content=content + shown,
            kind=pattern.kind,
            type=pattern.type,
            confidence=pattern.confidence,
            pattern="identity" if clause.spoken.lower() == "my name" else pattern.name,
            subject=clause.subject,
            speaker=speaker,
            triple=_triple(clause.subject, pattern.relation, _of(thing, speaker, theirs=own)),
            when=when,
        )
    return None


def _suits(pattern: FactPattern, clause: Clause, match: re.Match[str]) -> bool:
    """Say whether a pattern that reads "is …" may be asked of this subject."""
    subject = clause.subject or clause.spoken
    if clause.favourite or pattern.name == "favourite":
        return clause.favourite and pattern.name == "favourite"
    ends = subject.rsplit(" ", 1)[-1]
    if pattern.name == "named":
        return (
            ends == "name"
            or clause.spoken.lower() == "my name"
            or match["verb"].endswith(("named", "called"))
        )
    if pattern.name == "birthday":
        return ends == "birthday" or match["verb"].startswith("was born")
    if pattern.name == "founded":
        return clause.spoken not in _SELF
    return ends not in ("name", "birthday") and clause.spoken.lower() != "my name"


def _of(value: str, speaker: str | None, *, theirs: bool) -> str:
    """Return a value with "my" told from outside: "their" where the subject is the speaker."""
    if theirs and speaker is not None:
        return _OWN.sub(lambda match: _THEIRS[match[0].lower()], value)
    if speaker is None:
        return value
    said = {"my": f"{speaker}'s", "our": f"{speaker}'s", "mine": f"{speaker}'s", "ours": f"{speaker}'s"}
    return _OWN.sub(lambda match: said.get(match[0].lower(), speaker), value)


def _triple(subject: str | None, relation: str | None, thing: str) -> Triple | None:
    if subject is None or relation is None or subject.casefold() in PRONOUNS:
        return None
    thing = _ARTICLE.sub("", thing)
    if relation in _NAMED_OBJECTS:
        named = _NAME.match(thing)
        if named is None:
            return None
        thing = named[0]
    return Triple(subject, relation, thing)


def _entities(
    text: str, dates: Iterable[When], speaker: str | None, language: str, facts: Iterable[Fact]
) -> tuple[str, ...]:
    """Return whom and what a text names; the words of its dates are no names, however they are written."""
    for when in dates:
        text = text[: when.at] + " " * len(when.words) + text[when.at + len(when.words) :]
    text = ZONE_BEHIND_TIME.sub(lambda match: " " * len(match[0]), text)
    triples = [fact.triple for fact in facts if fact.triple is not None]
    subjects = {triple.subject for triple in triples}
    known = subjects | {triple.object for triple in triples}
    if speaker is not None:
        known.add(speaker)
        subjects.add(speaker)
    found = [
        name
        for name in names(text, known=known)
        if not (is_closed_word(name) or (is_calendar_word(name) and name not in subjects))
    ]
    if language == "de":  # where every noun has a capital, one word alone proves nothing
        return tuple(name for name in found if " " in name or name in known)
    return tuple(found)


def _relative(clause: Clause, speaker: str | None) -> Fact:
    assert clause.relative is not None
    name, what = clause.relative
    owner, _, relation = what.partition("'s ")
    return Fact(
        content=f"{name} is {what}",
        kind="relationship",
        type="social",
        confidence=0.9,
        pattern="relative",
        subject=name,
        speaker=speaker,
        triple=Triple(name, relation.replace(" ", "_") + "_of", owner),
    )


def _whole(
    sentence: str, language: str, speaker: str | None, when: When | None, shown: str
) -> Iterator[Fact]:
    if sentence.rstrip(' "”»').endswith("?"):
        return
    sentence = _NO_WORDS.sub(" ", sentence)[:SENTENCE_CHARACTERS_MAX]
    denied, leaning = compiled(DENIED[language]), compiled(LEANING[language])
    for pattern in OTHER_LANGUAGES[language]:
        for match in compiled(pattern.clause).finditer(sentence):
            if match.start() and sentence[match.start() - 1].isalnum():
                continue
            groups = match.groupdict()
            subject, value = groups.get("s") or speaker, (groups.get("v") or "").strip()
            if (
                denied.search(sentence, 0, match.start())
                or leaning.search(value)
                or (groups.get("s") or "").casefold() in PRONOUNS
            ):
                continue
            if (subject is None or pattern.told == "{clause}") or not pattern.told:
                content = match[0].strip()
            else:
                verb = (groups.get("verb") or "").lower()
                content = pattern.told.format(s=subject, v=value, verb=verb)
            yield Fact(
                content=content + shown,
                kind=pattern.kind,
                type=pattern.type,
                confidence=pattern.confidence,
                pattern=pattern.name,
                subject=subject,
                speaker=speaker,
                triple=_triple(subject, pattern.relation, value) if value else None,
                when=when,
            )


def _different(facts: Iterable[Fact]) -> list[Fact]:
    return list({fact.content: fact for fact in facts}.values())


def _without(sentence: str, when: When) -> str:
    left, right = sentence[: when.at], sentence[when.at + len(when.words) :]
    return _SPACES.sub(
        " ", f"{left.rstrip()} {right.lstrip(' ,') if not left.strip() else right.lstrip()}"
    ).strip()
