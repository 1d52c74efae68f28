"""The heads of packages load what they export when it is asked for, and say the same to type checkers."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADS = sorted(
    path
    for package in ("replica", "sync", "cognition")
    for path in ROOT.joinpath(package).rglob("__init__.py")
    if "__getattr__ = exports(" in path.read_text()
)


def name_of(head: Path) -> str:
    return head.parent.relative_to(ROOT).as_posix().replace("/", ".")


def shown_to_checkers(tree: ast.Module, package: str) -> dict[str, list[str]]:
    """What the `if TYPE_CHECKING:` block imports: names by module, modules without the package."""
    (block,) = (
        each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"
    )
    return {
        each.module.removeprefix(f"{package}."): sorted(alias.name for alias in each.names)
        for each in block.body
        if isinstance(each, ast.ImportFrom) and each.module is not None
    }


def loaded_later(tree: ast.Module) -> dict[str, list[str]]:
    """What `exports` is given."""
    (call,) = (
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "exports"
    )
    return {module: sorted(names) for module, names in ast.literal_eval(call.args[1]).items()}


@pytest.mark.parametrize("head", HEADS, ids=name_of)
def test_a_head_exports_what_it_shows_to_type_checkers(head: Path) -> None:
    """The two lists, and `__all__`, name the same."""
    package = name_of(head)
    tree = ast.parse(head.read_text())
    shown = shown_to_checkers(tree, package)
    assert shown == loaded_later(tree)
    assert sorted(name for names in shown.values() for name in names) == sorted(
        import_module(package).__all__
    )


@pytest.mark.parametrize("head", HEADS, ids=name_of)
def test_no_export_is_called_like_a_module_beside_it(head: Path) -> None:
    """Once that module is loaded, the package would have the module under this name."""
    modules = {path.stem for path in head.parent.iterdir()}
    assert modules.isdisjoint(import_module(name_of(head)).__all__)


@pytest.mark.parametrize("head", HEADS, ids=name_of)
def test_everything_that_a_head_exports_is_there(head: Path) -> None:
    """Each comes from the module that is named for it, and nothing else comes at all."""
    package = import_module(name_of(head))
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense


def test_a_head_alone_loads_nothing_beside_it() -> None:
    """Whoever wants one module of a package gets that one."""
    script = (
        f"import sys; import {', '.join(map(name_of, HEADS))};"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('replica', 'sync', 'cognition')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    heads = set(map(name_of, HEADS))
    assert set(done.stdout.split()) == heads | {"replica.lazily", "sync"}
