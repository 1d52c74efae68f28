"""Seal messages in a file that only chosen devices can open, and open it again, one message at a time.

A fresh key encrypts the file; it stands at the front once for each reader, in a box that only that device's key opens.
Nothing in the file says who they are. Boxes are libsodium's (`crypto_box`), which also turns a device's Ed25519 key
into the one that a box needs. One key pair that is drawn for the file makes all its boxes, as is sound where each is
for another reader (Bellare, Boldyreva and Staddon, PKC 2003): so a box is 48 bytes, and a reader computes one shared
secret however many boxes there are.

The messages are one stream, cut into records of 64 KiB that are encrypted each under its number, the last one under a
mark of its own: so nothing can be dropped, repeated, reordered or cut off without notice, and where one message ends
and the next begins does not show. Random bytes nobody can open fill the number of boxes up to a power of two, and zeros
the length up to one of few: whoever stores a file learns little of the group's size and of what was written. The second
format had a key pair in each box, and the first encrypted each message by itself; both are still read.
"""

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import count
from typing import IO, Final

from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey, SealedBox
from nacl.signing import SigningKey, VerifyKey

from replica.keys import KEY_BYTES, SEAL_BYTES, NotSealed, seal, unseal
from replica.membership import MEMBERS_MAX
from sync.errors import LimitExceeded, RemoteProtocolError, SealedForOthers
from sync.wire.limits import FRAME_BYTES_MAX

MAGIC_1: Final = b"samemind carry 1\n"
MAGIC_2: Final = b"samemind carry 2\n"
MAGIC: Final = b"samemind carry 3\n"
# What a file of one short memory comes to for a group of four, and what a file system gives it anyway.
FILE_BYTES_MIN: Final = 4_096
RECORD_BYTES: Final = 64 * 1024
# Most people have no more devices than this, and then the number of boxes says nothing at all.
_BOXES_MIN: Final = 4
# As many files as are checked before they are taken, most of the time.
_OPENED_MAX: Final = 64
# The key of a file, and a seal.
BOX_BYTES: Final = KEY_BYTES + 16
# Before the boxes: the public half of the key that they were made with. Older boxes have one each.
PUBLIC_BYTES: Final = 32
_BOX_NONCE_BYTES: Final = 24
_LENGTH_BYTES: Final = 4
_SEALED_BYTES: Final = RECORD_BYTES + SEAL_BYTES

Entropy = Callable[[int], bytes]


class Sealer:
    """Writes one file, message by message; `end` has to be called for it to be whole."""

    def __init__(
        self, file: IO[bytes], readers: Collection[bytes], entropy: Entropy = secrets.token_bytes
    ) -> None:
        """`readers` are the Ed25519 public keys of the devices that may read it."""
        key, once = entropy(KEY_BYTES), PrivateKey(entropy(KEY_BYTES))
        boxes = [_boxed(once, VerifyKey(each).to_curve25519_public_key(), key) for each in readers]
        # Random bytes are what a box looks like to whoever cannot open it.
        boxes += [entropy(BOX_BYTES) for _ in range(boxes_for(len(readers)) - len(boxes))]
        front = bytes(once.public_key) + b"".join(boxes)
        self._front_bytes = file.write(MAGIC + len(boxes).to_bytes(_LENGTH_BYTES, "big") + front)
        self._file = file
        self._front = hashlib.sha256(front).digest()
        self._key = key
        self._waiting = bytearray()
        self._number = 0
        self._said = 0

    @property
    def size(self) -> int:
        """How many bytes the file has so far, about."""
        return self._front_bytes + self._number * _SEALED_BYTES + len(self._waiting)

    def add(self, message: bytes) -> None:
        """Write a message, which must not be empty."""
        if not message:
            raise ValueError("expected a message of at least a byte")
        self._waiting += len(message).to_bytes(_LENGTH_BYTES, "big") + message
        while len(self._waiting) > RECORD_BYTES:
            self._write(RECORD_BYTES, last=False)

    @property
    def said(self) -> int:
        """How long the messages are, with their lengths and without any padding, once all are written."""
        return self._said

    def end(self) -> None:
        """Fill the file up, and write the end."""
        self._waiting += bytes(_LENGTH_BYTES)  # no message: what follows is padding
        self._said = self._number * RECORD_BYTES + len(self._waiting)
        self._waiting += bytes(_padded(self._said, self._front_bytes) - self._said)
        while len(self._waiting) > RECORD_BYTES:
            self._write(RECORD_BYTES, last=False)
        self._write(len(self._waiting), last=True)

    def _write(self, length: int, *, last: bool) -> None:
        plain = bytes(self._waiting[:length])
        del self._waiting[:length]
        self._file.write(seal(self._key, _nonce(self._number, last=last), plain, self._front))
        self._number += 1


def boxes_for(readers: int) -> int:
    """Return how many boxes a file for so many readers has: a power of two, and at least four."""
    return max(_BOXES_MIN, 1 << max(0, readers - 1).bit_length())


def padme(length: int) -> int:
    """Return the next length that files may have: at most 12 % more, and few enough to tell little (PURBs, 2019)."""
    if length < 2:
        return length
    exponent = length.bit_length() - 1
    mask = (1 << (exponent - exponent.bit_length())) - 1
    return (length + mask) & ~mask


def _padded(said: int, front: int) -> int:
    """Return how long the stream has to be for the file to have one of the few lengths."""
    whole = front + said + SEAL_BYTES * -(-said // RECORD_BYTES)
    left = padme(max(FILE_BYTES_MIN, whole)) - front
    full, rest = divmod(left, _SEALED_BYTES)
    return max(said, full * RECORD_BYTES + max(0, rest - SEAL_BYTES))


def open_sealed(file: IO[bytes], private_key: bytes) -> Iterator[tuple[bytes, bool]]:
    """Return each message of a file, and whether it is the last; `private_key` is the 32 bytes of an Ed25519 key.

    `SealedForOthers`: it has no key for this device. `RemoteProtocolError`: it is no such file, or was cut or altered.
    """
    magic = _exactly(file, len(MAGIC))
    if magic not in (MAGIC, MAGIC_2, MAGIC_1):
        raise RemoteProtocolError("expected a file made by `carry export`, got another")
    boxes_count = int.from_bytes(_exactly(file, _LENGTH_BYTES), "big")
    boxes_max = MEMBERS_MAX if magic == MAGIC_1 else boxes_for(MEMBERS_MAX)
    if boxes_count > boxes_max:
        raise LimitExceeded(
            f"expected a file for at most {boxes_max} devices, got one with {boxes_count} boxes"
        )
    if magic == MAGIC:
        boxes = _exactly(file, PUBLIC_BYTES + boxes_count * BOX_BYTES)
        key = _open_box(boxes, private_key)
    else:
        boxes = _exactly(file, boxes_count * (PUBLIC_BYTES + BOX_BYTES))
        key = _open_older_box(boxes, private_key)
    front = hashlib.sha256(boxes).digest()
    return _messages_1(file, key, front) if magic == MAGIC_1 else _messages_2(file, key, front)


def _messages_1(file: IO[bytes], key: bytes, front: bytes) -> Iterator[tuple[bytes, bool]]:
    number, last = 0, False
    while not last:
        length = int.from_bytes(_exactly(file, _LENGTH_BYTES), "big")
        _check_length(length - SEAL_BYTES)
        message, last = _open_message(key, front, _exactly(file, length), number)
        yield message, last
        number += 1
    if file.read(1):
        raise RemoteProtocolError("expected the file to end with its last message, it goes on")


def _messages_2(file: IO[bytes], key: bytes, front: bytes) -> Iterator[tuple[bytes, bool]]:
    before: bytes | None = None
    stream = _RecordStream(_records(file, key, front))
    while length := int.from_bytes(stream.take(_LENGTH_BYTES), "big"):
        _check_length(length)
        if before is not None:
            yield before, False
        before = stream.take(length)
    stream.check_zeros()
    if before is None:
        raise RemoteProtocolError("expected a file with something in it, got an empty one")
    yield before, True


def _records(file: IO[bytes], key: bytes, front: bytes) -> Iterator[bytes]:
    sealed = file.read(_SEALED_BYTES)
    for number in count():
        after = file.read(_SEALED_BYTES)
        try:
            yield unseal(key, _nonce(number, last=not after), sealed, front)
        except NotSealed:
            raise RemoteProtocolError(
                "expected the file as it was written, it was cut off, altered or damaged: copy it again"
            ) from None
        if not after:
            return
        sealed = after


class _RecordStream:
    """Reads what records hold as if they were one."""

    def __init__(self, records: Iterator[bytes]) -> None:
        self._records = records
        self._held = bytearray()

    def take(self, count: int) -> bytes:
        while len(self._held) < count:
            record = next(self._records, None)
            if record is None:
                raise RemoteProtocolError("expected a message as long as announced, the file ends before")
            self._held += record
        taken = bytes(self._held[:count])
        del self._held[:count]
        return taken

    def check_zeros(self) -> None:
        if any(self._held) or any(any(record) for record in self._records):
            raise RemoteProtocolError("expected nothing but zeros behind the last message")


def _check_length(length: int) -> None:
    if length > FRAME_BYTES_MAX:
        raise LimitExceeded(f"expected messages of at most {FRAME_BYTES_MAX} bytes, got one of {length}")


def _boxed(once: PrivateKey, theirs: PublicKey, key: bytes) -> bytes:
    """Return the key of a file for one reader: as a sealed box of libsodium's, without the public key before it."""
    nonce = _box_nonce(bytes(once.public_key), bytes(theirs))
    boxed: bytes = Box(once, theirs).encrypt(key, nonce).ciphertext
    return boxed


def _box_nonce(once: bytes, theirs: bytes) -> bytes:
    return hashlib.blake2b(once + theirs, digest_size=_BOX_NONCE_BYTES).digest()


@lru_cache(maxsize=_OPENED_MAX)
def _open_box(front: bytes, private_key: bytes) -> bytes:
    """Return the key of a file. A file is read twice, to be checked and to be taken: its box is looked for once."""
    mine, once = SigningKey(private_key).to_curve25519_private_key(), front[:PUBLIC_BYTES]
    nonce = _box_nonce(once, bytes(mine.public_key))
    try:
        box = Box(mine, PublicKey(once))
    except CryptoError:  # no point of the curve that anybody draws
        raise _for_others() from None
    for start in range(PUBLIC_BYTES, len(front), BOX_BYTES):
        try:
            key: bytes = box.decrypt(front[start : start + BOX_BYTES], nonce)
        except CryptoError:
            continue
        return key
    raise _for_others()


@lru_cache(maxsize=_OPENED_MAX)
def _open_older_box(boxes: bytes, private_key: bytes) -> bytes:
    """Return the key of a file of the first or the second format."""
    box, size = SealedBox(SigningKey(private_key).to_curve25519_private_key()), PUBLIC_BYTES + BOX_BYTES
    for start in range(0, len(boxes), size):
        try:
            key: bytes = box.decrypt(boxes[start : start + size])
        except CryptoError:
            continue
        return key
    raise _for_others()


def _for_others() -> SealedForOthers:
    return SealedForOthers(
        "the file is sealed for other devices: export it again, on a device that knows this one as a member"
    )


def _open_message(key: bytes, front: bytes, sealed: bytes, number: int) -> tuple[bytes, bool]:
    for last in (False, True):
        try:
            return unseal(key, _nonce(number, last=last), sealed, front), last
        except NotSealed:
            continue
    raise RemoteProtocolError("expected the file as it was written, it was altered or damaged")


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise RemoteProtocolError("expected a whole file, it was cut off: copy it again")
    return data


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
