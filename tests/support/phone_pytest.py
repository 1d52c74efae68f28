"""Run tests with pytest in a phone's Python: `run_in_node` gives what pytest is to be given.

pytest comes from this machine's own environment, and nothing else does: what a phone has not, a test cannot import.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

_OF_PYTEST: Final = frozenset(
    {
        *("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py"),
        "sortedcontainers",
    }
)
# Of each law at most: other tests try more, on an interpreter that is several times as fast. Here the question is
# whether this interpreter obeys it too, and what only the fortieth example finds is no matter of the interpreter.
_EXAMPLES_MAX: Final = 8
# Where `phone_page` puts what is compiled for this Python, and where this keeps the bytecode of what it imports: to
# compile pytest, hypothesis and the tests takes longer than starting the interpreter.
_COMPILED: Final = "/build/testing"
_BYTECODE: Final = "/build/testing-bytecode"
_OPTIONS: Final = (
    *("-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--noconftest", "-c", "/dev/null"),
    *("--rootdir=/root", "--import-mode=importlib", "-W", "ignore", "--tb=short"),
)


class _Pytest(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, ["/site"]) if name in _OF_PYTEST else None


def _zstandard() -> ModuleType:
    """Some tests compress by the library of other devices; a phone's Python has its own."""
    from compression import zstd  # type: ignore[import-not-found]  # of Python 3.14

    class Compressor:
        def __init__(self, level: int = 3, **_: Any) -> None:
            self._level = level

        def compress(self, data: bytes) -> bytes:
            return bytes(zstd.compress(data, self._level))

    class Decompressor:
        def decompress(self, data: bytes, **_: Any) -> bytes:
            return bytes(zstd.decompress(data))

    made = ModuleType("zstandard")
    vars(made).update(
        ZstdCompressor=Compressor,
        ZstdDecompressor=Decompressor,
        compress=zstd.compress,
        decompress=zstd.decompress,
    )
    return made


def main(arguments: list[str]) -> None:
    """Run them; an error says that some failed, or that there were none."""
    sys.dont_write_bytecode, sys.pycache_prefix = False, _BYTECODE
    sys.meta_path.append(_Pytest())
    sys.modules["zstandard"] = _zstandard()
    sys.path += ["/root", _COMPILED]
    os.chdir("/root")
    import pytest
    from hypothesis import settings

    from tests.support.phone_absent import pretend

    pretend()
    settings.register_profile("phone", deadline=None, max_examples=_EXAMPLES_MAX, database=None)
    settings.load_profile("phone")
    said = settings.__call__

    def bounded(wanted: settings, test: Any) -> Any:
        return said(settings(wanted, max_examples=min(wanted.max_examples, _EXAMPLES_MAX)), test)

    settings.__call__ = bounded  # type: ignore[assignment]
    code = pytest.main([*_OPTIONS, *arguments])
    if code:
        raise AssertionError(f"pytest ended with {int(code)}")


main([*globals()["ARGUMENTS"]])
