"""A real daemon, and a device that reaches it as a page does: by a WebSocket at the panel."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.support.cli import RunningDaemon, daemon
from tests.support.cli import run as samemind
from tests.support.daemons import until
from tests.support.devices import devices, run
from tests.support.pages import Page, offering

pytestmark = pytest.mark.endtoend


@asynccontextmanager
async def paired(home: Path, folder: Path, running: RunningDaemon) -> AsyncIterator[Page]:
    """A phone that was just paired with the daemon of a home."""
    async with devices(folder, "phone") as (phone,):
        page = Page(phone, running.said["panel_url"])
        with offering(home) as (code, command):
            joined = await page.pair(code)
            out, _ = await trio.to_thread.run_sync(command.communicate)
        said = json.loads(out.splitlines()[-1])
        assert said["words"] == " ".join(joined.words)
        assert page.closed == 1000
        yield page


async def asked(home: Path, *words: str) -> Any:
    """What a command of the laptop answers."""
    answer = await trio.to_thread.run_sync(lambda: samemind(home, "--json", *words))
    assert answer.code == 0, answer
    return answer.json


async def agreed(home: Path, page: Page) -> None:
    """Wait until both hold the same."""

    async def same() -> bool:
        said = await asked(home, "digest")
        digests = await page.device.digests()
        return bool((said["digest"], said["state_digest"]) == (digests.visible.hex(), digests.state.hex()))

    await until(same)


def test_a_phone_pairs_syncs_hears_at_once_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def main() -> None:
        assert samemind(home, "remember", "told to the laptop first").code == 0
        with daemon(home, "--panel", "127.0.0.1:0") as running:
            port = running.said["panel_url"].rstrip("/").rpartition(":")[2]
            async with paired(home, tmp_path, running) as page:
                async with page.linked() as link:
                    await link.settle()
                    assert await page.device.texts() == {"told to the laptop first"}
                    await page.device.remember("told to the phone")
                    await agreed(home, page)
                    (peer,) = (await asked(home, "peers", "list"))["peers"]
                    assert (peer["name"], peer["state"]) == ("phone", "linked")
                    await asked(home, "remember", "told to the laptop while linked")
                    await agreed(home, page)
                await page.device.remember("told to the phone while away")
                await asked(home, "remember", "told to the laptop meanwhile")
                running.end()
                with daemon(home, "--panel", f"127.0.0.1:{port}") as again:
                    assert again.said["panel_url"] == page.url
                    async with page.linked() as link:
                        await link.settle()
                        await agreed(home, page)
                        assert len(await page.device.texts()) == 5

    run(main)
