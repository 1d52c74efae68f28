"""docs/protocol/web.md is enough: a hello that is read by that page alone, with a library of its own for each step."""

import hashlib
import hmac

import pytest
from nacl.bindings import (
    crypto_aead_chacha20poly1305_ietf_decrypt as open_sealed,
)
from nacl.bindings import (
    crypto_scalarmult as x25519,
)
from nacl.bindings import (
    crypto_scalarmult_base as x25519_public,
)
from nacl.signing import VerifyKey

from tests.support.vectors import load

CONTEXT = b"samemind web link 1\0"
# What the first part of a transcript is by, for each subprotocol.
BEGINNINGS = {"samemind-link-1": CONTEXT, "samemind-link-2": b"samemind web link 2\0"}


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """RFC 5869 with SHA-256, one block."""
    return hmac.digest(hmac.digest(salt, secret, "sha256"), info + b"\x01", "sha256")


def nonce(number: int) -> bytes:
    return number.to_bytes(12, "big")


def public_key_in(certificate: bytes) -> bytes:
    """The 32 bytes before the extensions (18) and the signature with its kind (10 + 64): see identity.md."""
    return certificate[-124:-92]


@pytest.mark.parametrize("protocol", BEGINNINGS)
def test_a_hello_and_its_records_are_read_by_the_page_alone(protocol: str) -> None:
    vectors = load("web-links")
    said = vectors if vectors["protocol"] == protocol else vectors["asking"]
    assert said["protocol"] == protocol
    first, second, third, fourth = said["messages"]
    private = vectors["initiator"]["agreement_private_key"]
    assert first == b"\x01" + x25519_public(private)
    assert second[:1] == b"\x01"
    shared = x25519(private, second[1:])

    transcript = sha256(BEGINNINGS[protocol] + vectors["origin"].encode())
    transcript = sha256(transcript + first)
    agreed = sha256(transcript + second)
    after = sha256(agreed + third)
    for message, side, label, before in (
        (third, "initiator", b"initiator", agreed),
        (fourth, "responder", b"responder", after),
    ):
        assert message[:1] == b"\x02"
        key = hkdf(shared, agreed, CONTEXT + label + b" proof")
        proof = open_sealed(message[1:], before, nonce(0), key)
        signature, mac, certificate = proof[:64], proof[64:96], proof[96:]
        assert certificate == vectors[side]["certificate"]
        purpose = CONTEXT[:-1] + b" " + label + b"\0"
        VerifyKey(public_key_in(certificate)).verify(purpose + before + sha256(certificate), signature)
        key = hkdf(shared, agreed, CONTEXT + label + b" MAC")
        assert mac == hmac.digest(key, purpose + before + certificate, "sha256")

    whole = sha256(after + fourth)
    for side, plain in (
        ("initiator", [b"\0one", b"\0two", b"\1"]),
        ("responder", [b"\0three", b"\1"]),
    ):
        key = hkdf(shared, whole, CONTEXT + side.encode() + b" records")
        records = said[f"{side}_records"]
        assert [open_sealed(each, b"", nonce(at), key) for at, each in enumerate(records)] == plain
