"""Seal a backup: sign all of it, so that the device that made it can tell that nobody changed it since.

The seal is a page behind the store in the same file, where SQLite does not look. What it says is as much as
recomputing the store from what devices signed would, since whoever could make it has the key of this device: so a
restore that finds its own seal whole need not recompute a million memories. Any other backup is recomputed.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from replica.signing import SIGNATURE_BYTES, verify

# Signatures made for one purpose must not pass for another.
_CONTEXT: Final = b"samemind backup 1\0"
_MARK: Final = b"samemind sealed\0"
# A whole page, since an encrypted store is known by being made of such. None of SQLite's begins with the mark: there
# stands the kind of the page, or the number of another one.
SEAL_BYTES: Final = 4_096
_PADDING: Final = bytes(SEAL_BYTES - len(_MARK) - SIGNATURE_BYTES)
_CHUNK_BYTES: Final = 1 << 20


def add_seal(path: Path, sign: Callable[[bytes], bytes]) -> None:
    """Sign all that is in a file with a device's key, and write that behind it."""
    with path.open("r+b") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        file.write(_MARK + sign(_CONTEXT + digest) + _PADDING)


def seal_bytes(path: Path) -> int:
    """Return how many bytes at the end of a file are a seal, whosever it is: `SEAL_BYTES`, or none."""
    with path.open("rb") as file:
        return 0 if _seal_of(file) is None else SEAL_BYTES


def copy_unsealed(source: BinaryIO, target: BinaryIO, public_key: bytes | None) -> bool:
    """Copy what is sealed, or all where nothing is; say whether the holder of this key sealed just what was copied."""
    seal = _seal_of(source)
    left = source.seek(0, 2) - (0 if seal is None else SEAL_BYTES)
    source.seek(0)
    hashed = hashlib.sha256()
    while left > 0 and (chunk := source.read(min(left, _CHUNK_BYTES))):
        hashed.update(chunk)
        target.write(chunk)
        left -= len(chunk)
    return (
        seal is not None and public_key is not None and verify(public_key, _CONTEXT + hashed.digest(), seal)
    )


def _seal_of(file: BinaryIO) -> bytes | None:
    """Return the signature at the end of a file, if it has one."""
    size = file.seek(0, 2)
    if size < SEAL_BYTES:
        return None
    file.seek(size - SEAL_BYTES)
    end = file.read()
    is_seal = end.startswith(_MARK) and end.endswith(_PADDING)
    return end[len(_MARK) : len(_MARK) + SIGNATURE_BYTES] if is_seal else None
