"""One connection of the control socket, whatever becomes of it, ends none of the others and nothing behind them."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.config import Home
from samemind.control.remote import Remote
from samemind.control.server import Say, serve
from samemind.errors import Failed


async def perform(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    return {"strength": float("nan")} if verb == "odd" else {"verb": verb}


async def unheard(said: object) -> None:
    pass


async def ask(home: Home, verb: str) -> Mapping[str, Any]:
    remote = await Remote.connect(home)
    assert remote is not None
    try:
        return await remote.ask(verb, {}, unheard)
    finally:
        await remote.aclose()


def test_a_result_that_is_no_json_is_told_as_a_bug_and_ends_nothing_else(tmp_path: Path) -> None:
    """It ended the daemon: what is sent was made outside of what catches errors."""
    home = Home.at(tmp_path)

    async def main() -> None:
        async with serve(home, perform):
            with pytest.raises(Failed) as caught:
                await ask(home, "odd")
            assert caught.value.code == "internal"
            assert await ask(home, "stats") == {"verb": "stats"}

    trio.run(main)


def test_a_system_that_sets_no_mode_on_an_unbound_socket_sets_it_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS and the BSDs do; no device could be opened there."""
    home = Home.at(tmp_path)

    def fchmod(descriptor: int, mode: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fchmod", fchmod)

    async def main() -> None:
        async with serve(home, perform):
            assert home.control.stat().st_mode & 0o777 == 0o600
            assert await ask(home, "stats") == {"verb": "stats"}

    trio.run(main)
