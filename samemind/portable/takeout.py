"""Read what Google Takeout gives out as JSON: chats with Gemini (`MyActivity.json`), and the notes of Keep.

The activity has one entry for a question and its answer, the newest first. Its title begins with a word of Google's
("Prompted"), in the language of the account.
"""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from replica.limits import TAGS_MAX
from samemind.portable.records import FAULTS, Item, Record, Unreadable, chat_turn, read_chats
from samemind.times import read_time

GEMINI: Final = "gemini"
KEEP: Final = "keep"
_PROMPTED: Final = re.compile(r"Prompted\s+|[^\W\d_]+(?: [^\W\d_]+)?:\s+")
_SPEAKER: Final = "Gemini"
# An answer is a few paragraphs of HTML: what ends a line in it, and what is a mark.
_LINE_ENDS: Final = re.compile(r"</(?:p|li|h\d|tr|pre|div)>|<br\s*/?>", re.IGNORECASE)
_MARKS: Final = re.compile(r"<[^<>]*>")


def looks_like_gemini(document: object) -> bool:
    """Say whether a JSON document is the activity of Gemini."""
    return isinstance(document, list) and any(
        isinstance(each, dict)
        and isinstance(each.get("title"), str)
        and "time" in each
        and any("Gemini" in str(name) or "Bard" in str(name) for name in each.get("products") or ())
        for each in document
    )


def read_gemini(document: object) -> Iterator[Record]:
    """Return every question and its answer, as they stand in the file."""
    return read_chats(document, _asked, product=_SPEAKER)


def _asked(number: int, entry: Mapping[str, Any]) -> Iterator[Record]:
    answers = [part.get("html") for part in entry.get("safeHtmlItem") or ()]
    answer = _plain("\n".join(each for each in answers if isinstance(each, str)))
    begins = _PROMPTED.match(entry["title"])
    if begins is None and not answer:
        return  # what else was done there, such as to rate an answer
    asked = entry["title"][begins.end() :] if begins is not None else entry["title"]
    told_at = read_time(str(entry["time"]), name="time")
    for position, (speaker, text) in enumerate(((None, asked), (_SPEAKER, answer))):
        if text.strip():
            yield chat_turn(
                number,
                text.strip(),
                source=GEMINI,
                chat=str(entry["time"]),
                turn=str(position),
                position=position,
                speaker=speaker,
                topic=None,
                told_at=told_at,
            )


def _plain(text: str) -> str:
    return html.unescape(_MARKS.sub("", _LINE_ENDS.sub("\n", text))).strip()


def looks_like_note(document: object) -> bool:
    """Say whether a JSON document is a note of Keep."""
    return isinstance(document, dict) and {"isTrashed", "userEditedTimestampUsec"} <= set(document)


def read_note(document: object) -> Iterator[Record]:
    """Return a note; nothing where it was thrown away."""
    if not isinstance(document, dict) or not looks_like_note(document):
        yield Unreadable(line=1, reason="expected a note of Google Keep")
        return
    if document["isTrashed"]:
        return
    try:
        yield from _note(document)
    except FAULTS as error:
        yield Unreadable(line=1, reason=f"expected a note of Google Keep, {error!r}"[:500])


def _note(note: Mapping[str, Any]) -> Iterator[Record]:
    listed = [
        f"- [{'x' if each.get('isChecked') else ' '}] {each['text']}"
        for each in note.get("listContent") or ()
    ]
    title, text = (
        str(note.get("title") or ""),
        "\n".join([str(note.get("textContent") or ""), *listed]).strip(),
    )
    if not text and not title:
        return
    made = int(note.get("createdTimestampUsec") or note["userEditedTimestampUsec"])
    fields: dict[str, Value] = {"source": KEEP, "told_at": made // 1_000}
    if title and text:
        fields["topic"] = title
    tags = sorted({str(each["name"]) for each in note.get("labels") or ()})[:TAGS_MAX]
    if tags:
        fields["tags"] = tags
    if note.get("isArchived"):
        fields["archived"] = True
    yield Item(
        line=1, rid=derived_memory_id(KEEP, f"{made}\0{title}\0{text}"), text=text or title, fields=fields
    )
