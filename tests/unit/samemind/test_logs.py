"""The daemon's log."""

import re
from pathlib import Path

import pytest

from samemind.config import Home
from samemind.daemon import logs
from sync.errors import LinkLost, Untrusted
from sync.group import Group
from tests.support.devices import devices, run


def test_a_log_is_its_owners_says_when_in_utc_and_how_it_ended(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")

    def fail() -> None:
        with logs.logged(home) as log:
            log.info("up at %s", "127.0.0.1:1")
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        fail()
    assert home.log.stat().st_mode & 0o777 == 0o600
    first, second, *rest = home.log.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO    up at 127\.0\.0\.1:1", first)
    assert second.endswith("ERROR   ended by an error")
    assert rest[-1] == "RuntimeError: no more"


def test_a_log_that_is_full_is_put_aside_and_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "BYTES_MAX", 1_000)
    home = Home.at(tmp_path)
    with logs.logged(home) as log:
        for number in range(200):
            log.info("line %d", number)
    files = sorted(tmp_path.glob("daemon.log*"))
    assert [file.name for file in files] == ["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]
    assert all(file.stat().st_size <= 1_000 and file.stat().st_mode & 0o077 == 0 for file in files)
    assert home.log.read_text(encoding="utf-8").endswith("line 199\n")


def test_why_a_peer_was_not_reached_is_in_the_log_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the layers below the daemon log went to a standard error that nobody keeps, or nowhere."""
    home = Home.at(tmp_path)

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            group, away = Group(laptop.replica, laptop.identity.device_id), phone.identity.device_id
            with logs.logged(home):
                for _ in range(3):
                    group.note(away, LinkLost("nobody answers at 10.0.0.2:7411"))
                group.note(away, Untrusted("not paired, or revoked"))
            group.note(away, LinkLost("after the daemon ended"))
            told = [line.split(maxsplit=2)[2] for line in home.log.read_text(encoding="utf-8").splitlines()]
            who = away.hex()[:8]
            assert told == [f"{who}: nobody answers at 10.0.0.2:7411", f"{who}: not paired, or revoked"]

    run(main)
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_line_that_finds_no_room_is_left_out_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a traceback of logging's own, beside the error that says what to do."""
    home = Home.at(tmp_path)
    home.log.symlink_to("/dev/full")
    with logs.logged(home) as log:
        log.info("up")
        log.error("and down")
    assert capsys.readouterr().err == ""
