"""Read what Day One exports as JSON: a journal, in a zip with its pictures; each entry becomes a memory.

The text is Markdown, in which Day One escapes signs that stand for themselves and shows a picture by an address of its
own. A heading at its beginning is the entry's title.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from replica import Value, derived_memory_id
from replica.limits import TAGS_MAX
from samemind.formats.times import read_time
from samemind.portable.records import Item, Record, Unreadable, read_each

SOURCE: Final = "dayone"
_KEYS: Final = frozenset({"uuid", "creationDate"})
# Each part ends where another picture could begin: none is gone through twice, however many are begun.
_PICTURE: Final = re.compile(r"!\[[^\[\]\n]*\]\(dayone-moment:[^()\n]*\)")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_TITLE: Final = re.compile(r"#{1,6} +(?P<title>[^\n]+)(?:\n|$)")
# From the place itself to the town that it is in.
_PLACES: Final = ("placeName", "localityName")
_PLACE_CHARACTERS_MAX: Final = 200


def looks_like(document: object) -> bool:
    """Say whether a JSON document is a journal of Day One."""
    entries = document.get("entries") if isinstance(document, dict) else None
    return isinstance(entries, list) and any(
        isinstance(each, dict) and set(each) >= _KEYS for each in entries
    )


def read(document: object) -> Iterator[Record]:
    """Return the entries of a journal that have words, each told when it was made."""
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        yield Unreadable(line=1, reason="expected a journal of Day One")
        return
    yield from read_each(entries, _entry, one="an entry of Day One")


def _entry(number: int, entry: Any) -> Iterator[Item]:
    told = _PICTURE.sub("", str(entry.get("text") or "")).strip()
    if not told:
        return  # a picture alone
    fields: dict[str, Value] = {
        "source": SOURCE,
        "told_at": read_time(str(entry["creationDate"]), name="creationDate"),
    }
    title = _TITLE.match(told)  # as it was written: an escaped sign begins none
    if title is not None and told[title.end() :].strip():
        fields["topic"], told = _ESCAPED.sub(r"\1", title["title"]).strip(), told[title.end() :].strip()
    if tags := sorted({str(each) for each in entry.get("tags") or ()})[:TAGS_MAX]:
        fields["tags"] = tags
    location = entry.get("location") or {}
    place = ", ".join(dict.fromkeys(str(location[name]) for name in _PLACES if location.get(name)))
    if place:
        fields["meta"] = {"place": place[:_PLACE_CHARACTERS_MAX]}
    yield Item(
        line=number,
        rid=derived_memory_id(SOURCE, str(entry["uuid"])),
        text=_ESCAPED.sub(r"\1", told),
        fields=fields,
    )
