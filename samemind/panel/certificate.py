"""Make the certificate with which the panel is served to other machines: a key of its own, for this device's names.

Browsers take no Ed25519 and no certificate without names, so the device's own certificate will not do. Nobody vouches
for this one: a browser asks once, and shows the fingerprint that `samemind panel` shows too. An owner who has a
certificate that browsers trust puts it, with its key, into the same file; what is not ours is never replaced.
"""

import datetime
import hashlib
import ipaddress
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from samemind.durable import whole_file
from samemind.errors import Failed

# What browsers accept at most, less a day for clocks that differ.
DAYS: Final = 396
_OURS: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "samemind panel")])


def ensure_certificate(path: Path, hosts: Iterable[str], now_ms: int) -> str:
    """Return the fingerprint of the certificate in the file; one is made where there is none, or where ours ran out."""
    now = datetime.datetime.fromtimestamp(now_ms / 1_000, datetime.UTC)
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except FileNotFoundError:
        return _write(path, sorted(set(hosts)), now)
    except ValueError as error:
        raise _unusable(path, str(error)) from None
    if found.subject == _OURS and not found.not_valid_before_utc <= now < found.not_valid_after_utc:
        return _write(path, sorted(set(hosts)), now)
    try:
        # With an empty password a key that wants one is an error, and no question on a terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path, password="")
    except OSError as error:
        raise _unusable(path, str(error)) from None
    return _fingerprint(found)


def _unusable(path: Path, reason: str) -> Failed:
    return Failed(
        f"expected a key and its certificate in {path}, but they cannot be used: {reason}",
        code="bad_certificate",
        hint="mend the file, or move it away to have one made",
    )


def _write(path: Path, hosts: list[str], now: datetime.datetime) -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(key, hosts, now)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)
    with whole_file(path) as scratch:
        scratch.write_bytes(pem)
    return _fingerprint(certificate)


def _certificate(
    key: ec.EllipticCurvePrivateKey, hosts: list[str], now: datetime.datetime
) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(_OURS)
        .issuer_name(_OURS)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        return x509.DNSName(host)


def _fingerprint(certificate: x509.Certificate) -> str:
    digest = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))
