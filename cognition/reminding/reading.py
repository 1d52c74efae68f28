"""Read a telling that asks to be reminded: when it is due, and how it repeats.

"Remind me to call the dentist tomorrow at 9", "Zahnarzt am 3. März 14 Uhr", "pay the rent on the 1st", "every Tuesday".
A time alone makes no reminder: "We met on Tuesday at 9" tells of the past. So a text is one only if it asks for it or
tells of a duty, or is a short note of a task or an appointment, in which nobody is told of.

The words are data (`words.toml`), ten languages in one table, since nobody says which language a note is in. Times are
those of the teller's clock; a day without an hour is due at nine.
"""

import re
from collections.abc import Set
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.numerals import in_decimals
from cognition.reminding.moment import Reminder, TextTime
from cognition.reminding.notes import (
    is_by,
    is_duty,
    is_infinitive,
    is_note,
    is_task,
    may_be_duty,
    takes_place,
)
from cognition.reminding.spelled import UNCLEAR, spelled
from cognition.reminding.words import TOKEN, find, may_name_day, plain, table

# A reminder is a line; a page that names a day is none.
CHARACTERS_MAX: Final = 300
# A note without a word of asking is no longer than this.
NOTE_WORDS_MAX: Final = 15
# The point of "6. November" ends no sentence.
_SENTENCE: Final = re.compile(r"(?<=[!?;])\s+|(?<=[^\W\d]\.)\s+|\n+")


class ReadReminder(NamedTuple):
    """What was read of a telling: whether it asks in so many words to be reminded, and when it is due.

    `due` is None where it is no reminder, or names no time that is certain and still comes.
    """

    asks: bool
    due: Reminder | None


_NOTHING: Final = ReadReminder(asks=False, due=None)


def read_reminder(text: str, now: datetime) -> Reminder | None:
    """Return when a telling asks to be reminded; None where it does not, or names no time that comes.

    `now` is the time on the teller's clock at which it was told.
    """
    return read_asking(text, now).due


@lru_cache(256)
def read_asking(text: str, now: datetime) -> ReadReminder:
    """Return whether a telling asks to be reminded, and when; `now` as in `read_reminder`."""
    if not text or len(text) > CHARACTERS_MAX:
        return _NOTHING
    text = in_decimals(text)
    told = plain(text)
    tokens = TOKEN.findall(told)
    words = frozenset(tokens)
    if any(find(name, told, words) is not None for name in ("recalls", "refuses", "about_days")):
        return _NOTHING
    asks = find("asks", told, words) is not None or any(
        before in words and behind in words and told.index(before) < told.rindex(behind)
        for before, behind in table().around
    )
    if asks:
        said = spelled(text)
        moment = None if UNCLEAR in said else TextTime(said, now)
        return ReadReminder(True, moment.reminder() if moment is not None and moment.has_time else None)
    is_due = may_be_duty(told, words)
    may_be_note = (
        len(tokens) <= NOTE_WORDS_MAX
        and may_name_day(tokens)
        and is_note(told, text, tokens)
        and find("today_part", told, words) is None
    )
    if not is_due and not may_be_note:
        return _NOTHING  # most of what is told; to spell it would take longer than all else
    said = spelled(text)
    if UNCLEAR in said:
        return _NOTHING
    due = _duty(said, now) if is_due else None
    return ReadReminder(False, _note(text, told, said, words, now) if due is None and may_be_note else due)


def _duty(said: str, now: datetime) -> Reminder | None:
    """Return when the first duty that a text tells of, and the day of, is due."""
    for sentence in _SENTENCE.split(said):
        if is_duty(sentence):
            moment = TextTime(sentence, now)
            if moment.has_day and (found := moment.reminder()) is not None:
                return found
    return None


def _note(text: str, told: str, said: str, words: Set[str], now: datetime) -> Reminder | None:
    """Return when a short note of a task or an appointment is due."""
    moment = TextTime(said, now)
    is_to_do = is_task(told, text)
    is_planned = moment.hour is not None or moment.is_from_now or moment.begins
    if not moment.has_day or not (is_planned or is_to_do):
        return None
    # "Works every Monday until 6" says how things are.
    if moment.is_vague and not (
        is_infinitive(text, first=True)
        or is_by(told, "surely_by")
        or not table().single["tasks"].isdisjoint(TOKEN.findall(told))
    ):
        return None
    # "The market is Monday to Friday at 9", "the bus leaves every morning", "swims every day until May".
    lasts = not is_to_do and (
        (moment.repeats and table().lists["ends_repeat"].search(told) is not None)
        or ((moment.repeats or find("every", told, words) is not None) and takes_place(told, words))
    )
    return None if lasts else moment.reminder()


def names_day(text: str, now: datetime) -> bool:
    """Say whether words name a day, or how long it is until then; `now` as in `read_reminder`."""
    return TextTime(spelled(in_decimals(text)), now).has_day


def read_moment(text: str, now: datetime) -> datetime | None:
    """Return the time to come that words name, on the teller's clock: "tomorrow at 9"; None where they name none."""
    if not text or len(text) > CHARACTERS_MAX:
        return None
    moment = TextTime(spelled(in_decimals(text)), now)
    found = moment.reminder() if moment.has_time else None
    return None if found is None else found.due
