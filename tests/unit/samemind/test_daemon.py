"""What a daemon decides before and beside its links, without one running."""

import errno
import json
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

import samemind.daemon.run
from cognition.ranking.confidence import FLOOR
from samemind.commands.device.up import Up
from samemind.config import Home
from samemind.daemon.run import PORT_DEFAULT, _find, _linked, _open_panel, _serve, run_daemon
from samemind.device import Device, open_device
from samemind.errors import Failed, Usage
from samemind.home.calendar_feed import FeedPlace
from samemind.home.mailboxes import SavedMailbox, write_mailboxes
from samemind.home.phone_place import EVERYWHERE, PhonePlace


def test_an_address_for_remote_agents_is_of_no_use_where_none_are_served(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(Usage, match="--mcp-http beside --mcp-url"):
            await run_daemon(Home.at(tmp_path), Up(mcp_url="https://mind.example"), cast(Any, None))

    trio.run(main)
    assert not [*tmp_path.iterdir()], "nothing was opened"


def test_another_device_hears_nothing_that_is_hardly_about_its_question() -> None:
    async def recall(question: str, *, k: int) -> list[Any]:
        return [
            SimpleNamespace(rid=b"near", confidence=FLOOR),
            SimpleNamespace(rid=b"far", confidence=FLOOR / 2),
        ]

    device = cast(Device, SimpleNamespace(mind=SimpleNamespace(recall=recall)))
    assert trio.run(_find, device, "what is near?", 5) == [b"near"]


def test_the_second_device_of_a_machine_listens_on_any_port(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, int]] = []

    @asynccontextmanager
    async def open_syncer(*_: Any, listen_on: tuple[str, int], **__: Any) -> AsyncIterator[str]:
        tried.append(listen_on)
        if listen_on[1] == PORT_DEFAULT:
            raise OSError(errno.EADDRINUSE, "in use")
        yield "a syncer"

    monkeypatch.setattr(samemind.daemon.run, "open_syncer", open_syncer)
    settings = SimpleNamespace(listen=None)
    device = cast(
        Device, SimpleNamespace(replica=None, identity=None, host=None, name="b", settings=settings)
    )

    async def main() -> None:
        async with _linked(device, None, mdns=False):
            pass

    trio.run(main)
    assert tried == [("", PORT_DEFAULT), ("", 0)]


class Panels:
    """A daemon's panel, of which only the places are noted at which it is opened."""

    def __init__(self, taken: tuple[str, int] | None = None) -> None:
        self.places: list[tuple[str, int]] = []
        self._taken = taken

    async def open(self, place: tuple[str, int]) -> None:
        await trio.lowlevel.checkpoint()
        if place == self._taken:
            raise Failed("somebody listens there", code="cannot_listen")
        self.places.append(place)


class Kept:
    """What keeps a mailbox, and has put something off."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def run(self) -> None:
        await trio.sleep_forever()

    async def flush(self) -> None:
        await trio.lowlevel.checkpoint()
        self.done.append("flushed")

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
        self.done.append("closed")


def served(home: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[Panels, Kept]:
    """What a daemon of this home did that is told to end at once."""
    panels, kept = Panels(), Kept()

    @asynccontextmanager
    async def on_demand(device: Device) -> AsyncIterator[Panels]:
        yield panels

    async def say(said: object) -> None:
        await trio.lowlevel.checkpoint()

    async def main() -> None:
        sender, signals = trio.open_memory_channel[int](1)
        sender.send_nowait(signal.SIGTERM)
        async with open_device(home, program="a test", answers=False) as device, sender, signals:
            await _serve(device, logging.getLogger("test"), signals, say, panel=None, launches=False)

    monkeypatch.setattr(samemind.daemon.run, "panel_on_demand", on_demand)
    monkeypatch.setattr(samemind.daemon.run, "keeper_of", lambda *_: kept)
    trio.run(main)
    return panels, kept


def test_phones_find_a_device_where_they_did_before_it_was_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.at(tmp_path)
    assert served(home, monkeypatch)[0].places == []
    FeedPlace("0f" * 32, "127.0.0.1", 7500).keep(home)
    assert served(home, monkeypatch)[0].places == [("127.0.0.1", 7500)]
    PhonePlace("laptop.local", 7499).keep(home)
    assert served(home, monkeypatch)[0].places == [(EVERYWHERE, 7499)]


@pytest.mark.parametrize(
    ("host", "places"), [("127.0.0.1", [("127.0.0.1", 7500)]), ("0.0.0.0", [("127.0.0.1", 0)])]
)
def test_a_panel_for_a_browser_here_is_opened_to_no_other_machine(
    tmp_path: Path, host: str, places: list[tuple[str, int]]
) -> None:
    home, panels = Home.at(tmp_path), Panels()
    FeedPlace("0f" * 32, host, 7500).keep(home)
    PhonePlace("laptop.local", 7499).keep(home)
    log = logging.getLogger("test")
    trio.run(partial(_open_panel, home, cast(Any, panels), log, None, launches=True))
    assert panels.places == places


def test_a_place_that_is_taken_by_now_ends_no_daemon_and_a_browser_here_is_let_in(tmp_path: Path) -> None:
    home, panels = Home.at(tmp_path), Panels(taken=("127.0.0.1", 7500))
    FeedPlace("0f" * 32, "127.0.0.1", 7500).keep(home)
    log = logging.getLogger("test")
    for launches in (False, True):
        trio.run(partial(_open_panel, home, cast(Any, panels), log, None, launches=launches))
    assert panels.places == [("127.0.0.1", 0)]


def test_what_was_put_off_is_in_the_mailboxes_before_the_daemon_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.at(tmp_path)
    write_mailboxes(home, [SavedMailbox("stick", "folder:///srv/box")])
    assert served(home, monkeypatch)[1].done == ["flushed", "closed"]


def test_a_mailbox_that_is_unusable_is_said_in_the_log_and_keeps_no_other_from_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    home = Home.at(tmp_path)
    stick = {"name": "stick", "url": "folder:///srv/box"}
    home.mailboxes.write_text(json.dumps([{"name": "far", "url": "telepathy://mars"}, stick]))
    assert served(home, monkeypatch)[1].done == ["flushed", "closed"]
    assert "the mailbox far cannot be used: expected the address of a mailbox" in caplog.text
