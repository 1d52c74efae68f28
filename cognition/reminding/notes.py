"""Say whether a telling that asks for nothing is one of what is to be done: a note of a task, a plan or a deadline.

"Dopodomani portare la macchina dal meccanico", "zaterdagochtend met Joris naar de bouwmarkt", "due by 31 January".
A note that tells of somebody, of the past or of how things are is none: "Joris works on Saturdays".
"""

import re
from collections.abc import Sequence, Set
from typing import Final

from cognition.reminding.words import TOKEN, find, is_english, plain, table, weekday_of
from cognition.times import folded, meanings

# "1er" is no German "er".
_WORD: Final = re.compile(r"(?<!\d)[^\W\d_]+")
# A pronoun with a capital in the middle of a sentence is a name: "fiesta de Ella"; in German it is who is spoken to.
_NAME: Final = re.compile(r"(?<=[\w,] )(?!Sie\b|Ich\b|Er\b|Es\b|Wir\b)[^\W\d_a-zа-яіїєґ][^\W\d_]+")
_SPEAKER: Final = re.compile(r"\bI\b(?!\.)")
# "od 14" is an hour, "od marca" is how long something has been so.
_OPENING: Final = re.compile(r"(?<!\w)(?:od|dal|desde|seit) (?=\d)")
# "od poniedziałku do piątku"
_FROM_MONDAY: Final = re.compile(r"(?<!\w)od (?=poniedzialku do )")
# What was so, by the endings of verbs.
_PAST: Final = re.compile(
    r"(?<!\w)(\w{2,}(?:[aeiyą]ł(?:a|o|y|am|em)?|[aeiy]liśmy|łyśmy|[иаея]л(?:ся)?|[иаея]ла(?:сь)?|\w(?:ется|ится|ётся|ється|ються|ются|ятся)|[иаея]ли(?:сь)?|"
    r"[аи]в(?:ся)?|[аиія]ла(?:ся)?|[аиія]ли(?:ся)?|ió|aron|ieron|eram|aram|ou|[bcdgklmnprstvz]ed))(?!\w)"
)
# A task in French, Spanish, Italian or Portuguese, and in Polish, Russian or Ukrainian, by how its verb ends.
_ROMANCE: Final = re.compile(
    r"(?<![\w-])([^\W\d_]{2,}(?:er|ir|ar|are|ere|ire|r[rs]i|[ctpv]re|dre|rre)|ir|ver|dar|ler|pôr|faire|dire|lire)"
    r"(?:-l[aeo]s?|-se|-lhe)?(?!\w)",
    re.IGNORECASE,
)
_SLAVIC: Final = re.compile(
    r"(?<!\w)([^\W\d_]{2,}(?:(?<!o)ść|[^\Wś]ć|(?<!ос)ть|ться|[аеиіуюїстязй]т[иь]|тися|тись|чь|чься))(?!\w)",
    re.IGNORECASE,
)
_LAST_WORD: Final = re.compile(r"(?<!\w)([a-zäöüß]{3,}(?:en|ern|eln|n))[.!]?\s*$")
_GERMAN_VERB: Final = re.compile(r"(?<![\w-])([a-zäöüß]{2,}(?:en|ern|eln)|tun)(?!\w)")
# The first word, of all or behind a comma or the day.
_IMPERATIVE: Final = re.compile(
    r"(?i)(?:^\W*|[,:;.–-]\s+|(?:day|tomorrow|tonight|and|then|today|week|month)\s+)([a-z]{2,})(?!\w)"
)
# "angekommen", "gefahren"; and "morgen", which is a day.
_PARTICIPLE: Final = re.compile(
    r"(?:(?:ab|an|auf|aus|bei|ein|her|hin|los|mit|nach|vor|weg|zu|zurück|um|fest|statt)?ge(?!ben|hen|nieß|gießen|fallen$)\w+"
    r"|(?:er|ver|be|ent|zer)\w*(?:nommen|kommen|halten|lassen|loren|gangen|standen|worden|fallen|boren|schienen)|\w*morgen|worden|gegen|neben|wegen|zwischen|außen|oben|unten)$"
)
_UKRAINIAN: Final = re.compile("[іїєґ]|[бпвмфр]['’ʼ][яюєї]", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;:–—()]|(?<=[^\W\d])\. ")
# So far behind "by", or what takes place, stands its day.
_DAY_BEHIND: Final = 4


def is_note(said: str, text: str, words: Sequence[str]) -> bool:
    """Say whether a text, plain and as it is told, may be a note of what is to be done."""
    single, lists = table().single, table().lists
    known = frozenset(words)
    others = _of_other_languages(said, known)
    is_event = takes_place(said, known)
    if words[-1] in single["called_off"]:
        return False
    if (
        words[0] in single["articles"]
        and words[0] not in others
        and not is_event
        and not _is_of_time(words[1:3])
    ):
        return False
    begins = find("begins", said, known)
    if begins is not None:
        said, text = _without_beginning(said, text)
        words = TOKEN.findall(said)
    if _SPEAKER.search(text) is not None or ("i" in words and is_english(said)):
        return False
    told = _FROM_MONDAY.sub(" ", _OPENING.sub(" ", said))
    if find("no_tells", told, known) is not None:
        told = lists["no_tells"].sub(" ", told)
    tells = single["tells"].intersection(_WORD.findall(told)) - others
    if tells and (is_event or begins is not None or find("starting", said, known) is not None):
        tells -= single["copulas"]
    if tells and (find("of_month", said, known) or find("every", said, known)):
        tells = frozenset(word for word in tells if lists["last"].fullmatch(word) is None)
    if tells and not tells.issubset(map(plain, _NAME.findall(text))):
        return False
    is_past = any(
        folded(found[1]) not in single["no_pasts"] and (found.start() == 0 or not found[1][0].isupper())
        for found in _PAST.finditer(text)
    )
    return not is_past or _begins_with_verb(text)


def is_task(said: str, text: str) -> bool:
    """Say whether a note names something to be done, or to be at: such need no hour beside their day."""
    words = _WORD.findall(said)
    single = table().single
    listed = not single["tasks"].isdisjoint(words) or not single["appointments"].isdisjoint(words)
    return listed or is_infinitive(text) or is_by(said, "surely_by")


def is_infinitive(text: str, *, first: bool = False) -> bool:
    """Say whether a note is a task by its verb: an infinitive, or in English an imperative where one may stand.

    Where it has to be the `first` word, that is asked of no German or Dutch: there it stands last.
    """
    single = table().single
    found = _infinitive_of(text)
    if found is not None and (not first or _is_first(found, text)):
        return True
    if any(word.casefold() in single["imperatives"] for word in _IMPERATIVE.findall(text)):
        return True
    words = frozenset(map(folded, _WORD.findall(text)))
    if not single["german"].isdisjoint(words) and any(
        folded(word) not in single["no_infinitives"] and _PARTICIPLE.match(word) is None
        for word in _GERMAN_VERB.findall(text)
    ):
        return True
    last = _LAST_WORD.search(text)
    return (
        last is not None
        and not single["dutch"].isdisjoint(words)
        and folded(last[1]) not in single["no_infinitives"]
        and last[1] not in single["no_dutch"]
        and _PARTICIPLE.match(last[1]) is None
        and (last[1].endswith("en") or last[1] in single["short_dutch"])
    )


def is_duty(said: str) -> bool:
    """Say whether a sentence tells what has to be done, or has to be so by a day to come."""
    words = frozenset(TOKEN.findall(said))
    if find("duties", said, words) is not None:
        return True
    is_due = find("deadlines", said, words) is not None or (
        find("musts", said, words) is not None and is_by(said, "by_days")
    )
    return is_due and find("over", said, words) is None


def may_be_duty(said: str, words: Set[str]) -> bool:
    """Say at once whether a sentence of a text may be a duty; of most none can."""
    if find("duties", said, words) is not None or find("deadlines", said, words) is not None:
        return True
    return find("musts", said, words) is not None and is_by(said, "by_days")


def takes_place(said: str, words: Set[str]) -> bool:
    """Say whether a sentence says when something is, or leaves: "la cena es el viernes", "the train leaves at 9"."""
    if find("departs", said, words) is not None:
        return True
    for match in table().lists["takes_place"].finditer(said):
        first, *behind = TOKEN.findall(said, match.end())[:_DAY_BEHIND] or [""]
        is_month = any("month" in meanings(word) for word in behind[:2])
        if weekday_of(first) is not None or "relative" in meanings(first) or (first.isdecimal() and is_month):
            return True
    return False


def is_by(said: str, name: str) -> bool:
    """Say whether a day stands behind a word by which something is to be done: "by Friday", "bis zum 3. März"."""
    for match in table().lists[name].finditer(said):
        behind = TOKEN.findall(said, match.end())[:_DAY_BEHIND]
        if any(
            weekday_of(word) is not None
            or not {"month", "relative"}.isdisjoint(meanings(word))
            or meanings(word).get("unit") in ("month", "year", "week")
            or (word.isdecimal() and len(word) < 3 and at < 3)
            for at, word in enumerate(behind)
        ):
            return True
    return False


def _is_of_time(words: Sequence[str]) -> bool:
    """Say whether a note that begins with an article begins with a time: "el lunes", "l'ultimo venerdì"."""
    first = words[0] if words else ""
    is_nth = first in table().ordinals_spelled or table().lists["last"].fullmatch(first) is not None
    return weekday_of(first) is not None or (
        is_nth and len(words) > 1 and (weekday_of(words[1]) is not None or "unit" in meanings(words[1]))
    )


def _of_other_languages(said: str, words: Set[str]) -> Set[str]:
    """Return the words of telling that are others in this text, by the language that it is in."""
    single = table().single
    found: Set[str] = frozenset()
    for name in ("german", "dutch"):
        others = single[f"{name}_else"]
        if not others.isdisjoint(words) and not (single[name] - others - {"de"}).isdisjoint(words):
            found |= others
    return found | single["english_else"] if is_english(said) else found


def _without_beginning(said: str, text: str) -> tuple[str, str]:
    """Return a note of what repeats without the clause that tells when it begins, whose verb is no telling."""
    begins = table().lists["begins"]
    ends = [match.start() for match in _CLAUSE.finditer(said)]
    parts, told = _CLAUSE.split(said), _CLAUSE.split(text)
    if not ends or len(parts) != len(told):
        return begins.sub(" ", said), text
    kept = [at for at, part in enumerate(parts) if begins.search(part) is None] or range(len(parts))
    return ", ".join(parts[at] for at in kept), ", ".join(told[at] for at in kept)


def _begins_with_verb(text: str) -> bool:
    found = _infinitive_of(text)
    return (found is not None and _is_first(found, text)) or any(
        word.casefold() in table().single["imperatives"] for word in _IMPERATIVE.findall(text)[:1]
    )


def _is_first(found: "re.Match[str]", text: str) -> bool:
    return _WORD.search(text, 0, found.start()) is None


def _infinitive_of(text: str) -> "re.Match[str] | None":
    """Return the infinitive of a note, but for one of purpose, and for nouns that end like it."""
    single = table().single
    found: list[re.Match[str]] = [*_SLAVIC.finditer(text)] if not text.isascii() else []
    romance = [*_ROMANCE.finditer(text)]
    if romance:
        words = frozenset(map(folded, _WORD.findall(text)))
        is_first = romance[0].start() == 0
        if is_first or (not is_english(plain(text)) and not single["romance"].isdisjoint(words)):
            found += romance if not single["romance"].isdisjoint(words) else romance[:1]
    is_ukrainian = _UKRAINIAN.search(text) is not None  # there "платить" is what somebody does
    for match in found:
        if folded(match[1]) in single["no_infinitives"] or (is_ukrainian and match[1].endswith("ть")):
            continue
        before = _WORD.findall(text[: match.start()])
        if not before:
            return match
        purpose = folded(before[-1])
        is_french = before[-1].casefold() == "à"  # "dossier à renvoyer"
        if match[0][0].isupper() or (purpose in single["purposes"] and not is_french):
            continue
        return match
    return None
