"""Commands that are forked from a process that has loaded them do what commands do that users start."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support import cli
from tests.support.forking import Started, loaded

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system starts processes in one way only"
)

# One of each family, the help, and lines that are refused.
SAID = (
    ["agents"],
    ["context", "Where does Ann live?"],
    ["carry", "import", "nowhere"],
    ["contradictions"],
    ["digest"],
    ["doctor"],
    ["graph", "Ann"],
    ["peers"],
    ["queue"],
    ["goals"],
    ["decrypt"],
    ["mailbox"],
    ["list"],
    ["recall", "Ann"],
    ["models"],
    ["diff", "--since", "2100-01-01"],
    ["export", "--json"],
    ["service", "status"],
    ["unlink", "nothing"],
    ["help"],
    ["nonsense"],
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("forked") / "home"
    assert cli.run_afresh(made, "remember", "--wait", "Ann lives in Lisbon").code == 0
    assert cli.run_afresh(made, "recall", "Ann").code == 0
    return made


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_it_says_what_one_that_was_started_afresh_says(home: Path, words: list[str]) -> None:
    said = [_without_times(run(home, *words)) for run in (cli.run_afresh, cli.run)]
    assert said[0] == said[1]


def _without_times(ran: cli.Ran) -> tuple[int, str, str]:
    """What it said, without what is another each time: times, how long something took, how well it was known."""
    out, err = (re.sub(r"\d+(\.\d+)?", "#", each) for each in (ran.out, ran.err))
    return ran.code, out, err


def test_each_has_its_own_input_folder_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        assert cli.run(Path(name), "remember", "-", stdin=f"told to {name}").code == 0
    assert [cli.run(tmp_path / name, "list", "--json").json["total"] for name in ("one", "two")] == [1, 1]
    assert cli.run(tmp_path, "list", "--json").json["total"] == 0
    there = cli.run(tmp_path / "one", "list", "--json").json["memories"][0]["text"]
    assert there == "told to one"
    # The passphrase of the environment is asked for by no other command.
    assert cli.run(tmp_path / "one", "encrypt", SAMEMIND_PASSPHRASE="correct horse battery").code == 0
    assert cli.run(tmp_path / "one", "list", SAMEMIND_PASSPHRASE="correct horse battery").code == 0
    assert cli.run(tmp_path / "one", "list").code != 0


@contextmanager
def _waits(tmp_path: Path) -> Iterator[Started]:
    """One that waits for its standard input, which has been opened and never ends."""
    theirs, ours = os.pipe()
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        words = ["--home", str(tmp_path / "home"), "remember", "-"]
        yield loaded().start(words, cli.environment(), (theirs, nothing, nothing))
    finally:
        for each in (theirs, ours, nothing):
            os.close(each)


def test_whoever_waits_is_told_by_what_it_was_killed(tmp_path: Path) -> None:
    with _waits(tmp_path) as started:
        os.kill(started.pid, signal.SIGKILL)
        assert started.wait(cli.SECONDS_MAX) == -signal.SIGKILL


def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with _waits(tmp_path) as started:
        with pytest.raises(TimeoutError):
            started.wait(0.01)
        with suppress(ProcessLookupError):
            while True:  # the process that started it sees its end a moment later
                os.kill(started.pid, 0)
