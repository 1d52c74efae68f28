"""The vectors of a link from a browser: the hello inside a WebSocket, and the records after it."""

from collections.abc import Callable
from random import Random
from typing import Any

from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, HelloInitiator, HelloResponder
from tests.support.links import identity

ORIGIN = "https://laptop.local:7412"


def seeded(seed: int) -> Callable[[int], bytes]:
    """The same random bytes each time."""
    return Random(seed).randbytes


def web_links() -> Any:
    """A whole hello with known randomness, and a few records of each side; and once more where questions are taken."""
    ann, ben = identity("ann"), identity("ben")
    return {
        **_hello(LINK_PROTOCOL),
        "origin": ORIGIN,
        "initiator": {
            "private_key": ann.private_key.private_bytes_raw(),
            "certificate": ann.certificate,
            "agreement_private_key": seeded(1)(32),
        },
        "responder": {
            "private_key": ben.private_key.private_bytes_raw(),
            "certificate": ben.certificate,
            "agreement_private_key": seeded(2)(32),
        },
        "asking": _hello(ASKING_PROTOCOL),
    }


def _hello(protocol: str) -> Any:
    ann, ben = identity("ann"), identity("ben")
    initiator = HelloInitiator(
        certificate=ann.certificate,
        sign=ann.sign,
        pins=[ben.certificate],
        origin=ORIGIN,
        entropy=seeded(1),
        protocol=protocol,
    )
    responder = HelloResponder(
        certificate=ben.certificate,
        sign=ben.sign,
        pins=[ann.certificate],
        origin=ORIGIN,
        entropy=seeded(2),
        protocol=protocol,
    )
    said = [initiator.start()]
    said += responder.receive(said[-1])
    said += initiator.receive(said[-1])
    said += responder.receive(said[-1])
    assert initiator.receive(said[-1]) == []
    assert initiator.channel is not None
    assert responder.channel is not None
    return {
        "protocol": protocol,
        "messages": said,
        "initiator_records": [
            *(record for data in (b"one", b"two") for record in initiator.channel.seal(data)),
            initiator.channel.end(),
        ],
        "responder_records": [*responder.channel.seal(b"three"), responder.channel.end()],
    }
