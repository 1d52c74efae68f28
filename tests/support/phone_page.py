"""What a phone's browser loads, made anew for tests when its sources changed; and its Python, run in node."""

import fcntl
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Final

import pytest

from tests.support import phone_wheel

# Compressed a little: tests load it from this machine.
_QUALITY: Final = 1
_NODE_SECONDS_MAX: Final = 300
_DRIVER: Final = Path(__file__).with_name("phone_node.mjs")


def page() -> Path:
    """Return the folder that a panel serves; a test that needs it is skipped where it cannot be made."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing, which makes the page of a phone")
    phone_wheel.BUILD.mkdir(parents=True, exist_ok=True)
    with (phone_wheel.BUILD / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            phone_wheel.fetch()
        except subprocess.CalledProcessError:
            pytest.skip("npm could not get what samemind/phone/package-lock.json names")
        static = phone_wheel.PACKAGE / "static"
        made = static / "manifest.json"
        if not made.exists() or made.stat().st_mtime < _changed():
            try:
                phone_wheel.make_page(_QUALITY)
            except subprocess.CalledProcessError as error:
                if "pip" not in error.cmd:
                    raise
                pytest.skip("pip could not get what samemind/phone/requirements.txt names")
    return static


def run_in_node(script: Path, *arguments: str) -> str:
    """Run a script in the phone's Python, under node, and return what it wrote."""
    page()
    done = subprocess.run(
        [
            *("node", str(_DRIVER), str(phone_wheel.BUILD), str(phone_wheel.ROOT)),
            *(sysconfig.get_path("purelib"), str(script), *arguments),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=_NODE_SECONDS_MAX,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4_000:]
    return done.stdout


def _changed() -> float:
    folders = [phone_wheel.ROOT / name for name in ("replica", "sync", "cognition", "samemind/phone")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc"]
    files += [Path(__file__).with_name(name) for name in ("phone_wheel.py", "phone_compile.py")]
    return max(path.stat().st_mtime for path in files if path.is_file())
