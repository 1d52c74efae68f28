"""A browser has no trio, numpy or cryptography: the phone's part loads without them."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.support.phone_compile import is_left_out
from tests.support.phone_wheel import LEFT_OUT

_SCRIPT = """
import sys

GONE = {"trio", "outcome", "numpy", "aiosqlite", "zeroconf", "ifaddr", "nacl", "cffi", "_cffi_backend", "rich"}
GONE |= {"cryptography", "pycrdt", "asyncio", "ssl", "socket", "threadpoolctl", "wordllama"}


class Nobody:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ImportError(name)


sys.meta_path.insert(0, Nobody())
from samemind.phone import stand_ins

stand_ins.install()
import samemind.phone.entry
import samemind.phone.mail  # loaded where there are mailboxes

print(*sorted({name for name in sys.modules if name.startswith("samemind.")}))
"""


def test_it_loads_without_what_a_browser_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    others = [name for name in done.stdout.split() if not name.startswith("samemind.phone")]
    assert others == []


def test_what_it_loads_later_on_loads_too() -> None:
    """A module that is asked for within a function is loaded on the day that a phone needs it."""
    asks_later = f"""{_SCRIPT}
import ast
from importlib import import_module
from importlib.util import find_spec

seen, later, lacking = set(), {{name for name in sys.modules if name.partition(".")[0] in {_OURS}}}, set()
while later:
    name = later.pop()
    seen.add(name)
    try:
        import_module(name)
    except ImportError:
        lacking.add(name)
        continue
    for node in ast.walk(ast.parse(open(find_spec(name).origin).read())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for each in ast.walk(node):
                if isinstance(each, ast.ImportFrom) and each.module.partition(".")[0] in {_OURS}:
                    later |= {{each.module}} - seen
print(*sorted(lacking))
"""
    done = subprocess.run([sys.executable, "-c", asks_later], capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()[-1].split()) == _NEVER


def test_it_asks_for_nothing_that_the_page_leaves_out() -> None:
    """What is left out is in nothing that a phone has loaded, and nothing of that asks for it later on."""
    done = subprocess.run(
        [sys.executable, "-c", f"{_SCRIPT}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    loaded = [name for name in done.stdout.split() if name.partition(".")[0] in _OURS]
    patterns = tomllib.loads(LEFT_OUT.read_text())["modules"]
    assert len(loaded) > 100
    asked = {(name, each) for name in loaded for each in _imports_of(name)}
    assert {(name, each) for name, each in asked if _is_left_out(each, patterns)} == set()
    assert _is_left_out("email.message", patterns)
    assert not _is_left_out("datetime", patterns)


_OURS: Final = ("replica", "sync", "cognition", "samemind")
# No phone links what it was told (`TellingReader(links=False)`), has a certificate of others, or runs the library.
_NEVER: Final = {
    "cognition.ingest.linking",
    "samemind.library.blocking",
    "samemind.library.opening",
    "sync.foreign_certificates",
}


def _imports_of(name: str) -> Iterator[str]:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text())):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module


def _is_left_out(module: str, patterns: list[str]) -> bool:
    path = module.replace(".", "/")
    return is_left_out(f"{path}.py", patterns) or is_left_out(f"{path}/__init__.py", patterns)
