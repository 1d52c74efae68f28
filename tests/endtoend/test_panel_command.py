"""`samemind panel` from a terminal: through the daemon, and as one."""

import json
import signal
import subprocess
import time
from pathlib import Path

from tests.support.cli import COMMAND, SECONDS_MAX, daemon, environment, run
from tests.support.hearing import next_line
from tests.support.http import let_in


def test_a_daemon_that_was_started_without_a_panel_opens_one_when_asked(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with daemon(home) as running:
        assert running.said["panel_url"] is None
        urls = [run(home, "--json", "panel").json["url"] for _ in range(2)]
        places = {url.partition("#")[0] for url in urls}
        assert len(places) == 1, "it is opened once"
        assert len(set(urls)) == 2, "and each asking lets in another browser"
        assert {run(home, "--json", "status").json["panel_url"]} == places
        assert "panel at http://127.0.0.1:" in run(home, "status").out


def test_without_a_daemon_the_panel_is_one_for_as_long_as_it_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run(home, "remember", "the key is under the mat").code == 0
    process = subprocess.Popen(
        [*COMMAND, "--home", str(home), "--json", "panel"],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment(),
    )
    assert process.stdout is not None
    try:
        url, _, token = json.loads(next_line(process))["url"].partition("#launch=")
        assert let_in(url, token).post("/api/v1/list").json["total"] == 1
        assert run(home, "--json", "status").json["running"] is True
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS_MAX) == 0
    finally:
        process.kill()
        process.wait(SECONDS_MAX)
        process.stdout.close()
    assert run(home, "--json", "status").json["running"] is False


def test_a_place_that_is_taken_or_means_nothing_is_said_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run(home, "--json", "up", "--no-mdns", "--panel", "somewhere")
    assert (done.code, done.json["error"]["code"]) == (2, "invalid")
    assert "for --panel" in done.json["error"]["message"]
    with daemon(tmp_path / "other", "--panel", "127.0.0.1:0") as other:
        place = other.said["panel_url"].removeprefix("http://").rstrip("/")
        done = run(home, "--json", "up", "--no-mdns", "--listen", "127.0.0.1:0", "--panel", place)
        assert (done.code, done.json["error"]["code"]) == (1, "cannot_listen")


def test_what_is_told_again_within_the_window_of_a_forgetting_stays(tmp_path: Path) -> None:
    """What was shown as one goes together; who chose it had not seen what comes later."""
    home = tmp_path / "home"
    with daemon(home, "--panel", "127.0.0.1:0"):
        url, _, token = run(home, "--json", "panel").json["url"].partition("#launch=")
        told = [
            run(home, "--json", "remember", text).json["rid"]
            for text in ("Milk is in the fridge", "The milk is in the fridge.", "Tea is in the jar")
        ]
        page = let_in(url, token)
        assert page.post("/api/v1/panel/forget", {"rids": [told[1]]}).json["rids"] == [told[1]]
        later = run(home, "--json", "remember", "Milk is in the fridge").json["rid"]
        assert {*told, later} == rids(home)
        closed = time.monotonic() + SECONDS_MAX
        while told[0] in rids(home):
            assert time.monotonic() < closed, "the window of four seconds did not close"
        assert rids(home) == {told[2], later}


def rids(home: Path) -> set[str]:
    lines = run(home, "export").out.splitlines()
    return {line["rid"] for line in map(json.loads, lines) if line["kind"] == "memory"}
