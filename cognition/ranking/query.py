"""Read a query once: what every signal wants to know of it.

Nothing here looks at a memory, so the cost does not grow with the number of candidates.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Final

from cognition.extraction.names import names, proper_nouns
from cognition.ranking import nicknames
from cognition.ranking.asking import RecallQuery, asked_for
from cognition.ranking.events import EventPhrase, event_in
from cognition.ranking.kinds import kinds_of
from cognition.ranking.sentiment import mood_of
from cognition.ranking.vocabulary import TABLES, USE, Tables, used
from cognition.words import STOP_WORDS, TERMS_MAX, any_of, phrase, quoted, terms, words

# Words that stand for the asked ones, in one search: three lines of the table. A page of such words asks no more.
KINDS_ASKED_MAX: Final = 64
# Questions about a time; the other languages are those of the stop words.
_WHEN: Final = re.compile(
    r"\b(when|how long|what (date|day|month|year|time)|which (date|day|month|year)|since when"
    r"|cu[aá]ndo|desde cu[aá]ndo|wann|seit wann|wie lange|когда|как давно|коли|як давно)\b"
)
_NUMBER: Final = re.compile(
    r"\b(how (many|much|long|old|often|far|big|tall)|cu[aá]nt[oa]s?|wie ?(viele?|lange|alt|oft|weit)"
    r"|сколько|скільки)\b"
)
# What somebody decided, and what on.
ASKS_POLICY: Final = re.compile(r"\b(?:(\w+)[- ])?(?:policy|rule|convention|guideline)s?\b")
# The asker, and whoever is told of as the one who asks.
SELF_WORDS: Final = frozenset(
    {"i", "me", "my", "mine", "myself", "user", "yo", "mi", "ich", "mein", "meine", "я", "мой", "моя", "мій"}
)
# How one is asked for all that is known of something, in the languages of the stop words. No memory has to hold any of
# these words: in a store of few memories none does, and what is told of Ann would look far from "tell me about Ann".
_ALL_ABOUT: Final = re.compile(
    r"^\W*(?:(?:please|hey|ok|so|and|can you|could you)\W+)*(?:"
    r"(?:tell me|(?:(?:what|do|did) )+(?:you|we|i) (?:know|remember|tell you)|(?:any|some|every)thing)"
    r"(?: (?:anything|something|everything|all|more|(?:you|we|i) (?:know|remember)))* about"
    r"|was wei(?:ß|ss)t du (?:alles |noch )?über|erzähle? mir (?:alles |mehr )?(?:über|von)"
    r"|(?:qué|que) sabes (?:de|sobre)|cu[eé]ntame (?:todo |más )?(?:de|sobre)"
    r"|что ты (?:знаешь|помнишь) (?:об?|про)|расскажи (?:мне )?(?:об?|про)"
    r"|що ти (?:знаєш|пам.ятаєш) про|розкажи (?:мені )?про) (?=\w)",
    re.IGNORECASE,
)
# What stands in quotation marks of any kind.
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»]{3,200})[\"”“»]")


@dataclass(frozen=True)
class Query:
    """A question and what it asks for."""

    text: str
    tables: Tables = field(default=TABLES, compare=False)
    """The words that stand for one another."""

    @cached_property
    def asked(self) -> RecallQuery | None:
        """What slot it asks for, and of whom, where it is such a question."""
        return asked_for(self.text)

    @cached_property
    def event(self) -> EventPhrase | None:
        """The event by which it names a time, where it does."""
        return event_in(self.text)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The words worth asking for, without those that only ask for all there is."""
        return tuple(terms(_ALL_ABOUT.sub("", self.text)))

    @cached_property
    def keywords(self) -> str:
        """The query reduced to its telling words.

        What is embedded, since the others only blur its direction.
        """
        return " ".join(self.terms)

    @cached_property
    def variants(self) -> dict[str, str]:
        """The question as it is put to the searches (ML-61); a variant that says nothing else is left out.

        As it stands it is classified and read for what is quoted; its keywords go to full text and vectors; the names
        in it to the graph, to phrases and to what those people said.
        """
        each = {"raw": self.text, "keywords": self.keywords, "entities": " ".join(names(self.text))}
        told: dict[str, str] = {}
        for name, text in each.items():
            if text and text.casefold() not in map(str.casefold, told.values()):
                told[name] = text
        return told

    @cached_property
    def folded(self) -> str:
        """The text without regard to case."""
        return self.text.casefold()

    @cached_property
    def proper_nouns(self) -> frozenset[str]:
        """The people and things that are named."""
        return proper_nouns(self.text)

    @cached_property
    def called(self) -> dict[str, frozenset[str]]:
        """What those who are named may be called too."""
        each = {name: nicknames.others(name) for name in self.proper_nouns}
        return {name: others for name, others in each.items() if others}

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """What may stand for those of the terms that name no one."""
        each = {term: kinds_of(term) for term in self.terms if term not in self.proper_nouns}
        return {term: some for term, some in each.items() if some}

    @cached_property
    def synonyms(self) -> list[str]:
        """Full text terms for words that may stand for the query's own, in any of the languages of the tables."""
        return [
            *quoted(sorted(frozenset().union(*self.called.values()))),
            *quoted(list(dict.fromkeys(chain.from_iterable(self.kinds.values())))[:KINDS_ASKED_MAX]),
            *chain.from_iterable(table.asked_for(table.groups(self.terms)) for table in self.tables),
            *(used.asked_for(["use"]) if not USE.isdisjoint(words(self.folded)) else ()),
        ]

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """What the graph may know: names as they were typed, and every telling word, also with a capital."""
        return tuple(dict.fromkeys([*names(self.text), *self.terms, *(term.title() for term in self.terms)]))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """Words that belong together, as full text phrases: what is quoted, and names of several words."""
        told = [*_QUOTED.findall(self.text), *(name for name in names(self.text) if " " in name)]
        runs = dict.fromkeys(run for run in map(phrase, told) if " " in run)
        return tuple(quoted(runs))[:TERMS_MAX]

    @cached_property
    def of_speakers(self) -> str:
        """The full text query for the asked words as somebody said them who is named; empty if nobody is."""
        asked = [term for term in self.terms if term not in self.proper_nouns]
        if not self.proper_nouns or not asked:
            return ""
        people = sorted(self.proper_nouns.union(*self.called.values()))
        return f"speaker : ({any_of(people)}) AND text : ({any_of(asked)})"

    @cached_property
    def of_self(self) -> bool:
        """Whether the asker asks about themselves."""
        return not SELF_WORDS.isdisjoint(words(self.text))

    @cached_property
    def asks_when(self) -> bool:
        """Whether a time would answer it."""
        return _WHEN.search(self.folded) is not None

    @cached_property
    def mood(self) -> int:
        """How it feels: -1, 0 or 1."""
        return mood_of(self.text)

    @cached_property
    def asks_number(self) -> bool:
        """Whether a number would answer it."""
        return _NUMBER.search(self.folded) is not None

    def names(self, speakers: Iterable[str]) -> frozenset[str]:
        """Return those of the speakers that the query names, by the first word of their name.

        Of two who share it, only whom it names by more: who asks for Tom Baker does not mean Tom Fisher. Where nobody
        is called so, whoever may be: Liz is Elizabeth then.
        """
        asked = words(self.text)
        of_all = {who: parts for who in speakers if (parts := words(who))}
        firsts = {parts[0] for parts in of_all.values()}.intersection(asked)
        named = {who: parts for who, parts in of_all.items() if parts[0] in firsts}
        longest = max(map(len, named.values()), default=0)
        mentions = {tuple(asked[at : at + longest]) for at, word in enumerate(asked) if word in firsts}
        meant, by_more = set[str](), set[str]()
        for mention in mentions:
            first = mention[0]
            held = {
                who: _held(parts, mention[1 : len(parts)])
                for who, parts in named.items()
                if parts[0] == first
            }
            if most := max(held.values()):
                by_more.add(first)
                meant.update(who for who, count in held.items() if count == most)
        for name, following in zip(asked, [*asked, ""][1:], strict=True):
            if name not in firsts and (others := self.called.get(name)):
                surname = following if following in self.proper_nouns else ""
                meant.update(
                    who
                    for who, parts in of_all.items()
                    if parts[0] in others and (not surname or len(parts) == 1 or surname in parts)
                )
        return frozenset(meant | {who for who, parts in named.items() if parts[0] not in by_more})

    def topic(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the terms without the words of these names, unless nothing would be left."""
        of_names = {word for name in names for word in words(name)}
        told = [term for term in self.terms if of_names.isdisjoint({term, *self.called.get(term, ())})]
        return tuple(told) or self.terms


def _held(name: Sequence[str], following: Sequence[str]) -> int:
    """Return how many telling words of a name, after its first, stand in order behind a mention of the first.

    Other words end it, or "when may Anna come" would ask for Anna May. A letter, or "de la", tells nobody from another.
    """
    left = [part for part in name[1:] if len(part) > 1 and part not in STOP_WORDS]
    telling = frozenset(left)
    count = 0
    for word in following:
        if word in left:
            left = left[left.index(word) + 1 :]
            count += 1
        elif word in telling or word not in name:
            break
    return count
