"""Meet a paired device over a WebSocket: what arrived goes in, what is to be sent comes out.

It is sans-IO. Whoever holds the socket gives each binary message that it heard, and sends
each that is returned, in order.
"""

from typing import Any, Final

from samemind.phone.host import Phone
from sync.code import Entropy
from sync.errors import LimitExceeded
from sync.exchange import Exchange, check_admitted
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, HelloInitiator, mail_origin
from sync.wire.frames import FrameReader, encode_frame

# Sixteen mailboxes, with the longest addresses and passwords that are taken.
TOLD_BYTES_MAX: Final = 64 * 1024


class PhoneLink:
    """One conversation with whichever paired device answers at an origin. An error ends it."""

    def __init__(self, phone: Phone, *, origin: str, entropy: Entropy, protocol: str = LINK_PROTOCOL) -> None:
        """`protocol`: of those that the page offered, the one that whoever answered speaks."""
        self._phone = phone
        self._asks = protocol == ASKING_PROTOCOL
        group = phone.core.membership
        self._hello = HelloInitiator(
            certificate=phone.identity.certificate,
            sign=phone.identity.sign,
            pins=[group.members[each].certificate for each in group.standing if each != phone.core.device],
            origin=origin,
            entropy=entropy,
            protocol=protocol,
        )
        self._frames = FrameReader()
        self._exchange: Exchange | None = None
        self._has_left = False

    def start(self) -> bytes:
        """Return the first message."""
        return self._hello.start()

    def receive(self, message: bytes, now_ms: int) -> list[bytes]:
        """Take one message; return what to send. What it brought is on the disk by then."""
        channel = self._hello.channel
        if channel is None:
            answers = self._hello.receive(message)
            if self._hello.channel is None:
                return answers
            check_admitted(self._phone.core, self._hello.channel.peer)
            self._exchange = Exchange(self._phone.core, self._hello.channel.peer, now_ms, asks=self._asks)
            return [*answers, *self.more(now_ms)]
        said: list[bytes] = []
        assert self._exchange is not None, "it begins with the channel"
        for frame in self._frames.feed(channel.open(message)):
            if not self._exchange.is_over:  # after a goodbye, what is still on its way means nothing
                said += self._exchange.receive(frame, now_ms)
        self._phone.clean(now_ms)
        return [*self._sealed(said), *self.more(now_ms), *self._goodbye()]

    def more(self, now_ms: int) -> list[bytes]:
        """Return what there is to say since the last time: what was told here, for one."""
        if self._exchange is None or self._exchange.is_over:
            return []
        said = self._exchange.more(now_ms)
        while self._exchange.has_more:
            said += self._exchange.more(now_ms)
        return self._sealed(said)

    def ask(self, now_ms: int) -> list[bytes]:
        """Ask for what the peer has beyond this device: its answer shows that it is there."""
        if self._exchange is None or self._exchange.is_over:
            return []
        self._exchange.ask()
        return self.more(now_ms)

    def question(self, question: str, limit: int, now_ms: int) -> list[bytes]:
        """Ask the peer to find something in its memory; nothing where it takes no question now."""
        said = question.strip().encode(errors="replace").decode()  # half of a letter that is typed is none
        if not said or self._exchange is None or not self._exchange.session.may_ask:
            return []
        self._exchange.ask_memory(said, limit)
        return self.more(now_ms)

    def found(self) -> tuple[bytes, ...] | None:
        """Return what the peer found for the last question, once, when it has answered; nothing where it could not."""
        answer = None if self._exchange is None else self._exchange.take_found()
        return None if answer is None else answer.rids or ()

    def leave(self, now_ms: int) -> list[bytes]:
        """Say goodbye."""
        if self._exchange is None or self._hello.channel is None:
            return []
        said = self._exchange.more(now_ms)
        self._exchange.end("the page was closed")
        said += self._exchange.more(now_ms)
        return [*self._sealed(said), *self._goodbye()]

    def close(self) -> None:
        """Let go what was held for this conversation."""
        if self._exchange is not None:
            self._exchange.close()

    def state(self, now_ms: int) -> dict[str, Any]:
        """Return how it stands: whether the peer is proved, whether all is said, and what was refused.

        `asks_again_ms`: in how many ms `more` asks again for what could not be taken; a link that is quiet is told
        nothing by which it would notice.
        """
        exchange, channel = self._exchange, self._hello.channel
        if exchange is None or channel is None:
            return {"open": False, "quiet": False, "over": False}
        member = self._phone.core.membership.members.get(channel.peer)
        return {
            "open": True,
            "quiet": exchange.session.is_quiet,
            "over": exchange.is_over or channel.ended,
            "goodbye": exchange.goodbye,
            "peer": channel.peer.hex(),
            "name": None if member is None else member.name,
            "may_ask": exchange.session.may_ask,
            "received": exchange.tally.received,
            "sent": exchange.tally.sent,
            "unsent": exchange.unsent(),
            "offset_ms": exchange.tally.offset_ms,
            "asks_again_ms": exchange.asks_again_ms(now_ms),
            "refused": [refused.reason for refused in exchange.refusals],
        }

    def _goodbye(self) -> list[bytes]:
        """Return the last record, once, when all is said."""
        channel = self._hello.channel
        if self._has_left or channel is None or self._exchange is None or not self._exchange.is_over:
            return []
        self._has_left = True
        return [channel.end()]

    def _sealed(self, frames: list[bytes]) -> list[bytes]:
        channel = self._hello.channel
        assert channel is not None, "there is nothing to say before the hello is done"
        data = b"".join(encode_frame(frame) for frame in frames)
        return channel.seal(data) if data else []


class MailboxHearing:
    """One question to whichever paired device answers at an origin: which mailboxes may I use? An error ends it."""

    def __init__(self, phone: Phone, *, origin: str, entropy: Entropy) -> None:
        group = phone.core.membership
        self._hello = HelloInitiator(
            certificate=phone.identity.certificate,
            sign=phone.identity.sign,
            pins=[group.members[each].certificate for each in group.standing if each != phone.core.device],
            origin=mail_origin(origin),
            entropy=entropy,
        )
        self._heard = bytearray()

    def start(self) -> bytes:
        """Return the first message."""
        return self._hello.start()

    def receive(self, message: bytes) -> list[bytes]:
        """Take one message; return what to send."""
        channel = self._hello.channel
        if channel is None:
            return self._hello.receive(message)
        self._heard += channel.open(message)
        if len(self._heard) > TOLD_BYTES_MAX:
            raise LimitExceeded(f"expected at most {TOLD_BYTES_MAX} bytes about mailboxes, got more")
        return []

    @property
    def told(self) -> str | None:
        """Return what was told, once the peer said that it was all."""
        channel = self._hello.channel
        return self._heard.decode("utf-8", "replace") if channel is not None and channel.ended else None
