"""Compile the Python of a phone ahead: run by the very interpreter that the page loads, in `page/build.mjs`.

A phone that compiled what it imports would spend most of its start on that. What is left out is for readers alone:
docstrings, and the columns of lines; and of Python's own library what no phone runs, by a list
(`samemind/phone/left_out.toml`). The zips are stored, since the whole of one compresses better than its files do.
"""

import ast
import importlib.util
import io
import marshal
import tomllib
import zipfile
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

# The same sources make the same bytes.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
# A file of bytecode says so: it is never held against a source (PEP 552).
_UNCHECKED: Final = (1).to_bytes(4, "little") + bytes(8)


def compiled(packed: bytes, left_out: str = "") -> bytes:
    """Return a zip with each module as bytecode, and all else as it is, but for what a list leaves out."""
    made = io.BytesIO()
    patterns = tomllib.loads(left_out).get("modules", [])
    with zipfile.ZipFile(io.BytesIO(packed)) as held, zipfile.ZipFile(made, "w") as zipped:
        for name in sorted(name for name in held.namelist() if not name.endswith("/")):
            if is_left_out(name, patterns):
                continue
            content = held.read(name)
            if name.endswith(".py"):
                content = _bytecode(content, name)
                name += "c"
            zipped.writestr(zipfile.ZipInfo(name, _TIME), content)
    return made.getvalue()


def is_left_out(name: str, patterns: Sequence[str]) -> bool:
    """Say whether a file of the zip is one that a list leaves out."""
    return any(fnmatchcase(name.removesuffix(".py"), pattern) for pattern in patterns)


def _bytecode(source: bytes, name: str) -> bytes:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            _leave_out_docstring(node)
    code = compile(tree, name, "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + _UNCHECKED + marshal.dumps(code)


def _leave_out_docstring(node: Any) -> None:
    if ast.get_docstring(node, clean=False) is None:
        return
    rest = node.body[1:]
    nothing = ast.copy_location(ast.Pass(), node.body[0])
    node.body = rest if rest or isinstance(node, ast.Module) else [nothing]
