"""What several commands of this family take, return and show."""

from typing import Final

from samemind.formats.printable import safe
from samemind.formats.rendering import HELD_BACK, Document, clock, happens, pairs, variant_lines

_TIMES: Final = frozenset({"created_at", "updated_at", "told_at", "event_start", "event_end", "last_access"})


def memory_lines(document: Document) -> list[str]:
    hidden = {"text", "origin", "device", "held", "guessed", "variants"}
    when = happens(document)
    if when:
        hidden |= {"event_start", "event_end"}
    fields = {
        name: clock(value) if name in _TIMES else value
        for name, value in {**document, "when": when}.items()
        if name not in hidden and value not in (None, "", [], {}, False)
    }
    held = [] if document.get("held") is None else [f"{document['held']} {HELD_BACK}"]
    guessed = {f"{name}?": value for name, value in (document.get("guessed") or {}).items()}
    return [safe(document["text"]), "", *pairs(fields), *pairs(guessed), *variant_lines(document), *held]
