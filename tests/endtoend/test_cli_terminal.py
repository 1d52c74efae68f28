"""What somebody at a terminal sees, in a pseudo-terminal."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.support import cli


def watched(home: Path, *words: str, errors: bool = False, **more: str) -> str:
    """Return all that a command shows at a terminal, with or without its errors and progress."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), *words],
        stdin=subprocess.DEVNULL, stdout=end, stderr=end if errors else subprocess.DEVNULL,
        env=cli.environment(TERM="xterm", COLUMNS="60", **more),
    )  # fmt: skip
    os.close(end)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # Linux says so when the other end has closed
            break
    os.close(terminal)
    process.wait(cli.SECONDS_MAX)
    return shown.decode()


@pytest.mark.parametrize("with_a_daemon", [False, True])
def test_a_terminal_is_shown_short_ids_that_can_be_typed_again(tmp_path: Path, with_a_daemon: bool) -> None:
    """Also where many came in at one moment, whose ids begin alike: `remember --batch`."""
    home = tmp_path / "home"
    lines = "".join(json.dumps({"text": f"number {i} of many"}) + "\n" for i in range(200))
    cli.run(home, "remember", "--batch", "-", stdin=lines)
    whole = [each["rid"] for each in cli.run(home, "list", "-n", "200", "--json").json["memories"]]

    def look() -> None:
        shown = [line.split()[0] for line in watched(home, "list", "-n", "200", NO_COLOR="1").splitlines()]
        assert len(set(shown)) == 200
        assert [rid for rid, short in zip(whole, shown, strict=True) if not rid.startswith(short)] == []
        for short in shown[::150]:
            assert "of many" in cli.run(home, "get", short).out

    if with_a_daemon:
        with cli.daemon(home):
            look()
    else:
        look()


def test_colour_is_for_terminals_that_want_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "Ann moved to Lisbon")
    assert "\x1b[2m" in watched(home, "list")
    assert "\x1b[" not in watched(home, "list", NO_COLOR="1")
    assert "\x1b[" not in cli.run(home, "list").out
    assert "\x1b[31msamemind:" in watched(home, "get", "zz", errors=True)
    assert "\x1b[31m" not in watched(home, "get", "zz", errors=True, NO_COLOR="1")


def test_what_a_terminal_would_obey_is_not_let_through_with_the_colours(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "ring \x1b[31mred\x07 bell")
    shown = watched(home, "recall", "bell")
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def test_rows_of_a_list_fit_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "longstory" * 30)
    (row,) = watched(home, "list", NO_COLOR="1").splitlines()
    assert len(row) == 60
    assert row.endswith("…")
