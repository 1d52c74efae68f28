"""Take a text apart into the pieces that wordllama's vectors belong to: byte pair encoding over its vocabulary.

The library that does this for any model takes 30 MB of memory and half of the time to the first recall, for a
vocabulary of 32,000 pieces. What this one model needs of it is little:

- A piece is joined from two wherever both are pieces, and what is joined first follows from the numbers of the result
  and of the two (`_apart`): so the list of joins, twice as long as the vocabulary, need not be kept.
- No piece reaches across the start of a word, so words are taken apart one by one, and those of ordinary talk are
  remembered: a text costs a look for each word of it.
- A word that is a piece is that piece, as most words of English are: whatever its characters are joined to on the way,
  they end there.

All of these are properties of the one file; a test holds them, and every piece of many texts, to the library.
"""

import mmap
import re
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain
from typing import Final

from cognition.embedding.vocabulary import TokenVocabulary
from cognition.errors import ModelUnavailable

# Stands for a space in pieces, and before the first word.
_SPACE: Final = "\u2581"
# Pieces that are spelled out in a text stand for themselves.
_SPECIALS: Final = frozenset({"<unk>", "<s>", "</s>"})
_SPECIAL: Final = re.compile(rf"({'|'.join(sorted(_SPECIALS))})")
# What any text can be spelled with.
_NEEDED: Final = _SPECIALS | {_SPACE} | {f"<0x{byte:02X}>" for byte in range(256)}
_WORD: Final = re.compile(rf"{_SPACE}*[^{_SPACE}]+|{_SPACE}+")
# Words that are remembered: most of what is said is said with fewer, and they take some 2 MB.
_WORDS_KEPT: Final = 8_192
# Longer ones are hardly words, and seldom come again.
_WORD_CHARACTERS_MAX: Final = 32


class WordPieces:
    """A vocabulary. Any thread may use it."""

    def __init__(self, held: bytes | mmap.mmap, where: object) -> None:
        """`held`: what the file of the tokenizer holds; `ModelUnavailable` where that is no vocabulary."""
        try:
            self._vocabulary = TokenVocabulary(held)
            if missing := [piece for piece in sorted(_NEEDED) if piece not in self._vocabulary]:
                raise ValueError(f"it has no {missing[0]}")
        except (ValueError, RecursionError) as error:
            raise ModelUnavailable(f"expected a tokenizer at {where}, got: {error!r}") from None
        self._known = lru_cache(_WORDS_KEPT)(self._apart)

    def of(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, in their order."""
        numbers: list[int] = []
        for part in _SPECIAL.split(text):
            if part in _SPECIALS:
                numbers.append(self._number(part))
            elif part:
                words = _WORD.findall(_SPACE + part.replace(" ", _SPACE))
                numbers.extend(chain.from_iterable(map(self._word, words)))
        return numbers

    def _word(self, word: str) -> tuple[int, ...]:
        return self._known(word) if len(word) <= _WORD_CHARACTERS_MAX else self._apart(word)

    def _apart(self, word: str) -> tuple[int, ...]:
        """Take one word apart: begin with its characters, and join what comes first until nothing can be joined.

        A place that was joined to another is empty. A join that was thought of before its place changed is made all the
        same where it still gives the same piece: that is how the vectors were trained.
        """
        if (whole := self._vocabulary.get(word)) is not None:
            return (whole,)
        pieces: list[str] = []
        numbers: list[int] = []
        for character in word:
            number = self._vocabulary.get(character)
            if number is not None:
                pieces.append(character)
                numbers.append(number)
            else:  # spelled out
                spelled = [f"<0x{byte:02X}>" for byte in character.encode()]
                pieces.extend(spelled)
                numbers.extend(map(self._number, spelled))
        end = len(pieces)
        before, after = list(range(-1, end - 1)), list(range(1, end + 1))

        def join(at: int, other: int) -> None:
            """Want what two pieces make, if they make one, behind what says how soon it is made."""
            joined = pieces[at] + pieces[other]
            number = self._vocabulary.get(joined)
            if number is not None:
                # Longer gaps come after everything else.
                soon = number if joined.strip(_SPACE) else number + len(self._vocabulary)
                heappush(wanted, (soon, numbers[at], numbers[other], at, joined, number))

        wanted: list[tuple[int, int, int, int, str, int]] = []
        for at in range(end - 1):
            join(at, at + 1)
        while wanted:
            _, _, _, at, joined, number = heappop(wanted)
            other = after[at]
            if not pieces[at] or other == end or pieces[at] + pieces[other] != joined:
                continue
            pieces[at], numbers[at], pieces[other] = joined, number, ""
            after[at] = following = after[other]
            if following < end:
                before[following] = at
                join(at, following)
            if before[at] >= 0:
                join(before[at], at)
        return tuple(number for piece, number in zip(pieces, numbers, strict=True) if piece)

    def _number(self, piece: str) -> int:
        """Return the number of a piece that every such vocabulary has."""
        number = self._vocabulary.get(piece)
        assert number is not None, piece
        return number
