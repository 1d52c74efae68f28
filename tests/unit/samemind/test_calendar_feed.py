"""Where the address of a calendar is kept, and how the command that shows it is typed."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from samemind.calendar_feed import FeedPlace, new_token
from samemind.cli.help import show_help
from samemind.cli.line import find_verb, read_line, read_words
from samemind.cli.printing import Printer
from samemind.config import Home

GOOD = {"token": "0f" * 32, "host": "127.0.0.1", "port": 7412}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.at(tmp_path)


def test_what_is_kept_is_found_again_by_its_owner_alone(home: Home) -> None:
    assert FeedPlace.kept(home) is None
    place = FeedPlace(new_token(Random(1)), "0.0.0.0", 7412)
    place.keep(home)
    assert FeedPlace.kept(home) == place
    assert home.calendar.stat().st_mode & 0o777 == 0o600
    assert place.path == f"/calendar/{place.token}.ics"


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": ""},
        {"token": "0f" * 31},
        {"token": "0F" * 32},
        {"token": "0f" * 32 + "\n"},
        {"token": None},
        {"host": 7},
        {"port": 0},
        {"port": 65_536},
        {"port": "7412"},
        {"port": True},
        {"port": None},
    ],
    ids=repr,
)
def test_a_file_that_is_none_of_ours_is_no_feed(home: Home, wrong: dict[str, Any]) -> None:
    """A short or empty token, as somebody may have written by hand, opens nothing."""
    home.calendar.write_text(json.dumps(GOOD))
    assert FeedPlace.kept(home) is not None
    home.calendar.write_text(json.dumps({**GOOD, **wrong}))
    assert FeedPlace.kept(home) is None


@pytest.mark.parametrize("nonsense", ["", "[]", "{}", "7", "null", "\0", '{"token": 1'])
def test_nonsense_is_no_feed(home: Home, nonsense: str) -> None:
    home.calendar.write_text(nonsense)
    assert FeedPlace.kept(home) is None


def test_no_two_tokens_are_the_same() -> None:
    random = Random(1)
    assert len({new_token(random) for _ in range(100)}) == 100


def test_the_feed_is_listed_and_explained_as_it_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    line = read_line(["calendar", "--feed", "--new"])
    assert find_verb(line).name == "calendar-feed"
    assert read_words(find_verb(line), line.words) == {"feed": True, "new": True}
    assert find_verb(read_line(["calendar", "-o", "mine.ics"])).name == "calendar"
    show_help(read_line(["help"]), Printer(json=False, raw=False))
    listed = capsys.readouterr().out
    assert "  calendar --feed " in listed
    assert "calendar-feed" not in listed
    show_help(read_line(["calendar", "--feed", "--help"]), Printer(json=False, raw=False))
    assert capsys.readouterr().out.startswith("usage: samemind calendar [--feed] [--new] [--off]")
