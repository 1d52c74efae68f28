"""Turn a short code, spoken between two people or read by one, into two pinned certificates.

Both machines are sans-IO: told what arrived, they return what to say. They run inside a TLS connection
that nobody has vouched for yet; this is the vouching. The side that shows the code is the *offerer*, the
side where it is typed the *joiner*.

    joiner                                    offerer
    Hello(certificate, X)             ->
                                      <-      Reply(Y)
    Confirm(mac, sealed introduction) ->                     right or wrong is decided here
                                      <-      Confirm(mac, sealed introduction)
    Done(mac)                         ->

X and Y are SPAKE2 over the code, with both certificate fingerprints as identities: the joiner's as it says
it, the offerer's as TLS showed it to each. A relay has to show its own certificate to at least one of them,
so their keys differ, and all it has learned is that one guess was wrong.

**A code is good for one guess.** The joiner proves itself first, so whoever leaves before that has learned
nothing that a guess could be checked against, and burns nothing. Once the joiner has sent its proof, the code is
spent for it, too: whatever follows but success ends its try, since whoever hung up may have checked a guess, and would
be given another by a second try (`Joiner.has_proved`). A wrong proof burns the code; the window
then draws another, and closes with the third. A right proof spends the code for everybody else.

Where no TLS shows that a device holds its key, as through a mailbox, each side signs the transcript beside its
introduction (`sign`). `context` says by what way the two talk, and is part of the transcript: a conversation cannot be
carried from one way to another.

Names and further payload travel under keys of their own from the same exchange, bound to the whole
transcript. The offerer has a new member when Done arrives: a joiner that failed half way has not been
admitted by anybody, and an offerer left waiting goes on with a fresh code.
"""

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replica.ids import DeviceId
from replica.keys import NONCE_BYTES, NotSealed, derive, seal, unseal
from replica.signing import SIGNATURE_BYTES, Sign, verify
from sync.code import WORDS_SHORT, Entropy, PairingCode
from sync.errors import (
    CodeExpired,
    LimitExceeded,
    PairingClosed,
    PairingFailed,
    RemoteProtocolError,
    SyncError,
    Untrusted,
    WrongCode,
)
from sync.identity import certificate_key, fingerprint, shared_words
from sync.trust import Member
from sync.wire.limits import CERTIFICATE_BYTES_MAX, NAME_BYTES_MAX, PAIRING_FRAME_BYTES_MAX

if TYPE_CHECKING:
    from spake2 import SPAKE2_A, SPAKE2_B

# `spake2` computes its groups as it is loaded, for fifteen milliseconds: only who pairs loads it.

# Long enough to walk to the other device and type; short enough that a code left on a screen is worth
# nothing.
WINDOW_MS: Final = 600_000

# Two slips of the finger are forgiven. Each burnt code is one guess out of 59 million.
BURNT_MAX: Final = 3

VERSION: Final = 1
# What a signature of a transcript is for: neither side's is good for the other.
_JOINER: Final = b"samemind pairing joiner\0"
_OFFERER: Final = b"samemind pairing offerer\0"
_HELLO, _REPLY, _CONFIRM, _DONE, _REFUSED = (bytes([VERSION, kind]) for kind in (1, 2, 3, 4, 5))

# What a refusal says. Nobody has vouched for it: it is told to the person, and ends a conversation that a
# silent close would have ended too.
_REASONS: Final[tuple[tuple[type[SyncError], bytes, str], ...]] = (
    (WrongCode, b"\x01", "the code is not the one shown there now: it was mistyped, used, or burnt"),
    (CodeExpired, b"\x02", "the time to type the code is over: open pairing again on the other device"),
    (PairingClosed, b"\x03", "the other device takes no more guesses: open pairing again there"),
    (Untrusted, b"\x04", "the other device never admits this one: it was revoked, or holds the same key"),
    (SyncError, b"\x05", "the other device did not understand this one"),
)

# One message of the exchange: which side it is for, and a point of 32 bytes.
_SHARE_BYTES: Final = 33
_MAC_BYTES: Final = 32

# What a frame adds around the payload: kind, mac, name with its length, signature, seal.
PAYLOAD_BYTES_MAX: Final = PAIRING_FRAME_BYTES_MAX - 1024

# Each key is used for one message, so the nonce never has to change.
_NONCE: Final = bytes(NONCE_BYTES)


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a device says of itself once it is sure of the other: its name, and whatever else it brings."""

    name: str
    payload: bytes = b""

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable() or len(self.name.encode()) > NAME_BYTES_MAX:
            raise ValueError(
                f"expected a printable name of 1 to {NAME_BYTES_MAX} bytes, got {self.name[:40]!r}"
            )
        if len(self.payload) > PAYLOAD_BYTES_MAX:
            raise ValueError(
                f"expected a payload of at most {PAYLOAD_BYTES_MAX} bytes, got {len(self.payload)}"
            )


@dataclass(frozen=True, slots=True)
class PairingResult:
    """What pairing came to: who the other device is, what it brought, and words to compare on both ends.

    `host`: from where it came, for whoever waited for it.
    """

    member: Member
    payload: bytes
    words: tuple[str, ...]
    host: str | None = None


class PairingWindow:
    """One opening of pairing: the code of the moment, and how many guesses are left.

    One that was written down goes on with the `code` and the guesses that it had: starting anew gives nobody more.
    """

    def __init__(
        self,
        *,
        now_ms: int,
        entropy: Entropy,
        lasts_ms: int = WINDOW_MS,
        words: int = WORDS_SHORT,
        burnt: int = 0,
        code: PairingCode | None = None,
    ) -> None:
        self._entropy = entropy
        self._words = words
        self.expires_ms = now_ms + lasts_ms
        self.burnt = burnt
        self._code = code or (PairingCode.draw(entropy, words) if burnt < BURNT_MAX else None)

    @property
    def is_open(self) -> bool:
        """Whether there is a code to show, the time left aside."""
        return self._code is not None

    def current(self, *, now_ms: int) -> PairingCode:
        """The code to show, and to judge by."""
        if self._code is None:
            raise PairingClosed("no more guesses are taken: open pairing again")
        if now_ms >= self.expires_ms:
            raise CodeExpired("the time to type the code is over: open pairing again")
        return self._code

    @property
    def burnt_out(self) -> bool:
        """Whether the last guess was wasted, so that no code will ever be taken."""
        return self.burnt >= BURNT_MAX

    def spend(self) -> None:
        """The code was proved: from now on it opens nothing for anybody else."""
        self._code = None

    def burn(self) -> None:
        """The code was guessed wrong, or was left half used: draw another, or close with the third."""
        self.burnt += 1
        self._code = PairingCode.draw(self._entropy, self._words) if not self.burnt_out else None


class Offerer:
    """The side that shows the code, in one conversation with one joiner."""

    def __init__(
        self,
        window: PairingWindow,
        *,
        certificate: bytes,
        introduction: Introduction,
        entropy: Entropy,
        revoked: Collection[DeviceId] = frozenset(),
        context: bytes = b"",
        sign: Sign | None = None,
    ) -> None:
        """`sign` signs with the key of `certificate`; with it, the joiner has to sign likewise."""
        self._window = window
        self._context = context
        self._sign = sign
        self._certificate = certificate
        self._introduction = introduction
        self._entropy = entropy
        self._revoked = revoked
        self._code: PairingCode | None = None
        self._keys: _PairingKeys | None = None
        self._spent = False
        self.has_burnt = False
        """Whether this conversation used up a code."""
        self._candidate: PairingResult | None = None
        self.paired: PairingResult | None = None

    @property
    def has_heard(self) -> bool:
        """Whether the joiner said anything yet."""
        return self._keys is not None

    def receive(self, frame: bytes, *, now_ms: int) -> list[bytes]:
        """Take one frame; return what to send. An error ends the conversation."""
        if self._keys is None:
            return [self._answer(frame, now_ms)]
        if self._candidate is None:
            return [self._judge(frame, self._keys, now_ms)]
        if self.paired is None:
            if not hmac.compare_digest(_body(frame, _DONE), self._keys.done):
                raise RemoteProtocolError("expected the joiner's last word, got something else")
            self.paired = self._candidate
            return []
        raise RemoteProtocolError("expected silence after pairing, got another frame")

    def abandon(self) -> None:
        """The conversation is over. A code that was proved but not used to the end is burnt."""
        if self._spent and self.paired is None:
            self._spent = False
            self._burn()

    def _answer(self, frame: bytes, now_ms: int) -> bytes:
        from spake2 import SPAKE2_B

        hello = _body(frame, _HELLO)
        share, joiner = hello[:_SHARE_BYTES], hello[_SHARE_BYTES:]
        _check_stranger(joiner, self._certificate, self._revoked)
        self._code = self._window.current(now_ms=now_ms)
        exchange = SPAKE2_B(
            self._code.secret(),
            idA=fingerprint(joiner),
            idB=fingerprint(self._certificate),
            entropy_f=self._entropy,
        )
        reply: bytes = exchange.start()
        self._keys = _PairingKeys.agreed(
            exchange, share, joiner, self._certificate, share + reply, self._context
        )
        return _REPLY + reply

    def _judge(self, frame: bytes, keys: "_PairingKeys", now_ms: int) -> bytes:
        body = _body(frame, _CONFIRM)
        if self._window.current(now_ms=now_ms) is not self._code:
            raise WrongCode("the code was used or burnt in the meantime: type the one that is shown now")
        if not hmac.compare_digest(body[:_MAC_BYTES], keys.joiner_mac):
            self._burn()
            raise WrongCode("the joiner typed another code, or somebody sits between: this code is burnt")
        self._window.spend()
        self._spent = True
        introduction = _unseal(keys.joiner_seal, body[_MAC_BYTES:], keys.transcript)
        if self._sign is not None:
            introduction = _signed_by(keys.joiner, introduction, _JOINER + keys.transcript)
        self._candidate = _paired(keys.joiner, self._certificate, introduction)
        ours = _signing(self._introduction, self._sign, _OFFERER + keys.transcript)
        return _CONFIRM + keys.offerer_mac + _seal(keys.offerer_seal, ours, keys.transcript)

    def _burn(self) -> None:
        self._window.burn()
        self.has_burnt = True


class Joiner:
    """The side where the code is typed."""

    def __init__(
        self,
        code: PairingCode,
        *,
        certificate: bytes,
        offerer: bytes,
        introduction: Introduction,
        entropy: Entropy,
        expected: bytes | None = None,
        revoked: Collection[DeviceId] = frozenset(),
        context: bytes = b"",
        sign: Sign | None = None,
    ) -> None:
        """`offerer` is the certificate that TLS showed; Untrusted if it is no device's or a revoked one's.

        `expected`: the fingerprint that a scanned code told, checked before anything is said.
        """
        if expected is not None and fingerprint(offerer) != expected:
            raise WrongCode("the device at that address is not the one that showed the QR code")
        from spake2 import SPAKE2_A

        _check_stranger(offerer, certificate, revoked)
        self._certificate = certificate
        self._context = context
        self._sign = sign
        self._offerer = offerer
        self._introduction = introduction
        self._exchange = SPAKE2_A(
            code.secret(), idA=fingerprint(certificate), idB=fingerprint(offerer), entropy_f=entropy
        )
        self._share: bytes = self._exchange.start()
        self._keys: _PairingKeys | None = None
        self.paired: PairingResult | None = None

    @property
    def has_proved(self) -> bool:
        """Whether the other side was given what a guess can be checked against: the code is worth nothing then."""
        return self._keys is not None

    def start(self) -> bytes:
        """The first frame."""
        return _HELLO + self._share + self._certificate

    def receive(self, frame: bytes) -> list[bytes]:
        """Take one frame; return what to send. An error ends the conversation."""
        _raise_refusal(frame)
        if self._keys is None:
            reply = _body(frame, _REPLY)
            self._keys = _PairingKeys.agreed(
                self._exchange, reply, self._certificate, self._offerer, self._share + reply, self._context
            )
            ours = _signing(self._introduction, self._sign, _JOINER + self._keys.transcript)
            sealed = _seal(self._keys.joiner_seal, ours, self._keys.transcript)
            return [_CONFIRM + self._keys.joiner_mac + sealed]
        if self.paired is None:
            body = _body(frame, _CONFIRM)
            if not hmac.compare_digest(body[:_MAC_BYTES], self._keys.offerer_mac):
                raise WrongCode("the other side does not hold this code, or somebody sits between")
            introduction = _unseal(self._keys.offerer_seal, body[_MAC_BYTES:], self._keys.transcript)
            if self._sign is not None:
                introduction = _signed_by(self._offerer, introduction, _OFFERER + self._keys.transcript)
            self.paired = _paired(self._offerer, self._certificate, introduction)
            return [_DONE + self._keys.done]
        raise RemoteProtocolError("expected silence after pairing, got another frame")


def refusal(error: SyncError) -> bytes:
    """The frame by which an offerer tells a joiner why it was turned away."""
    reason = next(reason for kind, reason, _ in _REASONS if isinstance(error, kind))
    return _REFUSED + reason


def is_refusal(frame: bytes) -> bool:
    """Whether an offerer turned the joiner away by this frame."""
    return frame[:2] == _REFUSED


@dataclass(frozen=True, slots=True)
class _PairingKeys:
    """Everything that follows from one exchange, each part for one use."""

    joiner: bytes
    transcript: bytes
    joiner_mac: bytes
    offerer_mac: bytes
    done: bytes
    joiner_seal: bytes
    offerer_seal: bytes

    @classmethod
    def agreed(
        cls,
        exchange: "SPAKE2_A | SPAKE2_B",
        share: bytes,
        joiner: bytes,
        offerer: bytes,
        shares: bytes,
        context: bytes,
    ) -> "_PairingKeys":
        if len(share) != _SHARE_BYTES:
            raise RemoteProtocolError(f"expected {_SHARE_BYTES} bytes of key exchange, got {len(share)}")
        try:
            shared: bytes = exchange.finish(share)
        except Exception as error:  # the library raises a dozen kinds on points that are off the curve
            raise RemoteProtocolError(f"expected one side of the key exchange: {error!r:.100}") from error
        transcript = hashlib.sha256(
            b"samemind pairing\0"
            + bytes([VERSION])
            + fingerprint(joiner)
            + fingerprint(offerer)
            + shares
            + context
        ).digest()

        def key(label: bytes) -> bytes:
            return derive(shared, salt=transcript, info=b"samemind pairing " + label)

        return cls(
            joiner,
            transcript,
            hmac.digest(key(b"joiner proof"), transcript, "sha256"),
            hmac.digest(key(b"offerer proof"), transcript, "sha256"),
            hmac.digest(key(b"done"), transcript, "sha256"),
            key(b"joiner seal"),
            key(b"offerer seal"),
        )


def _body(frame: bytes, expected: bytes) -> bytes:
    if frame[:1] != expected[:1]:
        raise RemoteProtocolError(f"expected pairing version {VERSION}, got {frame[:1].hex() or 'nothing'}")
    if frame[:2] != expected:
        raise RemoteProtocolError(
            f"expected pairing message {expected[1]}, got {frame[1:2].hex() or 'nothing'}"
        )
    return frame[2:]


def _raise_refusal(frame: bytes) -> None:
    if is_refusal(frame):
        for kind, reason, text in _REASONS[:-1]:
            if frame[2:] == reason:
                raise kind(text)
        raise PairingFailed(_REASONS[-1][2])


def _check_stranger(theirs: bytes, ours: bytes, revoked: Collection[DeviceId]) -> None:
    if len(theirs) > CERTIFICATE_BYTES_MAX:
        raise LimitExceeded(
            f"expected a certificate of at most {CERTIFICATE_BYTES_MAX} bytes, got {len(theirs)}"
        )
    member = Member.of(theirs, "")
    if member == Member.of(ours, ""):
        raise Untrusted("expected another device, this one holds our own key: a clone has to become its own")
    if member.device_id in revoked:
        raise Untrusted(f"{member.device_id.hex()} was revoked: it has to come back under a new key")


def _seal(key: bytes, introduction: Introduction, transcript: bytes) -> bytes:
    name = introduction.name.encode()
    plain = len(name).to_bytes(2, "big") + name + introduction.payload
    return seal(key, _NONCE, plain, transcript)


def _unseal(key: bytes, sealed: bytes, transcript: bytes) -> Introduction:
    try:
        plain = unseal(key, _NONCE, sealed, transcript)
        name_end = 2 + int.from_bytes(plain[:2], "big")
        if name_end > len(plain):
            raise RemoteProtocolError("expected a name as long as announced")
        return Introduction(plain[2:name_end].decode(), plain[name_end:])
    except NotSealed:
        raise RemoteProtocolError("expected an introduction under the agreed key, got another") from None
    except ValueError as error:
        raise RemoteProtocolError(f"expected an introduction that can be read: {error}") from error


def _signing(introduction: Introduction, sign: Sign | None, message: bytes) -> Introduction:
    if sign is None:
        return introduction
    return Introduction(introduction.name, sign(message) + introduction.payload)


def _signed_by(certificate: bytes, introduction: Introduction, message: bytes) -> Introduction:
    """Return the introduction without the signature before it, made by the certificate's key."""
    signature, payload = introduction.payload[:SIGNATURE_BYTES], introduction.payload[SIGNATURE_BYTES:]
    if not verify(certificate_key(certificate), message, signature):
        raise Untrusted(
            "the other side did not sign with the key of its certificate: it may be somebody else's"
        )
    return Introduction(introduction.name, payload)


def _paired(theirs: bytes, ours: bytes, introduction: Introduction) -> PairingResult:
    return PairingResult(
        Member.of(theirs, introduction.name), introduction.payload, shared_words(theirs, ours)
    )
