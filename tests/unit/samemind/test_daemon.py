"""What a daemon decides before and beside its links, without one running."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

import samemind.daemon
from cognition.ranking.confidence import FLOOR
from samemind.commands.device.up import Up
from samemind.config import Home
from samemind.daemon import PORT_DEFAULT, _find, _linked, run_daemon
from samemind.device import Device
from samemind.errors import Usage


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

    monkeypatch.setattr(samemind.daemon, "open_syncer", open_syncer)
    settings = SimpleNamespace(listen=None)
    device = cast(
        Device, SimpleNamespace(replica=None, identity=None, host=None, name="b", settings=settings)
    )

    async def main() -> None:
        async with _linked(device, None, mdns=False):
            pass

    trio.run(main)
    assert tried == [("", PORT_DEFAULT), ("", 0)]
