"""A member that speaks the protocol by hand: paired and admitted, and out to do harm."""

import dataclasses
import random
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from replica import Core, DeviceId, MemoryId, OpId, Origin, Write, new_memory_id
from replica.codec import header, header_hash, payload_hash
from replica.frame import Frame, Segment
from replica.ops import Op, Remember
from replica.outbox import Outbox
from replica.signing import sign_commit
from replica.storage.memory_store import MemoryStore
from sync.dialling import connect
from sync.identity import Identity
from sync.syncer import Syncer
from sync.tls import SecureStream, secure
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import Ack, Bye, Hello, Message, decode_message, encode_message
from tests.support.daemons import address_of
from tests.support.links import identity

NOW_MS = 1_800_000_000_000


class Speaker:
    """One end of a link, in the hands of a test."""

    def __init__(self, stream: SecureStream) -> None:
        self.stream = stream
        self._frames = FrameReader()
        self._heard: list[bytes] = []

    async def say(self, *messages: Message) -> None:
        """Send messages as they are."""
        for message in messages:
            await self.stream.send_all(encode_frame(encode_message(message)))

    async def hear(self) -> Message | None:
        """The next message; None at the end of the link."""
        while not self._heard:
            chunk = await self.stream.receive_some(65_536)
            if not chunk:
                return None
            self._heard += self._frames.feed(chunk)
        return decode_message(self._heard.pop(0))

    async def greet(self) -> None:
        """Come to the open state: same trust, another frontier."""
        hello = await self.hear()
        assert isinstance(hello, Hello)
        await self.say(dataclasses.replace(hello, frontier=bytes(32)))

    async def verdict(self) -> Ack | Bye | None:
        """What came of what was said: an acknowledgement, a goodbye, or the end."""
        while (message := await self.hear()) is not None:
            if isinstance(message, Ack | Bye):
                return message
        return None


@asynccontextmanager
async def speaking(to: Syncer, who: Identity, *pins: bytes) -> AsyncIterator[Speaker]:
    """A link to a device, opened as a paired peer opens it."""
    stream, _ = await secure(await connect(address_of(to)), identity=who, pins=list(pins), server_side=False)
    try:
        yield Speaker(stream)
    finally:
        await stream.aclose()


def writer(name: str) -> Core:
    """A core of its own for a device, in memory."""
    who = identity(name)
    return Core(MemoryStore(), device=who.device_id, sign=who.sign, random=random.Random(name))


def said_by(core: Core, texts: Iterable[str]) -> Frame:
    """A frame of one commit with these texts."""
    random_ = random.Random(5)
    core.commit([Write(Remember(text, {}), new_memory_id(NOW_MS, random_)) for text in texts], NOW_MS)
    frame = Outbox({}).next_frame(core)
    assert frame is not None
    return frame


def joined(*frames: Frame) -> Frame:
    """Several frames as one, which a relay may make."""
    segments: list[Segment] = []
    ops: list[Op] = []
    at: list[int] = []
    for frame in frames:
        at += [len(segments) + each for each in frame.segment_of]
        segments += frame.segments
        ops += frame.ops
    return Frame(tuple(segments), tuple(ops), tuple(at))


def crafted(name: str, payload: bytes, *, kind: int = 1, version: int = 1) -> Frame:
    """One op, made and signed by hand, that no program of ours would write."""
    who = identity(name)
    origin = Origin(DeviceId(who.device_id), b"by hand!")
    rid = MemoryId(bytes(range(16)))
    digest = payload_hash(payload)
    stamp = NOW_MS << 16
    op_id = header_hash(header(origin, 1, stamp, (), kind, version, True, rid, None, digest))
    op = Op(origin, 1, stamp, (), kind, version, True, rid, None, digest, payload, op_id)
    segment = Segment(origin, 1, None, sign_commit(who.sign, OpId(op_id)), None)
    return Frame((segment,), (op,), (0,))
