"""What the documents say of the code is so: names, paths, options, tables, settings."""

import re
import sqlite3
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from cognition import CognitionTables
from cognition.choosing import RERANKERS
from replica.storage.schema import migrate
from samemind._catalog import SHORT_FOR
from samemind.catalog import COMMANDS, NAMES
from samemind.config import Settings
from tests.support.console import Examples
from tests.support.published import PAGE, claimed, listed, published
from tests.support.reference import filled, pages
from tests.support.site import TOWNCRIER, changes, shelves

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs" / "explanation" / "architecture.md"
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FRAGMENTS = sorted(
    path for path in (ROOT / "docs" / "changes").iterdir() if path.name not in TOWNCRIER["ignore"]
)
# What only those say who have read the code; options and fields, in backticks, may be called so.
INTERNALS = re.compile(
    r"(?<![`-])\b(?:op kinds?|slots?|folds?|folded|frontiers?|carriers?|frames?|nominees?|tellings?)\b"
    r"|\b(?:put out|event loop|SAYS_SAME|SAME_SLOT|UNLINK)\b|\b(?:tests|replica|sync|cognition|samemind)/\w+"
)
# Decisions are kept as they were made, also when what they name has moved since.
LIVING = [page for page in DOCS if "decisions" not in page.parts and "changes" not in page.parts]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_the_reference_is_what_the_code_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == filled(text), "run: python -m tests.support.reference"


def test_every_path_that_a_document_names_is_there() -> None:
    path = re.compile(r"`((?:replica|sync|cognition|simulations|samemind|tests|docs)/[\w./-]*)`")
    missing = [
        f"{shown(page)}: {named}"
        for page in LIVING
        for named in path.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / named).exists()
    ]
    assert missing == []


def test_every_file_of_the_layers_is_in_the_table_of_where_things_are_done() -> None:
    page = ARCHITECTURE.read_text(encoding="utf-8")
    table = page.partition("## Where is the thing that does X?")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([\w./]+)`", table))
    files = [
        shown(path)
        for package in ("replica", "sync", "cognition", "samemind")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name != "__init__.py"
    ]
    assert [
        name
        for name in files
        if name not in named and not any(f"{folder}/" in named for folder in map(str, Path(name).parents))
    ] == []


def test_every_function_on_the_path_of_a_write_is_where_the_page_says() -> None:
    steps = re.findall(r"`([\w/]+\.py):(\w+)`", ARCHITECTURE.read_text(encoding="utf-8"))
    assert len(steps) > 30
    assert [
        f"{path}:{name}"
        for path, name in steps
        if not re.search(rf"^ *(?:async def|def|class) {name}\b", (ROOT / path).read_text(), re.MULTILINE)
    ] == []


@published("ME-23")
def test_the_six_concerns_of_a_memory_are_each_mapped_to_what_settles_them() -> None:
    page = ARCHITECTURE.read_text(encoding="utf-8")
    section = page.partition("## The six concerns of a memory")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (\w+) \| (.*) \|$", section, re.MULTILINE))
    rows.pop("concern")
    assert set(rows) == {"persistence", "representation", "retrieval", "ranking", "hygiene", "behaviour"}
    for concern, where in rows.items():
        paths = re.findall(r"`([\w./]+)`", where)
        assert paths, concern
        assert all((ROOT / path).exists() for path in paths), concern


def test_every_claim_of_the_first_page_has_its_command_beside_it() -> None:
    """A figure that nobody can have again is worth nothing: each row of the table names what prints it."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.partition("## Don't take our word for it")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert rows
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for row in rows:
        targets = re.findall(r"`make ([a-z-]+)", row)
        modules = [ROOT / name.replace(".", "/") for name in re.findall(r"`python -m (tests\.[\w.]+)", row)]
        assert targets or modules, row
        assert set(targets) <= made, row
        assert all(path.is_dir() or path.with_suffix(".py").exists() for path in modules), row
    measured = re.compile(r"\d(?: ?ms\b| ?%| s\b| MB\b| bytes\b| times\b)")
    prose = re.sub(r"```.*?```", "", page.replace(section, ""), flags=re.DOTALL)
    assert [line for line in prose.splitlines() if measured.search(line) and "`" not in line] == []


# Figures that are settings or bounds, and not what somebody measured.
SET_NOT_MEASURED = {
    "docs/how-to/import-and-export.md": "512 MB",
    "docs/how-to/let-a-model-read.md": "75 %",
    "docs/explanation/attacks.md": "1 MB",
    "docs/how-to/check-a-device.md": "256 MB",
}


def test_every_figure_that_was_measured_has_a_command_in_its_section() -> None:
    """Or in what the page says before its first section. A figure that nobody can have again is worth nothing."""
    figure = re.compile(r"\d[\d,.]*(?: (?:ms|s|MB|GB|µs|%)(?!\w)| ×)")
    command = re.compile(r"\b(?:make [a-z][a-z-]+|python -(?:m [\w.]+|c )|tests/[\w/]+\.py)")
    bare: list[str] = []
    for page in LIVING:
        if {"protocol", "reference"} & set(page.parts):
            continue  # formats and tables of options: a test holds each of those to the code
        first, *sections = re.split(r"^(?=## )", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for section in [first, *sections]:
            prose = re.sub(r"```.*?```", "", section, flags=re.DOTALL)
            figures = {found[0] for found in figure.finditer(prose)} - {SET_NOT_MEASURED.get(shown(page))}
            if figures and not command.search(first + section):
                bare.append(f"{shown(page)}, {section.splitlines()[0]}: {sorted(figures)}")
    assert bare == []


def test_every_command_that_a_document_names_is_there() -> None:
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    missing: list[str] = []
    for page in LIVING:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"(?:`|^)make ([a-z][a-z-]+)", text, re.MULTILINE)
        missing += [f"{shown(page)}: make {name}" for name in named if name not in made]
        for name in re.findall(r"\bRERANKER=([\w-]+)", text):
            assert name in RERANKERS, f"{shown(page)}: RERANKER={name}"
        for module in re.findall(r"python -m\s+((?:tests|simulations|samemind)[\w.]*)", text):
            path = ROOT / module.rstrip(".").replace(".", "/")
            if not (path.is_dir() or path.with_suffix(".py").exists()):
                missing.append(f"{shown(page)}: python -m {module}")
    assert missing == []


def test_every_verb_that_a_document_names_exists() -> None:
    verbs = {*NAMES, *SHORT_FOR, *COMMANDS}
    option = r"(?:--home \S+ |--json |--raw )*"
    called = re.compile(rf"(?:`|^(?:\w*\$ )?)samemind {option}([a-z-]+)(?: ([a-z]+))?", re.MULTILINE)
    unknown = [
        f"{shown(page)}: samemind {verb}"
        for page in [*LIVING, *FRAGMENTS]
        for verb, second in called.findall(page.read_text(encoding="utf-8"))
        if verb not in verbs and f"{verb} {second}" not in verbs
    ]
    assert unknown == []


def test_every_published_statement_that_a_test_claims_is_named_and_none_listed_has_lost_its_test() -> None:
    rows = claimed().keys()
    assert listed(PAGE.read_text(encoding="utf-8")) == rows, "run: python -m tests.support.published"


def test_every_setting_is_documented_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    section = page.partition("## `config.toml`")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == {one.name for one in fields(Settings)}
    for page_with_settings in LIVING:
        for block in re.findall(
            r"^```toml\n(.*?)^```", page_with_settings.read_text("utf-8"), re.MULTILINE | re.DOTALL
        ):
            assert set(tomllib.loads(block)) <= {one.name for one in fields(Settings)}


def test_every_variable_of_the_environment_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    used = {
        name
        for path in (ROOT / "samemind").rglob("*.py")
        for name in re.findall(r"\bSAMEMIND_[A-Z]+\b", path.read_text(encoding="utf-8"))
    }
    assert used == set(re.findall(r"`(SAMEMIND_[A-Z]+)` \|", page))


def test_every_route_of_the_panel_beside_the_verbs_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "http.md").read_text(encoding="utf-8")
    door = (ROOT / "samemind" / "panel" / "door.py").read_text(encoding="utf-8")
    own = re.findall(r'Route\(f"\{(?:base|API)\}/([\w.-]+)"', door)
    assert len(own) >= 20
    assert [name for name in own if f"/{name}`" not in page] == []


def test_every_table_and_every_column_of_what_shows_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection)
        CognitionTables().migrate(connection)
        tables = {
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
            )
            if not re.search(r"^sqlite_|^(memory|wording)_text_", name)
        }
        columns = {
            column
            for table in ("memory", "edge")
            for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        }
    finally:
        connection.close()
    assert sorted((tables | columns) - named) == []


def test_the_runner_of_the_documents_notices_what_is_not_so() -> None:
    """An example stands for one thing: another id in its place, or another word beside it, is a difference."""
    first, second = "01a2008e-fcbf-7fa0-80ee-8a77e4c2342d", "01a2008f-0046-71b4-b9fd-fb824789b18b"
    example = "11111111-2222-7333-8444-555555555555"
    examples = Examples()
    pattern, groups = examples.pattern(f"kept {example}\n")
    found = pattern.fullmatch(f"kept {first}\n")
    assert found is not None
    examples.learn(found, groups)
    assert examples.in_command(f"get {example}") == f"get {first}"
    assert examples.in_command("get 11111111-2222") == f"get {first[:13]}"
    again, _ = examples.pattern(f"kept {example}\n")
    assert again.fullmatch(f"kept {first}\n")
    assert not again.fullmatch(f"kept {second}\n")
    assert not pattern.fullmatch(f"lost {first}\n")
    assert not pattern.fullmatch(f"kept {first}\nand more\n")


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_tells_a_user_one_thing_in_one_paragraph(fragment: Path) -> None:
    name, kind, ending = fragment.name.split(".")
    text = fragment.read_text("utf-8").strip()
    assert kind in {each["directory"] for each in TOWNCRIER["type"]}
    assert ending == "md"
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name)
    assert INTERNALS.findall(text) == []
    if kind != "introduction":
        assert 0 < len(text) <= 600
        assert "\n" not in text
        assert not text.startswith(("- ", "* "))


def test_every_option_that_a_fragment_names_exists() -> None:
    option = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
    known = set(option.findall((ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")))
    unknown = {
        fragment.name: missing
        for fragment in FRAGMENTS
        if (missing := set(option.findall(fragment.read_text("utf-8"))) - known)
    }
    assert unknown == {}


def test_the_page_of_changes_tells_each_fragment_once() -> None:
    waiting = changes().partition("\n## Not released yet\n")[2].partition("\n## ")[0]
    for fragment in FRAGMENTS:
        assert waiting.count(fragment.read_text("utf-8").strip()) == 1, fragment.name


def test_what_is_named_by_its_topic_alone_is_told_first_there() -> None:
    waiting = changes().partition("\n## Not released yet\n")[2].partition("\n## ")[0]
    for fragment in FRAGMENTS:
        name, kind, _ = fragment.name.split(".")
        if "-" not in name and kind in {"added", "changed", "fixed"}:
            text = fragment.read_text("utf-8").strip()
            before = waiting[: waiting.index(text)].rstrip("- \n")
            assert before.splitlines()[-1].startswith("#### "), fragment.name


def test_every_page_stands_on_a_shelf_of_the_site() -> None:
    """`make docs` refuses a page that none of them leads to."""
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    placed = set(re.findall(r"[\w/-]+\.md", str(shelves())))
    fragments = {name for name in pages if name.startswith("changes/") and name != "changes/changelog.md"}
    assert pages - fragments - placed == set()
