"""A test that hangs is ended, and says where; nothing else may depend on somebody watching."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hearing import next_line
from tests.support.watchdog import EXIT_CODE

ROOT = Path(__file__).parents[2]
HANGS = """
import subprocess, sys, trio
from tests.support.watchdog import watching

async def waits_for_ever() -> None:
    await trio.sleep_forever()

async def main() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(waits_for_ever, name="the culprit")

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with watching("a test", 0.5):
    trio.run(main)
"""


def test_a_test_that_hangs_is_ended_with_its_children_and_says_where() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGS], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    # The child holds the pipes that are read here: had it been left, this would have waited for it.
    assert done.returncode == EXIT_CODE
    assert "a test hangs: expected an end within 0.5 s" in done.stderr
    assert "task the culprit" in done.stderr
    assert "in waits_for_ever" in done.stderr


WATCHES_WORKERS = """
from tests.support.watchdog import keep_stderr, watch_workers

def pytest_configure():
    keep_stderr()

def pytest_runtest_logreport(report):
    if hasattr(report, "node"):
        watch_workers(3)
"""
STOPS = """
import os, signal, time

def test_before(): pass

def test_the_culprit():
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(60)

def test_after(): pass
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not list a process's children"
)
def test_a_process_that_runs_tests_and_is_stopped_is_replaced_and_says_where_it_stood(tmp_path: Path) -> None:
    """None of its own timers fire: in a run of an hour and a half it looked as if nothing had happened at all."""
    tmp_path.joinpath("conftest.py").write_text(WATCHES_WORKERS)
    tmp_path.joinpath("test_stops.py").write_text(STOPS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n1", "-p", "no:randomly", "-p", "no:cacheprovider", tmp_path],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "crashed while running 'test_stops.py::test_the_culprit'" in done.stdout
    assert "no test was heard of for 3 s" in done.stderr
    assert "State:\tT (stopped)" in done.stderr
    assert "in test_the_culprit" in done.stderr


def test_a_process_that_says_nothing_is_killed_and_named() -> None:
    command = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert next_line(process) == "up\n"
        with pytest.raises(AssertionError, match="got silence"):
            next_line(process, 0.2)
        assert process.wait(60) != 0


def test_a_long_test_is_not_begun_once_there_is_no_time_for_it_and_a_short_one_is() -> None:
    """A run that was ended from outside, after an hour and a half, said nothing of what it had found."""
    files = ["tests/unit/sync/test_relay_backoff.py", "tests/security/test_crooked_ops.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-rs", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        env={**os.environ, "SAMEMIND_LONG_TESTS_BEGIN_UNTIL": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "this machine was too slow to begin it in time" in done.stdout
    assert " passed" in done.stdout
