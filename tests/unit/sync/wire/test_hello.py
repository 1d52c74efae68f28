"""The bounds of what a device says first: outside of them there is no conversation."""

from dataclasses import replace

import pytest

from sync.errors import RemoteProtocolError
from sync.wire.messages import (
    CLOCK_MS_MAX,
    CREDITS_MAX,
    DIGEST_BYTES,
    PROTOCOL,
    Hello,
    decode_message,
    encode_message,
)

ID = bytes(DIGEST_BYTES)
HELLO = Hello(PROTOCOL, 0, ID, ID, True, 1, None)


@pytest.mark.parametrize(
    "said",
    [
        HELLO,
        replace(HELLO, clock_ms=CLOCK_MS_MAX),
        replace(HELLO, credits=CREDITS_MAX),
        replace(HELLO, space=ID),
    ],
)
def test_a_number_at_its_bound_is_read(said: Hello) -> None:
    assert decode_message(encode_message(said)) == said


@pytest.mark.parametrize(
    "said",
    [
        replace(HELLO, credits=0),  # who may be sent nothing is never synced with, and the link would not end
        replace(HELLO, credits=-1),
        replace(HELLO, credits=CREDITS_MAX + 1),
        replace(HELLO, clock_ms=-1),
        replace(HELLO, clock_ms=CLOCK_MS_MAX + 1),
        replace(HELLO, trust=b""),
        replace(HELLO, frontier=ID + b"\0"),
        replace(HELLO, space=b""),
    ],
)
def test_a_number_beyond_its_bound_is_no_hello(said: Hello) -> None:
    with pytest.raises(RemoteProtocolError):
        decode_message(encode_message(said))
