"""The name of this machine's zone is what its settings say, and nothing where they say none."""

import shlex
from pathlib import Path

import pytest

import samemind
from samemind.commands.device._parts import Check
from samemind.formats import own_zone
from samemind.formats.own_zone import own_zone_name, zone_name
from samemind.platform import system
from tests.support.cli import run_afresh

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("variable", "link", "written", "name"),
    [
        (None, "/usr/share/zoneinfo/Europe/Berlin", None, BERLIN),
        (None, "../usr/share/zoneinfo/Europe/Berlin", "Asia/Tokyo\n", BERLIN),
        (None, "/var/db/timezone/zoneinfo/America/Argentina/Salta", None, "America/Argentina/Salta"),
        (None, None, "Europe/Berlin\n", BERLIN),
        (None, "/somewhere/else", "Europe/Berlin\n", BERLIN),
        (None, None, None, None),
        (None, None, "\n", None),
        ("Europe/Berlin", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo\n", BERLIN),
        (":Europe/Berlin", None, None, BERLIN),
        (":/usr/share/zoneinfo/Europe/Berlin", None, None, BERLIN),
        # Set and empty, it means UTC, whatever the system's says.
        ("", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo\n", None),
        ("UTC", "/usr/share/zoneinfo/Asia/Tokyo", None, "UTC"),
        (None, "/usr/share/zoneinfo/Etc/UTC", "Asia/Tokyo\n", "Etc/UTC"),
    ],
)
def test_the_name_is_of_the_variable_or_the_link_or_the_file(
    variable: str | None, link: str | None, written: str | None, name: str | None
) -> None:
    assert zone_name(variable, link, written) == name


def test_a_system_that_says_it_in_its_own_way_is_asked_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "timezone"
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(own_zone, "_LINK", tmp_path / "none")
    monkeypatch.setattr(own_zone, "_WRITTEN", written)
    monkeypatch.setattr(system, "set_zone", lambda: BERLIN)
    assert own_zone_name() == BERLIN
    written.write_text("Asia/Tokyo")
    assert own_zone_name() == "Asia/Tokyo"
    written.unlink()
    monkeypatch.setenv("TZ", "")
    assert own_zone_name() is None, "set and empty, it means UTC"


def test_the_systems_own_files_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, written = tmp_path / "localtime", tmp_path / "timezone"
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(own_zone, "_LINK", link)
    monkeypatch.setattr(own_zone, "_WRITTEN", written)
    assert own_zone_name() is None
    written.write_bytes(b"Asia/Tokyo\n")
    assert own_zone_name() == "Asia/Tokyo"
    link.write_bytes(b"TZif2")  # a copy says no name
    assert own_zone_name() == "Asia/Tokyo"
    link.unlink()
    link.symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    assert own_zone_name() == BERLIN
    written.write_bytes(b"\xff" * 10_000_000)
    link.unlink()
    assert len(own_zone_name() or "") == 200


def test_a_reminder_that_repeats_is_stored_with_this_machines_zone(tmp_path: Path) -> None:
    def said(zone: str, *words: str) -> str:
        done = run_afresh(tmp_path, *words, TZ=zone)
        assert done.code == 0, done.err
        return done.out

    assert "every week on Tuesday\n" in said("Europe/Berlin", "remember", "Choir every Tuesday at 19:30")
    assert '"FREQ=WEEKLY;BYDAY=TU;TZID=Europe/Berlin"' in said("Europe/Berlin", "triggers", "--json")
    assert "every week on Tuesday  Choir" in said("Europe/Berlin", "triggers")
    assert "every week on Tuesday (Europe/Berlin time)  Choir" in said("America/New_York", "triggers")
    # Counted by UTC, or by a clock whose zone has no name.
    for number, zone in enumerate(["UTC", "Etc/UTC", "", "CET-1CEST,M3.5.0,M10.5.0/3"]):
        told = said(zone, "remember", f"Yoga every Monday at {number + 7}:00", "--json")
        assert '"FREQ=WEEKLY;BYDAY=MO"' in told


def test_doctor_says_what_repeats_by_utc_and_how_to_give_it_the_zone_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with samemind.open_blocking(tmp_path) as mind:

        def said(zone: str) -> list[Check]:
            monkeypatch.setenv("TZ", zone)
            return [check for check in mind.doctor().checks if check.name == "reminders"]

        weekly = "FREQ=WEEKLY;BYDAY=TU"
        for rule in (weekly, f"{weekly};TZID=Europe/Berlin", f"{weekly};UNTIL=20200101", "FREQ=DAILY", None):
            meta = None if rule is None else {"repeats": rule}
            mind.remember(f"what is {rule}", type="prospective", event_start="2020-01-01T18:30Z", meta=meta)
        assert said("Asia/Kolkata") == said("UTC") == [], "they have one clock the whole year"
        for left in ("2 reminders repeat by UTC", "1 reminder repeats by UTC"):
            (check,) = said("Europe/Berlin")
            assert check.ok
            assert check.detail.startswith(left)
            command = check.fix.partition("by the clock here: ")[2].partition("; doctor names")[0]
            _, _, rid, changed = shlex.split(command)
            rule = changed.removeprefix("meta.repeats=")
            assert rule.endswith(";TZID=Europe/Berlin")
            mind.set(rid, meta={"repeats": rule})
        assert said("Europe/Berlin") == []
