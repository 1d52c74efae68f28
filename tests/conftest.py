"""What every test shares: how hypothesis searches, how a test says what it lacks, and that none hangs for ever."""

import atexit
import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.watchdog import (
    END_SECONDS_MAX,
    TEST_SECONDS_MAX,
    keep_stderr,
    watch,
    watch_workers,
    watching,
)

# What devices keep outside of their homes is kept apart from this machine's own.
os.environ["SAMEMIND_STATE"] = tempfile.mkdtemp(prefix="samemind-tests-")
atexit.register(shutil.rmtree, os.environ["SAMEMIND_STATE"], ignore_errors=True)

# What tests start is as fast as what users start: compiled once, not by each process anew. So are the tests themselves,
# whose assertions take longer to rewrite than all else that is collected.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: a busy machine is no bug. Each run draws a new seed; a failure prints the line that replays it.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# They announce themselves on this machine's own network, and would see each other: one process at a time runs them.
ON_THE_NETWORK = {"test_mdns.py", "test_demo.py"}
_NETWORK_LOCK = Path(tempfile.gettempdir()) / "samemind-tests-on-the-network.lock"

# Where no file takes long: those of all other parts take up to some minutes.
_SHORT = {"unit", "property"}

# Until when a test that may be long is begun, in seconds since 1970: a run that is ended from outside says nothing.
LONG_BEGIN_UNTIL = float(os.environ.get("SAMEMIND_LONG_TESTS_BEGIN_UNTIL", "inf"))

# More than half of the time of a run is spent waiting for processes, servers, browsers and timers.
WORKERS_BEYOND_CORES = 2


def why_no_namespaces() -> str | None:
    """Why this machine cannot run tests marked `netns`; None where it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's own"
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    if shutil.which("ip") is None:
        return "`ip` is missing: install iproute2"
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--published", metavar="ROW", help="run the tests that claim this published row, as YD-57"
    )


@pytest.hookimpl(optionalhook=True)  # some tests run others without xdist
def pytest_xdist_auto_num_workers() -> int:
    """How many workers `-n auto` stands for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + WORKERS_BEYOND_CORES


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if row := config.getoption("--published"):
        claims = [any(row in mark.args for mark in item.iter_markers("published")) for item in items]
        config.hook.pytest_deselected(
            items=[item for item, is_it in zip(items, claims, strict=True) if not is_it]
        )
        items[:] = [item for item, is_it in zip(items, claims, strict=True) if is_it]
    reason = why_no_namespaces()
    for item in items:
        if reason is not None and item.get_closest_marker("netns"):
            item.add_marker(pytest.mark.skip(reason=reason))
        if "endtoend" in item.path.parts:
            item.add_marker(pytest.mark.endtoend)
    # The short last, each part in its random order: no worker is left alone at the end with a file that takes minutes.
    items.sort(key=lambda item: not _SHORT.isdisjoint(item.path.parts))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import all tests without looking for garbage, and never look through what was imported: it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_configure() -> None:
    keep_stderr()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if _SHORT.isdisjoint(item.path.parts) and time.time() > LONG_BEGIN_UNTIL:
        pytest.skip("this machine was too slow to begin it in time: see SAMEMIND_LONG_TESTS_BEGIN_UNTIL")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Bound a test together with what it sets up and takes down."""
    minutes = float(os.environ.get("MINUTES", "60")) if "endurance" in item.path.parts else 0
    with watching(item.nodeid, TEST_SECONDS_MAX + 60 * minutes), on_the_network(item):
        return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if hasattr(report, "node"):  # another process ran it, and this one hears of it
        watch_workers()


@contextmanager
def on_the_network(item: pytest.Item) -> Generator[None]:
    """Wait until no other process runs a test on this machine's network, if this is one; its watchdog bounds that."""
    if item.path.name not in ON_THE_NETWORK:
        yield
        return
    with _NETWORK_LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # whoever started the workers ends them
        watch("the end of the test run", END_SECONDS_MAX)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    # What is left is the interpreter's end, which waits for threads; the signal's default action bounds that too.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
