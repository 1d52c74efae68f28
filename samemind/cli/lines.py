"""Words that are safe to print, and times as this machine's clock shows them."""

import re
from datetime import datetime
from typing import Final

# Behind an id under which something waits for its owner.
HELD_BACK: Final = "(looks secret, so it is held here: samemind held)"
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


def counted(count: int, one: str, many: str = "") -> str:
    """Return so many of something; `many` where it takes more than an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def clock(moment: str) -> str:
    """Return a time in this machine's zone, to the minute."""
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
