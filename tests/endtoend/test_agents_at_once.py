"""Several agents at one store, each by a way of its own, while the daemon beneath them comes and goes."""

import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp.types import Implementation

import samemind
from tests.support import cli
from tests.support.agents import agent, call

BACKGROUND = ("--json", "up", "--background", "--no-mdns", "--listen", "127.0.0.1:0")
ROUNDS = ("down", "kill", "term")

Use = Callable[..., Awaitable[Any]]


class Told:
    """What agents were told is stored: by whom, and what became of it."""

    def __init__(self) -> None:
        self.over = trio.Event()
        self.texts: dict[str, str] = {}
        self.tellers: dict[str, str] = {}
        self.gone: set[str] = set()

    async def by(self, name: str, use: Use, *, sees_all: bool = True) -> None:
        """Tell, read at once what another told last, edit and forget, until it is over."""
        number = 0
        while not self.over.is_set():
            number += 1
            told = await use("remember", text=f"{name} saw bird {number}")
            mine = told["rid"]
            self.texts[mine], self.tellers[mine] = f"{name} saw bird {number}", name
            others = [rid for rid, teller in self.tellers.items() if teller not in (name, "apart")]
            if sees_all and others and others[-1] not in self.gone:
                read = others[-1]
                found = await use("get", rid=read)
                if (
                    found is None
                ):  # it was asked a second time, of the next daemon, and its teller was quicker
                    assert read in self.gone
                else:
                    expected = f"{self.tellers[read]} saw bird"
                    assert found["text"].startswith(expected), "what another told shows at once"
            if number % 3 == 1:
                self.gone.add(mine)
                await use("forget", rids=[mine])
            elif number % 3 == 2:
                self.texts[mine] += ", and heard it"
                await use("edit", rid=mine, text=self.texts[mine])


async def again(use: Use, verb: str, **options: Any) -> Any:
    """Ask once more where the program that held the store was killed, and may have done it: twice is as once here."""
    while True:
        try:
            return await use(verb, **options)
        except AssertionError as error:
            if verb in ("forget", "get") and "forgotten" in str(error):
                return None
            if verb == "remember" or "check, then ask again" not in str(error):
                raise


@pytest.mark.slow
def test_nothing_is_lost_or_told_twice_while_daemons_come_and_go(tmp_path: Path) -> None:
    told = Told()

    async def speak(name: str, *words: str, mode: str = "auto") -> None:
        named = Implementation(name=name, version="1")
        async with agent(tmp_path, "--profile", "full", *words, mode=mode, client_info=named) as client:
            await told.by(name, partial(again, partial(call, client)), sees_all=name != "apart")

    async def run_daemons() -> None:
        for how in ROUNDS:
            up = await trio.to_thread.run_sync(cli.run, tmp_path, *BACKGROUND)
            assert up.json["running"] is True, up.out
            await trio.sleep(1)
            if how == "down":
                ended = await trio.to_thread.run_sync(cli.run, tmp_path, "--json", "down")
                assert ended.json["pid"] == up.json["pid"]
            else:
                os.kill(up.json["pid"], signal.SIGKILL if how == "kill" else signal.SIGTERM)
            await trio.sleep(1)
        told.over.set()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(speak, "one")
            nursery.start_soon(partial(speak, "two", mode="legacy"))
            nursery.start_soon(speak, "apart", "--workspace", "space")
            nursery.start_soon(run_daemons)

    trio.run(main)
    with samemind.open_blocking(tmp_path) as mind:
        kept = mind.list(each=True, limit=10_000).memories
        assert {each.rid: each.text for each in kept} == {
            rid: text for rid, text in told.texts.items() if rid not in told.gone
        }
        assert max(Counter(each.text for each in kept).values()) == 1
        for each in kept:
            teller = told.tellers[each.rid]
            assert each.source == f"agent {teller}"
            assert each.workspace == ("space" if teller == "apart" else None)
        assert mind.verify().ok
