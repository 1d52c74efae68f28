"""Commands that are forked from a process that has loaded them do what commands do that users start."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support import cli
from tests.support.forking import loaded
from tests.support.hearing import next_line

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


def test_whoever_waits_is_told_by_what_it_was_killed(tmp_path: Path) -> None:
    """One that waits for an input that never ends."""
    with cli.start(tmp_path, "remember", "-", stdin=subprocess.PIPE) as process:
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(cli.SECONDS_MAX) == process.poll() == -signal.SIGKILL


def test_a_shell_sees_the_code_and_passes_signals_on(tmp_path: Path) -> None:
    words = [str(loaded().commands / "samemind"), "--home", str(tmp_path)]
    assert subprocess.run([*words, "nonsense"], capture_output=True, check=False).returncode == 2
    with subprocess.Popen(
        [*words, "--json", "up", "--no-mdns", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        env=cli.environment(),
        text=True,
    ) as up:
        pid = json.loads(next_line(up))["pid"]
        assert pid != up.pid
        up.terminate()
        assert up.wait(cli.SECONDS_MAX) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
