"""Print for whoever sits at a terminal: ids as short as may be typed, rows that fit, and colour.

What a program reads through a pipe is none of this: there ids are whole, and a line is as long as what it says.
"""

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from samemind.formats.printable import one_line
from samemind.formats.rendering import clock, none_listed

# A page of results has fewer; of more than that the rest stays whole.
SHORTENED_MAX: Final = 1_000
# A whole memory id, as all results write it.
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Typed or told by people, who may write what looks like an id.
_WORDS: Final = frozenset({"text", "value", "undo", "name", "detail"})
# What is said is read; the rest tells where it is. Not the colours 0 and 7, which one of two backgrounds hides.
_DIM, _BOLD, _RED, _GREEN, _YELLOW = 2, 1, 31, 32, 33
_COLOURS: Final = (
    (re.compile(r"^(ok )(?= )"), _GREEN),
    (re.compile(r"^(NOT)(?= )"), _RED),
    (re.compile(r"^(\d\.\d{4})(?=  )"), _DIM),
    (re.compile(r"\b([0-9a-f]{8}-[0-9a-f]{4}[0-9a-f-]*)\b"), _DIM),
    (re.compile(r"(in dispute: [0-9a-f]+)"), _YELLOW),
    (re.compile(r"^ +(in dispute: .*)"), _YELLOW),
    (re.compile(r"^ +(believed now: .*)"), _GREEN),
)
_ELLIPSIS: Final = "…"
# So much of a memory tells it from others.
WORDS_CELLS_MIN: Final = 24


def colour_wanted(environment: Mapping[str, str]) -> bool:
    """Say whether a terminal is to be coloured: https://no-color.org, and terminals that say they cannot."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def ids_in(document: Any) -> list[str]:
    """Return the whole ids that stand in a result, each once and in their order, as far as they are shortened."""
    found: dict[str, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, str):
            if _ID.fullmatch(value):
                found[value] = None
        elif isinstance(value, Mapping):
            for name, each in value.items():
                if name not in _WORDS:
                    look(each)
        elif isinstance(value, list):
            for each in value:
                look(each)

    look(document)
    return list(found)[:SHORTENED_MAX]


def with_short_ids(document: Any, short_of: Mapping[str, str]) -> Any:
    """Return a result in which ids are as short as `short_of` has them; words that people wrote stay as they are."""
    if isinstance(document, str):
        return short_of.get(document, document)
    if isinstance(document, Mapping):
        return {
            name: value if name in _WORDS else with_short_ids(value, short_of)
            for name, value in document.items()
        }
    if isinstance(document, list):
        return [with_short_ids(each, short_of) for each in document]
    return document


def shortened(
    document: Mapping[str, Any], ask: Callable[[list[str]], Mapping[str, Any] | None]
) -> Mapping[str, Any]:
    """Return a result with its ids as short as `ask`, which gives what the verb `ids` returns, says of them."""
    ids = ids_in(document)
    told = ask(ids) if ids else None
    if told is None:
        return document
    short: Mapping[str, Any] = with_short_ids(document, {each["id"]: each["short"] for each in told["ids"]})
    return short


def memory_rows(document: Mapping[str, Any], line_of: Callable[[Mapping[str, Any]], str]) -> list[str]:
    """Return a list of memories as rows of one line each: id, when it was told, where if there are several devices."""
    memories = document["memories"]
    if not memories:
        return none_listed(document)
    several = len({memory["device_name"] for memory in memories}) > 1
    wide = max(len(memory["rid"]) for memory in memories)
    far = max(len(one_line(memory["device_name"] or "")) for memory in memories)
    rows = []
    for memory in memories:
        where = f"  {one_line(memory['device_name'] or ''):<{far}}" if several else ""
        head = f"{memory['rid']:<{wide}}  {clock(memory.get('told_at') or memory['created_at'])}{where}  "
        # A terminal with no room for words goes on in the next line.
        width = max(shutil.get_terminal_size().columns, cells_of(head) + WORDS_CELLS_MIN)
        rows.append(clipped(head + line_of(memory), width))
    left = document["total"] - len(rows)
    return [*rows, f"and {left} more: -n {document['total']} shows all"] if left > 0 else rows


def cells_of(text: str) -> int:
    """Return how wide a text is on a terminal, where some characters take two cells, and some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # quick to load, and only where somebody looks

    return cell_len(text)


def clipped(line: str, width: int) -> str:
    """Return a line that is at most so wide, in the cells of a terminal."""
    if cells_of(line) <= width:
        return line
    from rich.cells import chop_cells

    return (chop_cells(line, width - 1)[0].rstrip() if width > 1 else "") + _ELLIPSIS


def coloured(lines: Iterable[str]) -> list[str]:
    """Return lines in which what only tells where something is steps back, and what wants to be seen stands out."""
    return [_coloured(line) for line in lines]


def painted_names(line: str) -> str:
    """Return the line of a table that names its columns, as it stands out."""
    return f"\x1b[{_BOLD}m{line}\x1b[0m"


def painted_error(text: str) -> str:
    """Return what stands before an error in the colour of errors."""
    return f"\x1b[{_RED}m{text}\x1b[0m"


def _coloured(line: str) -> str:
    for pattern, colour in _COLOURS:
        line = pattern.sub(lambda found, colour=colour: _painted(found, colour), line)  # type: ignore[misc]
    return line


def _painted(found: re.Match[str], colour: int) -> str:
    start = found.start(1) - found.start()
    whole = found[0]
    return f"{whole[:start]}\x1b[{colour}m{found[1]}\x1b[0m{whole[start + len(found[1]) :]}"
