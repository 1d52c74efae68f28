"""Turn a raw stream into a link with a paired device, or say why not.

TLS 1.3 with certificates on both sides. A peer is admitted when OpenSSL finds its certificate among
the pins *and* the SHA-256 of what it showed is the hash of one of them: the chain check alone would
also accept what a pinned certificate authority signed, the hash alone would come after the handshake.

Two things that TLS libraries leave out are done here:

- **Both ends know that the link is up.** In TLS 1.3 the client is done before the server has judged its
  certificate, so a refused client believes in its link until the first read. The server therefore
  speaks one byte when it has admitted the client, and `secure` returns on neither side before that. Another byte says
  that it would, but holds as many links as it can: a client that heard nothing would call again in a moment.
- **A refused peer hears that it was refused.** trio drops the alert that OpenSSL has ready. It is sent by
  hand, and the stream is drained for a moment, so that a reset does not overtake it. "You are not paired"
  and "the network died" are different news to a person.

Whoever connects learns the certificate of this device, and with it its device id, since a TLS server
shows its certificate first. Nothing else is said before the peer is admitted.

An outage must not come from a wrong clock: validity dates in our certificates span every clock. The key
goes to OpenSSL, which takes only paths, through a file without a name where the system has one.
"""

import functools
import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

import trio

from replica.file_system import passed_by_path
from replica.ids import DeviceId
from sync.errors import Crowded, LinkLost, RemoteProtocolError, SelfLink, SomebodyElse, SyncError, Untrusted
from sync.identity import Identity, device_id_of, fingerprint

SecureStream = trio.SSLStream[trio.abc.Stream]

# Both sides compute for a millisecond; the rest is the network. A phone on a bad radio gets ten seconds.
HANDSHAKE_SECONDS_MAX: Final = 10.0

# How long a refused peer may take to read why, and how much it may still be sending meanwhile.
REFUSAL_SECONDS_MAX: Final = 1.0
REFUSAL_BYTES_MAX: Final = 64 * 1024

# A context costs 1.4 ms, and 0.2 ms more for each pin, as much as a handshake; membership changes seldom. One
# for each direction, those before while they are being replaced, and several devices in one process.
CONTEXTS_MAX: Final = 8

# What the server says when it has admitted the client.
ADMITTED: Final = b"\x01"
# What it says when it has no room for the link of a client that it would admit.
CROWDED: Final = b"\x02"

# The alerts by which a TLS stack says that it does not accept who we are.
_ALERTS_OF_REFUSAL: Final = frozenset(
    {
        "TLSV1_ALERT_UNKNOWN_CA",
        "TLSV1_ALERT_ACCESS_DENIED",
        "SSLV3_ALERT_BAD_CERTIFICATE",
        "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE",
        "SSLV3_ALERT_CERTIFICATE_REVOKED",
        "SSLV3_ALERT_CERTIFICATE_EXPIRED",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        "TLSV13_ALERT_CERTIFICATE_REQUIRED",
    }
)

# What a record that was changed on the way ends with, on the side that got it and on the other.
_CHANGED: Final = frozenset({"DECRYPTION_FAILED_OR_BAD_RECORD_MAC", "SSLV3_ALERT_BAD_RECORD_MAC"})

# The findings of our own OpenSSL about what the peer showed, or did not show.
_OWN_REFUSALS: Final = frozenset({"CERTIFICATE_VERIFY_FAILED", "PEER_DID_NOT_RETURN_A_CERTIFICATE"})


class PinnedContext(ssl.SSLContext):
    """A context that keeps hold of the bytes which OpenSSL wants sent on the stream that it wrapped last.

    SSLStream hands its two buffers to the context; that is the one public place to see the outgoing one.
    """

    outgoing: ssl.MemoryBIO | None = None

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Wrap as ever, and keep `outgoing`."""
        self.outgoing = outgoing
        return super().wrap_bio(incoming, outgoing, server_side, server_hostname, session)


def prepare(identity: Identity, pins: Iterable[bytes], *, server_side: bool) -> None:
    """Make ahead what `secure` needs for these pins, or the first link waits two milliseconds for it."""
    with suppress(OSError):  # as an `ssl.SSLError` is: `secure` says so, to whom it concerns
        _reused_context(identity, tuple(pins), server_side)


def pinned_context(identity: Identity, pins: Iterable[bytes], *, server_side: bool) -> PinnedContext:
    """A context that shows our certificate and accepts the pinned ones only."""
    context = _context(server_side=server_side)
    context.verify_mode = ssl.CERT_REQUIRED
    if anchors := b"".join(pins):
        context.load_verify_locations(cadata=anchors)
    _show(context, identity)
    return context


def unpinned_context(identity: Identity | None) -> PinnedContext:
    """A context for pairing: the server shows `identity`, the client (None) accepts whatever it sees."""
    context = _context(server_side=identity is not None)
    context.verify_mode = ssl.CERT_NONE
    if identity is not None:
        _show(context, identity)
    return context


async def secure(
    stream: trio.abc.Stream,
    *,
    identity: Identity,
    pins: Iterable[bytes],
    server_side: bool,
    has_room: Callable[[DeviceId], bool] = lambda peer: True,
) -> tuple[SecureStream, DeviceId]:
    """The encrypted stream, and who is at its other end. On any error the raw stream is closed.

    `has_room`: asked by the server about a client that it admits.

    Untrusted: one of the two does not admit the other. Crowded: the server has no room for the link. LinkLost: the
    network or the peer went away.
    RemoteProtocolError: the other end does not speak TLS as we do.
    """
    pinned = tuple(pins)
    try:
        context = _reused_context(identity, pinned, server_side)
    except ssl.SSLError as error:  # an OSError by name, and no passing want
        await trio.aclose_forcefully(stream)
        raise LinkLost(
            f"OpenSSL cannot read this device's key, or a certificate of its group: {error}"
        ) from error
    except OSError as error:  # no descriptor is free: one link less, and no reason to end the others
        await trio.aclose_forcefully(stream)
        raise LinkLost(f"this device cannot begin a handshake at the moment: {error}") from error
    secured = trio.SSLStream(stream, context, server_side=server_side)
    outgoing = context.outgoing  # of this stream: it was wrapped a moment ago, and nothing ran in between
    try:
        with trio.move_on_after(HANDSHAKE_SECONDS_MAX):
            try:
                await secured.do_handshake()
                peer = admitted_peer(secured, identity=identity, pins=pinned)
                if server_side:
                    await _say_whether(secured, peer, has_room(peer))
                else:
                    await _hear_whether(secured, peer)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise explain(error) from error
            return secured, peer
        raise LinkLost(f"expected a handshake within {HANDSHAKE_SECONDS_MAX:g} s, the peer stayed silent")
    except BaseException as error:
        try:
            if isinstance(error, Untrusted | RemoteProtocolError):
                await _send_alert(stream, outgoing)
        finally:  # also where it is cancelled while the peer reads
            await trio.aclose_forcefully(stream)
        raise


def peer_certificate(secured: SecureStream) -> bytes:
    """The certificate that the other end showed, pinned or not."""
    der = secured.getpeercert(binary_form=True)
    if not der:
        raise Untrusted("expected a certificate from the peer, it showed none")
    assert isinstance(der, bytes)
    return der


def admitted_peer(secured: SecureStream, *, identity: Identity, pins: Iterable[bytes]) -> DeviceId:
    """Who the other end is, once its certificate is found among the pins by hash."""
    der = peer_certificate(secured)
    if fingerprint(der) not in {fingerprint(pin) for pin in pins}:
        raise SomebodyElse(
            f"expected a paired certificate, got one with fingerprint {fingerprint(der).hex()}"
        )
    if der == identity.certificate:
        raise SelfLink("expected another device, the other end holds our own key")
    return device_id_of(der)


def explain(error: BaseException) -> SyncError:
    """Whose fault it is that an encrypted stream broke."""
    cause = error.__cause__
    if isinstance(cause, SyncError):  # of a stream of ours, which knows
        return cause
    if isinstance(cause, ssl.SSLError):
        reason = cause.reason or ""
        if reason in _ALERTS_OF_REFUSAL:
            return Untrusted(f"the peer does not admit this device: not paired, or revoked ({reason})")
        if reason in _OWN_REFUSALS:
            found = getattr(cause, "verify_message", "") or "it showed no certificate"
            return SomebodyElse(f"the peer is not a paired device ({found})")
        if reason in _CHANGED:
            return LinkLost(f"what was sent on this link was changed on the way ({reason})")
        if not isinstance(cause, ssl.SSLEOFError | ssl.SSLSyscallError | ssl.SSLZeroReturnError) and (
            reason != "UNEXPECTED_EOF_WHILE_READING"
        ):
            return RemoteProtocolError(f"expected TLS 1.3, the other end speaks otherwise ({reason})")
    return LinkLost("the other end went away")


@functools.lru_cache(maxsize=CONTEXTS_MAX)
def _reused_context(identity: Identity, pins: tuple[bytes, ...], server_side: bool) -> PinnedContext:
    return pinned_context(identity, pins, server_side=server_side)


def _context(*, server_side: bool) -> PinnedContext:
    context = PinnedContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    if server_side:
        context.num_tickets = 0  # a resumed session would skip the certificates
    return context


async def _say_whether(secured: SecureStream, peer: DeviceId, has_room: bool) -> None:
    await secured.send_all(ADMITTED if has_room else CROWDED)
    if not has_room:
        raise Crowded("this device holds as many links as it can", peer=peer)


async def _hear_whether(secured: SecureStream, peer: DeviceId) -> None:
    greeting = bytes(await secured.receive_some(len(ADMITTED)))
    if not greeting:
        raise LinkLost("the other end closed the link before it said a word")
    if greeting == CROWDED:
        raise Crowded("the peer holds as many links as it can", peer=peer)
    if greeting != ADMITTED:
        raise RemoteProtocolError(f"expected the greeting {ADMITTED.hex()}, got {greeting.hex()}")


async def _send_alert(stream: trio.abc.Stream, outgoing: ssl.MemoryBIO | None) -> None:
    """Send the alert that OpenSSL has ready, and give the peer a moment to read it."""
    alert = outgoing.read() if outgoing is not None else b""
    if not alert:
        return
    with trio.move_on_after(REFUSAL_SECONDS_MAX):
        try:
            await stream.send_all(alert)
            if isinstance(stream, trio.abc.HalfCloseableStream):
                await stream.send_eof()
            drained = 0
            while drained < REFUSAL_BYTES_MAX and (rest := await stream.receive_some(4096)):
                drained += len(rest)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer left first: nobody to tell


def _show(context: ssl.SSLContext, identity: Identity) -> None:
    """Give OpenSSL our key without leaving it on a disk."""
    with passed_by_path(identity.to_pem()) as path:
        context.load_cert_chain(path)
