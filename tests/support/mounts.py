"""A disk that fills up and one that is read-only all at once: a home on a file system in memory, in a mount namespace.

    unshare --mount python -m tests.support.mounts FOLDER SEED

uses a home on it at random moments of both, and says in lines of JSON what a user was told, and what was there after.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.support import cli
from tests.support.hearing import next_line

WRITER: Final = """
import sys, samemind
from samemind.errors import SamemindError
acknowledged = 0
try:
    with samemind.open_blocking(sys.argv[1]) as mind:
        for number in range(int(sys.argv[2])):
            mind.remember(f"{number} " + "on a disk that fills up " * 80)
            acknowledged += 1
except SamemindError as error:
    print(error.code, error.hint, file=sys.stderr)
finally:
    print(acknowledged)
"""
VERBS: Final = (("recall", "disk"), ("verify",), ("remember", "more"), ("doctor",))
UP: Final = ("up", "--no-mdns", "--listen", "127.0.0.1:0")
# What a store of its own tables takes, and room for some memories: it fills up at another write each time.
BYTES_MIN, BYTES_MAX = 1_100_000, 4_000_000


def mount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True, timeout=60)


def why_not(folder: Path) -> str | None:
    """Why nothing can be mounted here; None where it can."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        return "mounting needs root on Linux"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", str(folder)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return f"nothing can be mounted: {tried.stderr.strip()}" if tried.returncode else None


def told(home: Path, verb: tuple[str, ...]) -> dict[str, Any]:
    """Ask for a verb and return its code and, where it failed, its error."""
    done = cli.run(home, "--json", *verb)
    document = json.loads(done.out.splitlines()[-1])
    return {
        "verb": verb[0],
        "code": done.code,
        "error": document.get("error"),
        "problems": document.get("problems"),
        "advice": [check["fix"] for check in document.get("checks", ()) if not check["ok"]],
    }


def told_by_daemon(home: Path) -> dict[str, Any]:
    """Start a daemon, and return what its refusal was, if it was one; whatever came up is ended."""
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), "--json", *UP],
        stdout=subprocess.PIPE,
        text=True,
        env=cli.environment(),
    )
    assert process.stdout is not None
    try:
        error = json.loads(next_line(process)).get("error")
        return {
            "verb": UP[0],
            "code": process.wait(cli.SECONDS_MAX) if error else 0,
            "error": error,
            "problems": None,
            "advice": [],
        }
    finally:
        process.kill()
        process.wait(cli.SECONDS_MAX)
        process.stdout.close()


def written(home: Path, count: int) -> tuple[int, str]:
    """Write until it fails; return how much was acknowledged, and the error."""
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(home), str(count)],
        capture_output=True, text=True, check=False, timeout=cli.SECONDS_MAX, env=cli.environment(),
    )  # fmt: skip
    return int(done.stdout or 0), done.stderr.strip()


def main(folder: Path, seed: int) -> None:
    chance, home = Random(seed), folder / "home"
    mount(folder, f"size={chance.randint(BYTES_MIN, BYTES_MAX)}")
    acknowledged, error = written(home, 400)
    full = [*(told(home, verb) for verb in VERBS), told_by_daemon(home)] if error else []
    mount(folder, "remount,size=64m")
    more, _ = written(home, 3)
    acknowledged += more
    mount(folder, "remount,ro")
    read_only = [*(told(home, verb) for verb in VERBS), told_by_daemon(home)]
    acknowledged += sum(each["verb"] == "remember" and each["code"] == 0 for each in (*full, *read_only))
    mount(folder, "remount,rw")
    found = cli.run(home, "--json", "stats").json["memories"]
    said = {
        "acknowledged": acknowledged, "error": error, "full": full, "read_only": read_only, "found": found,
        "verified": told(home, ("verify",)),
    }  # fmt: skip
    print(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
