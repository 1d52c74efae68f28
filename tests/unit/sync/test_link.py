import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from replica import Core, Replica
from replica.compaction import compact
from replica.evidence import Accused, Fault
from replica.membership import revoke
from replica.quotas import Limits
from replica.replica import wall_clock_ms
from replica.snapshot import absorb, make_snapshot, read_snapshot
from sync.errors import LimitExceeded, LinkLost, RemoteProtocolError, SyncError, Untrusted
from sync.exchange import Exchange
from sync.link import ANSWER_SECONDS_MAX, SLICE_SECONDS_MAX, Link, Traffic, _hear
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.limits import FRAME_BYTES_MAX
from sync.wire.messages import Bye, CaughtUp, Findings, Heads, Hello, Ops, decode_message, encode_message
from tests.support.daemons import agree, until
from tests.support.devices import Device, devices, introduce_to, run
from tests.support.imaginary import ended, facing, linked
from tests.support.links import identity
from tests.support.quirks import Counting, Overtaking
from tests.support.replicas import NOW_MS, group


def test_two_linked_devices_come_to_hold_the_same(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat", "Ann likes tea")
            await phone.remember("Bob likes coffee")
            async with linked(laptop, phone) as (near, far):
                await near.settle()
                await far.settle()
                assert await laptop.digests() == await phone.digests()
                assert near.traffic.sent == far.traffic.received == 2
                assert near.traffic.received == far.traffic.sent == 1
                assert near.traffic.bytes_out == far.traffic.bytes_in > 100

    run(main)


def test_a_frame_has_left_when_the_next_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the network has no room for it: that is not waited for."""
    one_turn, waits_at = Link._one_turn, []

    async def noted(link: Link, *say: Any) -> bool:
        begun = bool(link._outgoing) or link._writing
        has_more = await one_turn(link, *say)
        waits_at.append((link, begun, has_more))
        return has_more

    async def moved(laptop: Device, phone: Device) -> list[bool]:
        waits_at.clear()
        async with linked(laptop, phone) as (near, far):
            with trio.fail_after(10):
                await near.settle()
                await far.settle()
        turns = [(begun, has_more) for link, begun, has_more in waits_at if link is near]
        return [begun for (_, followed), (begun, _) in pairwise(turns) if followed]

    monkeypatch.setattr(Link, "_one_turn", noted)

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember(*[f"news {n}" for n in range(150)])
            await laptop.remember(*[f"more news {n}" for n in range(150)])
            assert await moved(laptop, phone) == [False]
            assert await phone.replica.run(lambda core, _: core.position) == 300

    run(main)


def test_what_is_remembered_later_is_pushed_without_being_asked_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with linked(laptop, phone) as (near, far):
                await near.settle()
                await far.settle()
                for n in range(5):
                    position = phone.replica.position
                    await laptop.remember(f"news {n}")
                    await phone.replica.changed(position)
                    assert f"news {n}" in await phone.texts()

    run(main)


def test_of_what_came_over_a_link_itself_there_is_nothing_to_say_but_in_the_turn_that_took_it(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            counting = Counting(laptop.replica)
            watched = replace(laptop, replica=cast(Replica, counting))
            async with linked(watched, phone) as (near, far):
                await near.settle()
                await far.settle()
                await trio.testing.wait_all_tasks_blocked(0.05)
                before, position = counting.calls, laptop.replica.position
                await phone.remember("news")
                await laptop.replica.changed(position)
                await trio.testing.wait_all_tasks_blocked(0.1)
                assert counting.calls == before + 1

    run(main)


def test_heads_and_what_came_right_behind_them_are_heard_in_one_turn(tmp_path: Path) -> None:
    """Whoever holds nothing gets the first frame together with its peer's Heads."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await phone.remember("the key is under the mat")
            counting = Counting(laptop.replica)
            found: list[SyncError | None] = []
            async with facing(replace(laptop, replica=cast(Replica, counting)), phone, found) as far:
                frames = FrameReader()
                (hello,) = frames.feed(await far.receive_some(1_000))

                def answer(core: Core, _: sqlite3.Connection) -> list[bytes]:
                    exchange = Exchange(core, laptop.identity.device_id, phone.replica.now_ms())
                    return exchange.receive(hello, phone.replica.now_ms())

                own, *others = await phone.replica.run(answer)
                assert [type(decode_message(words)) for words in others] == [Heads, Ops]
                await far.send_all(encode_frame(own))
                await trio.testing.wait_all_tasks_blocked(0.05)
                before = counting.calls
                await far.send_all(b"".join(map(encode_frame, others)))
                await until(lambda: holds(laptop, {"the key is under the mat"}))
                assert counting.calls == before + 1
                await far.aclose()

    async def holds(device: Device, texts: set[str]) -> bool:
        return await device.texts() == texts

    run(main)


def test_of_what_came_together_nothing_is_heard_behind_the_end() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    exchange = Exchange(laptop, phone.device, NOW_MS)
    for words in Exchange(phone, laptop.device, NOW_MS).more(NOW_MS):
        exchange.receive(words, NOW_MS)
    laptop.learn([], [revoke(identity("tablet").sign, tablet.device, phone.device)])
    together = [encode_message(each) for each in (Heads(phone.frontier()), Ops(b"no frame", last=True))]
    *_, last = _hear(together, exchange, NOW_MS)
    assert isinstance(decode_message(last), Bye)


def test_a_base_that_is_merged_is_pushed_without_being_asked_for(tmp_path: Path) -> None:
    """It brings memories and no op: the log is as long as before."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", "tablet") as (laptop, phone, tablet):
            await laptop.remember("the key is under the mat", "Ann likes tea")

            def hand_over(core: Core, _: sqlite3.Connection) -> bytes:
                compact(core, laptop.replica.now_ms())
                return make_snapshot(core)

            base = await laptop.replica.run(hand_over)
            async with linked(phone, tablet) as (near, far):
                await near.settle()
                await far.settle()
                before = tablet.replica.news
                now_ms = phone.replica.now_ms()
                await phone.replica.run(lambda core, _: absorb(core, read_snapshot(base, core), now_ms))
                await tablet.replica.stirred(before)
                assert await tablet.texts() == await laptop.texts()

    run(main)


def test_a_resync_without_news_is_one_round_trip_and_a_few_bytes(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("the key is under the mat")
            async with linked(laptop, phone) as (near, far):
                await near.settle()
                await far.settle()
            async with linked(laptop, phone) as (near, far):
                await near.settle()
                assert near.traffic.round_trips == 1
                assert near.traffic.bytes_in + near.traffic.bytes_out < 1_000
                before = near.traffic
                await near.ask()
                await near.settle()
                asked = near.traffic.since(before)
                assert (asked.round_trips, asked.sent, asked.received) == (1, 0, 0)
                assert 0 < asked.bytes_in + asked.bytes_out < 1_000

    run(main)


def test_an_answer_is_a_round_trip_though_something_else_left_before_it_came(tmp_path: Path) -> None:
    """Here it is what was found for the peer, for which no device waits to have everything."""

    async def main() -> None:
        _, phone = group("laptop", "phone")
        found, frames = trio.Event(), FrameReader()

        async def find(question: str, limit: int) -> list[bytes]:
            await found.wait()
            return []

        async with devices(tmp_path, "laptop", "phone") as (laptop, _):
            laptop.replica.finder = find
            now_ms = laptop.replica.now_ms()
            near, far = memory_stream_pair()
            link = Link(near, replica=laptop.replica, peer=phone.device, answers=True)
            theirs = Exchange(phone, laptop.identity.device_id, now_ms, asks=True)

            async def say(messages: list[bytes]) -> None:
                for message in messages:
                    await far.send_all(encode_frame(message))

            async def heard() -> list[bytes]:
                return list(frames.feed(await far.receive_some()))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(ended, link)
                await say(theirs.more(now_ms))
                while not theirs.session.is_quiet:
                    for message in await heard():
                        await say(theirs.receive(message, now_ms))
                await link.settle()
                before = link.traffic
                theirs.ask_memory("where did I park?", 3)
                await say(theirs.more(now_ms))
                await link.ask()
                asked = await heard()
                found.set()
                assert [type(decode_message(message)) for message in await heard()] == [Findings]
                for message in asked:
                    await say(theirs.receive(message, now_ms))
                await link.settle()
                assert link.traffic.since(before).round_trips == 1
                link.drop()

    run(main)


def test_ops_leave_in_the_order_in_which_they_were_committed(tmp_path: Path) -> None:
    """Two tasks return from the store's thread in any order; what they said must not change places."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            slow = replace(laptop, replica=cast(Replica, Overtaking(laptop.replica)))
            async with linked(slow, phone) as (near, far):

                async def write(device: Device) -> None:
                    for n in range(40):
                        await device.remember(f"{device.name} {n}")

                async with trio.open_nursery() as nursery:
                    nursery.start_soon(write, laptop)
                    nursery.start_soon(write, phone)
                await agree(laptop, phone)
                assert near.progress.refusals == far.progress.refusals == ()
                assert len(await phone.texts()) == 80

    run(main)


def test_a_goodbye_ends_both_ends_without_an_error(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            near, far = memory_stream_pair()
            found: list[SyncError | None] = []
            one = Link(near, replica=laptop.replica, peer=phone.identity.device_id)
            other = Link(far, replica=phone.replica, peer=laptop.identity.device_id)

            async def keep(link: Link) -> None:
                found.append(await ended(link))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep, one)
                nursery.start_soon(keep, other)
                await one.settle()
                await one.leave("the lid was closed")
            assert found == [None, None]
            assert other.progress.goodbye == "the lid was closed"
            assert one.ended.is_set()

    run(main)


def test_waiting_for_a_link_that_ends_says_why(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            near, far = memory_stream_pair()
            link = Link(near, replica=laptop.replica, peer=phone.identity.device_id)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ended, link)
                await far.send_all(encode_frame(encode_message(Bye("going to sleep"))))
                with pytest.raises(LinkLost, match="going to sleep"):
                    await link.settle()

    run(main)


def test_a_stranger_is_not_talked_to(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,), devices(tmp_path, "stranger") as (stranger,):
            found: list[SyncError | None] = []
            async with facing(laptop, stranger, found) as wire:
                assert await wire.receive_some() == b""
            assert isinstance(found[0], Untrusted)

    run(main)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (b"\x00\x00\x00\x03abc", RemoteProtocolError),
        (encode_frame(encode_message(CaughtUp())), RemoteProtocolError),
        (encode_frame(b""), RemoteProtocolError),
        ((FRAME_BYTES_MAX + 1).to_bytes(4, "big"), LimitExceeded),
    ],
    ids=["no message", "a message out of turn", "an empty frame", "a frame too large"],
)
def test_a_peer_that_breaks_the_protocol_is_told_so_and_let_go_and_doctor_can_name_it(
    tmp_path: Path, said: bytes, fault: type[SyncError]
) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            found: list[SyncError | None] = []
            heard: list[bytes] = []
            async with facing(laptop, phone, found) as wire:
                await wire.send_all(said)
                frames = FrameReader()
                while chunk := await wire.receive_some():
                    heard += frames.feed(chunk)
            assert isinstance(found[0], fault), found
            first, last = map(decode_message, (heard[0], heard[-1]))
            assert isinstance(first, Hello)
            assert isinstance(last, Bye)
            assert last.reason == str(found[0])
            evidence = await laptop.replica.run(lambda core, _: core.evidence)
            assert Accused(phone.identity.device_id, Fault.PROTOCOL) in evidence

    run(main)


def test_a_stream_that_ends_inside_a_frame_is_the_peers_fault(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            found: list[SyncError | None] = []
            async with facing(laptop, phone, found) as wire:
                await wire.send_all(b"\x00\x00\x01\x00half")
                await wire.send_eof()
            assert isinstance(found[0], RemoteProtocolError)

    run(main)


def test_a_peer_that_hangs_up_is_a_lost_link(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            found: list[SyncError | None] = []
            async with facing(laptop, phone, found) as wire:
                await wire.aclose()
            assert isinstance(found[0], LinkLost)

    run(main)


def test_a_peer_that_owes_an_answer_has_a_minute(tmp_path: Path) -> None:
    """The clock jumps: nobody waits for the minute."""
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            found: list[SyncError | None] = []
            async with facing(laptop, phone, found) as wire:
                await wire.receive_some()  # its Hello: now it waits for ours
                await trio.testing.wait_all_tasks_blocked()
                clock.jump(ANSWER_SECONDS_MAX - 1)
                await trio.testing.wait_all_tasks_blocked()
                assert found == []
                clock.jump(2)
            assert isinstance(found[0], LinkLost)
            assert "stayed silent" in str(found[0])

    trio.run(main, clock=clock)


def test_a_quiet_link_may_be_silent_for_ever_and_does_nothing(tmp_path: Path) -> None:
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            counting = Counting(laptop.replica)
            watched = replace(laptop, replica=cast(Replica, counting))
            async with linked(watched, phone) as (near, far):
                await near.settle()
                await far.settle()
                await trio.testing.wait_all_tasks_blocked()
                before = counting.calls
                for _ in range(100):
                    clock.jump(10_000)
                    await trio.testing.wait_all_tasks_blocked()
                assert counting.calls == before, "something polls"
                assert not near.ended.is_set()
                await laptop.remember("still there")
                while not await phone.texts():
                    await phone.replica.changed(0)
                assert await phone.texts() == {"still there"}

    trio.run(main, clock=clock)


def test_what_has_to_wait_is_asked_for_in_time_though_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for the next thing that anybody told, and on a quiet link for ever."""
    clock = MockClock()

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            limits = Limits(ops=2)
            await phone.replica.run(lambda core, _: setattr(core.quotas, "limits", limits))
            async with linked(laptop, phone) as (near, far):
                await laptop.remember("at once", "one", "two")
                await phone.replica.changed(0)
                await laptop.remember("when there is room")
                while not near.progress.refusals:
                    await trio.testing.wait_all_tasks_blocked(0.01)
                wait_ms = far.progress.asks_again_ms
                assert wait_ms is not None
                assert near.progress.asks_again_ms is None
                monkeypatch.setattr(phone.replica, "_clock", lambda: wall_clock_ms() + wait_ms)
                clock.jump(wait_ms / 1000)
                await phone.replica.changed(3)
                assert "when there is room" in await phone.texts()
                assert far.progress.asks_again_ms is None

    trio.run(main, clock=clock)


def test_a_peer_that_stops_reading_is_let_go(tmp_path: Path) -> None:
    clock = MockClock()

    class Clogged(trio.abc.Stream):
        """Takes nothing and gives nothing."""

        def __init__(self) -> None:
            self.asked_to_send = trio.Event()
            self.closed = False

        async def send_all(self, data: object) -> None:
            self.asked_to_send.set()
            await trio.sleep_forever()

        async def wait_send_all_might_not_block(self) -> None:
            await trio.sleep_forever()

        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            await trio.sleep_forever()
            raise AssertionError

        async def aclose(self) -> None:
            self.closed = True

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            stream = Clogged()
            link = Link(stream, replica=laptop.replica, peer=phone.identity.device_id)
            found: list[SyncError | None] = []

            async def keep() -> None:
                found.append(await ended(link))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep)
                await stream.asked_to_send.wait()
                await trio.testing.wait_all_tasks_blocked()
                clock.jump(SLICE_SECONDS_MAX + 1)
            assert isinstance(found[0], LinkLost)
            assert stream.closed

    trio.run(main, clock=clock)


def test_a_link_that_is_cancelled_closes_its_stream(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            near, far = memory_stream_pair()
            link = Link(near, replica=laptop.replica, peer=phone.identity.device_id)
            with trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(link.run)
                    await far.receive_some()
                    scope.cancel()
            assert scope.cancelled_caught
            assert link.ended.is_set()
            assert await far.receive_some() == b""

    run(main)


def test_a_newcomer_is_made_known_over_links_that_stand(tmp_path: Path) -> None:
    """Otherwise its ops would be refused as a stranger's until the next link."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            async with devices(tmp_path, "tablet") as (tablet,):
                async with linked(laptop, phone) as (near, far):
                    await near.settle()
                    await far.settle()
                    for one, other in ((laptop, tablet), (tablet, laptop)):
                        await introduce_to(one, other.name)
                    await near.nudge()
                    async with linked(laptop, tablet) as _:
                        await tablet.remember("from the newcomer")
                        news = phone.replica.news
                        while "from the newcomer" not in await phone.texts():
                            news = await phone.replica.stirred(news)
                    await near.settle()
                    assert near.progress.refusals == far.progress.refusals == ()

    run(main)


def test_traffic_is_counted_from_wherever_one_looks() -> None:
    assert Traffic(5, 4, 300, 200, 3).since(Traffic(1, 1, 100, 100, 1)) == Traffic(4, 3, 200, 100, 2)
