"""What a phone's browser loads, made anew for tests when its sources changed; and its Python, run in node."""

import fcntl
import re
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
_KEPT: Final = Path(__file__).with_name("phone_kept.mjs")
_PYTEST: Final = Path(__file__).with_name("phone_pytest.py")
# Laws need it, and part of it is compiled; what else tests need is Python alone, from this machine's environment.
_COMPILED: Final = "hypothesis"


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


def run_tests_in_node(*arguments: str, seconds: float) -> str:
    """Run tests in the phone's Python, under node, and return what pytest wrote, which is given the arguments."""
    _testing()
    return run_in_node(_PYTEST, *arguments, seconds=seconds)


def run_in_node(script: Path, *arguments: str, seconds: float = _NODE_SECONDS_MAX) -> str:
    """Run a script in the phone's Python, under node, and return what it wrote; `seconds` bounds it."""
    page()
    site = sysconfig.get_path("purelib")
    return _node(_DRIVER, phone_wheel.BUILD, phone_wheel.ROOT, site, script, *arguments, seconds=seconds)


def run_kept_in_node(script: Path) -> str:
    """Run a script in the phone's Python, from scratch and then twice from a memory of it, and return what it wrote."""
    page()
    return _node(_KEPT, phone_wheel.BUILD, script, seconds=_NODE_SECONDS_MAX)


def _node(*arguments: object, seconds: float) -> str:
    done = subprocess.run(
        ["node", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=seconds
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4_000:]
    return done.stdout


def _testing() -> None:
    """Get what laws need, compiled for the phone's Python, by the hash that this project's lock file names."""
    locked = (phone_wheel.ROOT / "requirements" / "dev.txt").read_text()
    (wanted,) = re.findall(rf"^{_COMPILED}==(?:[^\n]*\\\n)*[^\n]*", locked, re.MULTILINE)
    to = phone_wheel.BUILD / "testing"
    phone_wheel.BUILD.mkdir(parents=True, exist_ok=True)
    with (phone_wheel.BUILD / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = to / "requirements.txt"
        if lines.exists() and lines.read_text() == wanted:
            return
        shutil.rmtree(to, ignore_errors=True)
        asked = phone_wheel.BUILD / "testing.txt"
        asked.write_text(wanted)
        try:
            phone_wheel.install(asked, to)
        except subprocess.CalledProcessError:
            pytest.skip(f"pip could not get {_COMPILED} for the phone's Python")
        asked.rename(lines)


def _changed() -> float:
    sources = ("replica", "sync", "cognition", "samemind/phone", "samemind/panel/static/js")
    folders = [phone_wheel.ROOT / name for name in sources]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc"]
    files += [Path(__file__).with_name(name) for name in ("phone_wheel.py", "phone_compile.py")]
    return max(path.stat().st_mtime for path in files if path.is_file())
