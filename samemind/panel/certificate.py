"""Make the certificate with which the panel is served to other machines: a key of its own, for this device's names.

Browsers take no Ed25519 and no certificate without names, so the device's own certificate will not do. Nobody vouches
for this one: a browser asks once, and shows the fingerprint that `samemind panel` shows too. An owner who has a
certificate that browsers trust puts it, with its key, into the same file.
"""

import datetime
import hashlib
import ipaddress
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

# What browsers accept at most, less a day for clocks that differ.
DAYS: Final = 396


def ensure_certificate(path: Path, hosts: Iterable[str], now_ms: int) -> str:
    """Return the fingerprint of the certificate in the file, made anew where there is none or it ran out."""
    now = datetime.datetime.fromtimestamp(now_ms / 1_000, datetime.UTC)
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
        if found.not_valid_before_utc <= now < found.not_valid_after_utc:
            return _fingerprint(found)
    except (FileNotFoundError, ValueError):
        pass
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(key, sorted(set(hosts)), now)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)
    descriptor, scratch = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 600
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    os.replace(scratch, path)
    return _fingerprint(certificate)


def _certificate(
    key: ec.EllipticCurvePrivateKey, hosts: list[str], now: datetime.datetime
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "samemind panel")])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
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
