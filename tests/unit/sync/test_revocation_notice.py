"""Whoever was put out counts as told only where it took the notice to its end."""

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from replica import revoke
from replica.membership import Revocation
from sync.revocation_notice import tell_revoked
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import Bye, Message, Trust, decode_message, encode_message
from tests.support.links import identity


def revocation() -> Revocation:
    """What is told."""
    laptop, phone = identity("laptop"), identity("phone")
    return revoke(laptop.sign, laptop.device_id, phone.device_id)


def test_who_reads_it_to_the_end_was_told() -> None:
    async def main() -> None:
        near, far = memory_stream_pair()
        out, frames = revocation(), FrameReader()
        heard: list[Message] = []

        async def listen() -> None:
            while not any(isinstance(each, Bye) for each in heard):
                heard.extend(map(decode_message, frames.feed(await far.receive_some(4096))))
            await far.aclose()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            assert await tell_revoked(near, (out,), 1)
        assert [each.revocations for each in heard if isinstance(each, Trust)] == [(out,)]

    trio.run(main)


@pytest.mark.parametrize("sent", [False, True])
def test_who_was_gone_before_or_while_it_was_said_was_not_told(sent: bool) -> None:
    async def main() -> None:
        near, far = memory_stream_pair()
        if sent:  # all of it left, and then the link broke

            async def broken() -> None:
                await near.aclose()

            near.receive_stream.receive_some_hook = broken
        else:
            await far.aclose()
        assert not await tell_revoked(near, (revocation(),), 1)

    trio.run(main)


def test_who_never_closes_was_not_told() -> None:
    async def main() -> None:
        near, _far = memory_stream_pair()
        assert not await tell_revoked(near, (revocation(),), 1)

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_who_goes_on_for_ever_is_heard_so_far_and_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    said = encode_frame(encode_message(Trust((), (revocation(),), (), more=True)))
    monkeypatch.setattr("sync.revocation_notice.HEARD_BYTES_MAX", 5 * len(said))
    heard: list[Trust] = []
    told: list[Message] = []

    async def main() -> None:
        near, far = memory_stream_pair()

        async def hear(trust: Trust) -> None:
            heard.append(trust)
            if len(heard) < 20:
                await far.send_all(said)

        async def listen() -> None:
            frames = FrameReader()
            await far.send_all(said)
            while not any(isinstance(each, Bye) for each in told):
                told.extend(map(decode_message, frames.feed(await far.receive_some(4096))))
            await far.aclose()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            assert await tell_revoked(near, (revocation(),), 1, hear=hear)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert len(heard) == 6
