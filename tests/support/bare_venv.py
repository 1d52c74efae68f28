"""Try the wheel as a stranger would: in a venv with nothing else, from an empty folder: `make package`.

What it depends on is installed by the hashes of the lock file, so the list of parts (SBOM) that is written beside the
wheel names exactly what was tried.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.support.locks import FOLDER, ROOT

# Installing is mostly unpacking; a slow disk is given its time, a hung one is told.
_SECONDS_MAX: Final = 600
_FACT: Final = "Ann moved to Lisbon in spring"
# What must be there however it was packed: types for checkers, the page of the panel, the words for agents.
_PARTS: Final = """
from importlib.resources import files
import cognition, replica, samemind, sync
for package in (cognition, replica, samemind, sync):
    assert files(package).joinpath("py.typed").is_file(), package
assert files("samemind.panel").joinpath("static", "index.html").is_file()
assert files("samemind.agents").joinpath("protocol.md").is_file()
print(samemind.__file__)
"""


def main(arguments: Sequence[str]) -> None:
    """Install the wheel in this folder, run it, and list its parts."""
    (wheel,) = sorted((ROOT / arguments[0]).resolve().glob("*.whl"))
    with tempfile.TemporaryDirectory(prefix="samemind-bare-") as name:
        here = Path(name)
        venv.create(here / "venv", with_pip=True)
        python = here / "venv" / "bin" / "python"
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        _run([*pip, "install", "--require-hashes", "--requirement", str(FOLDER / "core.txt")], here)
        _run([*pip, "install", "--no-deps", str(wheel)], here)
        _run([*pip, "check"], here)
        where = _run([str(python), "-c", _PARTS], here)
        assert where.startswith(str(here)), f"expected the wheel's own samemind, got {where}"
        samemind = [str(here / "venv" / "bin" / "samemind"), "--home", str(here / "home")]
        _run([*samemind, "remember", _FACT], here)
        found = json.loads(_run([*samemind, "recall", "where does Ann live?", "--json"], here))
        assert found["results"][0]["text"] == _FACT, found
        _run([samemind[0], "demo"], here)
        parts = wheel.with_suffix(".cdx.json")
        _run(
            [
                *(str(Path(sys.executable).with_name("cyclonedx-py")), "environment", str(python)),
                *("--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "application"),
                *("--gather-license-texts", "--output-reproducible", "--output-file", str(parts)),
            ],
            here,
        )
        components = json.loads(parts.read_text("utf-8"))["components"]
    print(f"{wheel.name}: installs, remembers, recalls, and runs its demo outside this folder")
    print(f"{parts.name}: {len(components)} parts")


def _run(command: Sequence[str], folder: Path) -> str:
    """Run in a folder of its own, without what this shell knows of Python; what fails is shown."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS_MAX,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
