"""Both sides of the hello inside a WebSocket, and a wire between them that a test holds in its hands."""

from collections.abc import Callable, Collection
from random import Random

from sync.identity import Identity
from sync.web_hello import LINK_PROTOCOL, Channel, HelloInitiator, HelloResponder
from tests.support.links import identity

ORIGIN = "https://laptop.local:7412"
PHONE, LAPTOP, MALLORY = identity("phone"), identity("laptop"), identity("mallory")


def initiator(
    who: Identity = PHONE,
    *,
    pins: Collection[Identity] = (LAPTOP,),
    origin: str = ORIGIN,
    seed: int = 1,
    protocol: str = LINK_PROTOCOL,
) -> HelloInitiator:
    """The side of the page."""
    return HelloInitiator(
        certificate=who.certificate,
        sign=who.sign,
        pins=[each.certificate for each in pins],
        origin=origin,
        entropy=Random(seed).randbytes,
        protocol=protocol,
    )


def responder(
    who: Identity = LAPTOP,
    *,
    pins: Collection[Identity] = (PHONE,),
    origin: str = ORIGIN,
    seed: int = 2,
    protocol: str = LINK_PROTOCOL,
) -> HelloResponder:
    """The side of the device that serves the page."""
    return HelloResponder(
        certificate=who.certificate,
        sign=who.sign,
        pins=[each.certificate for each in pins],
        origin=origin,
        entropy=Random(seed).randbytes,
        protocol=protocol,
    )


def carried(
    caller: HelloInitiator,
    called: HelloResponder,
    alter: Callable[[int, bytes], bytes] = lambda _, said: said,
) -> list[bytes]:
    """Carry the four messages across, each as `alter` makes it of its number; return them as they were said."""
    said = [caller.start()]
    for number, hear in enumerate((called.receive, caller.receive, called.receive, caller.receive)):
        said += hear(alter(number, said[-1]))
    return said


def channels(seed: int = 1) -> tuple[Channel, Channel]:
    """The two ends of a link that was made: the page's, and the device's."""
    caller, called = initiator(seed=seed), responder(seed=seed + 1)
    carried(caller, called)
    assert caller.channel is not None
    assert called.channel is not None
    return caller.channel, called.channel
