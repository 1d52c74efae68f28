"""Read a diary that is plain text: a day stands above each entry, or at the beginning of its first line.

"3 Jan 2024" on a line of its own, "Montag, 3. März 2025", "2024-01-03: rain all day" and "3.1.24 - rain" begin one.
A day without a year is of the year that the name of the file, a title or a line of its own says. Each entry becomes a
memory that was told on its day.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from replica import Value, derived_memory_id
from samemind.portable.days import day_of, month_first_in, says_more_than_a_weekday
from samemind.portable.records import Item, Record

SOURCE: Final = "diary"
# What parts a day from the entry on its line; behind one in digits a blank is enough.
_PARTS: Final = re.compile(r":\s|(?<=\s)[-\u2013\u2014|]\s|\t|\s{2,}|[.,)]\s")
_DIGITS: Final = re.compile(r"(\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})(?:,?\s\d{1,2}:\d\d)?\s")
_CHARACTERS_MAX: Final = 48
# Marks of a heading, a list or emphasis around a day.
_MARKS: Final = "#*_=[]>-: \t\r\ufeff"
_RULE: Final = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# A text is known by its first lines: a title may stand above the first day.
_LOOKED_AT: Final = 64
_LINES_ABOVE_MAX: Final = 1
_TITLE_CHARACTERS_MAX: Final = 60


class Entry(NamedTuple):
    """What stands under a day, from a line on; `day` is in ms since 1970, None above the first."""

    line: int
    day: int | None
    heading: str
    text: str


def looks_like(name: str, text: str) -> bool:
    """Say whether a text begins as a diary does, with a day or a title and a day, or is named after its day."""
    lines = [line for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    month_first = month_first_in(lines)
    year = year_in(_title(name)) or _year_above(lines, month_first)
    if any(_begun(line, month_first, year) for line in lines[: _LINES_ABOVE_MAX + 1]):
        return True
    return name.lower().endswith(".txt") and day_of(_title(name)) is not None


def read(name: str, text: str) -> Iterator[Record]:
    """Return the entries of a diary in their order; `name` is the file's, and says which diary it is."""
    title = _title(name)
    times = Counter[str]()
    found = [*entries(text, year=year_in(title))]
    of_file = day_of(title)
    if len(found) > 1 and found[0].day is None and _is_title(found[0].text):
        title = f"{title} > {found.pop(0).text}"
    for entry in found:
        day = of_file if entry.day is None else entry.day
        # A diary grows, and its entries may be moved: their day and words name them.
        named = f"{day}\0{hashlib.sha256(entry.text.encode(errors='replace')).hexdigest()}"
        times[named] += 1
        fields: dict[str, Value] = {
            "source": SOURCE,
            "topic": f"{title} > {entry.heading}" if entry.heading else title,
        }
        if day is not None:
            fields["told_at"] = day
        yield Item(
            line=entry.line,
            rid=derived_memory_id(SOURCE, f"{named}\0{times[named]}"),
            text=entry.text,
            fields=fields,
        )


def entries(text: str, *, line: int = 1, year: str = "") -> Iterator[Entry]:
    """Return what stands above the first day of a text, and each entry that says something; `line` is its first.

    `year` is that of days written without one, until a line says another; a title above the first may say it, too.
    """
    lines = text.split("\n")
    month_first = month_first_in(lines)
    year = year or _year_above(lines, month_first)
    began, day, heading, said = line, None, "", list[str]()
    for number, each in enumerate([*lines, None], start=line):
        begun = None if each is None else _begun(each, month_first, year)
        if each is not None and begun is None:
            if _YEAR.fullmatch(each.strip(_MARKS)):
                year = each.strip(_MARKS)
            elif not _RULE.fullmatch(each):
                said.append(each)
            continue
        body = "\n".join(said).strip()
        if body:
            yield Entry(began, day, heading, body)
        if begun is not None:
            began, (day, heading, first) = number, begun
            said = [first] if first else []


def _begun(line: str, month_first: bool | None, year: str) -> tuple[int, str, str] | None:
    """Return the day that a line begins with, as it stands there, and what it says behind that; None: it has none."""
    start = line[:_CHARACTERS_MAX]
    cuts = [found.span() for found in _PARTS.finditer(start)]
    digits = _DIGITS.match(start.lstrip(_MARKS))
    if digits is not None:
        at = len(start) - len(start.lstrip(_MARKS))
        cuts.append((at + digits.end(), at + digits.end()))
    cuts = [(len(line), len(line)), *sorted(cuts, reverse=True)]  # "12 févr. - rain" is parted by its dash
    # "6 March: sun" is no Sunday, but how the day was; "Monday: 6 March" has no day before its colon.
    colon = line.find(": ")
    if colon >= 0 and says_more_than_a_weekday(line[colon:]):
        cuts = [(colon, colon + 1), *cuts]
    for added in ("", f" {year}") if year else ("",):
        for end, behind in cuts:
            heading = line[:end].strip(_MARKS)
            if heading and len(heading) <= _CHARACTERS_MAX:
                day = day_of(heading + added, month_first=month_first, short_years=True)
                if day is not None:
                    return day, heading, line[behind:].strip()
    return None


def _year_above(lines: Sequence[str], month_first: bool | None) -> str:
    """Return the year that a title above the first day says: "Diary 2024"; nothing where there is none.

    A sentence is no title: "We moved here in 2019." says nothing of the year of a diary.
    """
    first = next((line.strip() for line in lines if line.strip()), "")
    is_title = _is_title(first) and not first.endswith((".", "!", "?", "\u2026", "\u3002"))
    return year_in(first) if is_title and _begun(first, month_first, "") is None else ""


def _is_title(text: str) -> bool:
    return "\n" not in text and len(text) <= _TITLE_CHARACTERS_MAX


def _title(name: str) -> str:
    last = name.rpartition("/")[2]
    return last.rpartition(".")[0] or last


def year_in(title: str) -> str:
    """Return the year that a title says; nothing where it says none, or several."""
    found = _YEAR.findall(title)
    return found[0] if len(found) == 1 else ""
