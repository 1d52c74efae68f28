"""Read certificates and keys that no device of ours wrote down, to say what is wrong with them.

A reader of X.509 takes four megabytes to load, so `sync.identity` comes here only with what is not, to the byte, ours.
"""

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from replica.ids import device_id
from sync.errors import Untrusted


def read_pem(pem: bytes) -> tuple[Ed25519PrivateKey, bytes]:
    """Return an Ed25519 key, and the certificate beside it as DER; `ValueError` where there is no such pair."""
    try:
        private_key = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(private_key, Ed25519PrivateKey):
            raise ValueError(f"expected an Ed25519 key, got {type(private_key).__name__}")
        return private_key, x509.load_pem_x509_certificate(pem).public_bytes(serialization.Encoding.DER)
    except ValueError:
        raise
    except Exception as error:  # the library has a kind of error for each way in which bits may flip
        said = str(error).partition("\n")[0]
        raise ValueError(f"expected a key and its certificate, got what cannot be read: {said}") from None


def key_in(der: bytes, before_signature: bytes) -> bytes:
    """Return the raw key of a certificate that a device made for itself, or raise `Untrusted` with what it is instead.

    `before_signature` is what stands, in the one encoding, between the signed part and the signature.
    """
    try:
        certificate = x509.load_der_x509_certificate(der)
        public_key = certificate.public_key()
        names = [attribute.value for attribute in certificate.subject]
        issued_by_itself = certificate.issuer == certificate.subject
        is_authority = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (
        ValueError,
        TypeError,
        UnsupportedAlgorithm,
        x509.DuplicateExtension,
        x509.ExtensionNotFound,
        x509.InvalidVersion,
    ) as error:
        raise Untrusted(f"expected a device certificate, got something else: {error}") from error
    if not isinstance(public_key, Ed25519PublicKey):
        raise Untrusted(f"expected a certificate over an Ed25519 key, got {type(public_key).__name__}")
    if not issued_by_itself:
        raise Untrusted("expected a certificate that its own device issued, got one issued by another")
    if is_authority:
        raise Untrusted("expected a certificate that cannot issue others, got a certificate authority")
    raw = public_key.public_bytes_raw()
    if names != [device_id(raw).hex()]:
        raise Untrusted(f"expected a certificate named {device_id(raw).hex()}, got {names!r:.100}")
    try:
        public_key.verify(certificate.signature, certificate.tbs_certificate_bytes)
    except InvalidSignature:
        raise Untrusted("expected a certificate signed by the key inside it, got a forged one") from None
    if not der.endswith(certificate.tbs_certificate_bytes + before_signature + certificate.signature):
        raise Untrusted("expected a certificate in the one encoding it has, got another")
    return raw
