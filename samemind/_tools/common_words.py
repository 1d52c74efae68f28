"""Write the words that are seldom written with a capital, by the vocabulary of the default embedder.

`python -m samemind._tools.common_words` writes them. The scores of that vocabulary are logarithms of how often a piece
came up in the text of sixteen languages, capitals and all. What is written is committed, so that nobody needs the model
to read names, and a test says when it is behind.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from cognition.embedding.universal.pieces import START, UNKNOWN, UnigramPieces
from cognition.embedding.universal.unpacking import Arrays, unpacked
from cognition.extraction.names import COMMON_WORDS

# The most frequent ones: seven times as many would bring half as much again, and 90 KB more to every phone.
WORDS: Final = 5_000
# Written small twelve times as often as with a capital, as a logarithm: "met" is, "old" and "new" are not.
MARGIN: Final = 2.5
# Of a character that is no piece, as nothing that is looked at has one more than once.
_UNKNOWN_SCORE: Final = -25.0
# Behind this nobody types a capital: Latin, Greek and Cyrillic come first.
_ALPHABETS_END: Final = "\u2000"


def main() -> None:
    """Write the file."""
    COMMON_WORDS.write_text(common_words(), "utf-8")
    sys.stdout.write(f"{COMMON_WORDS.name}\n")


def common_words() -> str:
    """Return the words, one a line, in the order of their letters."""
    frequent = sorted(_candidates(unpacked().arrays), reverse=True)[:WORDS]
    return "".join(f"{word}\n" for word in sorted(word for _, word in frequent))


def _candidates(arrays: Arrays) -> Iterator[tuple[float, str]]:
    """Return each word that is written small far more often than with a capital, and how often, as a logarithm."""
    pieces, scores, spelled = UnigramPieces(arrays), arrays["scores"].tolist(), arrays["pieces"].tobytes()

    def score(word: str) -> float:
        return sum(_UNKNOWN_SCORE if piece == UNKNOWN else scores[piece] for piece in pieces.of(word))

    for begin, end in pairwise(arrays["ends"].tolist()):
        piece = spelled[begin:end].decode(errors="replace")
        word = piece.removeprefix(START)
        if (
            piece != word
            and len(word) > 1
            and word.isalpha()
            and word.islower()
            and max(word) < _ALPHABETS_END
        ):
            small = score(word)
            if small - score(word.capitalize()) >= MARGIN:
                yield small, word


if __name__ == "__main__":
    main()
