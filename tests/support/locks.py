"""Choose a version of every package, and note the hash of every file it comes in: `make lock`.

What is chosen holds for every Python from 3.11 on and every machine, so one set of files serves all. It holds no
address of a registry: a hash says which file is meant, wherever it is fetched. Pins that still fit are kept; with
`--upgrade`, the newest that fits is taken. Who installs the package gets the ranges of pyproject.toml instead, as a
library should ask.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "requirements"
# Each holds to what the ones before it chose, so that one venv can take them all.
FILES: Final = ("build", "core", "doors", "dev", "publish", "models", "ann")
_PIN: Final = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))? \\$")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock file, the hashes of its files, and where it is wanted if not everywhere."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pins(name: str) -> list[Pin]:
    """Read a lock file; a line that is no pin, hash or comment is a mistake."""
    found: list[Pin] = []
    for line in (FOLDER / f"{name}.txt").read_text("ascii").splitlines():
        if pin := _PIN.match(line):
            found.append(Pin(pin["name"], pin["version"], pin["marker"] or "", ()))
        elif digest := re.fullmatch(r" {4}--hash=sha256:([0-9a-f]{64})(?: \\)?", line):
            last = found.pop()
            found.append(Pin(last.name, last.version, last.marker, (*last.hashes, digest[1])))
        elif line and not line.startswith("#"):
            raise ValueError(f"expected a pin or a hash in requirements/{name}.txt, found {line!r}")
    return found


def _wanted(name: str) -> list[str]:
    """What a lock file is made from, as arguments."""
    match name:
        case "core":
            return ["pyproject.toml"]
        case "doors":
            return ["pyproject.toml", "--extra", "mcp", "--extra", "panel"]
        case "dev":
            return ["pyproject.toml", "--extra", "dev"]
        case "models" | "ann":
            return ["pyproject.toml", "--extra", name]
        case _:
            return ["--group", name]


def main() -> None:
    """Write every lock file."""
    FOLDER.mkdir(exist_ok=True)
    for number, name in enumerate(FILES):
        held = [word for other in FILES[:number] for word in ("--constraint", f"requirements/{other}.txt")]
        subprocess.run(
            [
                *(str(Path(sys.executable).parent / "uv"), "pip", "compile", "--quiet", "--universal"),
                *("--python-version", "3.11", "--generate-hashes", "--no-annotate"),
                *_wanted(name),
                *held,
                *("--output-file", f"requirements/{name}.txt"),
                *sys.argv[1:],
            ],
            cwd=ROOT,
            env=os.environ | {"UV_CUSTOM_COMPILE_COMMAND": "make lock"},
            check=True,
        )


if __name__ == "__main__":
    main()
