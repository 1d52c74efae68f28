"""What a paired device can do by asking what is remembered here: be answered, in its turn, and nothing else."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from replica.codec import pack
from sync.errors import SyncError
from sync.link import FIND_SECONDS_MAX, QUESTION_EVERY_SECONDS
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import (
    FOUND_MAX,
    QUESTION_CHARACTERS_MAX,
    Bye,
    Findings,
    Inquiry,
    Message,
    decode_message,
    encode_message,
)
from tests.support.devices import Device, devices
from tests.support.imaginary import facing

RIDS = [bytes([number]) * 16 for number in range(10)]
ASKED = Inquiry("where did I park?", 3)


class Asker:
    """The other end of a link, in the hands of a test; it has greeted as somebody who holds the same."""

    def __init__(self, wire: trio.abc.HalfCloseableStream) -> None:
        self._wire = wire
        self._frames = FrameReader()
        self._heard: list[Message] = []

    async def greet(self) -> None:
        await self.say(await self.hear())

    async def say(self, *messages: Message) -> None:
        await self.send(*map(encode_message, messages))

    async def send(self, *messages: bytes) -> None:
        await self._wire.send_all(b"".join(map(encode_frame, messages)))

    async def hear(self) -> Message:
        while not self._heard:
            self._heard += map(decode_message, self._frames.feed(await self._wire.receive_some()))
        return self._heard.pop(0)


Find = Callable[[str, int], Awaitable[Sequence[bytes]]]


def asking(
    folder: Path,
    act: Callable[[Asker, Device, MockClock], Awaitable[None]],
    *,
    find: Find | None,
    answers: bool = True,
) -> SyncError | None:
    """Let a device ask a laptop that finds so; return what ended its link."""
    clock, ends = MockClock(), list[SyncError | None]()

    async def main() -> None:
        async with devices(folder, "laptop", "phone") as (laptop, phone):
            laptop.replica.finder = find
            async with facing(laptop, phone, ends, answers=answers) as wire:
                asker = Asker(wire)
                await asker.greet()
                await act(asker, laptop, clock)
                await wire.aclose()

    trio.run(main, clock=clock)
    return ends[0]


async def some(question: str, limit: int) -> list[bytes]:
    return RIDS


def test_what_is_found_is_answered_and_no_more_of_it_than_was_asked_for(tmp_path: Path) -> None:
    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(ASKED)
        assert await asker.hear() == Findings(tuple(RIDS[:3]))

    asking(tmp_path, act, find=some)


@pytest.mark.parametrize("why", ["it fails", "there is nothing that finds"])
def test_what_cannot_be_found_out_is_said_so_and_the_link_goes_on(tmp_path: Path, why: str) -> None:
    async def fails(question: str, limit: int) -> list[bytes]:
        raise RuntimeError(why)

    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(ASKED)
        assert await asker.hear() == Findings(None)
        laptop.replica.finder = some
        clock.jump(QUESTION_EVERY_SECONDS)
        await asker.say(ASKED)
        assert await asker.hear() == Findings(tuple(RIDS[:3]))

    asking(tmp_path, act, find=fails if why == "it fails" else None)


def test_what_takes_too_long_to_find_is_given_up(tmp_path: Path) -> None:
    begun = trio.Event()

    async def hangs(question: str, limit: int) -> list[bytes]:
        begun.set()
        await trio.sleep_forever()
        raise AssertionError

    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(ASKED)
        await begun.wait()
        clock.jump(FIND_SECONDS_MAX)
        assert await asker.hear() == Findings(None)

    asking(tmp_path, act, find=hangs)


def test_questions_without_end_are_answered_one_after_another_and_not_as_fast_as_they_come(
    tmp_path: Path,
) -> None:
    times: list[float] = []

    async def find(question: str, limit: int) -> list[bytes]:
        times.append(trio.current_time())
        return []

    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        for _ in range(5):
            await asker.say(ASKED)
            await trio.testing.wait_all_tasks_blocked()
            clock.jump(QUESTION_EVERY_SECONDS)
            assert await asker.hear() == Findings(())

    asking(tmp_path, act, find=find)
    assert len(times) == 5
    for earlier, later in pairwise(times):
        assert later - earlier >= QUESTION_EVERY_SECONDS * 0.999


def test_a_second_question_before_the_first_is_answered_ends_the_link(tmp_path: Path) -> None:
    async def never(question: str, limit: int) -> list[bytes]:
        await trio.sleep_forever()
        raise AssertionError

    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(*[ASKED] * 1_000)
        said = await asker.hear()
        assert isinstance(said, Bye)
        assert "one Inquiry at a time" in said.reason

    assert "one Inquiry at a time" in str(asking(tmp_path, act, find=never))


def test_who_did_not_agree_on_questions_is_answered_none(tmp_path: Path) -> None:
    asked: list[str] = []

    async def find(question: str, limit: int) -> list[bytes]:
        asked.append(question)
        return RIDS

    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(ASKED)
        said = await asker.hear()
        assert isinstance(said, Bye)
        assert "no questions were agreed on" in said.reason

    assert "no questions were agreed on" in str(asking(tmp_path, act, find=find, answers=False))
    assert asked == []


def test_an_answer_that_nobody_asked_for_ends_the_link(tmp_path: Path) -> None:
    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.say(Findings(tuple(RIDS)))
        said = await asker.hear()
        assert isinstance(said, Bye)
        assert "Findings answers no Inquiry" in said.reason

    asking(tmp_path, act, find=some)


@pytest.mark.parametrize(
    "crooked",
    [
        [13, "x" * (QUESTION_CHARACTERS_MAX + 1), 3],
        [13, "", 3],
        [13, "where?", 0],
        [13, "where?", FOUND_MAX + 1],
        [13, "where?", True],
        [13, b"where?", 3],
        [13, "where?"],
        [14, bytes(16 * (FOUND_MAX + 1))],
        [14, bytes(17)],
        [14, []],
    ],
    ids=lambda crooked: repr(crooked)[:30],
)
def test_what_is_no_question_and_no_answer_ends_the_link(tmp_path: Path, crooked: list[object]) -> None:
    async def act(asker: Asker, laptop: Device, clock: MockClock) -> None:
        await asker.send(pack(crooked))
        said = await asker.hear()
        assert isinstance(said, Bye)
        assert "expected a message of protocol 2" in said.reason

    asking(tmp_path, act, find=some)
