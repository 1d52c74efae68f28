"""The page names classes of Python by strings, which no tool that renames them sees: each is there."""

import re
from importlib import import_module
from pathlib import Path

import samemind.phone
from samemind.phone.host import LooksSecret

_PAGE = Path(samemind.phone.__file__).with_name("page")
_IMPORTED = re.compile(r'const \{ (\w+) \} = python\.pyimport\("([\w.]+)"\)')
_CAUGHT = re.compile(r'error\.name === "(\w+)"')


def test_what_the_worker_imports_is_there() -> None:
    found = _IMPORTED.findall((_PAGE / "worker.js").read_text())
    assert found
    for name, module in found:
        assert hasattr(import_module(module), name), (module, name)


def test_the_error_that_a_page_knows_by_name_is_the_hosts() -> None:
    assert _CAUGHT.findall((_PAGE / "views.js").read_text()) == [LooksSecret.__name__]
