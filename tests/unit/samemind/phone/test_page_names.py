"""What no tool sees in the page: names of Python's classes in strings, and by which clock it waits."""

import re
from importlib import import_module
from pathlib import Path

import samemind.phone
from replica import NameNotFound
from samemind.phone.host import LooksSecret

_PAGE = Path(samemind.phone.__file__).with_name("page")
_IMPORTED = re.compile(r'const \{ (\w+) \} = python\.pyimport\("([\w.]+)"\)')
_CAUGHT = re.compile(r'error\.name === "(\w+)"')


def test_what_the_worker_imports_is_there() -> None:
    found = _IMPORTED.findall((_PAGE / "worker.js").read_text())
    assert found
    for name, module in found:
        assert hasattr(import_module(module), name), (module, name)


def test_the_errors_that_a_page_knows_by_name_are_the_hosts() -> None:
    caught = {*_CAUGHT.findall((_PAGE / "views.js").read_text())}
    assert caught == {LooksSecret.__name__, NameNotFound.__name__}


def test_what_passed_is_measured_by_a_clock_that_nobody_sets() -> None:
    """After a clock was set back by a year, a link whose other end was gone stood for a year."""
    worker = (_PAGE / "worker.js").read_text()
    assert "performance.now() - heard" in worker
    assert not re.findall(r"Date\.now\(\) -|(?:heard|asking|asked|linkedAt) = Date\.now\(\)", worker)
