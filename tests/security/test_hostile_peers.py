"""What a paired peer can do with the protocol in its hands: end its own link, stop its own feed, no more.

How each kind of bad input ends: what cannot be read as a message or a frame ends the link, and the peer is told
why; a segment that does not hold is refused by name while the others are taken; an op that is well signed but
not understood, or made wrong by its author, is kept and passed on without effect. The log stays intact
throughout, and everybody else is served.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgpack
import pytest
import trio
import zstandard

from replica import OpId
from replica import frame as frames
from replica.oplog import FoldStatus
from replica.verify import verify_replica
from sync.syncer import Syncer
from sync.wire.limits import FRAME_BYTES_MAX
from sync.wire.messages import Ack, Bye, Ops
from tests.support.daemons import agree, online
from tests.support.devices import Device, devices, run
from tests.support.hostile import Speaker, crafted, joined, said_by, speaking, writer
from tests.support.links import identity

LAPTOP, PHONE = identity("laptop"), identity("phone")


@dataclass
class Scene:
    """A laptop with something to lose, its online syncer, and a phone that means harm."""

    laptop: Device
    tablet: Device
    syncer: Syncer


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    """Whatever happens inside: afterwards the log is intact and an honest peer is served."""
    async with devices(folder, "laptop", "phone", "tablet") as (laptop, _phone, tablet):
        await laptop.remember("the key is under the mat")
        async with online(laptop) as syncer:
            yield Scene(laptop, tablet, syncer)
            await tablet.remember("from somebody honest")
            async with online(tablet, calls=[syncer]):
                await agree(laptop, tablet)
            assert {"the key is under the mat", "from somebody honest"} <= await laptop.texts()
            for device in (laptop, tablet):
                found = await device.replica.run(lambda core, _: verify_replica(core))
                assert found.ok, found.problems


def against(folder: Path, attack: Callable[[Scene, Speaker], Awaitable[None]]) -> None:
    async def main() -> None:
        async with scene(folder) as it:
            async with speaking(it.syncer, PHONE, LAPTOP.certificate) as speaker:
                await attack(it, speaker)

    run(main)


def ops(frame: frames.Frame) -> Ops:
    return Ops(frames.encode_frame(frame), True)


@pytest.mark.parametrize(
    ("bytes_", "why"),
    [
        (b"\x17\x03\x03\x00" * 64, "expected frames of at most"),
        (b"\x00\x00\x00\x20" + bytes(range(200, 232)), "expected"),
        ((FRAME_BYTES_MAX + 1).to_bytes(4, "big"), f"expected frames of at most {FRAME_BYTES_MAX} bytes"),
        (b"\x00\x00\x00\x01\xc1", "expected one msgpack value"),
        (b"\x00\x00\x10\x00" + b"\x91" * 4096, "expected one msgpack value"),
    ],
    ids=["random bytes", "a frame of nonsense", "an oversized frame", "no msgpack", "nested too deep"],
)
def test_bytes_that_are_no_message_end_the_link_and_the_peer_is_told(
    tmp_path: Path, bytes_: bytes, why: str
) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.stream.send_all(bytes_)
        verdict = await speaker.verdict()
        assert isinstance(verdict, Bye)
        assert why in verdict.reason

    against(tmp_path, attack)


def test_a_link_cut_inside_a_frame_leaves_nothing_behind(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.greet()
        await speaker.stream.send_all(b"\x00\x01\x00\x00half a frame")
        await trio.aclose_forcefully(speaker.stream)

    against(tmp_path, attack)


def test_a_forged_signature_stops_its_own_feed_and_no_other(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        good = said_by(writer("phone"), ["good"])
        forged = said_by(writer("tablet"), ["put into the tablet's mouth"])
        segment = forged.segments[0]._replace(signature=bytes(64))
        await speaker.greet()
        await speaker.say(ops(joined(forged._replace(segments=(segment,)), good)))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert verdict.taken == 1
        (refused,) = verdict.refused
        assert refused.origin == segment.origin
        assert "signature does not verify" in refused.reason
        assert await it.laptop.texts() == {"the key is under the mat", "good"}
        await speaker.say(ops(said_by(writer("tablet"), ["put into the tablet's mouth"])))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert verdict.taken == 1, "the feed goes on once a good copy comes"

    against(tmp_path, attack)


def test_an_altered_payload_does_not_fit_its_signature(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        frame = said_by(writer("phone"), ["I owe you ten", "second"])
        payload = frame.ops[0].payload
        assert payload is not None
        altered = frame.ops[0]._replace(payload=payload.replace(b"ten", b"one"))
        await speaker.greet()
        await speaker.say(ops(frame._replace(ops=(altered, frame.ops[1]))))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert verdict.taken == 0
        assert "signature does not verify" in verdict.refused[0].reason
        assert await it.laptop.texts() == {"the key is under the mat"}

    against(tmp_path, attack)


def test_a_chain_that_does_not_attach_is_not_taken(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        core = writer("phone")
        said_by(core, ["one"])
        whole = said_by(core, ["two"])
        segment = whole.segments[0]._replace(first_seq=2, prev=OpId(bytes(range(32))))
        torn = frames.Frame((segment,), whole.ops[1:], whole.segment_of[1:])
        await speaker.greet()
        await speaker.say(ops(torn))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert (verdict.taken, len(verdict.refused)) == (0, 1)
        await speaker.say(ops(whole))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert verdict.taken == 2

    against(tmp_path, attack)


@pytest.mark.parametrize("kind_version", [(999, 1), (1, 9)], ids=["unknown kind", "newer version"])
def test_an_op_from_the_future_is_kept_and_passed_on(tmp_path: Path, kind_version: tuple[int, int]) -> None:
    kind, version = kind_version

    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.greet()
        await speaker.say(ops(crafted("phone", bytes(16) + b"\xc0", kind=kind, version=version)))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert (verdict.taken, verdict.refused) == (1, ())
        async with online(it.tablet, calls=[it.syncer]):
            await agree(it.laptop, it.tablet)
        rows = await it.tablet.replica.run(lambda core, _: list(core.store.rows()))
        assert [row.status for row in rows if row.kind == kind and row.version == version] == [
            FoldStatus.UNKNOWN
        ]

    against(tmp_path, attack)


def test_a_text_over_the_limit_is_kept_without_effect(tmp_path: Path) -> None:
    """Its author made it wrong, on every device alike: refusing it would stop the feed for ever."""

    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.greet()
        await speaker.say(ops(crafted("phone", bytes(16) + msgpack.packb(["x" * (2 << 20), {}]))))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Ack)
        assert verdict.taken == 1
        assert await it.laptop.texts() == {"the key is under the mat"}

    against(tmp_path, attack)


def test_a_text_of_ten_megabytes_ends_the_link(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.greet()
        await speaker.say(ops(crafted("phone", bytes(16) + msgpack.packb(["x" * (10 << 20), {}]))))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Bye)
        assert "expected a payload of at most" in verdict.reason

    against(tmp_path, attack)


def test_a_frame_that_unpacks_to_more_than_the_limit_is_not_unpacked(tmp_path: Path) -> None:
    async def attack(it: Scene, speaker: Speaker) -> None:
        await speaker.greet()
        await speaker.say(Ops(zstandard.compress(bytes(200 << 20)), True))
        verdict = await speaker.verdict()
        assert isinstance(verdict, Bye)
        assert "expected a frame of at most" in verdict.reason

    against(tmp_path, attack)
