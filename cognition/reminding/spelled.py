"""Write the numbers and days of a telling in one way, before it is read: "twenty-first of March", "15/2", "Thu."."""

import re
from typing import Final

from cognition.ranking.times import meanings
from cognition.reminding.words import DAYS_MAX, MONTHS, TOKEN, is_english, plain, span_seconds_of, table

# Words of one number: "veinte y uno", "dwudziestego pierwszego".
_WORDS_MAX: Final = 3
_ORDERED: Final = re.compile(r"(?<![\w.,/:-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?![\w/-]|[.,:]\d)")
_WHOLE: Final = re.compile(r"(?<![\w.,/:-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?![\w/-]|[.,:]\d)")
# "20 02 2027"
_SPACED: Final = re.compile(r"(?<![\w.,/:-])(\d{1,2}) (\d{1,2}) (20\d\d)(?![\w/-]|[.,:]\d)")
_SLASHED: Final = re.compile(r"(?<![\w.,/:-])(\d{1,2}) ?/ ?(\d{1,2})(?![\w/%-]|[.,:]\d| ?[^\W\d_]{0,2}h)")
_HYPHENED: Final = re.compile(
    r"((?<!\w)(?:on|op|am|el|le|il|dia|dnia|em|no) )(\d{1,2})-(\d{1,2})(?![\w/-]|[.,:]\d)", re.IGNORECASE
)
# "17-2" is no range of hours: nothing goes back from seventeen.
_PARTED: Final = re.compile(
    r"(?<![\w.,/:-])(1[3-9]|2\d|3[01])-(0?[1-9]|1[0-2])(?![\w/-]|[.,:]\d| ?[^\W\d_]{0,2}h)"
)
# "24/7" is no day in July.
_ALWAYS: Final = ("24", "7")
# "15h", "18uhr", "15ч"; and in Polish "15stej", which is the hour.
_GLUED: Final = re.compile(r"(?<![\w.,:])(\d{1,2})(h|hs|u|uhr|uur|ч|am|pm)(?!\w)")
_HOUR_OF: Final = re.compile(r"(?<![\w.,:])(\d{1,2})(?:stej|sta|tej|szej|giej|ciej|mej)(?!\w)")
# Stands for a day that may be two: the 4th of July, or the 7th of April.
UNCLEAR: Final = "\N{REPLACEMENT CHARACTER}"
_LED: Final = frozenset(["on", "next", "every", "this"])
# Between an ordinal and its month: "the second day of March", "eerste van maart".
_OF_WORDS: Final = """
    of in de do del di d van von im des du the le la lo o el w
    day tag jour dia giorno dag dzien день
"""
_OF: Final = frozenset(_OF_WORDS.split())


def spelled(text: str) -> str:
    """Return a text small and without accents, with dates as "15.2." or "2027.03.15" and numbers in digits."""
    said = plain(_dates(text)).replace("@", " at ").replace("°", "o")
    return _shortened(_in_digits(_GLUED.sub(r"\1 \2", _HOUR_OF.sub(r"\1", said))))


def _dates(text: str) -> str:
    english = is_english(text.casefold())

    def ordered(match: "re.Match[str]") -> str:
        return f"{match[1]}.{int(match[2]):02}.{int(match[3]):02}"

    def whole(match: "re.Match[str]") -> str:
        return _day(match[1], match[3], match[4], english=english and match[2] == "/", told=match[0])

    def slashed(match: "re.Match[str]") -> str:
        if match.groups() == _ALWAYS:
            return match[0]
        return _day(match[1], match[2], "", english=english, told=match[0])

    def hyphened(match: "re.Match[str]") -> str:
        return match[1] + _day(match[2], match[3], "", english=english, told=match[0])

    text = _SPACED.sub(r"\1.\2.\3", _WHOLE.sub(whole, _ORDERED.sub(ordered, text)))
    text = _PARTED.sub(r"\1.\2. ", text)
    return _HYPHENED.sub(hyphened, _SLASHED.sub(slashed, text))


def _day(one: str, other: str, year: str, *, english: bool, told: str) -> str:
    """Return a date with its day first; in English either may be the month, so that only one of them tells."""
    first, second = int(one), int(other)
    if not (1 <= first <= DAYS_MAX and 1 <= second <= DAYS_MAX) or min(first, second) > MONTHS:
        return told
    if english and first != second and max(first, second) <= MONTHS:
        return UNCLEAR
    day, month = (second, first) if second > MONTHS else (first, second)
    return f"{day}.{month}.{year} "


def _in_digits(said: str) -> str:
    """Return a text with numbers from thirteen on in digits, and ordinals that stand beside a month."""
    tokens = list(TOKEN.finditer(said))
    made, end, at = [], 0, 0
    while at < len(tokens):
        for count in range(min(_WORDS_MAX, len(tokens) - at), 0, -1):
            last = tokens[at + count - 1]
            phrase = said[tokens[at].start() : last.end()]
            digits = _digits_of(phrase, tokens, at, at + count, said)
            if digits is not None:
                made += [said[end : tokens[at].start()], digits]
                end, at = last.end(), at + count
                break
        else:
            at += 1
    return "".join((*made, said[end:]))


def _digits_of(phrase: str, tokens: "list[re.Match[str]]", start: int, stop: int, said: str) -> str | None:
    number = table().spelled.get(phrase)
    if number is not None:
        return str(number)
    few = table().few.get(phrase)
    if few is not None and stop < len(tokens) and span_seconds_of(tokens[stop][0]) is not None:
        return str(few)
    day = table().ordinals_spelled.get(phrase)
    if day is None:
        return None
    behind = stop
    while behind < len(tokens) and tokens[behind][0] in _OF and behind < stop + 3:
        behind += 1
    before = tokens[start - 1][0] if start else ""
    if "month" in meanings(before) or (
        behind < len(tokens)
        and (meanings(tokens[behind][0]).get("month") or tokens[behind][0] in table().short)
    ):
        return str(day)
    ends = not re.match(r" ?\w", said[tokens[stop - 1].end() :])
    if before == "the" and ends:
        return f"{day}th"
    return None


def _shortened(said: str) -> str:
    """Return a text with the names of months and weekdays in full, in English, where they were cut short."""
    tokens = list(TOKEN.finditer(said))
    made, end = [], 0
    for at, token in enumerate(tokens):
        name = table().short.get(token[0])
        if name is None:
            continue
        before = tokens[at - 1][0] if at else ""
        behind = tokens[at + 1][0] if at + 1 < len(tokens) else ""
        dotted = said[token.end() : token.end() + 1] == "."
        if _is_short(
            token[0],
            name,
            before,
            behind,
            dotted=dotted,
            ends=re.match(r" *(?:[.,:;!?]|$)", said[token.end() :]) is not None,
        ):
            made += [said[end : token.start()], name]
            end = token.end() + dotted
    return "".join((*made, said[end:]))


def _is_short(word: str, name: str, before: str, behind: str, *, dotted: bool, ends: bool) -> bool:
    if "month" in meanings(name):
        return before.isdigit() or (behind.isdigit() and (dotted or len(word) > 2))
    hour = behind.isdigit() or table().lists["at"].fullmatch(behind) is not None
    lists = table().single
    if word in lists["only_days"] or not word.isascii():
        return dotted or hour or ends or before in _LED
    if word in lists["english_days"]:
        return hour or before in _LED
    return dotted and hour
