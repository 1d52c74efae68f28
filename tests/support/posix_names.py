"""What only POSIX has, as tests/support/without_posix takes it away: read from there, so that there is one list."""

import ast
from pathlib import Path

FOLDER = Path(__file__).with_name("without_posix")


def _constants() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in ast.parse((FOLDER / "sitecustomize.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = ast.literal_eval(node.value)
            found[node.targets[0].id] = set(value.split() if isinstance(value, str) else value)
    return found


_FOUND = _constants()
MODULES = _FOUND["MODULES"]
NAMES = {
    "os": _FOUND["NAMES_OF_OS"],
    "signal": _FOUND["NAMES_OF_SIGNAL"],
    "socket": _FOUND["NAMES_OF_SOCKET"],
    "lowlevel": _FOUND["NAMES_OF_TRIO"],
}
