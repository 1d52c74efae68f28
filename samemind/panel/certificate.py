"""Make the certificate with which the panel is served to other machines: a key of its own, for this device's names.

Browsers take no Ed25519 and no certificate without names, so the device's own certificate will not do. This one is
signed by an authority of this device's (`samemind.panel.authority`), which phones can be made to trust; any other
browser asks once, and shows the fingerprint that `samemind panel` shows too. It is renewed by itself, well before it
runs out. An owner who has a certificate that browsers trust puts it, with its key, into the same file; what is not ours
is never replaced.
"""

import datetime
import platform
import ssl
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Failed
from samemind.home.phone_place import PhonePlace
from samemind.panel.authority import Authority, general_name, pem_of, shown

# What browsers accept at most, less a day for clocks that differ.
DAYS: Final = 396
# A device that is off for a month's holiday comes back in time.
RENEWED_DAYS_BEFORE: Final = 30
_OURS: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "samemind panel")])


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is served. `authority`: who vouches for it, as phones can be made to trust; None for the owner's own."""

    fingerprint: str
    authority: Authority | None


def ensure_certificate(
    home: Home, hosts: Collection[str], now_ms: int, *, chosen: Collection[str] = ()
) -> Certificate:
    """Return the certificate of a home; ours is made where there is none, and anew in time, or for a new name.

    `hosts`: by what names and addresses it is reached, beside the one that phones were shown. `chosen`: those that the
    owner gave. Nobody vouches for a name without a dot, since that could be a whole domain's, as "dev" is.
    """
    path, now = home.certificate, datetime.datetime.fromtimestamp(now_ms / 1_000, datetime.UTC)
    try:
        found = x509.load_pem_x509_certificate(path.read_bytes())
    except FileNotFoundError:
        found = None
    except ValueError as error:
        raise _unusable(path, str(error)) from None
    if found is not None and found.subject != _OURS:
        _check_usable(path)
        return Certificate(_fingerprint(found), None)
    kept = PhonePlace.kept(home)
    owned = {host.lower() for host in chosen if "." in host or ":" in host}
    if kept is not None:
        owned.add(kept.name)
    named = {*hosts, *owned}
    authority = Authority.kept(
        home.authority,
        home.authority_ran_out,
        device=platform.node() or "this device",
        owned=owned,
        hosts=named,
        now=now,
    )
    wanted = sorted(filter(authority.may_vouch_for, named))
    if found is None or not _is_good(found, authority, wanted, now):
        found = _write(path, authority, wanted, now)
    _check_usable(path)
    return Certificate(_fingerprint(found), authority)


def _is_good(
    found: x509.Certificate, authority: Authority, wanted: list[str], now: datetime.datetime
) -> bool:
    """Say whether ours does for now. Addresses come and go: only a name that is missing is worth being asked again."""
    renewed = found.not_valid_after_utc - datetime.timedelta(days=RENEWED_DAYS_BEFORE)
    if not found.not_valid_before_utc <= now < renewed:
        return False
    try:
        found.verify_directly_issued_by(authority.certificate)
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False  # signed by another, as one of 0.1.0 by itself, or without names
    held = names.get_values_for_type(x509.DNSName)
    return all(named.value in held for named in map(general_name, wanted) if isinstance(named, x509.DNSName))


def _check_usable(path: Path) -> None:
    try:
        # With an empty password a key that wants one is an error, and no question on a terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path, password="")
    except OSError as error:
        raise _unusable(path, str(error)) from None


def _unusable(path: Path, reason: str) -> Failed:
    return Failed(
        f"expected a key and its certificate in {path}, but they cannot be used: {reason}",
        code="bad_certificate",
        hint="fix the file, or move it away to have a new one made",
    )


def _write(path: Path, authority: Authority, hosts: list[str], now: datetime.datetime) -> x509.Certificate:
    """Write one, with its key, and its authority's behind it, for programs that trust what is in the file."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_OURS)
        .issuer_name(authority.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS - 1))
        .add_extension(x509.SubjectAlternativeName([general_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False
        )
        .sign(authority.key, hashes.SHA256())
    )
    chain = (certificate, authority.certificate)
    pem = pem_of(key) + b"".join(each.public_bytes(serialization.Encoding.PEM) for each in chain)
    with whole_file(path) as scratch:
        scratch.write_bytes(pem)
    return certificate


def _fingerprint(certificate: x509.Certificate) -> str:
    return shown(certificate.public_bytes(serialization.Encoding.DER))
