"""What CONTRIBUTING.md says is done on a copy of the tree, and nothing else has to change for it."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replica.ops import OpKind

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
COPIED = ("samemind", "cognition", "replica", "sync", "simulations", "tests/support", "tests/bench", "docs")
SECONDS_MAX = 300
# What is said of a memory: a file that names all of these handles its cell.
SAID_IN_A_CELL = ("adds", "fields", "edits", "accesses", "claims", "verdicts", "triggers", "labels")
# Written by the two commands that the page names.
GENERATED = re.compile(
    r"samemind/(__init__|_catalog|library/_methods|library/_blocking_methods)\.py|docs/reference/[\w-]+\.md"
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        # With what is compiled, since some thirty processes load it; but not what another process is just writing
        # there, which is under another name by the time it would be copied.
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("tests/__init__.py", "tests/conftest.py", "pyproject.toml"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, root / name)
    return root


def blocks(section: str) -> list[tuple[str, str]]:
    """Return the Python blocks of a section, each with the file named last before it."""
    (text,) = re.findall(
        rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    parts = re.split(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    named = [re.findall(r"`([\w/]+\.py)`", prose) for prose in parts[::2]]
    return [(named[at][-1] if named[at] else "", code) for at, code in enumerate(parts[1::2])]


def run(copy: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(copy: Path) -> dict[str, bytes]:
    found = (path for path in copy.rglob("*") if path.suffix in {".py", ".md", ".json"})
    return {path.relative_to(copy).as_posix(): path.read_bytes() for path in found}


def changed_by_hand(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert any(GENERATED.fullmatch(name) for name in changed), "the generator has nothing to say of it"
    return {name for name in changed if not GENERATED.fullmatch(name)}


def generate(copy: Path) -> None:
    run(copy, "-m", "samemind._tools.generate")
    run(copy, "-m", "tests.support.reference")


def lint(copy: Path, names: set[str]) -> None:
    """Hold files to what `make lint` holds them to."""
    files = sorted(names)
    run(copy, "-m", "ruff", "format", "--check", "--no-cache", *files)
    run(copy, "-m", "ruff", "check", "--no-cache", *files)
    run(copy, "-m", "mypy", "--cache-dir", f"{copy}.mypy", "--follow-imports=silent", *files)


def told(copy: Path, home: Path, *words: str) -> list[str]:
    document = json.loads(run(copy, "-m", "samemind", "--home", str(home), "oldest", "--json", *words))
    return [memory["text"] for memory in document["memories"]]


@pytest.fixture(scope="module")
def with_command(copy: Path) -> tuple[Path, set[str]]:
    generate(copy)  # what is behind already is no matter of the command
    before = contents(copy)
    for name, code in blocks("Add a command"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(code, "utf-8")
    generate(copy)
    return copy, changed_by_hand(before, contents(copy))


def test_a_command_is_its_file_and_its_test(with_command: tuple[Path, set[str]], tmp_path: Path) -> None:
    copy, changed = with_command
    assert changed == {"samemind/commands/past/oldest.py", "tests/unit/samemind/test_oldest.py"}
    lint(copy, changed)
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/samemind/test_oldest.py")
    assert told(copy, tmp_path) == []
    assert "`samemind oldest`" in (copy / "docs/reference/cli.md").read_text("utf-8")
    assert "--limit" in run(copy, "-m", "samemind", "help", "oldest")


def test_an_option_is_one_file(with_command: tuple[Path, set[str]], tmp_path: Path) -> None:
    copy, _ = with_command
    home = tmp_path / "home"
    for speaker, text in (("Bob", "I bake on Sundays"), ("Ann", "I moved to Lisbon")):
        run(copy, "-m", "samemind", "--home", str(home), "remember", text, "--speaker", speaker)
    before = contents(copy)
    ((_, code),) = blocks("Add an option")
    file = copy / "samemind/commands/past/oldest.py"
    file.write_text(replaced(file.read_text("utf-8"), code), "utf-8")
    generate(copy)
    changed = changed_by_hand(before, contents(copy))
    assert changed == {"samemind/commands/past/oldest.py"}
    lint(copy, changed)
    assert told(copy, home) == ["I bake on Sundays", "I moved to Lisbon"]
    assert told(copy, home, "--speaker", "Ann") == ["I moved to Lisbon"]
    assert (
        "speaker: str | None = None"
        in (copy / "samemind/library/_methods.py").read_text("utf-8").split("def oldest(")[1]
    )


def test_a_signal_is_its_file_and_its_test(copy: Path) -> None:
    before = contents(copy)
    for name, code in blocks("Add a signal"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(code, "utf-8")
    added = {name for name, content in contents(copy).items() if before.get(name) != content}
    assert added == {"cognition/ranking/signals/itemised.py", "tests/unit/cognition/test_itemised.py"}
    lint(copy, added)
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/cognition/test_itemised.py")
    assert "itemised" in run(copy, "-c", "from tests.bench.families import NAMES; print(NAMES)"), (
        "it is fitted like any other"
    )


# An older program's store: it does not know moods, and was told some by a newer device.
TELLS_A_MOOD = """
import sys
from pathlib import Path

import trio

from replica import Remember, Set, Write, new_memory_id, show_memory_id
from samemind.config import Home
from samemind.device import open_device


async def main() -> None:
    async with open_device(Home.at(Path(sys.argv[1])), program="a test", answers=False) as device:
        rid = new_memory_id(device.now_ms(), device.random)
        told = [Write(Remember("Ann moved to Lisbon", {}), rid), Write(Set("mood", "glad"), rid)]
        await device.replica.run(lambda core, _: core.commit(told, device.now_ms()))
        print(show_memory_id(rid))


trio.run(main)
"""


def test_a_field_is_three_files_and_older_stores_show_what_they_kept_of_it(
    copy: Path, tmp_path: Path
) -> None:
    for folder in ("tests/unit/replica", "tests/unit/samemind"):
        (copy / folder).mkdir(parents=True, exist_ok=True)
    for name in ("tests/unit/replica/test_fields.py", "tests/unit/samemind/test_declare.py"):
        shutil.copy(ROOT / name, copy / name)
    generate(copy)
    home = tmp_path / "home"
    rid = run(copy, "-c", TELLS_A_MOOD, str(home)).strip()
    before = contents(copy)
    for name, code in blocks("Add a field of a memory"):
        file = copy / name
        file.write_text(behind_apart(file.read_text("utf-8"), code), "utf-8")
    page = copy / "docs/reference/op-kinds.md"
    (row,) = re.findall(r"(?m)^    (\| `mood` \|.*\n)", PAGE.read_text("utf-8"))
    page.write_text(page.read_text("utf-8") + row, "utf-8")
    generate(copy)
    changed = changed_by_hand(before, contents(copy))
    shipped = {"replica/fields.py", "replica/storage/schema.py", "samemind/formats/memory_view.py"}
    assert changed - shipped == {"tests/unit/replica/test_fields.py"}, (
        "and its row, on a page of the reference"
    )
    assert shipped <= changed
    lint(copy, changed - {"docs/reference/op-kinds.md"})
    tests = ("tests/unit/replica/test_fields.py", "tests/unit/samemind/test_declare.py")
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)

    def mood() -> object:
        (memory,) = json.loads(run(copy, *command, "list", "--json"))["memories"]
        return memory["mood"]

    command = ("-m", "samemind", "--home", str(home))
    assert mood() == "glad", "what was kept while nobody here knew it"
    run(copy, *command, "set", rid, "mood=calm")
    assert mood() == "calm"
    run(copy, *command, "verify")


def behind_apart(source: str, code: str) -> str:
    """Put a line behind that of the field `apart`, as that one stands; or a definition at the end."""
    if code.startswith("@"):
        return f"{source}\n\n{code}"
    (line,) = re.findall(r'(?m)^ +(?:Field\("apart"|"apart":|apart:).*\n', source)
    indent, comma = line[: len(line) - len(line.lstrip())], "," * line.endswith(",\n")
    return source.replace(line, f"{line}{indent}{code.rstrip()}{comma}\n")


def test_the_files_of_an_op_kind_are_those_that_know_the_newest_one() -> None:
    page = PAGE.read_text("utf-8").split("## Add an op kind")[1]
    listed, of_cells = (files(table) for table in page.split("Most kinds say"))
    newest = max(OpKind)
    words = (newest.name, newest.name.title().replace("_", ""), str(int(newest)))
    for name in listed:
        assert any(re.search(rf"\b{word}\b", (ROOT / name).read_text("utf-8")) for word in words), name
    body = re.compile(rf"\bops\.{words[1]}\b")
    knowing = {
        path.relative_to(ROOT).as_posix()
        for root in ("replica", "sync", "simulations", "tests/property")
        for path in (ROOT / root).rglob("*.py")
        if body.search(path.read_text("utf-8"))
    }
    assert knowing <= listed
    cell = [re.compile(rf"\b{name}\b") for name in SAID_IN_A_CELL]
    handling = {
        path.relative_to(ROOT).as_posix()
        for root in ("replica", "sync", "simulations", "tests/support", "tests/property")
        for path in (ROOT / root).rglob("*.py")
        if all(field.search(path.read_text("utf-8")) for field in cell)
    }
    assert handling <= listed | of_cells
    assert all((ROOT / name).exists() for name in of_cells)


def files(table: str) -> set[str]:
    return set(re.findall(r"(?m)^\| `([\w/.-]+)` \|", table))


def replaced(source: str, code: str) -> str:
    """Put each definition of a block in the place of the one of the same name."""
    for node in ast.parse(code).body:
        assert isinstance(node, ast.ClassDef | ast.AsyncFunctionDef)
        (old,) = (each for each in ast.parse(source).body if getattr(each, "name", None) == node.name)
        assert isinstance(old, ast.ClassDef | ast.AsyncFunctionDef)
        lines = source.split("\n")
        lines[_first(old) - 1 : old.end_lineno] = code.split("\n")[_first(node) - 1 : node.end_lineno]
        source = "\n".join(lines)
    return source


def _first(node: ast.ClassDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])
