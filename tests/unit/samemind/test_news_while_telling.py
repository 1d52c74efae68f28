"""What changes while how things stand is looked at, or told, is told as well: to pages, and by the daemon."""

import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing

from replica.news import NewsCounter
from samemind.commands.group._parts import PeerView
from samemind.daemon.run import _say_changes
from samemind.device import Device
from samemind.panel.events import _EventStream
from samemind.panel.opened import Panel
from samemind.panel.undo import CLEAR_ALL_S, UndoWindows


class Standing:
    """How it stands with a peer, by the syncer's own signal. It is linked as soon as somebody has looked."""

    def __init__(self) -> None:
        self.news = NewsCounter()
        self.state = "away"

    async def look(self, device: object) -> Any:
        found = self.state
        await trio.lowlevel.checkpoint()
        if found == "away":
            self.state = "linked"
            self.news.stir()
        return found


class Told:
    """A page's end of the stream."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """`meanwhile` is called while the first event is on its way."""
        self.events: list[Any] = []
        self._meanwhile = [meanwhile]

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await trio.lowlevel.checkpoint()
        while self._meanwhile:
            self._meanwhile.pop()()
        _, _, data = message["body"].decode().partition("data: ")
        self.events.append(json.loads(data))


def told_by(task: Callable[[], Awaitable[object]]) -> None:
    """Run a task that goes on for ever until all is quiet."""

    async def main() -> None:
        with trio.move_on_after(CLEAR_ALL_S / 2):
            await task()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_page_hears_of_a_link_that_came_while_it_was_told_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told()

    async def follow() -> None:
        standing = Standing()
        monkeypatch.setattr("samemind.panel.events.daemon_status", standing.look)
        panel = SimpleNamespace(device=SimpleNamespace(syncer=standing))
        await _EventStream(cast(Panel, panel), told.send, 0).tell_peers()

    told_by(follow)
    assert told.events == ["away", "linked"]


def test_a_page_hears_of_a_window_that_opened_while_it_was_told_of_none() -> None:
    waiting: list[list[str]] = []

    async def forget(rids: Sequence[str]) -> None:
        raise AssertionError(f"{rids} may still be taken back")

    async def follow() -> None:
        async with trio.open_nursery() as nursery:
            undo = UndoWindows(nursery, forget, Random(1))
            told = Told(lambda: undo.open(["a"], CLEAR_ALL_S))
            panel = SimpleNamespace(undo=undo)
            try:
                await _EventStream(cast(Panel, panel), told.send, 0).tell_waiting()
            finally:
                waiting.extend(one["rids"] for each in told.events for one in each["waiting"])
                nursery.cancel_scope.cancel()

    told_by(follow)
    assert waiting == [["a"]]


def test_the_daemon_says_that_a_peer_is_linked_that_came_while_it_looked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []

    async def say(line: Any) -> None:
        said.append(line["peer"]["state"])

    async def follow() -> None:
        standing = Standing()

        async def views(device: object) -> list[PeerView]:
            state = await standing.look(device)
            return [PeerView(device_id="00", name="phone", state=state)]

        monkeypatch.setattr("samemind.daemon.run.peer_views", views)
        device = SimpleNamespace(syncer=standing)
        await _say_changes(cast(Device, device), logging.getLogger("test"), say)

    told_by(follow)
    assert said == ["linked"]
