"""The pairing code: what one person reads from one screen and types at another.

`417-maple-otter`: a number of three digits and two words, some 26 bits. A code is good for one guess, and
one opening of pairing for three codes, so a guesser wins once in twenty million openings. The words differ
from each other in at least two letters: a slip in a word is noticed here and costs no guess. A code that is good for
hours has a third word, some 34 bits.

A QR code can carry more than a person would type: an Invitation holds the code, the fingerprint of the
certificate to expect, and where to dial, in one line of text.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from sync.address import Address
from sync.errors import InvalidCode
from sync.words import INDEX_BY_WORD, WORDS

# The first number of a code, and how many there are: three digits, none of them a leading zero.
NUMBER_MIN: Final = 100
NUMBERS: Final = 900
WORDS_SHORT: Final = 2
# For a window of hours, in which whoever owns a mailbox has time to prepare a guess.
WORDS_LONG: Final = 3

_SCHEME: Final = "samemind:"
_FINGERPRINT_HEX: Final = 64

Entropy = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A single-use code. Shown to people on purpose, kept out of logs: its repr hides it."""

    number: int
    words: tuple[str, ...]

    @classmethod
    def draw(cls, entropy: Entropy, words: int = WORDS_SHORT) -> Self:
        """A fresh code; `entropy` returns as many unpredictable bytes as it is asked for."""
        # 8 bytes over 900 numbers: the bias is one part in 10^16.
        number = NUMBER_MIN + int.from_bytes(entropy(8), "big") % NUMBERS
        return cls(number, tuple(WORDS[each] for each in entropy(words)))

    @classmethod
    def parse(cls, text: str, *, words_max: int = WORDS_SHORT) -> Self:
        """Read what a person typed: any case, and anything but letters and digits between the parts."""
        folded = unicodedata.normalize("NFKC", text).casefold()
        match re.findall(r"[0-9]+|[a-z]+", folded):
            case [number, *words] if (
                number.isdigit()
                and len(number) == 3
                and int(number) >= NUMBER_MIN
                and WORDS_SHORT <= len(words) <= words_max
            ):
                for word in words:
                    if word not in INDEX_BY_WORD:
                        raise InvalidCode(f"expected words from the list, {word[:20]!r} is not one of them")
                return cls(int(number), tuple(words))
        raise InvalidCode("expected a code such as 417-maple-otter: three digits and two words")

    def __str__(self) -> str:
        return "-".join([str(self.number), *self.words])

    def __repr__(self) -> str:
        return "PairingCode(...)"

    def secret(self) -> bytes:
        """What both ends feed to the key exchange."""
        return str(self).encode("ascii")


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a QR code says: the code, the fingerprint of the certificate to expect, where to dial."""

    code: PairingCode
    fingerprint: bytes
    addresses: tuple[Address, ...]

    def __str__(self) -> str:
        return " ".join([f"{_SCHEME}{self.code}", self.fingerprint.hex(), *map(str, self.addresses)])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the line that a QR code held."""
        match text.split():
            case [code, fingerprint, *addresses] if code.startswith(_SCHEME):
                if not re.fullmatch(rf"[0-9a-f]{{{_FINGERPRINT_HEX}}}", fingerprint):
                    raise InvalidCode("expected an invitation with a fingerprint of 64 hexadecimal digits")
                try:
                    where = tuple(Address.parse(each) for each in addresses)
                except ValueError as error:
                    raise InvalidCode(f"expected an invitation that ends in addresses: {error}") from error
                return cls(PairingCode.parse(code.removeprefix(_SCHEME)), bytes.fromhex(fingerprint), where)
        raise InvalidCode("expected an invitation: samemind:CODE FINGERPRINT ADDRESS...")
