"""Read a time that a question names by an event: "before the move", "seit dem Umzug", "pendant les vacances".

Six languages share one table of the words that lead to an event. Where they lead to a date (`cognition.times`) or to
no certain event ("before a release"), or where the question asks for what is always done before one, no event is read.
Which one is meant is found among the memories (`cognition.recall.anchoring`); nothing here looks into a store.
"""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from cognition.expressions import late
from cognition.times import folded, meanings, windows
from cognition.words import SILENT_WORDS, words

# A longer question is a pasted page.
ASKED_CHARACTERS_MAX: Final = 400


class EventSide(Enum):
    """Where the time that is asked for lies, seen from the event."""

    BEFORE = "before"
    AFTER = "after"
    DURING = "during"
    SINCE = "since"
    UNTIL = "until"


class EventPhrase(NamedTuple):
    """The words of a question that name an event, and on which side of it the time lies that is asked for."""

    side: EventSide
    words: str


def _set(table: str) -> frozenset[str]:
    return frozenset(table.split())


# German prepositions also say where ("nach Berlin"), so an article has to follow: the event is a noun phrase then.
_ARTICLE: Final = r"(?=(?:dem|der|den|das|die|des|(?:mein|dein|sein|ihr|unser|eur|jen|dies)\w{0,3})\b)"
_OF: Final = r"(?:d[eo]s?\b|d[ao]s?\b|del(?:l[ao])?\b|dell'|dei\b|degli\b|di\b|che\b|que\b|qu')"
# en de fr es it pt, in this order.
_LEADS: Final[Mapping[EventSide, str]] = {
    EventSide.BEFORE: rf"before\b(?! long\b)|prior to\b|bevor\b|ehe\b|vor {_ARTICLE}|avant\b(?: que\b| qu'| de\b| d')?"
    rf"|antes {_OF}|prima {_OF}",
    EventSide.AFTER: rf"after\b|nachdem\b|nach {_ARTICLE}|après\b(?: que\b| qu')?|despu[eé]s {_OF}"
    rf"|tras (?=el|la|los|las|mi)|dopo\b(?: che\b)?|depois {_OF}|após\b",
    EventSide.DURING: r"during\b|while\b|während\b|pendant\b|durant\b|lors (?:de\b|du\b|des\b|d')|durante\b",
    EventSide.SINCE: r"(?:ever )?since\b|seitdem\b|seit\b|depuis\b(?: que\b| qu')?|desde\b(?: que\b)?|da quando\b",
    EventSide.UNTIL: r"until\b|till\b|bis zu[mr]?\b|jusqu'(?:à|aux?)\b|hasta\b(?: que\b)?"
    r"|até\b(?= [oa]s? )|fino (?:al?|alla)\b",
}
# With which words these begin: most questions hold none of them.
_FIRST: Final = _set("""
    before prior bevor ehe vor avant antes prima after nachdem nach après después despues tras dopo depois
    após during while während pendant durant lors durante since ever seitdem seit depuis desde da until till
    bis jusqu hasta até fino
""")
_GERMAN_NOUN: Final = late(r"(?:vor|nach|seit|während|bis zu[mr]?) ?", re.IGNORECASE)
_TO_NOUN: Final = late(r"(?:[^\W\d_]+ ){0,3}?[A-ZÄÖÜ][\w-]+")
_END: Final = late(r"[,;:?!…()]|\.(?!\d)")
# No certain event: what is done each time, and what was named before.
_ANY: Final = _set("""
    a an any each every some jede jeder jedem jeden jedes einem einer einen eine un une chaque cada uno una um
    uma ogni
    so such many few more
""")
_NO_EVENT: Final = _set("""
    ever long ask forget anything everything something else noon bed one two much many too later moment cela
    ça tout toute vergesse eso esto todo ciò tutto isso isto tudo
""")
# What says that something is to be done whenever an event comes, and not what was done before one.
_ALWAYS: Final = _set("do does is are am can should must may shall will need needs allowed")
_ENGLISH_LEADS: Final = frozenset(["before", "prior to", "after", "during", "while", "until", "till"])
# Before "after", these make one verb with it. "What did I take after the surgery?" asks for a time; who "takes after"
# somebody is like them.
_PHRASAL: Final = _set("""
    look looks looked looking takes named modelled modeled hanker hankers hankered yearn yearns yearned lust lusts
    lusted seek seeks sought inquire inquires inquired enquire enquires enquired
""")
_WAS: Final = _set("did was were had been")
_MODAL: Final = _set("""
    darf dürfen muss müssen soll sollen kann können wird werden dois doit faut peut peux debo debe puedo puede
    devo deve posso può pode bisogna
""")
# For how long it is, or was, until an event: that asks for the event's own time.
_HOW_LONG: Final = late(
    r"\b(?:how (?:long|many (?:days|weeks|months|years))|wie ?(?:lange|viele (?:tage|wochen|monate|jahre))"
    r"|combien (?:de temps|de jours|de semaines|de mois|d'années)|cu[aá]nto tiempo|cu[aá]ntos (?:d[ií]as|meses|años)"
    r"|quanto tempo|quanti (?:giorni|mesi|anni)|quantos (?:dias|meses|anos))\b"
)
_LEAD: Final = late(
    "|".join(rf"(?P<{side.value}>(?<![\w'-])(?:{leads})(?!-))" for side, leads in _LEADS.items()),
    re.IGNORECASE,
)


def event_in(text: str) -> EventPhrase | None:
    """Return which event a text names to say when something was, and on which side of it; None where none is named."""
    if _FIRST.isdisjoint(words(text[:ASKED_CHARACTERS_MAX])):
        return None
    text = text[:ASKED_CHARACTERS_MAX].replace("’", "'")
    match = next((each for each in _LEAD.finditer(text) if not _is_part_of_verb(each, text)), None)
    if match is None or match.lastgroup is None:
        return None
    side = EventSide(match.lastgroup)
    phrase, ended_by = _phrase(match, text)
    around = f"{text[: match.start()]} {text[match.end() :].replace(phrase, ' ', 1)}"
    if not words(text[: match.start()]) and ended_by != ",":
        return None  # "after the move where did I live": where the event ends nobody says
    if not _is_event(phrase) or windows(phrase, 0) or _HOW_LONG.search(around.casefold()):
        return None
    if side is not EventSide.SINCE and _is_of_always(match[0].casefold(), phrase, around):
        return None
    return EventPhrase(side, phrase)


def _is_part_of_verb(lead: re.Match[str], text: str) -> bool:
    """Say whether "after" belongs to the verb before it: "looks after", "is named after"."""
    return lead[0].casefold() == "after" and not _PHRASAL.isdisjoint(words(text[: lead.start()])[-1:])


def _is_of_always(lead: str, phrase: str, around: str) -> bool:
    """Say whether a question asks for what is so whenever an event comes: "what do I do before the exam?"."""
    if lead not in _ENGLISH_LEADS:
        return not _MODAL.isdisjoint(words(around))
    # Of "who is here while I am away?" both halves say it.
    asked = frozenset(words(f"{around} {phrase}" if lead == "while" else around))
    return bool(asked & _ALWAYS) and not asked & _WAS


def _phrase(match: re.Match[str], text: str) -> tuple[str, str]:
    """Return the words behind those that lead to an event, and the mark that ends them."""
    behind = text[match.end() :]
    end = _END.search(behind)
    phrase = (behind if end is None else behind[: end.start()]).strip()
    # A German verb follows at the end of the question: "vor dem Umzug gelaufen".
    if _GERMAN_NOUN.fullmatch(match[0]) and (noun := _TO_NOUN.match(phrase)):
        return noun[0], "" if end is None else end[0]
    return phrase, "" if end is None else end[0]


def _is_event(phrase: str) -> bool:
    """Say whether words may name one certain event: not "a release", "six", "that", nor, as by habit, "lunch"."""
    said = words(phrase)
    telling = [word for word in said if word not in SILENT_WORDS and word not in _NO_EVENT]
    if not telling or said[0] in _ANY or "number" in meanings(folded(said[0])) or said[0].isdecimal():
        return False
    return len(said) > 1 or phrase[0].isupper()
