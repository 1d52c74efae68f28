"""What `verify` says of a store that cannot be written."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

from replica import Core, Remember, Set, StoreFailed, Write, new_memory_id
from samemind.commands.device.verify import Verify, run
from samemind.config import Home
from samemind.device import open_device


async def unheard(said: Mapping[str, Any]) -> None:
    pass


def test_a_full_disk_is_no_damage_and_is_said_to_be_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_device(Home.at(tmp_path / "home"), program="a test", answers=False) as device:
            now_ms = device.now_ms()

            def tell(core: Core, connection: sqlite3.Connection) -> None:
                core.commit([Write(Set("topic", "tea"))], now_ms)
                rid = new_memory_id(now_ms, Random(1))
                core.commit([Write(Remember("told last", {}), rid)], now_ms, fresh={rid}, may_follow=True)
                connection.execute("PRAGMA query_only = ON")

            def make_room(_: Core, connection: sqlite3.Connection) -> None:
                connection.execute("PRAGMA query_only = OFF")

            await device.replica.run(tell, tells=True)
            with pytest.raises(StoreFailed, match=r"readonly database.*then try again"):
                await run(device, Verify(), unheard)
            await device.replica.run(make_room, tells=True)
            verified = await run(device, Verify(), unheard)
            assert (verified.ok, verified.ops) == (True, 2)

    trio.run(main)
