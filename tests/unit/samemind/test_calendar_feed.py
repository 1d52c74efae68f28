"""Where the address of a calendar is kept, and how the command that shows it is typed."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from cognition.days import DAY_MS
from samemind.cli.help import show_help
from samemind.cli.line import find_verb, read_line, read_words
from samemind.cli.printing import Printer
from samemind.commands.keeping.calendar_feed import _opened
from samemind.config import Home
from samemind.errors import Failed
from samemind.home.calendar_feed import OPENED_AT, FeedPlace, new_token
from samemind.panel.demand import LOOPBACK
from samemind.panel.feeding import _Calendar

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


@pytest.mark.parametrize("port", [1, 65_535])
def test_any_port_is_one_that_a_panel_may_have(home: Home, port: int) -> None:
    home.calendar.write_text(json.dumps({**GOOD, "port": port}))
    assert FeedPlace.kept(home) == FeedPlace(GOOD["token"], "127.0.0.1", port)  # type: ignore[arg-type]


@pytest.mark.parametrize(("host", "where"), [("0.0.0.0", "0.0.0.0:7412"), ("::1", "[::1]:7412")])
def test_where_a_feed_was_is_told_as_panel_takes_it(host: str, where: str) -> None:
    assert FeedPlace("", host, 7412).where == where


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


class Panels:
    """A panel that opens anywhere but at the places that are taken, and notes where it was asked to."""

    def __init__(self, *taken: tuple[str, int], code: str = "cannot_listen") -> None:
        self.places: list[tuple[str, int]] = []
        self._taken = taken
        self._code = code

    async def open(self, place: tuple[str, int] = LOOPBACK) -> None:
        await trio.lowlevel.checkpoint()
        self.places.append(place)
        if place in self._taken:
            raise Failed("it does not open there", code=self._code)


def test_the_panel_is_opened_where_programs_look_or_at_the_usual_port_or_any() -> None:
    kept = FeedPlace("0f" * 32, "0.0.0.0", 7500)

    def opened(panels: Panels, kept: FeedPlace | None) -> list[tuple[str, int]]:
        trio.run(_opened, cast(Any, panels), kept)
        return panels.places

    assert opened(Panels(), None) == [OPENED_AT]
    assert opened(Panels(OPENED_AT), None) == [OPENED_AT, LOOPBACK]
    assert opened(Panels(), kept) == [("0.0.0.0", 7500)]
    with pytest.raises(Failed, match="it does not open there") as caught:  # elsewhere nobody would find it
        opened(Panels(("0.0.0.0", 7500)), kept)
    assert "calendar --feed --off" in str(caught.value.hint)
    with pytest.raises(Failed):
        opened(Panels(OPENED_AT, code="extra_missing"), None)


class Store:
    """A device without reminders, whose news and clock are set by hand; it notes how often it was read, and by whom."""

    def __init__(self) -> None:
        self.replica = self
        self.news = self.now_ms = self.reads = self.at_once = self.at_once_max = 0

    async def read(self, function: Callable[[Any], Any]) -> list[Any]:
        self.reads += 1
        self.at_once += 1
        self.at_once_max = max(self.at_once, self.at_once_max)
        await trio.lowlevel.checkpoint()
        self.at_once -= 1
        return []

    async def apart(self, function: Callable[..., str], *arguments: Any) -> str:
        await trio.lowlevel.checkpoint()
        return function(*arguments)


def test_a_calendar_is_made_once_for_each_change_and_each_day_however_many_ask() -> None:
    """Which reminders are the nearest is another thing on the next day."""
    store = Store()
    calendar = _Calendar(cast(Any, SimpleNamespace(device=store, now_ms=lambda: store.now_ms)))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(calendar.current)
        assert (store.reads, store.at_once_max) == (1, 1)
        store.now_ms = DAY_MS - 1
        await calendar.current()
        assert store.reads == 1
        store.now_ms = DAY_MS
        await calendar.current()
        assert store.reads == 2
        store.news = 1
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(calendar.current)
        assert (store.reads, store.at_once_max) == (3, 1)

    trio.run(main)
