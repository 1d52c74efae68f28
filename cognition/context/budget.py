"""How many tokens memory may take of a prompt, and what gives way when a conversation outgrows its model.

Tokens are estimated, since the model that will read them is not known. A word of plain letters takes one for every five
of them; digits, marks and the letters of other alphabets take one each, and what is rarer still one a byte. A tenth
comes on top, because an estimate that is too low ends in a refused prompt. All pure.

The rules come from Lokul: memory gets a quarter of what is left, within bounds; a conversation at four fifths of the
window is first cut in the middle (how it began and where it stands matter most), and then loses what it knows of who
you are before what you prefer, and never the work at hand.
"""

import math
import re
from collections.abc import Sequence
from typing import Final, TypeVar

Message = TypeVar("Message")

LETTERS_PER_TOKEN: Final = 5
# LO-27: on top of every estimate.
MARGIN: Final = 1.1

_LETTERS: Final = re.compile(r"[A-Za-z]+")
_OTHERS: Final = re.compile(r"[^A-Za-z\s]")
# Beyond the first plane lie emoji and scripts that tokenizers spell byte by byte.
_COMMON_END: Final = "\uffff"
_BYTES_OF_RARE: Final = 4

TOKENS_MIN: Final = 150
TOKENS_MAX: Final = 500
SHARE: Final = 0.25
# Kept free for the answer.
RESERVE: Final = 500

COMPACT_AT: Final = 0.8
# A first exchange is a question and its answer.
HEAD_MESSAGES: Final = 2
TAIL_MESSAGES: Final = 6


def tokens(text: str) -> int:
    """Return how many tokens a text may take, on the safe side."""
    words = sum(math.ceil(len(run) / LETTERS_PER_TOKEN) for run in _LETTERS.findall(text))
    others = sum(_BYTES_OF_RARE if character > _COMMON_END else 1 for character in _OTHERS.findall(text))
    return math.ceil(MARGIN * (words + others))


def memory_budget(window: int, conversation: int, most: int | None = None) -> int:
    """Return how many tokens memory may take in a window, beside a conversation and what is kept for the answer.

    `most` is how many at most, where somebody said so.
    """
    share = math.floor(SHARE * (window - conversation - RESERVE))
    if most is None:
        return max(TOKENS_MIN, min(TOKENS_MAX, share))
    return min(most, max(TOKENS_MIN, share))


def must_compact(used: int, window: int, at: float = COMPACT_AT) -> bool:
    """Say whether a conversation has come too near to its window."""
    return used >= at * window


def middle_out(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation without its middle: the first exchange and the last six messages."""
    if len(messages) <= HEAD_MESSAGES + TAIL_MESSAGES:
        return list(messages)
    return [*messages[:HEAD_MESSAGES], *messages[-TAIL_MESSAGES:]]
