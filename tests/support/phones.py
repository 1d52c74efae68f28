"""A phone's host in this process, and the device that answers it, without a browser and without a socket."""

from random import Random

from replica.membership import introduce, name_root
from samemind.phone.host import Phone
from samemind.phone.link import PhoneLink
from samemind.phone.pairing import Pairing
from sync.exchange import Exchange
from sync.identity import certificate_key
from sync.pairing import Introduction, Offerer, PairingWindow
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, HelloResponder, pairing_context
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import Message, encode_message
from tests.support.links import identity

ORIGIN = "https://laptop.local:7412"
NOW_MS = 1_764_057_600_000


def phone(name: str = "phone", path: str = ":memory:") -> Phone:
    """A device of that name, on that disk."""
    return Phone.open(path, identity(name), name=name, random=Random(name), now_ms=NOW_MS)


def pair(caller: Phone, called: Phone, *, typed: str | None = None) -> tuple[list[str], list[str]]:
    """Pair two by the code that the called one shows, as a page and a panel do; return the words of both."""
    who = called.identity
    window = PairingWindow(now_ms=NOW_MS, entropy=Random(1).randbytes)
    offerer = Offerer(
        window,
        certificate=who.certificate,
        introduction=Introduction("laptop"),
        entropy=Random(2).randbytes,
        context=pairing_context(ORIGIN),
        sign=who.sign,
    )
    pairing = Pairing(
        caller,
        typed or str(window.current(now_ms=NOW_MS)),
        expected=None,
        name="phone",
        origin=ORIGIN,
        entropy=Random(3).randbytes,
    )
    for_offerer = pairing.receive(who.certificate)
    while for_offerer:
        answers = [each for said in for_offerer for each in offerer.receive(said, now_ms=NOW_MS)]
        for_offerer = [each for said in answers for each in pairing.receive(said)]
    assert offerer.paired is not None
    assert pairing.paired is not None
    theirs = offerer.paired.member
    member = introduce(
        who.sign,
        who.device_id,
        public_key=certificate_key(theirs.certificate),
        certificate=theirs.certificate,
        name=theirs.name,
    )
    root = name_root(who.sign, who.device_id, public_key=who.public_key, name="laptop")
    called.core.expect_root(theirs.device_id, root)
    called.core.learn([member], [])
    return list(pairing.paired.words), list(offerer.paired.words)


class Called:
    """The device that serves the page, in one link with it."""

    def __init__(self, device: Phone, *, protocol: str = LINK_PROTOCOL) -> None:
        self._device = device
        self._protocol = protocol
        group = device.core.membership
        self._hello = HelloResponder(
            certificate=device.identity.certificate,
            sign=device.identity.sign,
            pins=[group.members[each].certificate for each in group.standing if each != device.core.device],
            origin=ORIGIN,
            entropy=Random(4).randbytes,
            protocol=protocol,
        )
        self._frames = FrameReader()
        self._exchange: Exchange | None = None

    @property
    def exchange(self) -> Exchange:
        """The conversation, once the hello is done."""
        assert self._exchange is not None
        return self._exchange

    def receive(self, message: bytes, now_ms: int) -> list[bytes]:
        """Take one message; return what to send."""
        channel = self._hello.channel
        if channel is None:
            answers = self._hello.receive(message)
            if self._hello.channel is not None:
                self._exchange = Exchange(
                    self._device.core,
                    self._hello.channel.peer,
                    now_ms,
                    answers=self._protocol == ASKING_PROTOCOL,
                )
                answers += self.more(now_ms)
            return answers
        assert self._exchange is not None
        said: list[bytes] = []
        for frame in self._frames.feed(channel.open(message)):
            if not self._exchange.is_over:
                said += self._exchange.receive(frame, now_ms)
        return [*self._sealed(said), *self.more(now_ms)]

    def more(self, now_ms: int) -> list[bytes]:
        """Return what there is to say by now."""
        if self._exchange is None or self._exchange.is_over:
            return []
        said = self._exchange.more(now_ms)
        while self._exchange.has_more:
            said += self._exchange.more(now_ms)
        return self._sealed(said)

    def sealed(self, message: Message) -> bytes:
        """Return a record that says something out of turn."""
        (record,) = self._sealed([encode_message(message)])
        return record

    def _sealed(self, frames: list[bytes]) -> list[bytes]:
        assert self._hello.channel is not None
        return self._hello.channel.seal(b"".join(map(encode_frame, frames)))


def meet(
    caller: Phone, called: Phone, *, now_ms: int = NOW_MS, protocol: str = LINK_PROTOCOL
) -> tuple[PhoneLink, Called]:
    """Link two until neither has more to say."""
    link = PhoneLink(caller, origin=ORIGIN, entropy=Random(5).randbytes, protocol=protocol)
    other = Called(called, protocol=protocol)
    talk(link, other, [link.start()], now_ms=now_ms)
    return link, other


def talk(link: PhoneLink, other: Called, said: list[bytes], *, now_ms: int = NOW_MS) -> None:
    """Carry messages back and forth until there are none; the first ones are the caller's."""
    for _ in range(1_000):
        answers = [each for message in said for each in other.receive(message, now_ms)]
        said = [each for message in answers for each in link.receive(message, now_ms)]
        if not said:
            said = [*link.more(now_ms)]
            answers = other.more(now_ms)
            said += [each for message in answers for each in link.receive(message, now_ms)]
            if not said:
                return
    raise AssertionError("they never had enough")


def read_all(device: Phone, *, now_ms: int = NOW_MS) -> None:
    """Read what was told, as a page's worker does while nobody asks for anything."""
    while device.read(now_ms=now_ms):
        pass
