"""The second reader as a device: its key, its certificate, and the group as docs/protocol/identity.md tells it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.x509.oid import NameOID

from tests.support.second.frames import Op, Refused, pack, read_packed, sha256

_FROM: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TO: Final = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@dataclass(frozen=True)
class Device:
    """A key pair with the name that a person gave it."""

    key: Ed25519PrivateKey
    name: str

    @property
    def public(self) -> bytes:
        """The raw public key, 32 bytes."""
        return self.key.public_key().public_bytes_raw()

    @property
    def id(self) -> bytes:
        """What others know it by."""
        return sha256(self.public)

    @property
    def certificate(self) -> bytes:
        """Its certificate, DER: a function of the key alone."""
        named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.id.hex())])
        serial = int.from_bytes(sha256(b"samemind serial 1\0" + self.id)[:16]) | 1
        built = (
            x509.CertificateBuilder(subject_name=named, issuer_name=named)
            .public_key(self.key.public_key())
            .serial_number(serial)
            .not_valid_before(_FROM)
            .not_valid_after(_TO)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .sign(self.key, None)
        )
        return built.public_bytes(serialization.Encoding.DER)

    def introduce(self, public: bytes, certificate: bytes, name: str) -> list[Any]:
        """Sign an introduction of another device, or of this one."""
        signature = self.key.sign(b"samemind member 1\0" + pack([public, certificate, name, self.id]))
        return [public, certificate, name, self.id, signature]


# In place of a certificate, where an introduction names the root of a group.
ROOT = b"samemind root 1\0"


@dataclass
class Group:
    """Who is known, who was revoked, and what was erased: what is said before any op."""

    introductions: list[list[Any]] = field(default_factory=list)
    revocations: list[list[Any]] = field(default_factory=list)
    proofs: dict[bytes, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, device: Device) -> "Group":
        """The group of a device that is alone."""
        return cls([device.introduce(device.public, device.certificate, device.name)])

    def members(self) -> dict[bytes, bytes]:
        """The public keys of those that a chain of introductions leads to, by device id."""
        known: dict[bytes, bytes] = {}
        grew = True
        while grew:
            grew = False
            for public, certificate, name, by, signature in self.introductions:
                key = public if sha256(public) == by else known.get(by)
                if certificate == ROOT or sha256(public) in known or key is None:
                    continue
                signed = b"samemind member 1\0" + pack([public, certificate, name, by])
                if _holds(key, signature, signed):
                    known[sha256(public)] = public
                    grew = True
        return known

    def revoked(self) -> list[list[bytes]]:
        """Who was revoked by whom."""
        known = self.members()
        return sorted(
            [gone, by]
            for gone, by, signature in self.revocations
            if gone in known
            and by in known
            and _holds(known[by], signature, b"samemind revocation 1\0" + by + gone)
        )

    def digest(self) -> bytes:
        """What two devices compare in their Hellos: in a group that has a root, each introduction counts.

        Of several of one device by the same one, that counts whose signature has the smallest hash.
        """
        named: dict[bytes, bytes] = {}
        for public, certificate, _, by, signature in self.introductions:
            place = sha256(public) + by
            if certificate == ROOT:
                named[place + ROOT] = place + ROOT
            elif sha256(public) != by:
                named[place] = min(place + sha256(signature), named.get(place, place + sha256(signature)))
        rooted = any(certificate == ROOT for _, certificate, *_ in self.introductions)
        return sha256(
            pack([sorted(named.values() if rooted else self.members()), self.revoked(), sorted(self.proofs)])
        )

    def learn(
        self, introductions: Iterable[list[Any]], revocations: Iterable[list[Any]], proofs: Iterable[bytes]
    ) -> list[Op]:
        """Add what a peer said; return the proofs that are new."""
        self.introductions += [each for each in introductions if each not in self.introductions]
        self.revocations += [each for each in revocations if each not in self.revocations]
        new: list[Op] = []
        for proof in proofs:
            (op,) = read_packed(proof, self.members())
            if op.id not in self.proofs:
                self.proofs[op.id] = proof
                new.append(op)
        return new


def _holds(key: bytes, signature: bytes, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def public_key(certificate: bytes) -> bytes:
    """The raw public key of a certificate."""
    key = x509.load_der_x509_certificate(certificate).public_key()
    if not isinstance(key, Ed25519PublicKey):
        raise Refused("a certificate of another kind of key")
    return key.public_bytes_raw()
