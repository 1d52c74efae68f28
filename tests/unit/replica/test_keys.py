"""The one door to cryptography, held to what was published: RFC 8032, 7748, 5869 and 8439."""

import pytest

from replica.keys import (
    SEAL_BYTES,
    Ed25519PrivateKey,
    NotSealed,
    agree,
    agreement_key,
    derive,
    is_signed,
    seal,
    unseal,
)

BEN = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
ANN_PUBLIC = bytes.fromhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
KEY, NONCE = bytes(range(0x80, 0xA0)), bytes.fromhex("070000004041424344454647")
CONTEXT = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
PLAIN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    b"sunscreen would be it."
)


def test_signatures_are_those_of_rfc_8032() -> None:
    key = Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    )
    public = key.public_key().public_bytes_raw()
    assert public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    signature = key.sign(b"\x72")
    assert signature.hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert is_signed(public, b"\x72", signature)
    assert not is_signed(public, b"\x73", signature)
    assert not is_signed(public, b"\x72", signature[:-1])
    assert not is_signed(public[:-1], b"\x72", signature)


def test_two_agree_as_in_rfc_7748() -> None:
    assert agreement_key(BEN).hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    agreed = agree(BEN, ANN_PUBLIC).hex()
    assert agreed == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"


@pytest.mark.parametrize("public", [bytes(32), b"\x01" + bytes(31), bytes(31), bytes(33)])
def test_nobody_agrees_with_a_key_that_everybody_agrees_with(public: bytes) -> None:
    with pytest.raises(ValueError):
        agree(BEN, public)


def test_keys_are_derived_as_in_rfc_5869() -> None:
    derived = derive(b"\x0b" * 22, salt=bytes(range(13)), info=bytes(range(0xF0, 0xFA)), length=42)
    assert derived.hex() == (
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    )


def test_seals_are_those_of_rfc_8439() -> None:
    sealed = seal(KEY, NONCE, PLAIN, CONTEXT)
    assert sealed[-SEAL_BYTES:].hex() == "1ae10b594f09e26a7e902ecbd0600691"
    assert unseal(KEY, NONCE, sealed, CONTEXT) == PLAIN


@pytest.mark.parametrize("part", ["key", "nonce", "sealed", "context", "length"])
def test_what_was_sealed_otherwise_does_not_open(part: str) -> None:
    said = {"key": KEY, "nonce": NONCE, "sealed": seal(KEY, NONCE, PLAIN, CONTEXT), "context": CONTEXT}
    if part == "length":
        said["sealed"] = said["sealed"][:3]
    else:
        said[part] = bytes([said[part][0] ^ 1]) + said[part][1:]
    with pytest.raises(NotSealed):
        unseal(said["key"], said["nonce"], said["sealed"], said["context"])
