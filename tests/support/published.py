"""List what the published systems state and which test holds us to it: `python -m tests.support.published`.

A statement is known by a row, as YD-57, and a test claims it by its name. The page is not held to the letter: what a
test holds is that no row of it has lost its tests, and that it names every row that is claimed.
"""

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "published.md"
_BEGIN: Final = "<!-- rows -->\n"
_CLAIM: Final = re.compile(r"test_((?:ml|pm|yd|me|lo|d|e)_\d+)_(\w+)")
SOURCES: Final = {
    "ML": "memlocal",
    "PM": "PMB",
    "YD": "YantrikDB",
    "ME": "Memori",
    "LO": "Lokul, phase 4",
    "D": "Where these disagree",
    "E": "Their errors, gaps and traps",
}


def claimed() -> dict[str, list[str]]:
    """Return the sentences of the tests that claim a row, by row."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
                claim := _CLAIM.fullmatch(node.name)
            ):
                prefix, _, number = claim[1].upper().partition("_")
                sentence = claim[2].replace("_", " ")
                row = f"{prefix}-{int(number):02d}"
                if sentence not in found.setdefault(row, []):
                    found[row].append(sentence)
    return found


def listed(text: str) -> set[str]:
    """Return the rows that a page lists with their tests."""
    return set(re.findall(r"^\| ((?:ML|PM|YD|ME|LO|D|E)-\d+) \|", text, re.MULTILINE))


def _tables() -> str:
    rows = claimed()
    parts: list[str] = []
    for prefix, source in SOURCES.items():
        own = sorted(row for row in rows if row.partition("-")[0] == prefix)
        parts += [f"\n## {source}\n", "| row | what the tests hold |", "| --- | --- |"]
        parts += [f"| {row} | {'; '.join(sorted(rows[row]))} |" for row in own]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    prose = PAGE.read_text(encoding="utf-8").partition(_BEGIN)[0]
    PAGE.write_text(prose + _BEGIN + _tables(), encoding="utf-8")
