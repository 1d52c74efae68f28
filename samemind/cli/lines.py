"""Words that are safe to print, and times as this machine's clock shows them."""

from datetime import datetime
from typing import Final

# Behind an id under which something waits for its owner.
HELD_BACK: Final = "(looks secret, so it is held here: samemind held)"


def counted(count: int, one: str, many: str = "") -> str:
    """Return so many of something; `many` where it takes more than an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def clock(moment: str) -> str:
    """Return a time in this machine's zone, to the minute."""
    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
