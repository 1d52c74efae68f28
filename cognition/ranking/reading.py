"""Read what a memory says, as far as the signals want to know it.

Cutting a text into words costs more than anything else that is done with a candidate, and in a large memory most
candidates have not been seen before. So all that can be said of a word is said once (`_known`), and a text is its words
looked up.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.ranking.query import SELF_WORDS
from cognition.ranking.stem import stem
from cognition.words import SILENT_WORDS, silent_in, words

# Four digits are most likely a year.
_YEAR_DIGITS: Final = 4
# Texts whose words are remembered, since candidates come back query after query. About a kilobyte each.
_READINGS_KEPT: Final = 8_192
# Words of a rich vocabulary, and labels of a busy one.
_WORDS_KEPT: Final = 32_768
_LABELS_KEPT: Final = 4_096

_TIME: Final = """
    yesterday last ago week weeks month months year years day days today tonight tomorrow next since recently soon
    weekend monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december summer winter spring autumn
    mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays daily weekly monthly yearly
    ayer hoy mañana semana mes año gestern heute morgen woche monat jahr
    lunes martes miércoles jueves viernes sábado sábados domingo domingos
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    montags dienstags mittwochs donnerstags freitags samstags sonntags
    januar februar märz mai juni juli oktober dezember
    вчера сегодня завтра неделю месяц год вчора сьогодні тиждень місяць рік
    понедельник вторник среду четверг пятницу субботу воскресенье
    понедельникам вторникам средам четвергам пятницам субботам воскресеньям
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    понеділок вівторок середу четвер пятницю суботу неділю щопонеділка щовівторка щосереди щочетверга щосуботи щонеділі
    січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
"""
_TIME_WORDS: Final = frozenset(_TIME.split())
_NUMBER: Final = (
    "one two three four five six seven eight nine ten once twice couple few dozen hundred thousand"
)
_NUMBER_WORDS: Final = frozenset(_NUMBER.split())

_DIGIT: Final = re.compile(r"\d")
_KINDS: Final = _TIME_WORDS | _NUMBER_WORDS | SELF_WORDS


class Reading(NamedTuple):
    """What the signals want to know of a text: its telling words, their stems, and what kinds of thing it names."""

    words: tuple[str, ...]
    stems: frozenset[str]
    names_time: bool
    names_number: bool
    of_self: bool


@lru_cache(_READINGS_KEPT)
def read(text: str, about: str) -> Reading:
    """Read a text, and the labels beside it; these say what it is about, and name no times or numbers."""
    some = dict.fromkeys(words(text))
    digits = [word for word in some if word[0].isdigit()] if _DIGIT.search(text) else []
    silent = silent_in(text, some)
    telling = [word for word in some if word not in silent]
    if about:
        telling += [word for word in _labels(about) if word not in some]
    kinds = () if _KINDS.isdisjoint(some) else some
    return Reading(
        tuple(telling),
        frozenset(map(stem, telling)),
        not _TIME_WORDS.isdisjoint(kinds) or any(len(word) == _YEAR_DIGITS for word in digits),
        bool(digits) or not _NUMBER_WORDS.isdisjoint(kinds),
        not SELF_WORDS.isdisjoint(kinds),
    )


@lru_cache(_LABELS_KEPT)
def _labels(about: str) -> tuple[str, ...]:
    return tuple(word for word in dict.fromkeys(words(about)) if word not in SILENT_WORDS)
