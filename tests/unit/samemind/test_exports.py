"""What public methods return can be named by whoever calls them, and type checkers see all of it."""

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints
from uuid import UUID

import pytest

import samemind
from cognition.ingest.sensory import Kind as SensedKind
from samemind.formats import arguments
from samemind.library.blocking import BlockingMind
from samemind.library.mind import Mind

ROOT = Path(__file__).parents[3]


def public_methods(kind: type) -> list[tuple[str, Callable[..., Any]]]:
    return [(name, method) for name, method in inspect.getmembers(kind, callable) if not name.startswith("_")]


def ours(hint: Any) -> Iterator[type]:
    """The types of this package in an annotation."""
    if isinstance(hint, type) and hint.__module__.startswith("samemind"):
        yield hint
    for part in get_args(hint):
        yield from ours(part)


def reached_from(hint: Any, seen: set[type]) -> set[type]:
    """The types that are returned, and those in their fields."""
    for kind in ours(hint):
        if kind not in seen:
            seen.add(kind)
            for inner in get_type_hints(kind).values() if is_dataclass(kind) else ():
                reached_from(inner, seen)
    return seen


def returned() -> set[type]:
    found: set[type] = set()
    # Annotations are for checkers: at run time the names in them are loaded when they are asked for.
    names = {
        "SensedKind": SensedKind, "UUID": UUID, "os": os,
        "Callable": Callable, "Iterable": Iterable, "Mapping": Mapping,
        **vars(arguments), **{name: getattr(samemind, name) for name in samemind.__all__},
    }  # fmt: skip
    for _, method in public_methods(Mind):
        reached_from(get_type_hints(method, localns=names).get("return"), found)
    return found


def test_every_type_that_a_method_returns_is_exported() -> None:
    """By its own name, and so is every type in a field of one."""
    assert len(returned()) > 80
    assert {kind.__name__ for kind in returned()} - set(samemind.__all__) == set()
    assert all(getattr(samemind, kind.__name__) is kind for kind in returned())


def test_checkers_are_shown_what_is_exported() -> None:
    """The block for type checkers, the names by module, and `__all__` are the same."""
    tree = ast.parse((ROOT / "samemind" / "__init__.py").read_text())
    (block,) = (
        each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
    )
    shown = {
        alias.name: each.module
        for each in block.body
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("samemind.")
        for alias in each.names
    }
    assert shown == samemind._MODULE_OF
    assert {*shown, "open", "open_blocking"} == set(samemind.__all__)


@pytest.mark.parametrize("kind", [Mind, BlockingMind])
def test_every_public_method_says_what_it_does(kind: type) -> None:
    """In a sentence at least."""
    assert [name for name, method in public_methods(kind) if not (method.__doc__ or "").strip()] == []


def test_a_program_of_a_user_passes_a_strict_type_checker(tmp_path: Path) -> None:
    """mypy, from outside of this tree, with no setting of ours; and a slip in such a program is found."""
    program = tmp_path / "program.py"
    program.write_text((ROOT / "tests" / "typing" / "program.py").read_text())
    checked = check(program)
    assert checked.returncode == 0, checked.stdout
    program.write_text(program.read_text().replace("assert_type(listed, samemind.Listed)", "listed.memory"))
    assert 'has no attribute "memory"' in check(program).stdout


def check(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(program.parent / "cache"),
         "--follow-imports=silent", str(program)],
        capture_output=True, text=True, check=False, timeout=300, cwd=program.parent,
        env={"MYPYPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
