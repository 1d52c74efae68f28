"""Who is refused at the door, over real TCP, and what the refused one learns."""

import datetime
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from sync.errors import LinkLost, RemoteProtocolError, SelfLink, Untrusted
from sync.identity import Identity, certificate_key
from sync.tls import pinned_context, secure
from sync.trust import Member, TrustStore
from tests.support.links import End, identity, meet, part, tcp_pair

LAPTOP, PHONE, STRANGER = identity("laptop"), identity("phone"), identity("stranger")
A_FEW_SECONDS = 5
NOT_BEFORE = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
NOT_AFTER = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with trio.fail_after(A_FEW_SECONDS):
            await main()

    trio.run(bounded)


def certificate(
    key: Ed25519PrivateKey,
    subject: str,
    *,
    issuer: str | None = None,
    signer: Ed25519PrivateKey | None = None,
    ca: bool = False,
) -> bytes:
    """A certificate that breaks the rules in the way that is asked for."""

    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    made = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer or subject))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOT_BEFORE)
        .not_valid_after(NOT_AFTER)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .sign(signer or key, algorithm=None)
    )
    return made.public_bytes(Encoding.DER)


def wearing(key: Ed25519PrivateKey, der: bytes) -> Identity:
    """An identity that shows any certificate at all."""
    return Identity(key, der, PHONE.device_id)


def assert_both_refused(client: End, server: End) -> None:
    assert isinstance(client.error, Untrusted), client.error
    assert isinstance(server.error, Untrusted), server.error


def test_two_paired_devices_meet_and_know_who_the_other_is() -> None:
    async def main() -> None:
        client, server = await meet(PHONE, [LAPTOP.certificate], LAPTOP, [PHONE.certificate])
        assert client.stream is not None
        assert server.stream is not None
        assert (client.peer, server.peer) == (LAPTOP.device_id, PHONE.device_id)
        assert client.stream.version() == "TLSv1.3"
        await client.stream.send_all(b"hello")
        assert await server.stream.receive_some(100) == b"hello"
        await part(client, server)

    run(main)


def test_the_right_peer_is_named_among_many_pins() -> None:
    async def main() -> None:
        crowd = [identity(f"member {n}").certificate for n in range(30)]
        client, server = await meet(PHONE, [*crowd, LAPTOP.certificate], LAPTOP, [PHONE.certificate, *crowd])
        assert (client.peer, server.peer) == (LAPTOP.device_id, PHONE.device_id)
        await part(client, server)

    run(main)


def test_many_links_at_once_are_admitted_and_refused_each_by_itself() -> None:
    """Links share a context for speed; what one of them has to say must not end up in another."""

    async def main() -> None:
        ends: list[tuple[Identity, End, End]] = []

        async def attempt(who: Identity) -> None:
            ends.append((who, *await meet(who, [LAPTOP.certificate], LAPTOP, [PHONE.certificate])))

        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(attempt, PHONE)
                nursery.start_soon(attempt, STRANGER)
        for who, client, server in ends:
            if who is PHONE:
                assert (client.peer, server.peer) == (LAPTOP.device_id, PHONE.device_id)
                await part(client, server)
            else:
                assert_both_refused(client, server)
        assert len(ends) == 20

    run(main)


def test_an_unpaired_client_is_refused_and_told_so() -> None:
    async def main() -> None:
        assert_both_refused(*await meet(STRANGER, [LAPTOP.certificate], LAPTOP, [PHONE.certificate]))

    run(main)


def test_an_unpaired_server_is_refused_and_told_so() -> None:
    async def main() -> None:
        assert_both_refused(*await meet(PHONE, [LAPTOP.certificate], STRANGER, [PHONE.certificate]))

    run(main)


def test_a_device_without_any_pairing_refuses_everybody() -> None:
    async def main() -> None:
        assert_both_refused(*await meet(PHONE, [LAPTOP.certificate], LAPTOP, []))
        assert_both_refused(*await meet(PHONE, [], LAPTOP, [PHONE.certificate]))

    run(main)


def test_a_revoked_pin_is_refused() -> None:
    async def main() -> None:
        phone = Member.of(PHONE.certificate, "phone")
        before, after = TrustStore.of([phone]), TrustStore.of([phone], revoked=[phone.device_id])
        client, server = await meet(PHONE, [LAPTOP.certificate], LAPTOP, before.pins())
        assert server.peer == phone.device_id
        await part(client, server)
        assert_both_refused(*await meet(PHONE, [LAPTOP.certificate], LAPTOP, after.pins()))

    run(main)


def test_an_impostor_with_the_name_of_a_paired_device_is_refused() -> None:
    async def main() -> None:
        key = Ed25519PrivateKey.generate()
        impostor = wearing(key, certificate(key, PHONE.device_id.hex()))
        assert_both_refused(*await meet(impostor, [LAPTOP.certificate], LAPTOP, [PHONE.certificate]))
        assert_both_refused(*await meet(LAPTOP, [PHONE.certificate], impostor, [LAPTOP.certificate]))

    run(main)


def test_a_copy_of_a_paired_certificate_without_its_key_is_useless() -> None:
    with pytest.raises(ssl.SSLError, match="KEY_VALUES_MISMATCH"):
        pinned_context(wearing(Ed25519PrivateKey.generate(), PHONE.certificate), [], server_side=False)


def test_a_certificate_that_a_paired_device_issued_is_refused() -> None:
    """CA:FALSE stops it in the handshake, even where the issuer's own certificate is pinned."""

    async def main() -> None:
        key = Ed25519PrivateKey.generate()
        minted = certificate(
            key, identity("minted").device_id.hex(), issuer=PHONE.device_id.hex(), signer=PHONE.private_key
        )
        assert_both_refused(
            *await meet(wearing(key, minted), [LAPTOP.certificate], LAPTOP, [PHONE.certificate])
        )

    run(main)


def test_what_a_pinned_authority_minted_passes_the_chain_and_fails_the_hash() -> None:
    """Such a pin cannot be made by Member.of; should one get in, the second check still holds."""

    async def main() -> None:
        authority_key, key = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        authority = certificate(authority_key, "authority", ca=True)
        with pytest.raises(Untrusted, match="certificate authority"):
            certificate_key(authority)
        minted = certificate(key, "minted", issuer="authority", signer=authority_key)
        client, server = await meet(wearing(key, minted), [LAPTOP.certificate], LAPTOP, [authority])
        assert isinstance(server.error, Untrusted)
        assert "fingerprint" in str(server.error)
        assert client.stream is None

    run(main)


def test_a_client_without_a_certificate_is_refused_and_told_so() -> None:
    async def main() -> None:
        dialled, accepted = await tcp_pair()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        bare = trio.SSLStream(dialled, context)
        errors: list[Exception] = []

        async def serve() -> None:
            try:
                await secure(accepted, identity=LAPTOP, pins=[PHONE.certificate], server_side=True)
            except Untrusted as error:
                errors.append(error)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            await bare.do_handshake()
            with pytest.raises(trio.BrokenResourceError) as broken:
                await bare.receive_some(1)
            await trio.aclose_forcefully(bare)
        assert len(errors) == 1
        cause: Any = broken.value.__cause__
        assert cause.reason == "TLSV13_ALERT_CERTIFICATE_REQUIRED"

    run(main)


def test_a_stranger_learns_nothing_of_the_other_members() -> None:
    """TLS servers may list the names of acceptable issuers: here those would be the members' device ids."""

    async def main() -> None:
        dialled, accepted = await tcp_pair()
        context: Any = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        heard = bytearray()

        def overhear(_: object, direction: str, __: object, ___: object, ____: object, data: bytes) -> None:
            if direction == "read":
                heard.extend(data)

        context._msg_callback = overhear

        async def serve() -> None:
            with pytest.raises(Untrusted):
                await secure(accepted, identity=LAPTOP, pins=[PHONE.certificate], server_side=True)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            curious = trio.SSLStream(dialled, context)
            await curious.do_handshake()
            await trio.aclose_forcefully(curious)
        assert (
            LAPTOP.device_id.hex().encode() in heard
        )  # what it cannot help learning, and proof that we listen
        assert PHONE.device_id.hex().encode() not in heard
        assert PHONE.public_key not in heard

    run(main)


def test_dialling_oneself_or_a_clone_is_named_as_such() -> None:
    async def main() -> None:
        client, server = await meet(LAPTOP, [LAPTOP.certificate], LAPTOP, [LAPTOP.certificate])
        assert isinstance(client.error, SelfLink)
        assert isinstance(server.error, SelfLink)

    run(main)


def test_a_network_that_dies_is_not_mistaken_for_a_refusal() -> None:
    async def main() -> None:
        for server_side in (False, True):
            dialled, accepted = await tcp_pair()
            await accepted.aclose()
            with pytest.raises(LinkLost):
                await secure(dialled, identity=PHONE, pins=[LAPTOP.certificate], server_side=server_side)

    run(main)


def test_a_peer_that_speaks_something_else_is_at_fault() -> None:
    async def main() -> None:
        dialled, accepted = await tcp_pair()
        await accepted.send_all(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
        with pytest.raises(RemoteProtocolError, match=r"TLS 1\.3"):
            await secure(dialled, identity=PHONE, pins=[LAPTOP.certificate], server_side=False)
        await accepted.aclose()

    run(main)


def test_an_older_tls_is_refused() -> None:
    async def main() -> None:
        dialled, accepted = await tcp_pair()
        context = pinned_context(PHONE, [LAPTOP.certificate], server_side=False)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2

        async def dial() -> None:
            old = trio.SSLStream(dialled, context)
            with pytest.raises(trio.BrokenResourceError):
                await old.do_handshake()
            await trio.aclose_forcefully(old)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(dial)
            with pytest.raises(RemoteProtocolError):
                await secure(accepted, identity=LAPTOP, pins=[PHONE.certificate], server_side=True)

    run(main)


def test_a_silent_peer_costs_the_handshake_time_and_no_more() -> None:
    async def main() -> None:
        ours, theirs = trio.testing.memory_stream_pair()
        started = trio.current_time()
        with pytest.raises(LinkLost, match="silent"):
            await secure(ours, identity=LAPTOP, pins=[PHONE.certificate], server_side=True)
        assert trio.current_time() - started == pytest.approx(10)
        with pytest.raises((trio.BrokenResourceError, trio.ClosedResourceError)):
            await theirs.send_all(b"late")

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_what_an_unadmitted_client_sends_early_reaches_nobody() -> None:
    async def main() -> None:
        dialled, accepted = await tcp_pair()
        early = trio.SSLStream(dialled, pinned_context(STRANGER, [LAPTOP.certificate], server_side=False))
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def push() -> None:
                await early.do_handshake()
                try:
                    await early.send_all(b"forged op" * 1000)
                    await early.receive_some(1)
                except trio.BrokenResourceError:
                    pass
                await trio.aclose_forcefully(early)

            with pytest.raises(Untrusted):
                await secure(accepted, identity=LAPTOP, pins=[PHONE.certificate], server_side=True)

    run(main)


@pytest.mark.parametrize("year", [1971, 2100, 9000])
def test_a_certificate_is_valid_whatever_the_clock_says(year: int) -> None:
    read = x509.load_der_x509_certificate(PHONE.certificate)
    moment = datetime.datetime(year, 6, 1, tzinfo=datetime.UTC)
    assert read.not_valid_before_utc < moment < read.not_valid_after_utc


def test_the_key_stays_in_the_process(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a temporary file must stand in for the nameless one, it is gone when the context is made."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pinned_context(PHONE, [], server_side=True)
    monkeypatch.delattr("os.memfd_create", raising=False)
    pinned_context(PHONE, [], server_side=True)
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_that_breaks_one_rule_never_becomes_a_member() -> None:
    key, own = PHONE.private_key, PHONE.device_id.hex()
    assert Member.of(certificate(key, own), "phone").device_id == PHONE.device_id
    broken = {
        "named": certificate(key, LAPTOP.device_id.hex()),
        "its own device issued": certificate(key, own, issuer="somebody"),
        "cannot issue others": certificate(key, own, ca=True),
        "signed by the key inside": certificate(key, own, signer=LAPTOP.private_key),
    }
    for rule, der in broken.items():
        with pytest.raises(Untrusted, match=rule):
            Member.of(der, "phone")
