"""Read a question as (whom, what): "where do I work?" asks for the employer of the one who asks.

All that is known of words is the table of `cognition.ranking.asked_words`; nothing here is about one language or one
relation. A question that is none of its lines is answered by what is found, as ever.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from cognition.extraction.values import PRONOUNS
from cognition.ranking.asked_words import BESIDE_TIMES, LEADS, OF, PAST, PRESENT, SELF, SLOTS, TAILS
from cognition.ranking.stem import stem
from cognition.times import folded, meanings, windows
from cognition.words import OWNER, words

# Longer ones are no such question.
ASKED_CHARACTERS_MAX: Final = 120
# Questions and topics whose reading is remembered.
_KEPT: Final = 256
# Texts of candidates, which come back query after query.
_TEXTS_KEPT: Final = 2_048
_NAME: Final = r"[^\s,.;:!?]+(?: [^\s,.;:!?]+){0,2}?"
# One word or two, "Grandma Rose".
_SOMEBODY: Final = r"([^\W_][\w'-]*(?: [^\W_][\w'-]*)?)"
_TOPIC: Final = r"[^\W_][\w-]*(?: [\w-]+){0,2}?"
_CONTRACTED: Final = re.compile(r"\b(what|who|where|when|how)'(?:s|re)\b")
_I_AM: Final = re.compile(r"\b(i'm|we're|i've|we've|i'd)\b")
_SPELLED_OUT: Final = {
    "i'm": "i am",
    "we're": "we are",
    "i've": "i have",
    "we've": "we have",
    "i'd": "i would",
}
_OF_NAME: Final = re.compile(r"(?:'s|'|’s|’)$")
_WHO: Final = re.compile(r"\{who(?:se)?\}")
_LINES_KEPT: Final = 1_024
# Of a time at the end of a question: "in the spring of 2025".
_TIME_WORDS_MAX: Final = 5
_LEADS: Final = tuple(LEADS.strip().split("|"))
_TAILS: Final = tuple(TAILS.strip().split("|"))
_NOW: Final = frozenset(tail for tail in _TAILS if " " not in tail)
# What a Cyrillic name may end in, by its case.
_ENDINGS: Final = re.compile(r"(?<=[а-яёіїєґ]{3})[аеёиоуыэюяіїєьй]{1,2}$")
_D: Final = re.compile(r"^(?:d|l)'")


@dataclass(frozen=True)
class RecallQuery:
    """What a question asks for.

    `slot` is a line of the table; `names` are the words for whom it is about, none where that is who asks; `role` is
    what they are to the asker ("my sister"); `topic` is what it is about, where the relation takes one.
    """

    slot: str
    names: tuple[str, ...] = ()
    role: bool = False
    topic: str = ""
    past: bool = False
    """Whether it asks what was, so that what was replaced is no worse."""

    @property
    def of_self(self) -> bool:
        """Whether it is about the one who asks."""
        return not self.names

    @property
    def of_whoever(self) -> bool:
        """Whether it says "she", and not who that is."""
        return len(self.names) == 1 and self.names[0] in PRONOUNS

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The relations under which claims may hold it."""
        return tuple(relation.format(topic=self.topic) for relation in SLOTS[self.slot].relations)

    def is_entity(self, entity: str) -> bool:
        """Say whether a claim about this entity is about whom it asks for."""
        told = entity.casefold()
        if self.of_self:
            return told == OWNER
        whose, of, what = told.rpartition("'s ")
        if self.role:
            return bool(of) and whose == OWNER and _alike(words(what)[-1:], self.names[-1:])
        if of:
            return _alike(words(what)[-1:], self.names[-1:]) and whose == OWNER
        return _alike(words(told)[: len(self.names)], self.names)

    def tells(self, text: str) -> bool:
        """Say whether a text states what is asked for, of whom it is asked."""
        said = plain(text)
        if self.of_self:
            return _of_self(self.slot, self.topic).search(said) is not None
        found = _of_somebody(self.slot, self.topic).finditer(said)
        return any(self._is(match) for match in found)

    def _is(self, match: re.Match[str]) -> bool:
        who = next((group for group in match.groups() if group is not None), "")
        *before, last = words(_bare(who)) or [""]
        return _alike([last], self.names[-1:]) or ("'s" not in who and _alike(before[-1:], self.names[-1:]))

    def is_told(self, text: str) -> bool:
        """Say whether a text states it of anybody."""
        said = plain(text)
        if _of_self(self.slot, self.topic).search(said) is not None:
            return True
        return _of_somebody(self.slot, self.topic).search(said) is not None


@lru_cache(_TEXTS_KEPT)
def plain(text: str) -> str:
    """Return a text as the table spells it: small letters, one space, nothing contracted that it does not contract."""
    # Not folded: that writes "heisst" for "heißt", as nobody does.
    folded = " ".join(text[: 8 * ASKED_CHARACTERS_MAX].lower().replace("’", "'").split())
    folded = _CONTRACTED.sub(r"\1 is", folded)
    return _I_AM.sub(lambda match: _SPELLED_OUT[match[1]], folded)


@lru_cache(_KEPT)
def asked_for(question: str) -> RecallQuery | None:
    """Return what a question asks for, where it is one of the table's."""
    if len(question) > ASKED_CHARACTERS_MAX:
        return None
    spelled = plain(question).strip(" ¿¡?!.…")
    for said in _cores(spelled):
        if (found := _line_of(said)) is not None:
            return found
    found = next(filter(None, map(_line_of, _as_of_now(spelled))), None)
    return None if found is None else replace(found, past=True)


def _line_of(said: str) -> RecallQuery | None:
    for slot, line in _questions().get(said.partition(" ")[0], ()):
        if match := _asking(line).fullmatch(said):
            return _read(slot, match, said)
    return None


def _as_of_now(said: str) -> Iterator[str]:
    """Return what a question for a time in the past may be as one for now, without the time at its end or beginning."""
    parts = said.replace(",", " ").split()
    at, was = next(((at, part) for at, part in enumerate(parts) if part in PRESENT), (0, ""))
    if not was:
        return
    # The longest first: the shorter ones leave their prepositions to the name.
    for time in range(min(_TIME_WORDS_MAX, len(parts) - 2), 0, -1):
        for some, rest in ((parts[-time:], (0, len(parts) - time)), (parts[:time], (time, len(parts)))):
            if rest[0] <= at < rest[1] and all(map(_may_tell_a_time, some)) and windows(" ".join(some), 0):
                for form in PRESENT[was]:
                    yield " ".join([*parts[rest[0] : at], form, *parts[at + 1 : rest[1]]])


def _may_tell_a_time(word: str) -> bool:
    """Say whether a word may be part of a time: whose name stands before one is no part of it."""
    return word.isdecimal() or word in BESIDE_TIMES or bool(meanings(folded(word)))


def _cores(said: str) -> Iterator[str]:
    """Return a question without what trails behind it and "now" in its midst, and so without what leads up to it."""
    said = " ".join(word for at, word in enumerate(said.split()) if not at or word not in _NOW)
    while (tail := next((tail for tail in _TAILS if said.endswith(f" {tail}")), None)) is not None:
        said = said[: -len(tail)].strip(" ,?")
    yield said
    while (lead := next((lead for lead in _LEADS if said.startswith(f"{lead} ")), None)) is not None:
        said = said[len(lead) :].strip(" ,")
        yield said


def _read(slot: str, match: re.Match[str], said: str) -> RecallQuery:
    found = match.groupdict()
    topic = " ".join(words(found.get("topic") or ""))
    past = not PAST.isdisjoint(words(said))
    parts = [word for word in words(_bare(found.get("who") or "")) if word not in OF]
    if not parts or (len(parts) == 1 and parts[0] in SELF):
        return RecallQuery(slot, topic=topic, past=past)
    own = parts[0] in SELF
    return RecallQuery(slot, tuple(parts[1:] if own else parts), own, topic, past)


def _bare(name: str) -> str:
    """Return a name without what makes it an owner's."""
    return _D.sub("", _OF_NAME.sub("", name.strip()))


def _alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether two names are the same but for their endings: "Anns", "Лены"."""
    pairs = [*zip(some, others, strict=False)]
    return bool(pairs) and all(_forms(one) & _forms(other) for one, other in pairs)


@lru_cache(_KEPT)
def _forms(word: str) -> frozenset[str]:
    # A genitive that is written without an apostrophe: "Anns Geburtstag".
    bare = word[:-1] if word.endswith("s") and len(word) > 2 else word
    return frozenset({word, bare, stem(word), _ENDINGS.sub("", word)})


@lru_cache(1)
def _questions() -> dict[str, list[tuple[str, str]]]:
    """Return the ways to ask by the words that they may begin with: few lines begin as a question does."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, slot in SLOTS.items():
        for line in _lines(slot.questions):
            for word in _firsts(line):
                found.setdefault(word, []).append((name, line))
    return found


def _firsts(line: str) -> Iterator[str]:
    """Return the words with which a line may begin: those of its first group, and of what follows one that may lack."""
    if not line.startswith("("):
        yield line.partition(" ")[0]
        return
    group, rest = line[1:].split(")", 1)
    yield from (each.split()[0] for each in group.removeprefix("?:").split("|"))
    if rest.startswith("?"):
        yield from _firsts(rest[1:].strip())


@lru_cache(_LINES_KEPT)
def _asking(line: str) -> re.Pattern[str]:
    name = f"(?P<who>{_NAME})"
    return re.compile(line.format(who=name, whose=name, topic=f"(?P<topic>{_TOPIC})"))


@lru_cache(_KEPT)
def _of_self(slot: str, topic: str) -> re.Pattern[str]:
    """Return what finds statements of the one who speaks."""
    return _joined(line for line in _lines(SLOTS[slot].statements, topic) if "{who" not in line)


@lru_cache(_KEPT)
def _of_somebody(slot: str, topic: str) -> re.Pattern[str]:
    """Return what finds statements of somebody who is named, by the one group that matches."""
    return _joined(line for line in _lines(SLOTS[slot].statements, topic) if "{who" in line)


def _joined(some: Iterable[str]) -> re.Pattern[str]:
    lines = [_WHO.sub(lambda _: _SOMEBODY, line) for line in some]
    return re.compile(rf"(?<!\w)(?:{'|'.join(lines)})(?!\w)") if lines else re.compile(r"(?!)")


def _silent(line: str) -> str:
    """Return a line whose own groups capture nothing."""
    return re.sub(r"\((?!\?)", "(?:", line)


def _lines(table: str, topic: str = "") -> Iterator[str]:
    for line in table.strip().splitlines():
        line = line.strip()
        yield _silent(line).replace("{topic}", re.escape(topic) + r"\w{0,2}") if topic else _silent(line)
