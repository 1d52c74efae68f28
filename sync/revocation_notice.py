"""Tell a device that was put out that it was, once, when it calls: the one thing that it still hears from us.

It opens the link with a key that is no longer admitted, hears our greeting, its own revocation with the signature of
whoever made it, or those of its introducers where it is out only because they are, and a goodbye. A device that was
off when it was revoked would otherwise only see doors closed, and its owner would look for a fault in the network.

In a group that has a root it is heard out before: it may know of acts of an elder that we do not, such as that whoever
revoked it was revoked. Of what it says only introductions and revocations are taken, which are signed one by one and
bounded as on any link; by these it may be a member when it calls the next time.
"""

import secrets
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from replica.membership import Revocation
from sync.errors import SyncError
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import (
    CLOCK_MS_MAX,
    DIGEST_BYTES,
    PROTOCOL,
    Bye,
    Hello,
    Message,
    Trust,
    decode_message,
    encode_message,
)

GOODBYE: Final = "this device was put out of the group"
# It only has to take some hundred bytes.
NOTICE_SECONDS_MAX: Final = 3.0
# Ten thousand introductions with certificates such as devices make them.
HEARD_BYTES_MAX: Final = 1 << 23

Hear = Callable[[Trust], Awaitable[None]]


async def tell_revoked(
    stream: trio.abc.Stream, grounds: tuple[Revocation, ...], now_ms: int, *, hear: Hear | None = None
) -> bool:
    """Say it, wait until it was read, and close the link; return whether it was read, as an end in good order shows.

    `grounds`: what shows it (`Membership.grounds`). `hear`: takes what it says of the group.
    """
    heard = False
    nothing = secrets.token_bytes(DIGEST_BYTES)  # of what we hold and whom we know it hears nothing
    greeting = Hello(PROTOCOL, min(max(0, now_ms), CLOCK_MS_MAX), nothing, nothing, folded=True, credits=1)
    with trio.move_on_after(NOTICE_SECONDS_MAX):
        try:
            await _say(stream, greeting)
            await _say(stream, Trust((), grounds, ()))
            if hear is not None:
                with trio.move_on_after(
                    NOTICE_SECONDS_MAX / 2
                ):  # or one that says nothing would hear no goodbye
                    await _hear_out(stream, hear)
            await _say(stream, Bye(GOODBYE))
            while await stream.receive_some(4096):
                pass
            heard = True
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
    await trio.aclose_forcefully(stream)
    return heard


async def _say(stream: trio.abc.Stream, message: Message) -> None:
    await stream.send_all(encode_frame(encode_message(message)))


async def _hear_out(stream: trio.abc.Stream, hear: Hear) -> None:
    """Take what a device says of the group, until it has said all of that, or says anything else."""
    frames, size = FrameReader(), 0
    while size <= HEARD_BYTES_MAX:
        data = await stream.receive_some(65536)
        if not data:
            return
        size += len(data)
        try:
            messages = [decode_message(frame) for frame in frames.feed(data)]
        except SyncError:
            return
        for message in messages:
            match message:
                case Hello():
                    pass
                case Trust(more=more):
                    await hear(message)
                    if not more:
                        return
                case _:
                    return
