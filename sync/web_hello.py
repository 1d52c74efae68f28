"""Find out who is at the other end of a WebSocket, and encrypt what is said on it: a hello for a link from a browser.

A page cannot see the certificate of the TLS connection below its WebSocket, nor show one there, so TLS proves nothing
to either side about devices. This hello does, inside of it, with the keys that the group knows. It is SIGMA-R
("SIGMA: the 'SIGn-and-MAc' approach to authenticated Diffie-Hellman", Krawczyk, CRYPTO 2003, section 5.2): the side
that called proves itself first, so whoever is no member hears 32 random bytes and learns nothing, not even who is here.

    initiator (the page)                        responder (the device that serves it)
    Key(E_i)                              ->
                                          <-    Key(E_r)
    Proof{signature, MAC, certificate}    ->                     admitted, or not
                                          <-    Proof{signature, MAC, certificate}
    records                              <->    records

E_i and E_r are X25519 keys for this link alone. Each side signs a transcript that begins with the web origin at which
the page was loaded: a proof carried to another address, or to another way of meeting, proves nothing there. Roles have
labels and keys of their own, so nothing said by one side is good for the other. The responder's proof covers the
initiator's. Both Proofs are encrypted; the names of devices cross in no record of a TLS proxy either.

After that everything travels in records under two keys, one for each direction, numbered by a counter that is not
sent: a record that is dropped, repeated, moved or altered opens nothing, and ends the link. The last one says that it
is the last, so that an end made by somebody else does not pass for one.

All of it is sans-IO and without a clock; randomness is an argument. It runs in a browser as it runs here.
"""

import hashlib
import hmac
from collections.abc import Collection
from typing import Final

from replica.ids import DeviceId, device_id
from replica.keys import AGREEMENT_BYTES, SEAL_BYTES, NotSealed, agree, agreement_key, derive, seal, unseal
from replica.signing import SIGNATURE_BYTES, Sign, verify
from sync.code import Entropy
from sync.errors import (
    LimitExceeded,
    LinkLost,
    LocalProtocolError,
    RemoteProtocolError,
    SelfLink,
    SomebodyElse,
)
from sync.identity import certificate_key, fingerprint
from sync.wire.limits import CERTIFICATE_BYTES_MAX

# Subprotocols of the WebSocket (RFC 6455, 1.9): by what the two agree on this hello and no other, and on pairing.
LINK_PROTOCOL: Final = "samemind-link-1"
# The same, and the initiator may ask what the responder remembers (`Inquiry` in `sync.wire.messages`).
ASKING_PROTOCOL: Final = "samemind-link-2"
PAIR_PROTOCOL: Final = "samemind-pair-1"
# By this one a member is told which mailboxes it may use, and nothing else is said.
MAIL_PROTOCOL: Final = "samemind-mail-1"
# An origin is a scheme, a name of at most 253 characters, and a port.
ORIGIN_BYTES_MAX: Final = 300

_MAC_BYTES: Final = 32
# What one record holds. A link says its frames in slices of this size (`sync.link`).
RECORD_DATA_BYTES_MAX: Final = 64 * 1024
RECORD_BYTES_MAX: Final = 1 + RECORD_DATA_BYTES_MAX + SEAL_BYTES
# The largest message of the hello: a proof.
HELLO_BYTES_MAX: Final = 1 + SIGNATURE_BYTES + _MAC_BYTES + CERTIFICATE_BYTES_MAX + SEAL_BYTES
# No link lasts so long; a counter that came round would use a key twice under one number.
RECORDS_MAX: Final = 1 << 48

_CONTEXT: Final = b"samemind web link 1\0"
# With what the transcript begins: two that were told different names by somebody between them agree on nothing.
_BEGINNINGS: Final = {LINK_PROTOCOL: _CONTEXT, ASKING_PROTOCOL: b"samemind web link 2\0"}
_INITIATOR: Final = b"samemind web link 1 initiator\0"
_RESPONDER: Final = b"samemind web link 1 responder\0"
_PAIRING: Final = b"samemind web pairing\0"
_KEY: Final = b"\x01"
_PROOF: Final = b"\x02"
# Each key of the hello seals one message, so the number never has to change.
_ONCE: Final = 0
_DATA: Final = b"\x00"
_END: Final = b"\x01"


class Channel:
    """The records of one link, in both directions, with whoever proved to be at the other end."""

    def __init__(self, certificate: bytes, *, sending: bytes, receiving: bytes) -> None:
        self.certificate = certificate
        self.peer: DeviceId = device_id(certificate_key(certificate))
        self.ended = False
        """Whether the peer said that it is done."""
        self._sending = sending
        self._receiving = receiving
        self._sent = self._received = 0
        self._closed = False

    def seal(self, data: bytes) -> list[bytes]:
        """Return the records that carry some bytes, in the order in which they have to be sent."""
        return [
            self._seal(_DATA + data[start : start + RECORD_DATA_BYTES_MAX])
            for start in range(0, len(data), RECORD_DATA_BYTES_MAX)
        ]

    def end(self) -> bytes:
        """Return the last record: nothing is said after it."""
        record = self._seal(_END)
        self._closed = True
        return record

    def open(self, record: bytes) -> bytes:
        """Return what the next record carries; nothing, and `ended`, for the last one.

        RemoteProtocolError: it is not the next record. No further one can be opened then. Who sits between could have
        sent it, so it is held against nobody.
        """
        if self.ended:
            raise RemoteProtocolError("expected nothing after the last record, got another")
        if len(record) > RECORD_BYTES_MAX:
            raise RemoteProtocolError(
                f"expected a record of at most {RECORD_BYTES_MAX} bytes, got {len(record)}", fault=None
            )
        number, self._received = self._received, RECORDS_MAX  # unless it opens, none does after it
        if number >= RECORDS_MAX:
            raise LinkLost("a record did not open, or there were too many: the link has to be made anew")
        try:
            plain = unseal(self._receiving, _nonce(number), record, b"")
        except NotSealed:
            raise RemoteProtocolError(
                f"expected record {number} as it was sealed, got one that was altered, moved or repeated",
                fault=None,
            ) from None
        self._received = number + 1
        if plain == _END:
            self.ended = True
            return b""
        if plain[:1] != _DATA or len(plain) == 1:
            raise RemoteProtocolError(
                f"expected a record with something in it, got {plain[:1].hex() or 'none'}"
            )
        return plain[1:]

    def _seal(self, plain: bytes) -> bytes:
        if self._closed:
            raise LocalProtocolError("expected to say nothing after the last record")
        if self._sent >= RECORDS_MAX:
            raise LinkLost("too many records were sent: the link has to be made anew")
        record = seal(self._sending, _nonce(self._sent), plain, b"")
        self._sent += 1
        return record


class HelloInitiator:
    """The side that called."""

    def __init__(
        self,
        *,
        certificate: bytes,
        sign: Sign,
        pins: Collection[bytes],
        origin: str,
        entropy: Entropy,
        protocol: str = LINK_PROTOCOL,
    ) -> None:
        """`pins`: the certificates that may answer. `origin`: where the page is from, as the browser tells it.

        `protocol`: the subprotocol that the WebSocket was given.
        """
        self._certificate = certificate
        self._sign = sign
        self._pins = {fingerprint(pin) for pin in pins}
        self._private = entropy(AGREEMENT_BYTES)
        self._first = _KEY + agreement_key(self._private)
        self._transcript = _begun(protocol, origin, self._first)
        self._keys: _HelloKeys | None = None
        self.channel: Channel | None = None

    def start(self) -> bytes:
        """Return the first message."""
        return self._first

    def receive(self, message: bytes) -> list[bytes]:
        """Take one message; return what to send. Once `channel` is there, the peer is proved. An error ends it all.

        SomebodyElse: whoever answers proved to be none of those expected.
        """
        if self.channel is not None:
            raise LocalProtocolError("expected records after the hello: give them to the channel")
        if self._keys is None:
            return [self._prove(message)]
        proof = _unsealed(self._keys.responder, message, self._transcript)
        theirs = _proved(proof, _RESPONDER, self._transcript, self._keys.responder_mac)
        _admit(theirs, self._pins, self._certificate)
        self._transcript = _joined(self._transcript, message)
        initiator, responder = self._keys.records(self._transcript)
        self.channel = Channel(theirs, sending=initiator, receiving=responder)
        return []

    def _prove(self, message: bytes) -> bytes:
        theirs = _key(message)
        if message == self._first:
            raise RemoteProtocolError("expected the key of another, got our own: it was sent back")
        self._transcript = _joined(self._transcript, message)
        self._keys = _HelloKeys(self._private, theirs, self._transcript)
        proof = _proof(self._certificate, self._sign, _INITIATOR, self._transcript, self._keys.initiator_mac)
        sealed = _PROOF + seal(self._keys.initiator, _nonce(_ONCE), proof, self._transcript)
        self._transcript = _joined(self._transcript, sealed)
        return sealed


class HelloResponder:
    """The side that was called."""

    def __init__(
        self,
        *,
        certificate: bytes,
        sign: Sign,
        pins: Collection[bytes],
        origin: str,
        entropy: Entropy,
        protocol: str = LINK_PROTOCOL,
    ) -> None:
        """`pins`: the certificates that are let in. `origin`: that of the page which called, checked to be ours.

        `protocol`: the subprotocol that the WebSocket was given.
        """
        self._certificate = certificate
        self._sign = sign
        self._pins = {fingerprint(pin) for pin in pins}
        self._origin = origin
        self._protocol = protocol
        self._entropy = entropy
        self._transcript = b""
        self._keys: _HelloKeys | None = None
        self.channel: Channel | None = None

    def receive(self, message: bytes) -> list[bytes]:
        """Take one message; return what to send. Once `channel` is there, the peer is proved. An error ends it all.

        SomebodyElse: who called proved a key that is not let in. SelfLink: it proved our own.
        """
        if self.channel is not None:
            raise LocalProtocolError("expected records after the hello: give them to the channel")
        if self._keys is None:
            return [self._answer(message)]
        proof = _unsealed(self._keys.initiator, message, self._transcript)
        theirs = _proved(proof, _INITIATOR, self._transcript, self._keys.initiator_mac)
        _admit(theirs, self._pins, self._certificate)
        self._transcript = _joined(self._transcript, message)
        ours = _proof(self._certificate, self._sign, _RESPONDER, self._transcript, self._keys.responder_mac)
        sealed = _PROOF + seal(self._keys.responder, _nonce(_ONCE), ours, self._transcript)
        self._transcript = _joined(self._transcript, sealed)
        initiator, responder = self._keys.records(self._transcript)
        self.channel = Channel(theirs, sending=responder, receiving=initiator)
        return [sealed]

    def _answer(self, message: bytes) -> bytes:
        theirs = _key(message)
        private = self._entropy(AGREEMENT_BYTES)
        answer = _KEY + agreement_key(private)
        self._transcript = _joined(_begun(self._protocol, self._origin, message), answer)
        self._keys = _HelloKeys(private, theirs, self._transcript)
        return answer


class _HelloKeys:
    """What follows from one agreement, each key for one use."""

    def __init__(self, private: bytes, public: bytes, transcript: bytes) -> None:
        try:
            self._shared = agree(private, public)
        except ValueError:
            raise RemoteProtocolError(
                "expected a key to agree on, got one that agrees with anybody's"
            ) from None
        self.initiator = self._derive(transcript, b"initiator proof")
        self.responder = self._derive(transcript, b"responder proof")
        self.initiator_mac = self._derive(transcript, b"initiator MAC")
        self.responder_mac = self._derive(transcript, b"responder MAC")

    def records(self, transcript: bytes) -> tuple[bytes, bytes]:
        """Return the keys of the initiator's and of the responder's records, once all of the hello was said."""
        return self._derive(transcript, b"initiator records"), self._derive(transcript, b"responder records")

    def _derive(self, transcript: bytes, label: bytes) -> bytes:
        return derive(self._shared, salt=transcript, info=_CONTEXT + label)


def pairing_context(origin: str) -> bytes:
    """Return by what way two devices pair that do so by a page of that origin (`context` in `sync.pairing`)."""
    return _PAIRING + origin.encode()


def mail_origin(origin: str) -> str:
    """Return as whose page a member proves itself that asks for mailboxes: that proof is good for no link."""
    return f"{origin} mailboxes"


def _begun(protocol: str, origin: str, first: bytes) -> bytes:
    """Return the transcript after the first message: for whom, by what way, and where."""
    named = origin.encode()
    if not 0 < len(named) <= ORIGIN_BYTES_MAX:
        raise LimitExceeded(f"expected an origin of 1 to {ORIGIN_BYTES_MAX} bytes, got {len(named)}")
    return _joined(hashlib.sha256(_BEGINNINGS[protocol] + named).digest(), first)


def _joined(transcript: bytes, message: bytes) -> bytes:
    return hashlib.sha256(transcript + message).digest()


def _key(message: bytes) -> bytes:
    if len(message) != 1 + AGREEMENT_BYTES or message[:1] != _KEY:
        raise RemoteProtocolError(
            f"expected a key of {AGREEMENT_BYTES} bytes, got {len(message)} of something"
        )
    return message[1:]


def _proof(certificate: bytes, sign: Sign, label: bytes, transcript: bytes, mac_key: bytes) -> bytes:
    """Return a signature of what was said, a MAC over whose it is, and the certificate."""
    signature = sign(label + transcript + fingerprint(certificate))
    return signature + _mac(mac_key, label, transcript, certificate) + certificate


def _mac(key: bytes, label: bytes, transcript: bytes, certificate: bytes) -> bytes:
    return hmac.digest(key, label + transcript + certificate, "sha256")


def _unsealed(key: bytes, message: bytes, transcript: bytes) -> bytes:
    if len(message) > HELLO_BYTES_MAX:
        raise LimitExceeded(f"expected a proof of at most {HELLO_BYTES_MAX} bytes, got {len(message)}")
    if message[:1] != _PROOF:
        raise RemoteProtocolError(f"expected a proof, got {message[:1].hex() or 'nothing'}")
    try:
        return unseal(key, _nonce(_ONCE), message[1:], transcript)
    except NotSealed:
        raise RemoteProtocolError(
            "expected a proof for what was said here, got one that was altered, or said at another address"
        ) from None


def _proved(proof: bytes, label: bytes, transcript: bytes, mac_key: bytes) -> bytes:
    """Return the certificate whose holder made a proof."""
    signature, rest = proof[:SIGNATURE_BYTES], proof[SIGNATURE_BYTES:]
    mac, certificate = rest[:_MAC_BYTES], rest[_MAC_BYTES:]
    public_key = certificate_key(certificate)
    if not hmac.compare_digest(mac, _mac(mac_key, label, transcript, certificate)):
        raise RemoteProtocolError("expected a proof under the agreed key, got another")
    if not verify(public_key, label + transcript + fingerprint(certificate), signature):
        raise RemoteProtocolError("expected a proof signed by the key of its certificate, got another")
    return certificate


def _admit(theirs: bytes, pins: Collection[bytes], ours: bytes) -> None:
    if theirs == ours:
        raise SelfLink("expected another device, the other end holds our own key")
    if fingerprint(theirs) not in pins:
        raise SomebodyElse(f"expected a paired device, {fingerprint(theirs).hex()} is none")


def _nonce(number: int) -> bytes:
    return number.to_bytes(12, "big")
