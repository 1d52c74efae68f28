"""Decide who a device is: one Ed25519 key, and the one certificate that follows from it.

A device id is the SHA-256 of the raw public key, so whoever proves the key proves the id. TLS wants a
certificate around the key; ours is signed by itself and says nothing that the key does not say:

- The common name is the device id. OpenSSL looks trust anchors up by name, and of two pinned
  certificates with one name the second is refused, so names must be as unique as keys.
- CA:FALSE, or a paired device could mint further identities that pass a chain check.
- Valid from the first second a clock can show to the last that X.509 can write. A device whose clock is
  wrong is common (no battery, first boot); turning that into "certificate expired" would cut it off.
- The serial is taken from the key, and Ed25519 draws no randomness, so the same key gives the same
  bytes: a certificate made again from a saved key still matches the pins that others hold.

`certificate_key` is the only way in for a certificate that came from somewhere else: one that breaks
any of these rules never becomes a pin.

Nothing in such a certificate is open, so it is written down byte by byte, and one that is to the byte what its key
calls for needs no reader of X.509, which takes four megabytes and the time of a sync of five hundred memories to load.
"""

import base64
import hashlib
import os
import shlex
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final, Self

from replica.file_system import MODES_COUNT, sync_folder
from replica.ids import DeviceId, device_id
from replica.keys import Ed25519PrivateKey
from replica.signing import SIGNATURE_BYTES, verify
from sync.errors import Untrusted
from sync.wire.limits import CERTIFICATE_BYTES_MAX
from sync.words import words_of

FINGERPRINT_WORDS: Final = 4

# 1970 is what a board without a battery believes at boot; RFC 5280 writes "no end" as the last
# second of 9999.
_NOT_BEFORE: Final = b"700101000000Z"
_NOT_AFTER: Final = b"99991231235959Z"

# A serial is a positive integer of at most 20 bytes.
SERIAL_BYTES: Final = 16
_KEY_BYTES: Final = 32

# The same few certificates are read three times for each link; a group of two hundred devices is a large one.
_CERTIFICATES_KEPT: Final = 256

# The tags of X.690 that a certificate is made of.
_INTEGER: Final = 0x02
_TEXT: Final = 0x0C
_TIME: Final = 0x17
_TIME_OF_FOUR_DIGITS: Final = 0x18
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
# Version 3; the algorithm Ed25519; the kind of a common name; an Ed25519 key without its 32 bytes; the extension that
# says CA:FALSE, critical.
_VERSION: Final = bytes.fromhex("a003020102")
_ALGORITHM: Final = bytes.fromhex("300506032b6570")
_COMMON_NAME: Final = bytes.fromhex("0603550403")
_KEY_PREFIX: Final = bytes.fromhex("302a300506032b6570032100")
_EXTENSIONS: Final = bytes.fromhex("a310300e300c0603551d130101ff04023000")
# A private key without its 32 bytes (RFC 8410).
_PRIVATE_PREFIX: Final = bytes.fromhex("302e020100300506032b657004220420")
_PEM_COLUMNS: Final = 64

# What stands between the signed part of a certificate and its signature: the algorithm (RFC 8410) and the
# head of a bit string of 64 bytes. It is not covered by the signature, so it is compared.
_SIGNATURE_PREFIX: Final = bytes.fromhex("300506032b6570034100")


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """A device's key and certificate. Holds a secret: its repr shows the id only."""

    private_key: Ed25519PrivateKey = field(repr=False)
    certificate: bytes = field(repr=False)
    device_id: DeviceId

    @classmethod
    def create(cls) -> Self:
        """A new identity, from the system's randomness."""
        return cls.of(Ed25519PrivateKey.generate())

    @classmethod
    def of(cls, private_key: Ed25519PrivateKey) -> Self:
        """The identity that follows from a key."""
        return cls(
            private_key, _certificate_for(private_key), device_id(private_key.public_key().public_bytes_raw())
        )

    @property
    def public_key(self) -> bytes:
        """The 32 raw bytes of the public key."""
        return self.private_key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """64 bytes that only this device could have made for this message."""
        return self.private_key.sign(message)

    def to_pem(self) -> bytes:
        """Key and certificate as OpenSSL reads them. Secret."""
        key = _PRIVATE_PREFIX + self.private_key.private_bytes_raw()
        return _pem("PRIVATE KEY", key) + _pem("CERTIFICATE", self.certificate)

    @classmethod
    def from_pem(cls, pem: bytes) -> Self:
        """Read what `to_pem` wrote; ValueError if key and certificate do not belong together."""
        return cls._as_written(pem) or cls._from_other_pem(pem)

    @classmethod
    def _as_written(cls, pem: bytes) -> Self | None:
        """Read a file that is, to the byte, what we write; None for any other."""
        key = b"".join(pem.splitlines()[1:2])
        try:
            read = cls.of(Ed25519PrivateKey.from_private_bytes(base64.b64decode(key)[len(_PRIVATE_PREFIX) :]))
        except ValueError:
            return None
        return read if read.to_pem() == pem else None

    @classmethod
    def _from_other_pem(cls, pem: bytes) -> Self:
        """Read key and certificate as another program may have written them down, or say what is wrong."""
        from sync.foreign_certificates import (
            read_pem,  # here: a reader of X.509 is large, and hardly ever wanted
        )

        private_key, der = read_pem(pem)
        public_key = private_key.public_key().public_bytes_raw()
        if certificate_key(der) != public_key:
            raise ValueError("expected the certificate of this key, got the certificate of another")
        return cls(private_key, der, device_id(public_key))

    def save(self, path: Path) -> None:
        """Write a new identity file that only its owner may read, all of it or nothing.

        Refuses to overwrite: an identity that is lost cannot be made again: its peers would pair anew.
        """
        with self._written(path) as scratch:
            _publish(scratch, path)

    @contextmanager
    def _written(self, path: Path) -> Iterator[Path]:
        """Write the key to a file beside `path`, on the disk; what did not get another name is gone after the block."""
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_scratch_prefix(path))  # mode 600
        scratch = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.to_pem())
                file.flush()
                os.fsync(file.fileno())
            yield scratch
        finally:
            scratch.unlink(missing_ok=True)

    @staticmethod
    def sweep(path: Path) -> None:
        """Remove what a killed program left of an identity that it was writing; nobody else may be writing one now."""
        for left in path.parent.glob(f"{_scratch_prefix(path)}*"):
            left.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read an identity file; warns when other users of the machine could read it too."""
        pem = path.read_bytes()
        if MODES_COUNT and (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077:
            warnings.warn(
                f"{path} holds this device's key, and others can read it: expected mode 600, found {mode:o}; "
                f"chmod 600 {shlex.quote(str(path))}",
                stacklevel=2,
            )
        return cls.from_pem(pem)

    @classmethod
    def load_or_create(cls, path: Path) -> Self:
        """The identity of a home; two first starts at once end up with the same one."""
        try:
            return cls.load(path)
        except FileNotFoundError:
            fresh = cls.create()
        try:
            fresh.save(path)
        except FileExistsError:
            return cls.load(path)
        return fresh


@lru_cache(_CERTIFICATES_KEPT)
def certificate_key(der: bytes) -> bytes:
    """The raw public key inside a device certificate; Untrusted if no device made it for itself."""
    if len(der) > CERTIFICATE_BYTES_MAX:
        raise Untrusted(
            f"expected a device certificate of at most {CERTIFICATE_BYTES_MAX} bytes, got {len(der)}"
        )
    if (key := _key_of_ours(der)) is not None:
        return key
    try:
        from sync.foreign_certificates import key_in  # here: only to say what is wrong with one not ours
    except ImportError:  # in a browser there is no reader of X.509
        raise Untrusted("expected a device certificate, got something else") from None
    return key_in(der, _SIGNATURE_PREFIX)


def device_id_of(der: bytes) -> DeviceId:
    """Whose certificate this is; Untrusted if no device made it for itself."""
    return device_id(certificate_key(der))


def fingerprint(der: bytes) -> bytes:
    """The SHA-256 of a certificate: what pins are compared by."""
    return hashlib.sha256(der).digest()


def shared_words(one: bytes, other: bytes) -> tuple[str, ...]:
    """Four words for two certificates, the same on both ends: for people to compare after pairing."""
    both = b"".join(sorted((fingerprint(one), fingerprint(other))))
    return words_of(hashlib.sha256(b"samemind words 1\0" + both).digest()[:FINGERPRINT_WORDS])


def _certificate_for(private_key: Ed25519PrivateKey) -> bytes:
    signed = _signed_part(private_key.public_key().public_bytes_raw())
    return _der(_SEQUENCE, signed, _SIGNATURE_PREFIX, private_key.sign(signed))


def _key_of_ours(der: bytes) -> bytes | None:
    """Return the key inside a certificate that is, to the byte, what its device writes; None for any other."""
    end = -SIGNATURE_BYTES - len(_SIGNATURE_PREFIX) - len(_EXTENSIONS)
    key, signature = der[end - _KEY_BYTES : end], der[-SIGNATURE_BYTES:]
    signed = _signed_part(key)
    is_ours = der == _der(_SEQUENCE, signed, _SIGNATURE_PREFIX, signature) and verify(key, signed, signature)
    return key if is_ours else None


def _signed_part(public_key: bytes) -> bytes:
    """Return all of a certificate but its signature."""
    identifier = device_id(public_key)
    serial = int.from_bytes(hashlib.sha256(b"samemind serial 1\0" + identifier).digest()[:SERIAL_BYTES]) | 1
    name = _der(_SEQUENCE, _der(_SET, _der(_SEQUENCE, _COMMON_NAME, _der(_TEXT, identifier.hex().encode()))))
    return _der(
        _SEQUENCE,
        _VERSION,
        _der(_INTEGER, serial.to_bytes(serial.bit_length() // 8 + 1)),  # its first bit is a sign
        _ALGORITHM,
        name,
        _der(_SEQUENCE, _der(_TIME, _NOT_BEFORE), _der(_TIME_OF_FOUR_DIGITS, _NOT_AFTER)),
        name,
        _KEY_PREFIX + public_key,
        _EXTENSIONS,
    )


def _der(tag: int, *parts: bytes) -> bytes:
    """Return a value as X.690 writes it, of up to 65,535 bytes."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    return bytes((tag, 0x81, size) if size <= 0xFF else (tag, 0x82, *size.to_bytes(2))) + content


def _pem(kind: str, der: bytes) -> bytes:
    """Return bytes as text of that kind, as OpenSSL writes it (RFC 7468)."""
    text = base64.b64encode(der).decode()
    lines = [text[at : at + _PEM_COLUMNS] for at in range(0, len(text), _PEM_COLUMNS)]
    return "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", "")).encode()


def _scratch_prefix(path: Path) -> str:
    """Return how files begin that are on their way to become an identity: like nothing that an owner would name."""
    return f".{path.name}.part-"


def _publish(scratch: Path, path: Path) -> None:
    """Give a finished file its name, unless the name is taken, and make the directory remember it."""
    try:
        os.link(scratch, path)  # unlike a rename, refuses an existing name
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: two first starts at once are all that could go wrong
        if path.exists():
            raise FileExistsError(f"{path} is there already") from None
        os.rename(scratch, path)
    sync_folder(path.parent)
