"""Read a chat that WhatsApp exported: a text with a line for each message, in the forms of the phone's own language.

`31/12/2023, 22:14 - Ann: …` is what Android writes, `[31.12.23, 22:14:03] Ann: …` an iPhone; a message goes on over
the lines behind it. No file says who brought it in: everybody is named, and the profile says which name is the owner's.
What the program says itself is left out. It stands behind a mark that nobody types, or in angle brackets, or has no
name before it; on Android, that a message was deleted looks as if it had been said, and is known by its words.
The times are those of a clock without a zone, and are taken as UTC, so that every device reads them
alike. Whether 3/4 is in March or in April is what the whole of the file says.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, NamedTuple

from samemind.portable.records import Reads, Record, Unreadable, chat_turn

SOURCE: Final = "whatsapp"
# What a message begins with; the words between the day and the hour ("à", "às", "kl.") are whatever a language has.
_BEGINS: Final = re.compile(
    r"[\u200e\u200f]*(?P<open>\[)?"
    r"(?P<day>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})\.?,?\s(?:[^\W\d]{1,4}\.?\s)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:\s?(?P<half>[ap])\.?\s?m\.?)?"
    r"(?(open)\]|\s-)\s(?P<rest>.*)",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r"[./-]")
# A name is no longer; a line of the program's own may hold a colon.
_NAMED: Final = re.compile(r"(?P<name>[^:\n]{1,60}?): (?P<text>.*)", re.DOTALL)
_OWN_MARK: Final = "\u200e"
_OWN_WORDS: Final = re.compile(r"<[^<>\n]+>")
# In the languages that samemind reads; of "you", as the owner deleted it, and of whoever else did.
_DELETED: Final = frozenset(
    [
        "this message was deleted", "you deleted this message",
        "diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht",
        "se eliminó este mensaje", "eliminaste este mensaje",
        "ce message a été supprimé", "vous avez supprimé ce message",
        "questo messaggio è stato eliminato", "hai eliminato questo messaggio",
        "mensagem apagada", "esta mensagem foi apagada", "você apagou esta mensagem",
        "dit bericht is verwijderd", "u hebt dit bericht verwijderd", "je hebt dit bericht verwijderd",
        "ta wiadomość została usunięta", "ten komunikat został usunięty", "usunięto tę wiadomość",
        "данное сообщение удалено", "вы удалили данное сообщение",
        "це повідомлення видалено", "ви видалили це повідомлення",
    ]
)  # fmt: skip
_ADDED: Final = re.compile(r"\s*\u200e<[^<>\n]*>$")
# What is around a name or a number to say which way it is written, and before one that is in no address book.
_AROUND_NAMES: Final = "\u200e\u200f\u202a\u202c~\u202f\u00a0 "
# A text is known by its first lines.
_LOOKED_AT: Final = 5
_NOON: Final = 12
_MONTHS: Final = 12
_CENTURY: Final = 100
_SINCE: Final = 2_000
_YEAR_DIGITS: Final = 4


class _ChatLine(NamedTuple):
    line: int
    day: tuple[int, int, int]
    is_of_year: bool
    """Whether the year comes first."""
    separator: str
    clock: tuple[int, int, int]
    is_halved: bool
    name: str
    text: str


def looks_like(text: str) -> bool:
    """Say whether a text is such a chat."""
    lines = [line for line in text.lstrip("\ufeff").split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    return bool(lines) and _BEGINS.match(lines[0]) is not None


def read(name: str, text: str) -> Iterator[Record]:
    """Return every message, in its order; `name` is the file's, and says which chat it is."""
    said = [*_messages(text.lstrip("\ufeff").splitlines())]
    if not said:
        yield Unreadable(line=1, reason="expected a chat that WhatsApp exported, found no message")
        return
    is_month_first = _month_first(said)
    title = re.sub(r"\.(?:txt|zip)$", "", name, flags=re.IGNORECASE)
    times = Counter[str]()
    for position, each in enumerate(said):
        told_at = _ms(each, month_first=is_month_first)
        if told_at is None:
            yield Unreadable(
                line=each.line, reason="expected a day and a time of the calendar before the message"
            )
            continue
        spoken = _spoken(each.text)
        if not spoken or not each.name:
            continue
        # The file numbers nothing, and may be exported anew when there is more: what was said, by whom and when, names.
        named = f"{each.name}\0{told_at}\0{hashlib.sha256(spoken.encode(errors='replace')).hexdigest()}"
        times[named] += 1
        yield chat_turn(
            each.line,
            spoken,
            source=SOURCE,
            chat=title,
            turn=str(each.line),
            position=position,
            speaker=each.name,
            topic=title,
            told_at=told_at,
            reads=Reads.YES,
            named=f"{named}\0{times[named]}",
        )


def _messages(lines: Iterable[str]) -> Iterator[_ChatLine]:
    """Return what was said, with the lines that a message goes on over, and the lines of the program without a name."""
    last: _ChatLine | None = None
    for number, line in enumerate(lines, start=1):
        begins = _BEGINS.match(line)
        if begins is None:
            if last is not None:
                last = last._replace(text=f"{last.text}\n{line}")
            continue
        if last is not None:
            yield last
        last = _said(number, begins)
    if last is not None:
        yield last


def _said(number: int, begins: re.Match[str]) -> _ChatLine:
    named = _NAMED.fullmatch(begins["rest"])
    parts = _SEPARATOR.split(begins["day"])
    first, second, third = map(int, parts)
    hour = int(begins["hour"])
    if begins["half"]:
        hour = hour % _NOON + _NOON * (begins["half"].casefold() == "p")
    return _ChatLine(
        number,
        (first, second, third),
        len(parts[0]) == _YEAR_DIGITS,
        begins["day"][len(parts[0])],
        (hour, int(begins["minute"]), int(begins["second"] or 0)),
        bool(begins["half"]),
        named["name"].strip(_AROUND_NAMES) if named is not None else "",
        named["text"] if named is not None else "",
    )


def _month_first(said: Sequence[_ChatLine]) -> bool:
    """Say whether the month comes first, as in the United States.

    A number above twelve is a day. Where there is none, time goes on: the order in which it goes back less often. Where
    that says nothing either, slashes with a clock of twelve hours and no zero before a number are American.
    """
    if any(each.day[0] > _MONTHS or each.is_of_year or each.separator != "/" for each in said):
        return False
    if any(each.day[1] > _MONTHS for each in said):
        return True
    as_days, as_months = (
        _times_back([(each.day[2], each.day[one], each.day[other], *each.clock) for each in said])
        for one, other in ((1, 0), (0, 1))
    )
    if as_days != as_months:
        return as_months < as_days
    return all(each.is_halved for each in said)


def _times_back(moments: Sequence[tuple[int, ...]]) -> int:
    return sum(behind < before for before, behind in pairwise(moments))


def _ms(said: _ChatLine, *, month_first: bool) -> int | None:
    first, second, third = said.day
    year, month, day = (
        said.day if said.is_of_year else (third, first, second) if month_first else (third, second, first)
    )
    try:
        moment = datetime(year if year >= _CENTURY else year + _SINCE, month, day, *said.clock, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000


def _spoken(text: str) -> str:
    """Return what a person said of a message: nothing where the program speaks, or stands for a picture."""
    if text.startswith(_OWN_MARK):
        return ""
    text = _ADDED.sub("", text).strip()
    return "" if _OWN_WORDS.fullmatch(text) or text.rstrip(".").casefold() in _DELETED else text
