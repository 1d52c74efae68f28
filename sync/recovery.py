"""The recovery code: a key on paper, whose word comes first in a group.

Sixteen words stand for 128 bits, from which the key follows; the last word checks the others. The words are those of
pairing codes: any two of them differ in at least two letters, so a slip in one is noticed when it is typed.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable
from typing import Final, Self

from replica.ids import DeviceId, device_id
from replica.keys import Ed25519PrivateKey
from replica.signing import Sign
from replica.values import dataclass
from sync.errors import InvalidRecoveryCode
from sync.words import INDEX_BY_WORD, WORDS

# A byte a word. Members know the public key, and could try 2^128 codes for it.
SECRET_WORDS: Final = 16
NAME: Final = "recovery code"
_KEY_CONTEXT: Final = b"samemind recovery key 1\0"
_CHECK_CONTEXT: Final = b"samemind recovery check 1\0"


@dataclass(frozen=True, slots=True)
class RecoveryCode:
    """A code, as it is printed once. Shown to people on purpose, kept out of logs: its repr hides it."""

    secret: bytes

    @classmethod
    def draw(cls, entropy: Callable[[int], bytes]) -> Self:
        """A fresh code; `entropy` returns as many unpredictable bytes as it is asked for."""
        return cls(entropy(SECRET_WORDS))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what a person typed: any case, and anything but letters between the words."""
        words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", text).casefold())
        if len(words) != SECRET_WORDS + 1:
            raise InvalidRecoveryCode(
                f"expected a recovery code of {SECRET_WORDS + 1} words, got {len(words)}"
            )
        for word in words:
            if word not in INDEX_BY_WORD:
                raise InvalidRecoveryCode(f"expected words from the list, {word[:20]!r} is not one of them")
        code = cls(bytes(INDEX_BY_WORD[word] for word in words[:-1]))
        if words[-1] != code._check():
            raise InvalidRecoveryCode(
                "one of the words is not the one that was printed: the last one checks the others"
            )
        return code

    def __str__(self) -> str:
        return " ".join([*(WORDS[each] for each in self.secret), self._check()])

    def __repr__(self) -> str:
        return "RecoveryCode(...)"

    @property
    def public_key(self) -> bytes:
        """The 32 raw bytes by which others know it."""
        return self._key().public_key().public_bytes_raw()

    @property
    def id(self) -> DeviceId:
        """What it goes by among the devices of a group."""
        return device_id(self.public_key)

    @property
    def sign(self) -> Sign:
        """Signs in its name."""
        return self._key().sign

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(_KEY_CONTEXT + self.secret).digest())

    def _check(self) -> str:
        return WORDS[hashlib.sha256(_CHECK_CONTEXT + self.secret).digest()[0]]
