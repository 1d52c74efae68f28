"""Name devices, origins, ops and memories, and show those names to people.

Ids are bytes under a `NewType`, so that a memory's id cannot be passed where a device's is meant. Only this
file knows how long each is and how it looks in text.

- A device id is the SHA-256 of the device's raw Ed25519 public key: whoever shows the key proves the id.
- An origin is one incarnation of a device: the only writer of its feed, as long as nothing was cloned or restored.
- A place is how an op is named to others: origin, seq, and the first 8 bytes of the op's hash, because two
  clones of one device may both have written seq 41.
"""

import hashlib
import uuid
from typing import TYPE_CHECKING, Final, NamedTuple, NewType

from replica.hlc import drift

if TYPE_CHECKING:
    from random import Random

DeviceId = NewType("DeviceId", bytes)
OpId = NewType("OpId", bytes)
MemoryId = NewType("MemoryId", bytes)

DEVICE_ID_BYTES: Final = 32
INCARNATION_BYTES: Final = 8
OP_ID_BYTES: Final = 32
# A UUID with its hyphens.
_SHOWN_CHARACTERS: Final = 36
MEMORY_ID_BYTES: Final = 16
# Versions of a UUID (RFC 9562): milliseconds and chance, and bits of its maker's own.
_DRAWN: Final = 7
_DERIVED: Final = 8
# From an id to the stamp of the op that it was drawn for: stamps may be a day ahead of the clock.
DRAWN_WITHIN_MS: Final = 2 * 86_400_000
# Enough of a hash to tell the two or three ops that could ever claim one (origin, seq) apart, and to make a
# second preimage cost 2^64 hashes for each op; kept for ever, so shorter than the whole.
ID8_BYTES: Final = 8


class Origin(NamedTuple):
    """One incarnation of one device: the author of one chain of ops."""

    device: DeviceId
    incarnation: bytes


class OpRef(NamedTuple):
    """Where an op stands, in words that every replica understands."""

    origin: Origin
    seq: int
    id8: bytes


def device_id(public_key: bytes) -> DeviceId:
    """Return the id of the device that holds this raw 32-byte Ed25519 public key."""
    return DeviceId(hashlib.sha256(public_key).digest())


def new_origin(device: DeviceId, random: "Random") -> Origin:
    """Return a fresh incarnation of a device; 64 random bits, so two restores of one backup differ."""
    return Origin(device, random.randbytes(INCARNATION_BYTES))


def new_memory_id(now_ms: int, random: "Random") -> MemoryId:
    """Return a UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. `ClockDrift` if there is no room."""
    if not 0 <= now_ms < 1 << 48:
        raise drift(now_ms)
    return MemoryId(_uuid(now_ms, random.randbytes(10), version=_DRAWN))


def derived_memory_id(source: str, key: str) -> MemoryId:
    """Return the id that every device derives for one item of one source, so that imports are idempotent.

    A UUIDv8 (RFC 9562: custom contents) over SHA-256, since two importers must agree without talking.
    """
    digest = hashlib.sha256(f"samemind import\0{source}\0{key}".encode()).digest()
    raw = bytearray(digest[:MEMORY_ID_BYTES])
    raw[6] = raw[6] & 0x0F | _DERIVED << 4
    raw[8] = raw[8] & 0x3F | 0x80
    return MemoryId(bytes(raw))


def is_drawn_for(rid: bytes, hlc: int) -> bool:
    """Say whether a memory's id was drawn for the op of this stamp, so that nobody can have named it before.

    Others are derived by importers, chosen by whoever tells, or read from an export: by several devices, each without
    having heard of the others.
    """
    drawn_ms = int.from_bytes(rid[:6], "big")
    return rid[6] >> 4 == _DRAWN and abs(drawn_ms - (hlc >> 16)) <= DRAWN_WITHIN_MS


def op_uuid(op_id: bytes, hlc: int) -> uuid.UUID:
    """Return the UUIDv7 under which an op is shown: its stamp's milliseconds, then 74 bits of its hash."""
    return uuid.UUID(bytes=_uuid(hlc >> 16, op_id[:10], version=7))


def show_memory_id(rid: bytes) -> str:
    """Return a memory id as people see it: a lower-case UUID."""
    digits = rid.hex()  # by way of a UUID it takes three times as long, and a page shows a thousand
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def parse_memory_id(text: str) -> MemoryId:
    """Return the memory id that a whole UUID names; `ValueError` says what was found instead."""
    try:
        if len(text) == _SHOWN_CHARACTERS and text[8] == text[13] == text[18] == text[23] == "-":
            # As they are shown: by way of a UUID it takes five times as long, and an import has a million.
            raw = bytes.fromhex(text.replace("-", ""))
            if len(raw) == MEMORY_ID_BYTES:  # else there was white space among the digits
                return MemoryId(raw)
        return MemoryId(uuid.UUID(text).bytes)
    except ValueError:
        raise ValueError(
            f"expected a memory id such as 01890a5d-ac96-774b-bcce-b302099a8057, got {text!r:.60}"
        ) from None


def _uuid(ms: int, tail: bytes, *, version: int) -> bytes:
    raw = bytearray(ms.to_bytes(6, "big") + tail[:10])
    raw[6] = raw[6] & 0x0F | version << 4
    raw[8] = raw[8] & 0x3F | 0x80
    return bytes(raw)
