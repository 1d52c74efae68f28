"""Who may read and write the replica's tables: the replica. Other packages ask it, in `replica.reads` and beside it.

Where a table of `cognition` is joined with them, it is joined with the views that the replica promises.
"""

import ast
import re
from pathlib import Path

from replica.storage.views import VIEWS

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "replica" / "storage" / "schema.py"


def tables() -> set[str]:
    """The names of the replica's own tables."""
    created = re.findall(r"CREATE (?:TEMP )?TABLE (?:IF NOT EXISTS )?(\w+)", SCHEMA.read_text())
    return set(created) - {"more"}


def statements_over(names: set[str], source: str) -> list[str]:
    """The texts in a module that are SQL over any of these tables; docstrings are prose."""
    over = re.compile(rf"\b(?:FROM|JOIN|INTO|UPDATE|TABLE|ON)\s+(?:{'|'.join(sorted(names))})\b(?!\.)")
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(each.value) for each in node.values if isinstance(each, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if over.search(text):
            found.append(text)
    return found


def outside() -> set[str]:
    names = tables()
    return {
        path.relative_to(ROOT).as_posix()
        for package in ("samemind", "cognition", "sync")
        for path in ROOT.joinpath(package).rglob("*.py")
        if statements_over(names, path.read_text())
    }


def test_the_replicas_tables_are_known() -> None:
    """Or the rule below would hold of nothing."""
    assert {"memory", "feed", "op", "member", "tombstone", "edge", "claim"} <= tables()
    assert statements_over({"memory"}, 'x = f"SELECT {y} FROM memory m"; """prose from memory"""') != []
    assert statements_over({"memory"}, 'x = "words from memory"') == []


def test_sql_over_the_replicas_tables_stands_in_the_replica() -> None:
    """A column that is renamed is renamed there, and nowhere else."""
    assert outside() == set(), "ask replica.reads, or add a function to it"


def test_the_views_are_for_joins_of_cognition() -> None:
    """Other packages have no tables to join with, and nobody writes through a view."""
    assert {"shown_memory", "shown_claim", "known_feed"} <= VIEWS.keys()
    users = {
        path.relative_to(ROOT).as_posix(): found
        for package in ("samemind", "cognition", "sync")
        for path in ROOT.joinpath(package).rglob("*.py")
        if (found := statements_over(set(VIEWS), path.read_text()))
    }
    assert {name for name in users if not name.startswith("cognition/")} == set()
    written = re.compile(rf"\b(?:INTO|UPDATE|TABLE|DELETE FROM)\s+(?:{'|'.join(VIEWS)})\b")
    assert [text for found in users.values() for text in found if written.search(text)] == []
