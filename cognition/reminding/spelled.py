"""Write the numbers and days of a telling in one way, before it is read: "twenty-first of March", "15/2", "Thu."."""

import re
from typing import Final

from cognition.reminding.words import (
    DAYS_MAX,
    MONTHS,
    TOKEN,
    is_english,
    plain,
    span_seconds_of,
    table,
    weekday_of,
)
from cognition.times import folded, meanings

# "1er" is no German "er".
_WORD: Final = re.compile(r"(?<!\d)[^\W\d_]+")
_JOINED: Final = re.compile("tag|dag|mittwoch|morgen[a-z]")
_MORROWS: Final = frozenset(["morgen", "ubermorgen", "overmorgen"])
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
_GLUED: Final = re.compile(r"(?<![\w.,:])(\d{1,2})(h|hs|u|uhr|uur|ч|pm)(?!\w)")
_HOUR_OF: Final = re.compile(r"(?<![\w.,:])(\d{1,2})(?:stej|sta|tej|szej|giej|ciej|mej)(?!\w)")
# "Friday's dinner" is not on Fridays.
_POSSESSIVE: Final = re.compile(r"(?<=day)['’]s(?!\w)")
# What lasts has two numbers with one of these between.
_TO: Final = (
    "to|till|until|and|bis|und|à|et|a|y|al|alle|e|às|ao|até às|até as|até|tot|en|do|i|до|по|та|і|и|au|t/m"
)
_RANGED: Final = re.compile(rf"\d[\w.]{{0,4}} ?(?:[-–—]|{_TO}) ?(?:the |las |les |as |le )?\d", re.IGNORECASE)
_HOURS_FROM: Final = re.compile(
    r"(?<![\w.:,/-])(?P<lead>(?:from|between|von|zwischen|de|entre|desde|das|dalle|tra le|fra le|van|"
    r"tussen|od|między|с|з|між|между)(?: las| les| as)? )?"
    r"(?P<hour>[01]?\d|2[0-4])(?:(?:[:.h]|\s?h\s?)(?P<minute>[0-5]\d))?(?:\s?(?:h|uhr|uur|am|pm))?"
    rf"(?:\s?[-–—]\s?|\s(?:{_TO})\s)(?:las |les |as |le )?"
    r"(?P<until>[01]?\d|2[0-4])(?:[:.h]\s?[0-5]\d)?"
    r"\s?(?P<mark>h(?!\w)|uhr|uur|a\.?m\.?|p\.?m\.?|heures|horas|часов|годин)?"
    r"(?![\w/-]|[.:,]\d|\.\s?[A-ZÄÖÜ])(?!\s?[^\W\d_]*\s?(?:€|%))",
    re.IGNORECASE,
)
_DAYS_FROM: Final = re.compile(
    r"(?<![\w.:,/-])(?P<day>\d{1,2}(?:st|nd|rd|th|er|º|\.)?)"
    rf"(?:\s?[-–—]\s?|\s(?:{_TO}|bis zum|tot en met)\s)(?:the )?"
    r"\d{1,2}(?:st|nd|rd|th|\.|º)?(?P<of>\s(?:of |de |di )?)(?P<month>[^\W\d_]{3,})",
    re.IGNORECASE,
)
_HOURS: Final = 24
_NIGHT_ENDS: Final = 5
# "полвосьмого"
_HALF_OF: Final = re.compile(
    r"(?<!\w)пол(?=(?:перв|втор|трет|четверт|пят|шест|седьм|восьм|девят|десят|одиннадцат|двенадцат)\w*[оеь]го(?!\w))"
)
# Stands for a day that may be two: the 4th of July, or the 7th of April.
UNCLEAR: Final = "\N{REPLACEMENT CHARACTER}"
_LED: Final = frozenset(["on", "next", "every", "this"])
# Between an ordinal and its month: "the second day of March", "eerste van maart".
_OF_WORDS: Final = """
    of in de do del di d van von im des du the le la lo o el w
    day tag jour dia giorno dag dzien день
"""
_OF: Final = frozenset(_OF_WORDS.split())
# What a day has behind it where it stands alone, by the article before it.
_ARTICLES: Final = {"the": "th", "le": "", "il": "", "el": "", "dia": "", "am": ".", "zum": ".", "de": "e"}
_BEFORE_DAY: Final = frozenset(
    ["mi", "do", "przypomnij", "мне", "напомни", "до", "к", "мені", "нагадаи", "нам"]
)
# Behind these it is an hour.
_OF_HOURS: Final = frozenset(
    ["половине", "половина", "половину", "четверть", "минут", "минуты", "минута", "после", "od", "до"]
)


def spelled(text: str) -> str:
    """Return a text small and without accents, with dates as "15.2." or "2027.03.15" and numbers in digits.

    Days stand apart from their parts: "zaterdag ochtend".
    """
    text = _POSSESSIVE.sub(" s", text)
    said = plain(_dates(_begun(text))).replace("@", " at ").replace("°", "o")
    if "пол" in said:
        said = _HALF_OF.sub("половина ", said)
    return _apart(_shortened(_in_digits(_GLUED.sub(r"\1 \2", _HOUR_OF.sub(r"\1", said)))))


def _apart(said: str) -> str:
    """Return a text with days and their parts as two words: "zaterdagochtend", "Donnerstagabend"."""

    def split(match: "re.Match[str]") -> str:
        for part in table().joined:
            day = match[0].removesuffix(part)
            if (
                day != match[0]
                and (day in _MORROWS or day == "mittwoch" or day.endswith("dag" if "dag" in day else "tag"))
                and (day in _MORROWS or weekday_of(day) is not None)
            ):
                return f"{day} {part}"
        return match[0]

    said = said.replace("alluna", "alle una")
    return _WORD.sub(split, said) if _JOINED.search(said) is not None else said


def _begun(text: str) -> str:
    """Return a text with only the beginning of what lasts: "from 2 to 3 pm", "14-16 Uhr", "3.-5. März"."""

    def hours(match: "re.Match[str]") -> str:
        start, end = int(match["hour"]), int(match["until"])
        if max(start, end) > _HOURS or not (match["mark"] or match["minute"] or match["lead"]):
            return match[0]
        half = (
            match["mark"]
            if match["mark"] and match["mark"][0].lower() in "ap" and match["mark"][-1].lower() in "m."
            else ""
        )
        if half and start > end:
            half = ""  # "from 11 to 1 pm"
        elif not half and 1 <= start <= _NIGHT_ENDS and not match["hour"].startswith("0"):
            start += 12
        return f"{start}:{match['minute'] or '00'} {half}"

    def days(match: "re.Match[str]") -> str:
        month = folded(match["month"])
        return (
            f"{match['day']}{match['of'] or ' '}{match['month']}" if "month" in meanings(month) else match[0]
        )

    if _RANGED.search(text) is None:
        return text
    return _DAYS_FROM.sub(days, _HOURS_FROM.sub(hours, text))


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
    english = is_english(said)
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
    if ends and before in _ARTICLES:
        return f"{day}{_ARTICLES[before]}"
    if (
        behind > stop
        and behind < len(tokens)
        and (
            table().lists["every"].fullmatch(tokens[behind][0]) is not None
            or meanings(tokens[behind][0]).get("unit") == "month"
        )
    ):
        return f"{day}th" if english else str(day)  # "on the second of every month"
    if stop < len(tokens) and tokens[stop][0] in ("числа", "число"):
        return str(day)
    return _lone(tokens, start, stop, day, ends=ends)


def _lone(tokens: "list[re.Match[str]]", start: int, stop: int, day: int, *, ends: bool) -> str | None:
    """Return a day that is told as an ordinal alone: "przypomnij mi piątego", "до пятого"."""
    last, before = tokens[stop - 1][0], tokens[start - 1][0] if start else ""
    behind = tokens[stop][0] if stop < len(tokens) else ""
    led = before in _BEFORE_DAY or (ends and before not in _OF_HOURS)
    if not led or weekday_of(behind) is not None or span_seconds_of(behind) is not None:
        return None
    if last.endswith("ego"):
        return f"{day}go"
    return f"{day}го" if last.endswith(("ого", "его")) else None


def _shortened(said: str) -> str:
    """Return a text with the names of months and weekdays in full, in English, where they were cut short."""
    tokens = list(TOKEN.finditer(said))
    made, end = [], 0
    repeats = table().lists["every"].search(said) is not None
    for at, token in enumerate(tokens):
        name = table().short.get(token[0])
        if name is None:
            continue
        before = tokens[at - 1][0] if at else ""
        behind = tokens[at + 1][0] if at + 1 < len(tokens) else ""
        dotted = said[token.end() : token.end() + 1] == "."
        listed = repeats and len(token[0]) > 2 and _is_listed(tokens, at, said)
        if listed or _is_short(
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


def _is_weekday(word: str) -> bool:
    return weekday_of(word) is not None or weekday_of(table().short.get(word, "")) is not None


def _is_listed(tokens: "list[re.Match[str]]", at: int, said: str) -> bool:
    """Say whether a word stands in a list of weekdays: "every mon, wed and fri"."""
    for step in (-1, 1):
        beside = at + step
        if not 0 <= beside < len(tokens):
            continue
        if tokens[beside][0] in table().single["between_days"]:
            beside += step
        elif (
            ","
            not in said[
                min(tokens[at].end(), tokens[beside].end()) : max(tokens[at].start(), tokens[beside].start())
            ]
        ):
            continue
        if 0 <= beside < len(tokens) and _is_weekday(tokens[beside][0]):
            return True
    return False


def _is_short(word: str, name: str, before: str, behind: str, *, dotted: bool, ends: bool) -> bool:
    if "month" in meanings(name):
        return before.isdecimal() or (behind.isdecimal() and (dotted or len(word) > 2))
    hour = behind.isdecimal() or table().lists["at"].fullmatch(behind) is not None
    lists = table().single
    if word in lists["only_days"] or not word.isascii():
        return dotted or hour or ends or before in _LED
    if word in lists["english_days"]:
        return hour or before in _LED
    return dotted and hour
