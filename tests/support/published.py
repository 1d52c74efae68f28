"""Mark which published statement a test holds us to, and list them: `python -m tests.support.published`.

A statement is known by a row, as YD-57: `@published("YD-57")` claims it. The page names the source, the promise and the
tests of each row. It is not held to the letter: what a test holds is that no row of it has lost its tests, and that it
names every row that is claimed.
"""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "published.md"
# Where the rows come from: beside some copies of the tree. Without it the promises stay as the page has them.
CONTRACT: Final = ROOT.parent / "shared" / "spec" / "SEED_FEATURES.md"
SOURCES: Final = {
    "ML": "memlocal",
    "PM": "PMB",
    "YD": "YantrikDB",
    "ME": "Memori",
    "LO": "Lokul, phase 4",
    "D": "Where these disagree",
    "E": "Their errors, gaps and traps",
}
_BEGIN: Final = "<!-- rows -->\n"
_ROW: Final = re.compile(rf"^\| ((?:{'|'.join(SOURCES)})-\d+) \| (.*?) \|", re.MULTILINE)


def published(*rows: str) -> pytest.MarkDecorator:
    """Claim rows of the page for a test, as `@published("YD-57")`; run those of one by `pytest --published YD-57`."""
    return pytest.mark.published(*rows)


def claimed() -> dict[str, list[str]]:
    """Return the sentences of the tests that claim a row, by row."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            sentence = node.name.removeprefix("test_").replace("_", " ")
            for row in _rows_of(node):
                if sentence not in found.setdefault(row, []):
                    found[row].append(sentence)
    return found


def _rows_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [
        str(ast.literal_eval(row))
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "published"
        for row in mark.args
    ]


def listed(text: str) -> set[str]:
    """Return the rows that a page lists with their tests."""
    return {found[1] for found in _ROW.finditer(text.partition(_BEGIN)[2])}


def _promises(text: str) -> dict[str, str]:
    """Return what each row promises: as the list of features says it, where it is here, else as the page does."""
    promised = {found[1]: found[2] for found in _ROW.finditer(text.partition(_BEGIN)[2])}
    if CONTRACT.is_file():
        for line in CONTRACT.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if re.fullmatch(r"(?:ML|PM|YD|ME|LO)-\d+", cells[0]) and len(cells) >= 4:
                promised[cells[0]] = f"{cells[2]}: {cells[3]}"
            elif short := re.fullmatch(r"([DE])-(\d+)(?: (.*))?", cells[0]):
                row = f"{short[1]}-{int(short[2]):02d}"
                promised[row] = short[3] or cells[1]
    return promised


def _tables(promised: dict[str, str]) -> str:
    rows = claimed()
    parts: list[str] = []
    for prefix, source in SOURCES.items():
        own = sorted(row for row in rows if row.partition("-")[0] == prefix)
        parts += [f"\n## {source}\n", "| row | promise | what the tests hold |", "| --- | --- | --- |"]
        parts += [f"| {row} | {promised.get(row, '')} | {'; '.join(sorted(rows[row]))} |" for row in own]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page.partition(_BEGIN)[0] + _BEGIN + _tables(_promises(page)), encoding="utf-8")
