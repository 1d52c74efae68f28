"""Words that others chose, made safe to print: nothing in them that a terminal would obey."""

import re
from typing import Final

# What a terminal obeys: controls, what turns the direction of all that follows, and halves of letters, which cannot be
# written. Not all that is no print: emoji and Indian scripts are joined by letters without a width, French and Japanese
# have spaces of their own, and Python does not know next year's emoji.
_OBEYED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def one_line(text: str) -> str:
    """Return a text without line breaks, and without anything that a terminal would obey."""
    return " ".join(_OBEYED.sub(" ", text).split())


def safe(text: str) -> str:
    """Return a text as it is but for what a terminal would obey."""
    return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)
