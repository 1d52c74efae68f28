"""A device that runs for weeks gives back what it took for a while."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from replica import Replica
from replica.compaction import compact
from replica.snapshot import absorb, make_snapshot, read_snapshot
from samemind import memory_trim
from sync.errors import SyncError
from sync.exchange import Exchange
from sync.parts import parts_of
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import Base, decode_message
from tests.support.cli import SECONDS_MAX, environment
from tests.support.devices import Device, devices
from tests.support.imaginary import facing, linked

# In a process of its own, as the allocator's state is the whole process's. Prints what it holds, in kB: before a
# cycle of thinking over memories that are new, after it, and when it gave back.
THINKS = """
import sys
from functools import partial
from pathlib import Path

import trio

from samemind.config import Home
from samemind.device import open_device
from samemind.memory_trim import give_back, share_one_heap
from samemind.commands.memories._to_remember import RememberMemory
from samemind.commands.memories.remember import run as remember


def held() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


async def main() -> None:
    async with open_device(Home.at(Path(sys.argv[1])), program="a test", answers=False) as device:
        for number in range(1_000):
            if number == 100:
                await device.mind.think()  # the code that it loads stays; this is about what it works with
            await remember(device, RememberMemory(text=f"thing {number} that device{number % 3} saw", no_dedup=True))
        await device.mind.settle()
        await give_back(device.replica)
        print(held())
        while (await device.mind.think()).more:  # on a busy machine one cycle ends before it is through
            pass
        print(held())
        await give_back(device.replica)
        print(held())


share_one_heap()
trio.run(main)
"""

# Likewise through the library's door, where a program asks: how much could be given back after many memories were
# written in one go, after the first recall, and after a cycle of thinking.
LEAVES = """
import sys
from pathlib import Path

import samemind
from samemind import memory_trim
from samemind.memory_trim import give_back

memory_trim.LONG_MS = 0  # or a fast machine would think about so few in less


def held() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


def left(mind) -> int:
    before = held()
    mind._run(lambda: give_back(mind._mind._reached.device.replica))
    return before - held()


with samemind.open_blocking(sys.argv[1]) as mind:
    mind.remember_many([f"thing {number} that device{number % 3} saw" for number in range(1_500)])
    print(left(mind))
    mind.remember("that is all", wait=True)
    mind.recall("what did device1 see?")
    print(left(mind))
    while mind.think().more:
        pass
    print(left(mind))
"""

# What stays of twelve megabytes in small blocks, in kB, once something large was freed before them.
FREES = """
from pathlib import Path

from samemind.memory_trim import share_one_heap


def held() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


share_one_heap()
large = bytes(20_000_000)
del large
before = held()
small = [bytes([1]) * 60_000 for _ in range(200)]
print(held() - before)
del small
print(held() - before)
"""


def _printed_by(program: str, *arguments: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do otherwise")
def test_what_a_cycle_of_thinking_took_is_given_back(tmp_path: Path) -> None:
    printed = _printed_by(THINKS, tmp_path / "home")
    before, thought, after = (int(line) / 1_000 for line in printed.split())
    print(f"{before:.1f} MB, after thinking {thought:.1f}, given back {after:.1f}")
    assert thought - before > 2, "thinking takes something, or this test shows nothing"
    assert after - before < 0.6 * (thought - before), "0.4 of it stays, and nearly all where nothing is done"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do otherwise")
def test_a_large_block_that_was_freed_lets_the_heap_of_a_daemon_keep_no_more() -> None:
    printed = _printed_by(FREES)
    taken, kept = map(int, printed.split())
    assert taken > 10_000, "small blocks take something, or this test shows nothing"
    assert kept < 2_000


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators do otherwise")
def test_what_a_program_wrote_in_one_go_and_thought_leaves_little_behind(tmp_path: Path) -> None:
    printed = _printed_by(LEAVES, tmp_path / "home")
    written, recalled, thought = (int(line) / 1_000 for line in printed.split())
    print(
        f"left after many memories {written:.1f} MB, after a recall {recalled:.1f}, after thinking {thought:.1f}"
    )
    assert max(written, recalled, thought) < 0.5, (
        "where one of the three gives nothing back it is 1.4 at least"
    )


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return when memory was given back, which nothing does now."""
    times: list[float] = []

    async def give_back(replica: Replica) -> None:
        times.append(trio.current_time())

    monkeypatch.setattr(memory_trim, "give_back", give_back)
    return times


async def a_minute_passes(clock: MockClock) -> None:
    """Let what waits for a minute of quiet be done, and what waits for nothing before it."""
    await wait_all_tasks_blocked()
    clock.jump(memory_trim.QUIET_SECONDS)
    await wait_all_tasks_blocked()


def test_a_minute_after_a_write_memory_is_given_back_and_a_device_at_rest_sleeps(
    tmp_path: Path, given: list[float]
) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), memory_trim.kept_small(laptop.replica):
            await wait_all_tasks_blocked()
            for written in (1, 2):
                for _ in range(5):
                    await a_minute_passes(clock)
                assert len(given) == written, "once for what came, and not again"
                await laptop.remember("something")
                await wait_all_tasks_blocked()

    trio.run(main, clock=clock)


def test_a_minute_after_a_snapshot_came_memory_is_given_back_though_the_log_is_as_long(
    tmp_path: Path, given: list[float]
) -> None:
    clock = MockClock()

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            memory_trim.kept_small(phone.replica),
        ):
            await a_minute_passes(clock)  # what it takes to open one is given back
            given.clear()
            await laptop.remember("something")
            await laptop.replica.run(lambda core, _: compact(core, laptop.replica.now_ms()))
            snapshot = await laptop.replica.run(lambda core, _: make_snapshot(core))
            await phone.replica.run(lambda core, _: absorb(core, read_snapshot(snapshot, core), 0))
            assert await phone.texts() == {"something"}
            await a_minute_passes(clock)
            assert len(given) == 1

    trio.run(main, clock=clock)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut a snapshot of a few memories into many parts."""
    assert parts_of.__kwdefaults__ is not None
    monkeypatch.setitem(parts_of.__kwdefaults__, "part_bytes", 400)


async def compacted(laptop: Device) -> None:
    await laptop.remember(*(f"note {n} of many {n * n}" for n in range(300)))
    await laptop.replica.run(lambda core, _: compact(core, laptop.replica.now_ms()))


@pytest.mark.usefixtures("small_parts")
def test_a_minute_after_a_snapshot_broke_off_memory_is_given_back(tmp_path: Path, given: list[float]) -> None:
    """It stayed until the receiver wrote something: 160 MB of a large one, which lengthened no log."""
    clock = MockClock()

    async def send_parts(wire: trio.abc.Stream, laptop: Device, phone: Device) -> None:
        """Converse as the laptop until three parts have left."""
        make = laptop.replica.run
        exchange = await make(lambda core, _: Exchange(core, phone.identity.device_id, 0))

        async def hear(message: bytes) -> list[bytes]:
            return await make(lambda core, _: exchange.receive(message, 0))

        frames, parts = FrameReader(), 0
        said = await make(lambda core, _: exchange.more(0))
        while parts < 3:
            for message in said:
                parts += isinstance(decode_message(message), Base)
                await wire.send_all(encode_frame(message))
            said = []
            for heard in frames.feed(await wire.receive_some()):
                said += await hear(heard)

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            memory_trim.kept_small(phone.replica),
        ):
            await compacted(laptop)
            await a_minute_passes(clock)  # what it takes to open one is given back
            given.clear()
            ended: list[SyncError | None] = []
            async with facing(phone, laptop, ended) as wire:
                await send_parts(wire, laptop, phone)
                await wire.aclose()
            assert len(ended) == 1
            assert await phone.texts() == set()
            await a_minute_passes(clock)
            assert len(given) == 1

    trio.run(main, clock=clock)


@pytest.mark.usefixtures("small_parts")
def test_a_minute_after_a_snapshot_has_left_memory_is_given_back_though_its_link_stands(
    tmp_path: Path, given: list[float]
) -> None:
    clock = MockClock()

    async def main() -> None:
        async with (
            devices(tmp_path, "laptop", "phone") as (laptop, phone),
            memory_trim.kept_small(laptop.replica),
        ):
            await compacted(laptop)
            await a_minute_passes(clock)
            await a_minute_passes(clock)
            given.clear()
            async with linked(laptop, phone) as (near, far):
                await near.settle()
                await far.settle()
                assert len(await phone.texts()) == 300
                await a_minute_passes(clock)
                assert len(given) == 1

    trio.run(main, clock=clock)
