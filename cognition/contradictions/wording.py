"""What the words of a statement tell beside it: that something changed, that it is for a while, or what is too vague."""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

import re
from typing import Final, NamedTuple

from cognition.contradictions.values import folded
from cognition.expressions import late
from cognition.extraction.clauses import ends_asking

# A thing that somebody likes is told in few words; more are a story.
THING_WORDS_MAX: Final = 3

# What is told as a change of something that held before.
CHANGE: Final = re.compile(
    r"\b(?:now|nowadays|these days|no longer|any ?more|just (?:started|moved|joined|got|became|switched|turned|quit|left|went)|recently"
    r"|moved|relocated|new (?:job|home|house|place|role|position|number|address|email|favou?rite)|switched|changed|used to|since then"
    r"|instead|finally|actually|correction|i meant|got (?:married|engaged|divorced|hired)|became|went (?:vegan|vegetarian)|started"
    r"|left|quit|these last|as of|so far this year|have come to|has come to|grew to|turned out)\b",
    re.IGNORECASE,
)
# How somebody begins who takes back what they said before.
CORRECTS: Final = re.compile(
    r"^\W*(?:actually|in fact|en realidad|en fait|en réalité|in realtà|eigenlijk|in werkelijkheid|tatsächlich|in wirklichkeit"
    r"|na verdade|na realidade|correction|corrección|korrektur|correctie|correzione|correção)\b",
    re.IGNORECASE,
)
# What is meant for a while, or by way of an example, is no change of where somebody lives or works.
FOR_A_WHILE: Final = re.compile(
    r"\b(?:for (?:a|the|this|that|one|two|three|\d+|a few|a couple of|some) ?(?:summer|winter|spring|fall|autumn|days?|weeks?|months?|"
    r"semester|holidays?|vacation|weekend|conference|meeting|call|trip|project|while|now)|temporarily|visiting|on (?:a )?vacation|on holiday|as if|pretend)\b",
    re.IGNORECASE,
)
# A time that passes: no habit and no taste is told of it, though somebody may have moved in it.
PASSING: Final = re.compile(
    r"\b(?:this (?:week|weekend|month|morning|evening|afternoon)|today|tonight|right now|at the moment|for (?:january|february|march|april|may|june|july"
    r"|august|september|october|november|december|lent|ramadan|today|a bit|(?:this|the) (?:week|month)))\b",
    re.IGNORECASE,
)
# How and when something is done or liked, and not what. Small letters only: "Before Sunrise" is a film.
MANNER: Final = re.compile(r"\b(?:after|before|during|well|badly|right|late|early|only|growing up|as a)\b")
# What a taste may not be about: things only the talk knows, and doings, of which there are many sorts.
VAGUE: Final = re.compile(
    r"\b(?:it|this|that|these|those|them|him|her|you|your|my|me|our|us|his|their|how|what|when|where|who|to|being|seeing|the way|one|ones"
    r"|something|things?|stuff|everything|anything|itself|themselves|together|theirs|part|all|both|some|more|lots?|bit|idea|sound|vibe|look|most|best|too|so|and|or|with|at|for|of|in|on)\b",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"^an? ", re.IGNORECASE)
# "The energy" is that of which the talk is; the sea is one for all.
_OF_THE_TALK: Final = re.compile(
    r"^the (?!(?:ocean|sea|beach|beatles|mountains|outdoors|cold|heat|rain|snow|sun|city|countryside|gym|opera|theat(?:er|re)|cinema)$)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?: (?:now|a lot|so much|very much|too|as well|these days|nowadays|any ?more|again|the most|more|best|instead|though|tho|lately|recently|really|still))+$",
    re.IGNORECASE,
)

_NODS: Final = re.compile(r", (?:right|huh|eh|you know)\?[\"”’)\s\W]*$", re.IGNORECASE)

# What says of a state that it is no more: what stands before the verb, behind it, or on both sides of it.
_NO_MORE_BEFORE: Final = late(r"\b(?:no longer|ya no|já não) ", re.IGNORECASE)
_NO_MORE_BEHIND: Final = late(
    r"\b(?:nicht (?:mehr|länger)|niet (?:meer|langer)) "
    r"|\b(?:(?P<je>je )?(?:ne |n['’])|non |não |no )(?P<verb>\w+) (?:plus|più|mais|más) ",
    re.IGNORECASE,
)
# "When I no longer work there, …" ends nothing yet.
_WHEN: Final = late(
    r"\b(?:when|once|until|if|cuando|si|quand|lorsque|quando|se|als|wanneer|wenn|falls|sobald)\b",
    re.IGNORECASE,
)
# What may stand between the words that end something and what ends: "no longer on Mondays at X" is no end.
_PREPOSITIONS_OF: Final = """
    bei beim bij für in im am an der dem den die das chez pour à au aux en la le les el los las para por em na no nos nas
    a o da do ad al alla alle presso per dal dalla voor de het
"""
_PREPOSITIONS: Final = frozenset(_PREPOSITIONS_OF.split())
_WORDS_BEFORE_MAX: Final = 4
_PAUSE: Final = late(r"[,;:.]")
_ELIDED: Final = late(r"[aeiouhéèêà]", re.IGNORECASE)


class NoMore(NamedTuple):
    """A sentence that ends something, as it would say that without the words that end it, and what stood after these.

    `behind`: they stand behind the verb, so what follows them is what is no more.
    """

    sentence: str
    after: str
    behind: bool

    def ends(self, value: str) -> bool:
        """Say whether it is this value that is no more: it follows at once, but for a few words before it."""
        after = folded(self.after)
        at = after.find(folded(value))
        between = after[:at].split() if at >= 0 else [","]
        if self.behind:
            return _PREPOSITIONS.issuperset(between)
        return len(between) < _WORDS_BEFORE_MAX and not any(map(_PAUSE.search, between))


def thing_of(said: str) -> str | None:
    """Return what is liked or preferred in few words, or None where it is a story or leans on the talk."""
    thing = _ARTICLE.sub("", _TAIL.sub("", said.strip(" .!\"“”'’")))
    words = thing.split()
    if (
        not words
        or len(words) > THING_WORDS_MAX
        or VAGUE.search(thing)
        or MANNER.search(thing)
        or _OF_THE_TALK.match(thing)
    ):
        return None
    return thing


def says_change(said: str) -> bool:
    """Say whether these words tell of a change."""
    return CHANGE.search(said) is not None


def asks(sentence: str) -> bool:
    """Say whether a sentence asks; "…, right?" states, and waits for a nod."""
    return ends_asking(sentence) and _NODS.search(sentence) is None


def no_more(sentence: str) -> NoMore | None:
    """Return what a sentence says to be no more; None of one that says so of nothing."""
    match = _NO_MORE_BEFORE.search(sentence)
    behind = None if match else _NO_MORE_BEHIND.search(sentence)
    if (match := match or behind) is None or _WHEN.search(sentence, 0, match.start()):
        return None
    verb = f"{behind['verb']} " if behind and behind["verb"] else ""
    if behind and behind["je"]:
        verb = f"j'{verb}" if _ELIDED.match(verb) else f"{behind['je']}{verb}"
    after = sentence[match.end() :]
    return NoMore(f"{sentence[: match.start()]}{verb}{after}", after, behind is not None)
