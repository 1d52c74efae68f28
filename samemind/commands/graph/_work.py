"""Relate things, and show what they are related to."""

from replica import MemoryId, parse_memory_id, show_memory_id
from samemind.errors import Usage


def memory_id_of(name: str) -> MemoryId | None:
    """Return the memory that a name is the id of."""
    try:
        return parse_memory_id(name)
    except ValueError:
        return None


def entity_name(text: str) -> str:
    """Return an entity or a relation as it is stored; the id of a memory in the one form it has."""
    text = " ".join(text.split())
    if not text:
        raise Usage("expected a name, got an empty one", code="invalid")
    try:
        return show_memory_id(parse_memory_id(text))
    except ValueError:
        return text
