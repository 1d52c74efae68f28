"""Make the authority that a phone is told to trust: one that can vouch for this device, and for nobody else's site.

A browser keeps a page for when there is no network only where it trusts the certificate, and a person can make it trust
an authority, but no single certificate. Whoever holds an authority's key could pass for any site, so this one may only
vouch for names and addresses of a home network, and for what the owner named: browsers refuse anything else under it
(name constraints, RFC 5280, 4.2.1.10). It is made on the device that serves the page, its key is read by the owner
alone, and it goes to no other device. Time is an argument.
"""

import datetime
import hashlib
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from samemind.durable import whole_file
from samemind.errors import Failed

# Making a phone trust another one takes a person five steps; nobody does that every year.
DAYS: Final = 3_650
# One that is made while the clock is years ahead is good all the same once that was set right.
SINCE: Final = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
# Of a common name, by X.520.
_NAME_CHARACTERS_MAX: Final = 64
_NAMES: Final = ("local", "localhost")
# Where no public site can be: private use (RFC 1918, RFC 4193), shared between a provider and its customers, as VPNs
# use it (RFC 6598), one link (RFC 3927, RFC 4291), and this machine.
_PRIVATE: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "169.254.0.0/16",
            "127.0.0.0/8",
            "fc00::/7",
            "fe80::/10",
            "::1/128",
        ),
    )
)


_AT_HOME: Final[tuple[x509.GeneralName, ...]] = (
    *map(x509.DNSName, _NAMES),
    *map(x509.IPAddress, _PRIVATE),
)


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority with its key."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def kept(
        cls,
        path: Path,
        ran_out: Path,
        *,
        device: str,
        owned: Collection[str],
        hosts: Collection[str],
        now: datetime.datetime,
    ) -> Self:
        """Return the one in the file; one is made where there is none, it ran out, or may not vouch for what is owned.

        One that ran out is kept in the file `ran_out`, and put back where it has not run out after all: phones trust
        it, and a clock may have been ahead by years.

        `device`: what people call this device. `owned`: names and addresses beyond those of a home network that it has
        to vouch for; one that is made may vouch for what its predecessor might, too. `hosts`: by what else the device
        is reached now; one that is made may vouch for a server's address.
        """
        permitted = {*owned, *filter(_is_servers, hosts)}
        before = cls._read(ran_out)
        if before is not None and before._is_good(owned, now):
            ran_out.replace(path)
            return before
        found = cls._read(path)
        if found is None:
            return cls._made(path, device, permitted, now)
        if found._is_good(owned, now):
            return found
        if now >= found.certificate.not_valid_after_utc:
            path.replace(ran_out)
        return cls._made(path, device, permitted | found._owned(), now)

    @classmethod
    def _read(cls, path: Path) -> Self | None:
        try:
            pem = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            key = serialization.load_pem_private_key(pem, password=None)
            certificate = x509.load_pem_x509_certificate(pem)
            if (
                not isinstance(key, ec.EllipticCurvePrivateKey)
                or key.public_key() != certificate.public_key()
            ):
                raise ValueError("the key is not that of the certificate")
        except (ValueError, TypeError) as error:
            raise Failed(
                f"expected a key and its certificate in {path}, but they cannot be used: {error}",
                code="bad_certificate",
                hint="restore the file from a backup, or move it away; phones then have to trust a new one",
            ) from None
        return cls(key, certificate)

    def _is_good(self, owned: Collection[str], now: datetime.datetime) -> bool:
        return now < self.certificate.not_valid_after_utc and all(map(self.may_vouch_for, owned))

    @classmethod
    def _made(cls, path: Path, device: str, owned: Collection[str], now: datetime.datetime) -> Self:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name(
            [x509.NameAttribute(NameOID.COMMON_NAME, f"samemind on {device}"[:_NAME_CHARACTERS_MAX])]
        )
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(SINCE, now - datetime.timedelta(days=1)))
            .not_valid_after(now + datetime.timedelta(days=DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_SIGNS_CERTIFICATES, critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.NameConstraints(_permitted(owned), None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        with whole_file(path) as scratch:
            scratch.write_bytes(pem_of(key) + certificate.public_bytes(serialization.Encoding.PEM))
        return cls(key, certificate)

    def _permitted(self) -> list[x509.GeneralName]:
        constraints = self.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        return constraints.permitted_subtrees or []

    def _owned(self) -> set[str]:
        """Return what it may vouch for beyond a home network."""
        return {str(each.value).partition("/")[0] for each in self._permitted() if each not in _AT_HOME}

    @property
    def der(self) -> bytes:
        """Its certificate, as phones take it."""
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of its certificate, as browsers show it."""
        return shown(self.der)

    def may_vouch_for(self, host: str) -> bool:
        """Say whether browsers would believe it about a name or an address."""
        permitted = self._permitted()
        match general_name(host).value:
            case str(name):
                return any(
                    f".{name}".endswith(f".{each.value}")
                    for each in permitted
                    if isinstance(each, x509.DNSName)
                )
            case address:
                networks = [
                    ipaddress.ip_network(each.value) for each in permitted if isinstance(each, x509.IPAddress)
                ]
                return any(address in network for network in networks)


_SIGNS_CERTIFICATES: Final = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


def general_name(host: str) -> x509.IPAddress | x509.DNSName:
    """Return a name or an address as certificates have it."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        return x509.DNSName(host)


def shown(der: bytes) -> str:
    """Return the SHA-256 of a certificate as browsers show it."""
    digest = hashlib.sha256(der).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


def pem_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a key as files hold it."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _is_servers(host: str) -> bool:
    """Say whether it is an IPv4 address of no home network. IPv6 addresses of the world pass by the day."""
    named = general_name(host)
    if not isinstance(named, x509.IPAddress):
        return False
    return named.value.version == 4 and not any(named.value in network for network in _PRIVATE)


def _permitted(owned: Collection[str]) -> list[x509.GeneralName]:
    found = list(_AT_HOME)
    for host in sorted(set(owned)):
        named = general_name(host)
        if isinstance(named, x509.IPAddress):
            found.append(x509.IPAddress(ipaddress.ip_network(named.value)))
        else:
            found.append(named)
    return found
