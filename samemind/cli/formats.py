"""Print the records of a result as rows for other programs, or as a table: `--format table|csv|jsonl|json`.

Nested values stand in a cell as JSON, in a table as what is said in them. In CSV a text that a spreadsheet would run as
a formula has an apostrophe before it, as spreadsheets write a text themselves.
"""

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from samemind.cli.terminal import cells_of, clipped
from samemind.formats.printable import one_line

# A column of this many characters can still be read beside three others on a wide terminal.
COLUMN_CHARACTERS_MAX: Final = 60
# Long, and of use to programs alone: the other formats have them.
_NOT_IN_A_TABLE: Final = frozenset({"device", "device_id", "hash", "op_id", "origin", "updated_at", "why"})
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(Z?)")
_IDS: Final = frozenset({"rid", "id", "short"})
# The id of a contradiction or a trigger, and as much of it as the other results show people.
_DIGITS: Final = re.compile(r"[0-9a-f]{32,}")
_DIGITS_SHOWN: Final = 12
# Which field of a value that has several says what it is.
_SAYS: Final = ("value", "text", "name")
# A time to the minute. Cut shorter, most says nothing: where there is no room for that, the last columns are left out.
COLUMN_CHARACTERS_MIN: Final = 17
# What a spreadsheet takes for a formula, also in full width, and the apostrophes of a text that looks like one that was
# marked: so whoever takes one apostrophe off where this fits has what was told. Plain numbers are harmless.
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_GAP: Final = "  "
# Where no terminal says how wide a line may be.
WIDTH_OF_A_PIPE: Final = 160
Row = Mapping[str, Any]


def formatted(format: str, document: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Return a result, whose records are `rows`, in one of `samemind.cli.line.FORMATS`."""
    if format == "json":
        return json.dumps(document, ensure_ascii=False)
    if format == "jsonl":
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return _csv(rows) if format == "csv" else _table(rows)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _seen(value: Any) -> str:
    """Return a cell for people: times to the minute, numbers as exact as anybody reads them, ids as short as typed."""
    if isinstance(value, str):
        found = _TIME.fullmatch(value)
        if found:
            return f"{found[1]} {found[2]}{found[3]}"
        return value[:_DIGITS_SHOWN] if _DIGITS.fullmatch(value) else one_line(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        said = next((value[name] for name in _SAYS if value.get(name)), None)
        return one_line(_cell(value)) if said is None else _seen(said)
    if isinstance(value, list):
        return ", ".join(map(_seen, value))
    return one_line(_cell(value))


def _csv(rows: Sequence[Row]) -> str:
    columns = _columns(rows)
    lines = [columns, *([_cell(row.get(name)) for name in columns] for row in rows)]
    return "\n".join(map(_csv_line, lines))


def _csv_line(cells: Sequence[str]) -> str:
    """Return cells as a line. Its writer quotes a cell for what ends lines, and readers take both of these for that."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(map(_harmless, cells))
    return written.getvalue().removesuffix("\r\n")


def _harmless(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _table(rows: Sequence[Row]) -> str:
    """Return rows under their names, as wide as the terminal; a column in which nothing stands is left out."""
    columns = [
        name
        for name in _columns(rows)
        if name not in _NOT_IN_A_TABLE and any(row.get(name) not in (None, [], {}, "", False) for row in rows)
    ]
    cells = {name: [_seen(row.get(name)) for row in rows] for name in columns}
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    widths = _widths({name: max(map(cells_of, (name, *cells[name]))) for name in columns}, width)
    numbers = {name for name in widths if all(isinstance(row.get(name), int | float | None) for row in rows)}
    lines = zip(*([name, *cells[name]] for name in widths), strict=True)
    return "\n".join(
        _GAP.join(
            _padded(cell, wide, right=name in numbers)
            for cell, (name, wide) in zip(line, widths.items(), strict=True)
        ).rstrip()
        for line in lines
    )


def _widths(wanted: Mapping[str, int], width: int) -> dict[str, int]:
    """Return how wide each column is to be, so that all fit: the widest give way. An id that is cut names nothing."""
    least = {
        name: wide if name in _IDS else min(wide, COLUMN_CHARACTERS_MIN) for name, wide in wanted.items()
    }
    kept = list(wanted)
    # An id alone says nothing: a terminal with no room for what it is of goes on in the next line.
    fewest = 2 if kept and kept[0] in _IDS else 1
    while len(kept) > fewest and sum(least[name] for name in kept) + len(_GAP) * (len(kept) - 1) > width:
        kept.pop()
    room = width - len(_GAP) * (len(kept) - 1)
    most = COLUMN_CHARACTERS_MAX
    while (
        most > COLUMN_CHARACTERS_MIN
        and sum(max(least[name], min(wanted[name], most)) for name in kept) > room
    ):
        most -= 1
    return {name: max(least[name], min(wanted[name], most)) for name in kept}


def _padded(cell: str, wide: int, *, right: bool) -> str:
    used = cells_of(cell)
    if used > wide:
        cell = clipped(cell, wide)
        used = cells_of(cell)
    return " " * (wide - used) + cell if right else cell + " " * (wide - used)
