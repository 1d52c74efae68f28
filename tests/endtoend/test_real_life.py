"""What happens to devices outside of a laboratory: a backup of last year, a lid that closes, a member that floods."""

import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from replica import wall_clock_ms
from replica.frame import encode_frame as encode_ops
from samemind.commands.keeping_safe.restore import Restore
from samemind.config import Home, Settings
from samemind.device import open_device
from samemind.library.mind import Mind
from samemind.local import Local
from sync.address import Address
from sync.dialling import connect
from sync.syncer import open_syncer
from sync.tls import secure
from sync.wire.frames import encode_frame
from sync.wire.messages import Ops, encode_message
from tests.endtoend.test_clones import agree, meet
from tests.support.devices import run
from tests.support.doors import Opened, pair
from tests.support.hostile import Speaker, said_by, writer
from tests.support.links import identity
from tests.support.processes import Process
from tests.support.published import published
from tests.support.restoring import restore

YEAR_MS = 365 * 86_400_000
# What a member sends, and what that may add to a device: some frames and the store's pages, never all of it.
FLOOD_BYTES = 96 << 20
GROWTH_BYTES_MAX = 64 << 20
# Nobody reads any more if this passes: the kernel's buffers are full.
BLOCKED_SECONDS = 2.0


@asynccontextmanager
async def opened_at(folder: Path, now_ms: int) -> AsyncIterator[Opened]:
    """A device with links on loopback, whose clock stands at a moment."""
    home = Home.at(folder)
    home.create()
    Settings(name=folder.name, mdns=False).save(home)
    async with open_device(
        home,
        program="a test",
        answers=False,
        clock=lambda: now_ms,
        linking=lambda device: open_syncer(
            device.replica,
            device.identity,
            device.host,
            name=device.name,
            listen_on=("127.0.0.1", 0),
            mdns=False,
        ),
    ) as device:
        yield Opened(device, Mind(Local(device)))


@published("YD-48")
def test_a_backup_of_a_year_ago_joins_and_nothing_comes_back_or_is_lost(tmp_path: Path) -> None:
    """Since then: forgotten, edited, erased, written on both, and the log folded away on the device that stayed."""
    file, began = tmp_path / "old.db", wall_clock_ms() - 2 * YEAR_MS

    async def first_year() -> dict[str, str]:
        async with (
            opened_at(tmp_path / "laptop", began) as laptop,
            opened_at(tmp_path / "phone", began) as phone,
        ):
            await pair(laptop, phone)
            names = ("forgotten", "erased", "edited", "kept")
            rids = {name: (await laptop.mind.remember(f"the {name} one")).rid for name in names}
            await agree(laptop, phone)
            await laptop.mind.backup(file)
            await phone.mind.forget(rids["forgotten"])
            await phone.mind.forget(rids["erased"], erase=True)
            await phone.mind.edit(rids["edited"], "the edited one, since then")
            await laptop.mind.remember("written on the laptop after the backup")
            await meet(laptop, phone)
            return rids

    async def second_year() -> None:
        later = began + YEAR_MS
        async with (
            opened_at(tmp_path / "laptop", later) as laptop,
            opened_at(tmp_path / "phone", later) as phone,
        ):
            await meet(laptop, phone)
            await phone.mind.remember("written on the phone a year later")
            await meet(laptop, phone)
            assert (await phone.mind.compact()).compacted > 0, "its log begins after the backup"

    async def restored(rids: dict[str, str]) -> None:
        now = began + YEAR_MS + 60_000
        async with opened_at(tmp_path / "laptop", now) as laptop, opened_at(tmp_path / "phone", now) as phone:
            before = {memory.text for memory in (await laptop.mind.list()).memories}
            assert "written on the laptop after the backup" not in before
            await laptop.mind.remember("written before they met again")
            await meet(laptop, phone)
            for each in (laptop, phone):
                assert {memory.text for memory in (await each.mind.list(limit=100)).memories} == {
                    "the edited one, since then",
                    "the kept one",
                    "written on the laptop after the backup",
                    "written on the phone a year later",
                    "written before they met again",
                }
                assert (await each.mind.verify()).ok
        erased = b"the erased one"
        assert not any(
            erased in path.read_bytes()
            for path in (tmp_path / "laptop").glob("memory.db*")
            if "before" not in path.name
        )

    rids: dict[str, str] = {}

    async def main() -> None:
        rids.update(await first_year())
        await second_year()

    run(main)
    restore(Home.at(tmp_path / "laptop"), Restore(file=str(file)))
    run(lambda: restored(rids))


def test_a_device_whose_lid_was_closed_goes_on_where_it_was(tmp_path: Path) -> None:
    """Stopped as a whole, as sleep does it; what was told meanwhile arrives both ways, and the link is alive."""
    laptop = Process(tmp_path, "laptop", "--knows", "phone", "--listen", "127.0.0.1")
    phone = Process(tmp_path, "phone", "--knows", "laptop", "--call", laptop.up["address"])
    try:
        laptop.ask("remember 1 before")
        assert phone.ask("wait before")["seen"] == "before"
        os.kill(phone.pid, signal.SIGSTOP)
        laptop.ask("remember 1 while it slept")
        phone.say("remember 1 written when it woke")  # read once it goes on
        os.kill(phone.pid, signal.SIGCONT)
        assert phone.hear()["remembered"] == 1
        assert phone.ask("wait while it slept")["after_s"] < 60
        assert laptop.ask("wait written when it woke")["after_s"] < 60
        assert laptop.ask("peers")["peers"] == {"phone": "linked"}
    finally:
        os.kill(phone.pid, signal.SIGCONT)
        phone.end()
        laptop.end()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a process's memory is read from /proc")
def test_a_member_that_floods_and_never_reads_costs_a_bounded_amount_of_memory(tmp_path: Path) -> None:
    """It sends more than it was asked for and takes no answer; everybody else is served all the same."""
    laptop = Process(tmp_path, "laptop", "--knows", "phone", "--knows", "tablet", "--listen", "127.0.0.1")
    address = Address.parse(laptop.up["address"])

    text = random.Random(3).randbytes
    said = said_by(writer("phone"), [text(30_000).hex() for _ in range(30)])
    frame = encode_frame(encode_message(Ops(encode_ops(said), True)))

    async def flood() -> int:
        stream, _ = await secure(
            await connect(address),
            identity=identity("phone"),
            pins=[identity("laptop").certificate],
            server_side=False,
        )
        await Speaker(stream).greet()
        sent = 0
        try:
            while sent < FLOOD_BYTES:
                with trio.move_on_after(BLOCKED_SECONDS) as patience:
                    await stream.send_all(frame)
                if patience.cancelled_caught:
                    break
                sent += len(frame)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it has hung up on us
        print(f"{sent >> 20} MB of {len(frame)} bytes each were taken", file=sys.stderr)
        await trio.aclose_forcefully(stream)
        return memory_of(laptop.pid)

    try:
        before, grown = memory_of(laptop.pid), []

        async def main() -> None:
            grown.append(await flood())

        run(main)
        print(f"it grew by {grown[0] - before >> 20} MB", file=sys.stderr)
        assert grown[0] - before < GROWTH_BYTES_MAX
        tablet = Process(tmp_path, "tablet", "--knows", "laptop", "--call", str(address))
        try:
            laptop.ask("remember 1 still here")
            assert tablet.ask("wait still here")["seen"] == "still here"
        finally:
            tablet.end()
    finally:
        laptop.end()


def memory_of(pid: int) -> int:
    """The most that a process ever held, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("expected VmHWM")
