"""Print the records of a result as rows for other programs, or as a table: `--format table|csv|jsonl|json`.

Nested values stand in a cell as JSON.
"""

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from samemind.printable import one_line

# A column of this many characters can still be read beside three others on a wide terminal.
COLUMN_CHARACTERS_MAX: Final = 60
# Long, and of use to programs alone: the other formats have them.
_NOT_IN_A_TABLE: Final = frozenset({"device", "device_id", "hash", "op_id", "origin", "updated_at", "why"})
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(Z?)")
_IDS: Final = frozenset({"rid", "id", "short"})
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
    """Return a cell for people: times to the minute."""
    cell = _cell(value)
    found = _TIME.fullmatch(cell)
    return f"{found[1]} {found[2]}{found[3]}" if found else one_line(cell)


def _csv(rows: Sequence[Row]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    columns = _columns(rows)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return written.getvalue().removesuffix("\n")


def _table(rows: Sequence[Row]) -> str:
    """Return rows under their names; a column in which nothing stands is left out."""
    from rich.console import Console  # who asks for a table can wait for what draws it
    from rich.table import Table
    from rich.text import Text

    columns = [
        name
        for name in _columns(rows)
        if name not in _NOT_IN_A_TABLE and any(row.get(name) not in (None, [], {}, "", False) for row in rows)
    ]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        numbers = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(
            name,
            justify="right" if numbers else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=COLUMN_CHARACTERS_MAX,
            # An id that is cut names nothing.
            min_width=max(len(_cell(row.get(name))) for row in rows) if name in _IDS else None,
        )
    for row in rows:
        table.add_row(*(Text(_seen(row.get(name))) for name in columns))
    drawn = io.StringIO()
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    Console(file=drawn, highlight=False, width=width).print(table)
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines())
