"""Carry a pairing conversation over TLS: `offer` shows codes and waits, `join` dials and proves one.

Both hold a machine from `sync.pairing` and pump frames through it. Pairing has a listener of its own,
open only while a person is pairing, so the listener for paired devices never talks to strangers.

A joiner that says nothing, or drips bytes, is dropped after some seconds, and only a few are listened to at once: of
those from the machine that has most of them, the one that has been silent for longest makes room for the next. The
person is told that somebody tried: of each try that used up a code, and every few seconds of the others. Somebody who
connects all the time can delay a pairing, not make one happen.
"""

import os
import secrets
import ssl
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Final

import trio

from replica.ids import DeviceId
from replica.signing import Sign
from sync.address import Address
from sync.code import Entropy, PairingCode
from sync.dialling import remote_host
from sync.errors import (
    CodeExpired,
    LinkLost,
    NotPairing,
    PairingClosed,
    PairingFailed,
    SyncError,
    Untrusted,
    WrongCode,
)
from sync.identity import Identity
from sync.pairing import Introduction, Joiner, Offerer, PairingResult, PairingWindow, refusal
from sync.tls import REFUSAL_SECONDS_MAX, SecureStream, explain, peer_certificate, unpinned_context
from sync.web_link import PairingTalk, Socket
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.limits import PAIRING_FRAME_BYTES_MAX

# Both ends compute for some 30 ms; no person is involved once the code was typed.
CONVERSATION_SECONDS_MAX: Final = 15.0
CONNECT_SECONDS_MAX: Final = 10.0

# What a conversation computes with. Some thirty milliseconds go by while it is loaded, and few who sync ever pair.
_COMPUTES_WITH: Final = ("spake2", "cryptography.hazmat.primitives.ciphers.aead")

# One is expected. More are somebody trying: the one that has said nothing for longest makes room.
JOINERS_MAX: Final = 4
# Who connects all the time and proves nothing is told of so often: more would push the code off the screen, and fill up
# what is read one by one, so that the next code was lost.
TRIES_TOLD_MS: Final = 10_000

_RECEIVE_BYTES: Final = 16 * 1024
_BURNT: Final = (
    "{address} had a proof of the code, and did not go on: somebody may have guessed at it. This code is burnt; "
    "have a fresh one shown on the other device, and type that"
)


@dataclass(frozen=True, slots=True)
class CodeShown:
    """Show this code now; it replaces the one before."""

    code: PairingCode
    expires_in_ms: int


@dataclass(frozen=True, slots=True)
class JoinerTurnedAway:
    """Somebody tried and was refused; a CodeShown follows if that burnt the code."""

    error: SyncError


OfferNews = CodeShown | JoinerTurnedAway


class Offering:
    """A code that is shown, for whoever proves it, by whatever way it comes; `offer` waits for that."""

    def __init__(
        self,
        identity: Identity,
        introduction: Introduction,
        *,
        tell: Callable[[OfferNews], None],
        revoked: Collection[DeviceId] = frozenset(),
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        self.identity = identity
        self.paired: PairingResult | None = None
        self.over = trio.Event()
        """Whether somebody proved the code, or too many guessed wrong."""
        self.settled = trio.Event()
        """Whether whoever proved it was taken in, or was not to be."""
        _prepare()
        self.window = PairingWindow(now_ms=_now_ms(), entropy=entropy)
        self._introduction = introduction
        self._tell = tell
        self._revoked = revoked
        self._entropy = entropy
        self._shown: PairingCode | None = None
        self._told_ms: int | None = None
        self._crowd = _Crowd()

    def show(self) -> None:
        """Tell of the code, if it is another than before."""
        window = self.window
        if window.is_open and (code := window.current(now_ms=_now_ms())) is not self._shown:
            self._shown = code
            self._tell(CodeShown(code, window.expires_ms - _now_ms()))

    async def hear(
        self,
        conversation: Callable[[Offerer], Awaitable[None]],
        *,
        host: str | None,
        context: bytes = b"",
        sign: Sign | None = None,
    ) -> bool:
        """Let one device try, and say whether it proved the code; `context` and `sign` as in `sync.pairing`.

        `host`: where it can be called back.
        """
        machine = Offerer(
            self.window,
            certificate=self.identity.certificate,
            introduction=self._introduction,
            entropy=self._entropy,
            revoked=self._revoked,
            context=context,
            sign=sign,
        )
        try:
            await self._crowd.hear(machine, partial(conversation, machine), host)
        except SyncError as error:
            machine.abandon()
            self._turned_away(error, has_burnt=machine.has_burnt)
        finally:
            if machine.paired is not None:
                self.paired = replace(machine.paired, host=host)
        if self.paired is not None or self.window.burnt_out:
            self.over.set()
        elif _now_ms() < self.window.expires_ms:
            self.show()
        return machine.paired is not None

    def _turned_away(self, error: SyncError, *, has_burnt: bool) -> None:
        now_ms = _now_ms()
        if has_burnt:
            self._tell(JoinerTurnedAway(error))
        elif self._told_ms is None or now_ms - self._told_ms >= TRIES_TOLD_MS:
            self._told_ms = now_ms
            self._tell(JoinerTurnedAway(error))

    def close(self) -> None:
        """End what is still being said."""
        self._crowd.disperse()


async def offer(offering: Offering, *, listeners: Sequence[trio.SocketListener]) -> PairingResult:
    """Wait for one device that proves the code. Closes the listeners, however it ends.

    CodeExpired: nobody came in time. PairingClosed: too many wrong guesses.
    """

    async def converse(stream: trio.SocketStream) -> None:
        await offering.hear(partial(_answer, stream, identity=offering.identity), host=remote_host(stream))

    async def serve(nursery: trio.Nursery) -> None:
        await trio.serve_listeners(converse, list(listeners), handler_nursery=nursery)

    try:
        with trio.move_on_at(offering.window.expires_ms / 1000):
            async with trio.open_nursery() as nursery:
                offering.show()
                nursery.start_soon(serve, nursery)
                await offering.over.wait()
                nursery.cancel_scope.cancel()
    finally:
        offering.close()
        for listener in listeners:
            await trio.aclose_forcefully(listener)
    if offering.paired is not None:
        return offering.paired
    if offering.window.burnt_out:
        raise PairingClosed("no more guesses are taken: open pairing again")
    raise CodeExpired("nobody came in time: open pairing again")


async def join(
    identity: Identity,
    introduction: Introduction,
    code: PairingCode,
    address: Address,
    *,
    expected_fingerprint: bytes | None = None,
    revoked: Collection[DeviceId] = frozenset(),
    entropy: Entropy = secrets.token_bytes,
) -> PairingResult:
    """Prove the code to the device that shows it at `address`.

    `expected_fingerprint`, from a QR code, is checked before anything is said.
    """
    _prepare()
    try:
        with trio.fail_after(CONNECT_SECONDS_MAX):
            stream = await trio.open_tcp_stream(address.host, address.port)
    except (OSError, trio.TooSlowError) as error:
        raise LinkLost(f"nobody is pairing at {address} ({_why(address, error)})") from error
    machine: Joiner | None = None
    try:
        async with _conversation(stream, unpinned_context(None), server_side=False) as talk:
            machine = Joiner(
                code,
                certificate=identity.certificate,
                offerer=talk.certificate(),
                introduction=introduction,
                entropy=entropy,
                expected=expected_fingerprint,
                revoked=revoked,
            )
            await talk.say(machine.start())
            while machine.paired is None:
                for frame in machine.receive(await talk.hear()):
                    await talk.say(frame)
    except SyncError as error:
        if machine is not None and machine.has_proved and not isinstance(error, PairingFailed | Untrusted):
            raise WrongCode(_BURNT.format(address=address)) from error
        if isinstance(error, Untrusted) and isinstance(error.__cause__, trio.BrokenResourceError):
            # Refused by TLS, which asks nobody for a certificate where a code is taken.
            raise NotPairing(f"{address} takes links of paired devices, and no pairing codes") from error
        raise
    return machine.paired


def _prepare() -> None:
    """Load what a conversation computes with, before anybody waits for that at its other end."""
    for name in _COMPUTES_WITH:
        import_module(name)


async def answer_page(socket: Socket, machine: Offerer, *, certificate: bytes) -> None:
    """Hold the offerer's part of a conversation inside a WebSocket; our certificate first, as TLS would show it."""
    talk = PairingTalk(socket)
    with trio.move_on_after(CONVERSATION_SECONDS_MAX):
        await talk.say(certificate)
        await _converse(talk, machine)
        return
    raise LinkLost(f"expected to be done in {CONVERSATION_SECONDS_MAX:g} s, the page is silent")


async def _answer(stream: trio.SocketStream, machine: Offerer, *, identity: Identity) -> None:
    async with _conversation(stream, unpinned_context(identity), server_side=True) as talk:
        await _converse(talk, machine)


async def _converse(talk: "_Talk | PairingTalk", machine: Offerer) -> None:
    while machine.paired is None:
        frame = await talk.hear()
        try:
            answers = machine.receive(frame, now_ms=_now_ms())
        except SyncError as error:
            await talk.say(refusal(error))
            raise
        for answer in answers:
            await talk.say(answer)


class _Crowd:
    """Who is being listened to while a code is shown, and from which machine, the first to come first."""

    def __init__(self) -> None:
        self._joiners: dict[trio.CancelScope, tuple[Offerer, str | None]] = {}

    async def hear(
        self, machine: Offerer, conversation: Callable[[], Awaitable[None]], host: str | None
    ) -> None:
        """Hold a conversation, in place of another one where there are too many."""
        if len(self._joiners) >= JOINERS_MAX:
            self._makes_room().cancel()
        with trio.CancelScope() as scope:
            self._joiners[scope] = machine, host
            try:
                await conversation()
            finally:
                del self._joiners[scope]
        if scope.cancelled_caught:
            raise LinkLost("somebody tried, said nothing, and made room for the next")

    def _makes_room(self) -> trio.CancelScope:
        """Return who ends for one more: no machine pushes out another's, and whoever speaks stays before the silent."""
        count = Counter(host for _, host in self._joiners.values())
        most = max(count.values())
        crowd = [(scope, other) for scope, (other, host) in self._joiners.items() if count[host] == most]
        return next((scope for scope, other in crowd if not other.has_heard), crowd[0][0])

    def disperse(self) -> None:
        """Listen to nobody any more."""
        for scope in self._joiners:
            scope.cancel()


class _Talk:
    """Whole frames over one TLS stream, small ones only."""

    def __init__(self, stream: SecureStream) -> None:
        self._stream = stream
        self._reader = FrameReader(frame_bytes_max=PAIRING_FRAME_BYTES_MAX)
        self._heard: deque[bytes] = deque()

    def certificate(self) -> bytes:
        return peer_certificate(self._stream)

    async def say(self, frame: bytes) -> None:
        await self._stream.send_all(encode_frame(frame, frame_bytes_max=PAIRING_FRAME_BYTES_MAX))

    async def hear(self) -> bytes:
        while not self._heard:
            data = await self._stream.receive_some(_RECEIVE_BYTES)
            if not data:
                self._reader.eof()
                raise LinkLost("expected an answer, the other device hung up")
            self._heard.extend(self._reader.feed(data))
        return self._heard.popleft()


@asynccontextmanager
async def _conversation(
    stream: trio.abc.Stream, context: ssl.SSLContext, *, server_side: bool
) -> AsyncIterator[_Talk]:
    """TLS without pins around a stream; closes it, and names whose fault it is when it breaks."""
    secured = trio.SSLStream(stream, context, server_side=server_side)
    try:
        with trio.fail_after(CONVERSATION_SECONDS_MAX):
            await secured.do_handshake()
            yield _Talk(secured)
            await secured.aclose()
    except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
        raise explain(error) from error
    except trio.TooSlowError:
        raise LinkLost(
            f"expected to be done in {CONVERSATION_SECONDS_MAX:g} s, the other is silent"
        ) from None
    except SyncError:
        with trio.move_on_after(REFUSAL_SECONDS_MAX):
            await secured.aclose()  # so that a refusal arrives before the end does
        raise
    finally:
        await trio.aclose_forcefully(secured)


def _why(address: Address, error: OSError | trio.TooSlowError) -> str:
    """Say why nobody could be called there; trio says in the cause what became of each attempt."""
    host = address.host.lower()
    if host.startswith("fe80:") and "%" not in host:
        return f"a link-local address needs the interface of this device, as in [{address.host}%eth0]"
    if isinstance(error, trio.TooSlowError):
        return f"no answer within {CONNECT_SECONDS_MAX:g} s"
    tried = error.__cause__.exceptions if isinstance(error.__cause__, ExceptionGroup) else (error,)
    said = (_words_of(each) for each in tried if isinstance(each, OSError))
    return ", ".join(dict.fromkeys(said))


def _words_of(error: OSError) -> str:
    """Return what went wrong, without the address; that a name is not found has a number below 0."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)


def _now_ms() -> int:
    return int(trio.current_time() * 1000)
