"""Tell a device that was put out that it was, once, when it calls: the one thing that it still hears from us.

It opens the link with a key that is no longer admitted, hears our greeting, its own revocation with the signature of
whoever made it, and a goodbye; nothing that it says is listened to. A device that was off when it was revoked would
otherwise only see doors closed, and its owner would look for a fault in the network.
"""

import secrets
from typing import Final

import trio

from replica.membership import Revocation
from sync.wire.frames import encode_frame
from sync.wire.messages import CLOCK_MS_MAX, DIGEST_BYTES, PROTOCOL, Bye, Hello, Trust, encode_message

GOODBYE: Final = "this device was put out of the group"
# It only has to take some hundred bytes.
FAREWELL_SECONDS_MAX: Final = 3.0


async def tell_revoked(stream: trio.abc.Stream, revocation: Revocation, now_ms: int) -> bool:
    """Say it, wait until it was read, and close the link; return whether it was read, as an end in good order shows."""
    heard = False
    nothing = secrets.token_bytes(DIGEST_BYTES)  # of what we hold and whom we know it hears nothing
    said = (
        Hello(PROTOCOL, min(max(0, now_ms), CLOCK_MS_MAX), nothing, nothing, folded=True, credits=1),
        Trust((), (revocation,), ()),
        Bye(GOODBYE),
    )
    with trio.move_on_after(FAREWELL_SECONDS_MAX):
        try:
            for message in said:
                await stream.send_all(encode_frame(encode_message(message)))
            while await stream.receive_some(4096):
                pass
            heard = True
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
    await trio.aclose_forcefully(stream)
    return heard
