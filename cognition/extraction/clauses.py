"""Take an English sentence apart into clauses, each with a subject that has a name.

A clause is what stands between punctuation or a conjunction and the next, when it begins with a subject, or
with a verb whose subject is that of the clause before ("She prefers Python and lives in Berlin"). "I" is the
speaker; "she" is the person that the text spoke of last, and nobody if it named none, a brother, or two people: a
fact about the wrong person is worse than no fact.
"""

# ruff: noqa: E501 - lists of words are easier to read in long lines

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from cognition.expressions import late
from cognition.extraction.english import BASE_FORMS, BY_FIRST_WORD, third_person
from cognition.extraction.names import NAME, is_name
from cognition.extraction.sentences import SENTENCES_KEPT

# Relatives, friends and pets: whom "my …" may name as the subject of a fact.
KIN: Final = (
    r"(?:(?:best|old|older|younger|little|big|new|ex|close|good|step|twin|youngest|oldest|eldest)[- ])?(?:mom|mum|mother|dad|father"
    r"|parents|brother|sister|siblings|son|daughter|kids?|child(?:ren)?|wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?"
    r"|grandma|grandpa|grandmother|grandfather|grandparents|aunt|uncle|cousin|niece|nephew|friends?|boss|manager|roommate|neighbou?r"
    r"|colleague|teammate|dogs?|cats?|pupp(?:y|ies)|kitten|pet|turtles?|hamster|rabbit|horse|team|band|family|company|doctor"
    r"|therapist|coach|mentor|in-laws)"
)
_WOMEN: Final = late(
    r"\b(?:mom|mum|mother|sister|daughter|wife|girlfriend|fiancée|grandma|grandmother|aunt|niece|girl|woman|lady)$",
    re.IGNORECASE,
)
_MEN: Final = late(
    r"\b(?:dad|father|brother|son|husband|boyfriend|grandpa|grandfather|uncle|nephew|guy|man|boy)$",
    re.IGNORECASE,
)
_SEVERAL: Final = late(
    r"(?:parents|siblings|kids|children|friends|dogs|cats|puppies|turtles|in-laws|team|band|family|company)$"
)
# Whom a predicate brings in beside its subject: the next "he" may be either.
_ANOTHER_PERSON: Final = late(
    rf"\b(?:met|with|and|told|asked|called|invited|helped|knows|dating|married to|thanked|like|love[sd]?|hates?|saw|for|than|by|to) (?:{NAME}|(?:my|our|his|her|their|an?|the|another|this|that|some) (?:[\w-]+ )?"
    rf"(?:{KIN}|guy|man|woman|girl|boy|lady|person|someone|doctor|kid)\b)|\b(?:someone|somebody|another)\b"
)
_STRANGER: Final = late(
    r"\b(?:[Aa]n?|[Aa]nother|[Tt]his|[Ss]ome) (?:[\w-]+ ){0,2}(?:guy|man|woman|girl|boy|lady|person|friend|kid|doctor|teacher|colleague|coworker|stranger|neighbou?r)\b"
)
# Whom somebody met, where it is one person: the next "she" is nobody else.
_MET: Final = late(
    rf"(?:have )?(?:(?:just )?(?:met|ran into|bumped into|caught up with|talked to|talked with|spoke to|spoke with)"
    rf"|had (?:a )?(?:\w+ )?(?:lunch|dinner|coffee|breakfast|chat|call|beer|drink|talk) with) (?P<name>{NAME})(?![\w'’]| and\b|, [A-Z])"
)
_FAVOURITE: Final = r"favou?rite(?: [\w-]+){1,4}?(?= (?:is|are|was|has to be)\b)"
_SUBJECT: Final = late(
    rf"(?P<i>I|i)(?=[ '’])|(?P<we>we|We)(?=[ '’])|(?P<they>[Hh]e|[Ss]he)(?=[ '’])"
    rf"|(?P<own>[Mm]y|[Oo]ur|[Hh]is|[Hh]er) (?P<what>name|birthday|{_FAVOURITE}|{KIN})(?P<whose>['’]s (?:name|birthday))?"
    rf"(?:,? (?P<called>{NAME}),?)?(?=[ '’])"
    rf"|(?P<possessor>{NAME})['’]s (?P<thing>name|birthday|{_FAVOURITE})(?=[ '’])"
    rf"|(?P<parent>Mom|Mum|Mommy|Mama|Dad|Daddy|Papa|Grandma|Grandpa)(?=[ '’])"
    rf"|(?P<name>{NAME})(?=[ '’])"
)
# Behind these comes what somebody else says.
_SAYS: Final = late(
    r"\b(?:said|says|say|saying|wrote|writes|told (?:me|us|him|her|them|everyone|everybody)|asked|asks|replied|texted|shouted|yelled|announced|goes|reads"
    r"|quote|lyrics|title|claims|claimed|swears|insists|thinks|believes|said that|says that|(?<!\bis )like),?$",
    re.IGNORECASE,
)
_FILLERS: Final = late(
    r"(?:(?:yesterday|today|tomorrow|last night|(?:last|next|this|one) (?:week|weekend|month|year|summer|winter|spring|fall|\w+day|morning|evening|afternoon)|and|but|so|well|yeah|yes|yep|no|nope|oh|wow|also|plus|hey|hi|hello|actually|honestly|anyway|btw|by the way|guess what"
    r"|recently|lately|then|still|for me|as for me|in fact|luckily|unfortunately|sadly|thankfully|fortunately|finally"
    r"|speaking of which|these days|nowadays|personally|of course|thanks|cool|great|right now|now|because|'cause|since then|after that"
    r"|as you know|you know|i mean|anyways|basically|well,? i mean|besides|one day|once|oh and|haha|sure|absolutely|definitely|meanwhile|currently|also|though"
    r"|just|that's why|on top of that|good news|the good news is(?: that)?)[,!.:]* +)+",
    re.IGNORECASE,
)
_STUTTER: Final = late(r"\b(\w+)(?:-\1)+\b", re.IGNORECASE)
_ADVERBS: Final = late(
    r"(?:(?:just|recently|finally|also|always|really|actually|still|even|only|usually|totally|absolutely|definitely|already"
    r"|currently|now|often|sometimes|kinda|mostly|truly|probably|simply|again|officially|lately|once|ended up|managed to"
    r"|even|then|personally|particularly|especially|got to|completely|proudly|happily) +)+",
    re.IGNORECASE,
)
_AUXILIARY: Final = late(r"(?:am|is|are|was|were|have|has) ")
_CONTRACTIONS: Final = (
    (late(r"^(\w+)['’]m\b", re.IGNORECASE), r"\1 am"),
    (late(r"^(\w+)['’]ve\b", re.IGNORECASE), r"\1 have"),
    (late(r"^(\w+)['’]re\b", re.IGNORECASE), r"\1 are"),
    (late(r"^(s?he)['’]s (?=been\b|got\b|had\b|\w+ed\b)", re.IGNORECASE), r"\1 has "),
    (late(r"^(s?he)['’]s\b", re.IGNORECASE), r"\1 is"),
)
_VERBS: Final = "|".join(sorted((re.escape(word) for word in BY_FIRST_WORD), key=len, reverse=True))
_SPLIT: Final = late(
    r"\s*(?:;(?=\s)|:(?=\s+(?:I|we|my|our|he|she|they|it|you|there|[A-Z])\b)|--+|\s[-–—]\s|—|\.{2,}|…|\((?=[A-Z])|(?:[,!?]|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bMrs)\.)(?=\s))\s*"
    r"|\s+(?=(?:and|but|so|because|since|plus|cause|though|although) (?:I|we|he|she|my|they|it|you|[A-Z]\w+ (?:is|was|has|and))\b)"
    rf"|\s+and (?=(?:(?:also|just|then|even|finally) )?(?:{_VERBS})\b(?! (?:and|or)\b))",
)
# What each of these holds, behind which more follows but for the last two: to look for it takes a tenth of the time.
_PARTING: Final = re.compile(r"[;:–(.,!?—…-]")
_JOINING: Final = frozenset(["and", "but", "so", "because", "since", "plus", "cause", "though", "although"])
_COORDINATED: Final = late(rf"(?:(?:also|just|then|even|finally) )?(?P<verb>{_VERBS})\b")
# After a comma alone only these go on with the subject before: "…, like a castle" likes nothing.
_PAST_VERBS: Final = (
    frozenset(BY_FIRST_WORD)
    - BASE_FORMS
    - {
        *(
            "am",
            "is",
            "are",
            "was",
            "were",
            "has",
            "likes",
            "loves",
            "plans",
            "lives",
            "works",
            "might",
            "may",
            "would",
        ),
    }
)
# Of one person: "Unconditional love is" has no subject that loves.
_THIRD: Final = "|".join(
    sorted({third_person(re.escape(word)) for word in BY_FIRST_WORD}, key=len, reverse=True)
)
_NAMED_VERB: Final = late(
    rf" (?:(?:also|just|recently|always|really|now|still|finally|never) )?(?:{_THIRD}|had|said|told|does|did|can|will)\b"
)


# "Things I read": the first two begin a sentence, and are nobody. "Queen Elizabeth I" has a word more.
_AND_I: Final = late(r"(?:\w+ )?I")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: whom it is about, and what it says of them.

    `subject` is None for an "I" whose name nobody told: such a statement is kept as it was said.
    """

    subject: str | None
    spoken: str
    """The subject as it was said."""
    predicate: str
    favourite: bool = False
    relative: tuple[str, str] | None = None
    """What the subject is to the speaker, when the clause says so: (name, "sister")."""
    said: str = ""
    """The clause word for word, with its adverbs."""


class ClauseReader:
    """Reads the sentences of one text in order, since a later one may speak of whom an earlier one named."""

    def __init__(self, speaker: str | None) -> None:
        self.speaker = speaker
        self._person: str | None = None
        self._sentence = self._spoken_of = 0

    @property
    def _last(self) -> str | None:
        """Whom this sentence or the one before it spoke of: further back, somebody else may have come in unnoticed."""
        return self._person if self._sentence - self._spoken_of <= 1 else None

    @_last.setter
    def _last(self, person: str | None) -> None:
        self._person, self._spoken_of = person, self._sentence

    def clauses(self, sentence: str) -> Iterator[Clause]:
        """Return the clauses of a sentence that state something of somebody; a question states nothing."""
        self._sentence += 1
        if ends_asking(sentence):
            return
        before: Clause | None = None
        said_before = ""
        for part, joined in _parts(sentence):
            if _SAYS.search(said_before) and joined in (":", ","):
                return
            said_before = part
            found = _COORDINATED.match(part) if joined and before is not None else None
            if before is not None and found is not None and (joined == "and" or found["verb"] in _PAST_VERBS):
                yield Clause(before.subject, before.spoken, part[found.start("verb") :], said=part)
                continue
            clause = self._read(part)
            if clause is not None:
                clause = replace(clause, said=part)
                yield clause
            before = clause
        if _STRANGER.search(sentence):
            self._last = None

    def _read(self, part: str) -> Clause | None:
        text = _STUTTER.sub(r"\1", part) if "-" in part else part
        text = _FILLERS.sub("", text, count=1) if _FILLERS.match(text) else text
        if "'" in text or "’" in text:
            for pattern, said in _CONTRACTIONS:
                text = pattern.sub(said, text, count=1)
        match = _SUBJECT.match(text)
        if match is None:
            return None
        predicate = _plain(text[match.end() :].lstrip(" ,"))
        if match["i"] or match["we"]:
            self._meet(predicate)
            return Clause(self.speaker, match[0], predicate)
        if match["they"]:
            return self._of_pronoun(match[0], predicate)
        if match["parent"]:
            return self._owned_by(self.speaker, match["parent"].lower(), match[0], predicate)
        if match["own"]:
            return self._owned(match, predicate)
        return self._named(match, text, predicate)

    def _meet(self, predicate: str) -> None:
        """Note whom the speaker met: of them the text goes on to speak, unless it spoke of somebody else before."""
        met = _MET.match(predicate)
        if met is None or not is_name(met["name"].split(" ")[0]):
            return
        others = _ANOTHER_PERSON.search(predicate, met.end())
        owned = met["name"].replace("’", "'").endswith("'s")  # "Tom's sister" is not Tom
        alone = self._last in (None, met["name"]) and others is None and not owned
        self._last = met["name"] if alone else None

    def _owned(self, match: re.Match[str], predicate: str) -> Clause | None:
        owner = self.speaker if match["own"].lower() in ("my", "our") else self._last
        what = match["what"].strip()
        if what == "name" and match["own"].lower() == "my":
            found = re.match(rf"(?:is|['’]s) (?P<name>{NAME})", predicate)
            if found is not None:
                self.speaker = self.speaker or found["name"]
                return Clause(found["name"], "my name", f"is {found['name']}")
            return None
        called = match["called"]
        if called is not None and is_name(called.split(" ")[0]):
            self._last = called
            relative = None if owner is None else (called, f"{owner}'s {what}")
            return Clause(called, match[0], predicate, relative=relative)
        if owner is None and match["own"].lower() in ("his", "her"):
            return None
        return self._owned_by(owner, what + (match["whose"] or "").replace("’", "'"), match[0], predicate)

    def _owned_by(self, owner: str | None, what: str, spoken: str, predicate: str) -> Clause:
        owned = spoken if owner is None else f"{owner}'s {what}"
        favourite = what.startswith("favo")
        if not favourite and what not in ("name", "birthday"):
            self._last = None if owner is None or _ANOTHER_PERSON.search(predicate) else owned
        return Clause(None if owner is None else owned, spoken, predicate, favourite=favourite)

    def _of_pronoun(self, spoken: str, predicate: str) -> Clause | None:
        """Return the clause of "he" or "she", if whom the text spoke of last may be called so."""
        last = self._last
        others = _WOMEN if spoken.lower() == "he" else _MEN
        if last is None or others.search(last) or _SEVERAL.search(last):
            return None
        self._last = None if _ANOTHER_PERSON.search(predicate) else last
        return Clause(last, spoken, predicate)

    def _named(self, match: re.Match[str], text: str, predicate: str) -> Clause | None:
        name = match["possessor"] or match["name"]
        if not is_name(name.split(" ")[0]) or _AND_I.fullmatch(name):
            return None
        if _NAMED_VERB.match(text, match.end()) is None:
            return None
        thing = match["thing"]
        if thing is not None:
            return Clause(
                f"{name}'s {thing.strip()}", match[0], predicate, favourite=thing.startswith("favo")
            )
        self._last = None if _ANOTHER_PERSON.search(predicate) else name
        return Clause(name, match[0], predicate)


def ends_asking(sentence: str) -> bool:
    """Say whether a question mark stands behind the last word of a sentence."""
    for letter in reversed(sentence):
        if letter == "?" or letter.isalnum() or letter == "_":
            return letter == "?"
    return False


@lru_cache(SENTENCES_KEPT)
def _parts(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return the parts of a sentence, each with what joins it to the one before."""
    if (
        _PARTING.search(sentence, 0, len(sentence) - 1) is None
        and not sentence.endswith(("—", "…"))
        and _JOINING.isdisjoint(sentence.split())
    ):
        return ((sentence.strip(" .!"), ""),) if sentence else ()
    parts = []
    start, joined = 0, ""
    for match in _SPLIT.finditer(sentence):
        if match.start() > start:
            parts.append((sentence[start : match.start()].strip(), joined))
        joined = match[0].strip() if match[0].strip() in ("and", ",", ":") else ""
        start = match.end()
    if start < len(sentence):
        parts.append((sentence[start:].strip(" .!"), joined))
    return tuple(parts)


def _plain(predicate: str) -> str:
    """Return a predicate without the adverbs before its verb, and between its auxiliary and its verb."""
    leading = _ADVERBS.match(predicate)
    if leading is not None:
        predicate = predicate[leading.end() :]
    auxiliary = _AUXILIARY.match(predicate)
    if auxiliary is not None and (between := _ADVERBS.match(predicate, auxiliary.end())) is not None:
        predicate = predicate[: auxiliary.end()] + predicate[between.end() :]
    return predicate
