"""Say what the ops of the log are called, and by whom they are."""

from datetime import datetime

from replica import OpKind
from samemind.formats.times import at_stamp


def shown_horizon(ms: int) -> datetime | None:
    return at_stamp(ms << 16) if ms else None


def show_kind(kind: int) -> str:
    """Return what an op does, in a word; a number where this version does not know."""
    try:
        return OpKind(kind).name.lower()
    except ValueError:
        return f"kind {kind}"
