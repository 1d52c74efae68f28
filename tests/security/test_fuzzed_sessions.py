"""Spoiled conversations over real links: what a member says ends its own link, and nothing else.

Once a greeting whose clock was 2^64-1 ended the daemon: every message was read within its bounds, but what followed
from the number did not fit where it was stored. So whole conversations are spoiled here, and not only decoders.
"""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from replica.codec import pack
from replica.evidence import Fault
from replica.limits import FRAME_OPS_MAX
from replica.verify import verify_replica
from sync.errors import SyncError
from sync.exchange import Exchange
from sync.wire.frames import encode_frame
from sync.wire.messages import (
    BASE_PARTS_MAX,
    CLOCK_MS_MAX,
    DIGEST_BYTES,
    Ack,
    Bye,
    Hello,
    Known,
    Message,
    decode_message,
    encode_message,
)
from tests.support.daemons import agree, online
from tests.support.devices import Device, devices, run
from tests.support.fuzzing_sessions import Spoiler
from tests.support.hostile import Speaker, speaking
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, core_of

LAPTOP, PHONE = identity("laptop"), identity("phone")
FRESH = random.SystemRandom().randrange(2**32)
# Of a link whose other end says nothing more; on a busy machine an answer takes some tenths of a second.
QUIET_SECONDS = 1.0


async def spoiled(speaker: Speaker, seed: int) -> None:
    """Hold a conversation as the phone does, with what it says spoiled, until nobody says anything."""
    core, spoil = core_of("phone"), Spoiler(random.Random(seed))
    acquaint(core, "phone", "laptop", "tablet")
    exchange = Exchange(core, LAPTOP.device_id, NOW_MS)
    saying = exchange.more(NOW_MS)
    while True:
        for said in [other for each in saying for other in spoil(each)]:
            await speaker.stream.send_all(encode_frame(said))
        with trio.move_on_after(QUIET_SECONDS) as waiting:
            heard = await speaker.hear()
        if waiting.cancelled_caught or heard is None:
            return
        try:
            saying = exchange.receive(encode_message(heard), NOW_MS)
        except (SyncError, AssertionError):
            return


def ordeal(folder: Path, *seeds: int) -> None:
    """One device after many spoiled conversations: it writes, answers, and serves an honest peer."""

    async def main() -> None:
        async with devices(folder, "laptop", "phone", "tablet") as (laptop, _phone, tablet):
            for n in range(5):
                await laptop.remember(f"the key is under mat {n}")
            async with online(laptop) as syncer:
                for seed in seeds:
                    print(f"seed {seed}")
                    try:
                        async with speaking(syncer, PHONE, LAPTOP.certificate) as speaker:
                            await spoiled(speaker, seed)
                    except (trio.BrokenResourceError, SyncError):
                        pass
                    assert not syncer.tasks.troubles, f"seed {seed}: {syncer.tasks.troubles}"
                await laptop.remember("and on")
                async with online(tablet, calls=[syncer]):
                    await agree(laptop, tablet)
            for device in (laptop, tablet):
                found = await device.replica.run(lambda core, _: verify_replica(core))
                assert found.ok, found.problems

    run(main)


@pytest.mark.slow
def test_spoiled_conversations_end_their_own_links_and_nothing_else(tmp_path: Path) -> None:
    ordeal(tmp_path, *range(12), *range(FRESH, FRESH + 12))


GREETING = Hello(2, NOW_MS, bytes(32), bytes(32), True, 4)
OUT_OF_BOUNDS = [
    replace(GREETING, clock_ms=CLOCK_MS_MAX + 1),
    replace(GREETING, clock_ms=2**63 - 1),
    replace(GREETING, clock_ms=2**64 - 1),
    replace(GREETING, clock_ms=-1),
    replace(GREETING, clock_ms=-(2**63)),
    replace(GREETING, clock_ms=True),
    replace(GREETING, credits=0),
    replace(GREETING, credits=1001),
    replace(GREETING, credits=True),
]


@pytest.mark.parametrize("greeting", OUT_OF_BOUNDS, ids=lambda each: f"{each.clock_ms}-{each.credits}")
def test_a_number_that_no_device_says_ends_the_link_that_said_it(tmp_path: Path, greeting: Hello) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, _), online(laptop) as syncer:
            async with speaking(syncer, PHONE, LAPTOP.certificate) as speaker:
                await speaker.hear()
                await speaker.say(greeting)
                verdict = await speaker.verdict()
                assert isinstance(verdict, Bye)
                assert "expected" in verdict.reason
            await until_accused(laptop)
            assert not syncer.tasks.troubles

    run(main)


async def until_accused(laptop: Device) -> None:
    while True:
        evidence = await laptop.replica.run(lambda core, _: core.evidence)
        if evidence:
            ((device, fault),) = evidence
            assert (device, fault) == (PHONE.device_id, Fault.PROTOCOL)
            return
        await trio.sleep(0.01)


@pytest.mark.parametrize("clock_ms", [0, 1, CLOCK_MS_MAX])
def test_the_wildest_clock_that_a_device_may_show_is_told_and_kept(tmp_path: Path, clock_ms: int) -> None:
    """It is stored beside the peer, and read again; the difference fits in either direction."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, _), online(laptop) as syncer:
            async with speaking(syncer, PHONE, LAPTOP.certificate) as speaker:
                greeting = await speaker.hear()
                assert isinstance(greeting, Hello)
                await speaker.say(replace(greeting, clock_ms=clock_ms), Bye("that was all"))
                while await speaker.hear() is not None:
                    pass
            with trio.fail_after(60):
                news = syncer.news.count
                while not [peer for peer in syncer.peers() if peer.offset_ms is not None]:
                    news = await syncer.news.after(news)
            assert not syncer.tasks.troubles

    run(main)


def message_of(message: Message) -> Message:
    return decode_message(encode_message(message))


@pytest.mark.parametrize(
    "message",
    [
        [7, FRAME_OPS_MAX + 1, []],
        [7, -1, []],
        [7, True, []],
        [7, 0, [[bytes(32), bytes(8), 2**64 - 1, "why", False]]],
        [7, 0, [[bytes(32), bytes(8), -1, "why", False]]],
        [3, [[bytes(32), bytes(8), 2**64 - 1, bytes(8)]], None, 0],
        [3, [], bytes(32), BASE_PARTS_MAX + 1],
        [3, [], bytes(32), True],
        [5, [[bytes(32), bytes(8), [[2**53 + 1, bytes(8)]]]]],
        [10, 0, BASE_PARTS_MAX + 1, bytes(DIGEST_BYTES), b""],
        [10, False, 1, bytes(DIGEST_BYTES), b""],
        [10, 1, 1, bytes(DIGEST_BYTES), b""],
    ],
    ids=str,
)
def test_every_number_of_every_message_has_its_bounds(message: list[object]) -> None:
    with pytest.raises(SyncError):
        decode_message(pack(message))


def test_the_largest_numbers_that_may_be_said_are_read() -> None:
    for message in (Ack(FRAME_OPS_MAX, ()), Ack(0, ()), Known(()), replace(GREETING, clock_ms=CLOCK_MS_MAX)):
        assert message_of(message) == message
