"""One program at a time, and who it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samemind.config import Home
from samemind.errors import Locked
from samemind.home.lock import DAEMON, Holder, hold
from tests.support import cli
from tests.support.hearing import next_line

HOLDER = """
import sys, time
from samemind.config import Home
from samemind.home.lock import hold
with hold(Home.at(sys.argv[1]), program="the other"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_who_holds_a_store_is_named_and_nobody_once_it_is_free(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    assert Holder.of(home) is None
    with hold(home, program="a test"):
        assert Holder.of(home) == Holder(os.getpid(), "a test")
        with pytest.raises(Locked, match=rf"in use by a test \(process {os.getpid()}\)"):
            with hold(home, program="another"):
                pass
        assert Holder.of(home) == Holder(os.getpid(), "a test"), "a refused one changes nothing"
    assert Holder.of(home) is None
    with hold(home, program="another"):
        pass


def test_a_second_daemon_is_told_that_one_runs_and_what_ends_it(tmp_path: Path) -> None:
    """To wait until it is done, as for another program, would be for ever."""
    home = Home.at(tmp_path)
    with hold(home, program=DAEMON), pytest.raises(Locked) as refused:
        with hold(home, program=DAEMON):
            pass
    assert refused.value.hint is not None
    assert refused.value.hint.endswith("samemind down")


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=cli.environment(),
    )  # fmt: skip
    assert other.stdout is not None
    assert other.stdin is not None
    assert next_line(other) == "held\n"
    with pytest.raises(Locked, match=f"the other \\(process {other.pid}\\)"):
        with hold(home, program="a test"):
            pass
    other.kill()
    other.wait(cli.SECONDS_MAX)
    other.stdout.close()
    other.stdin.close()
    with hold(home, program="a test"):
        assert Holder.of(home) == Holder(os.getpid(), "a test")


@pytest.mark.parametrize("content", ["", "rubbish", "[]", '{"pid": "x"}', "\x00"])
def test_a_lock_file_that_says_nothing_still_locks(tmp_path: Path, content: str) -> None:
    home = Home.at(tmp_path)
    with hold(home, program="a test"):
        home.lock.write_text(content)
        assert Holder.of(home) is None
        with pytest.raises(Locked, match="another program"):
            with hold(home, program="b"):
                pass
