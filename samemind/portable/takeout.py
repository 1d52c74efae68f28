"""Read what Google Takeout gives out: chats with Gemini (`MyActivity.json` or `.html`), and the notes of Keep.

The activity has one entry for a question and its answer, the newest first. Its title begins with a word of Google's
("Prompted"), in the language of the account. In HTML the moment stands between the two, and is all that parts them: an
entry in which it is not found is nobody's words.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from replica.limits import TAGS_MAX
from samemind.formats.times import read_time
from samemind.portable.days import day_of
from samemind.portable.markup import plain_text
from samemind.portable.records import FAULTS, Item, Record, Unreadable, chat_turn, read_chats

GEMINI: Final = "gemini"
KEEP: Final = "keep"
_PROMPTED: Final = re.compile(r"Prompted\s+|[^\W\d_]+(?: [^\W\d_]+)?:\s+")
_SPEAKER: Final = "Gemini"
_PRODUCTS: Final = ("Gemini", "Bard")
# The HTML has a cell for each entry; in it one says the product, one was said, and one tells why it is there.
_ENTRY: Final = re.compile(r"<div\s+class=\"outer-cell[^<>]*>")
_CELL: Final = re.compile(r"<div\s+class=\"(content-cell[^\"<>]*)\"[^<>]*>")
_LINE_END: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
_CHAT: Final = re.compile(r"https://gemini\.google\.com/app/(\w+)")
# Google's word ends in a blank that is not broken, and in a colon where what follows is the owner's.
_LABEL: Final = re.compile(r"(?P<label>[^\xa0\n]{1,60}?(?P<colon>\s?:)?)\xa0(?P<said>.*)", re.DOTALL)
_FILE: Final = re.compile(r"\s*-(?:\s|&nbsp;|&emsp;)*<a\s", re.IGNORECASE)
_MOMENT: Final = re.compile(
    r"(?P<day>.{6,40}?),?\s(?P<hour>\d{1,2})[:.](?P<minute>\d\d)[:.](?P<second>\d\d)"
    r"(?:\s?(?P<half>[ap])\.?\s?m\.?)?\s(?P<zone>\S.{0,40})",
    re.IGNORECASE,
)
_OFFSET: Final = re.compile(r"(?:GMT|UTC)(?P<sign>[+\u2212-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?")
# Hours before UTC of the zones that have a name in these languages; another is read as UTC.
_ZONES: Final[Mapping[str, float]] = {
    "BST": 1, "WEST": 1, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "HNEC": 1, "HAEC": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8,
    "HST": -10, "BRT": -3, "ART": -3, "COT": -5, "PET": -5, "SAST": 2, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13,
}  # fmt: skip
_NOON: Final = 12
_HOUR_MS: Final = 3_600_000


def looks_like_gemini(document: object) -> bool:
    """Say whether a JSON document is the activity of Gemini."""
    return isinstance(document, list) and any(
        isinstance(each, dict)
        and isinstance(each.get("title"), str)
        and "time" in each
        and any(_is_of_gemini(str(name)) for name in each.get("products") or ())
        for each in document
    )


def read_gemini(document: object) -> Iterator[Record]:
    """Return every question and its answer, as they stand in the file."""
    return read_chats(document, _asked, product=_SPEAKER)


def _asked(number: int, entry: Mapping[str, Any]) -> Iterator[Record]:
    answers = [part.get("html") for part in entry.get("safeHtmlItem") or ()]
    answer = plain_text("\n".join(each for each in answers if isinstance(each, str)))
    begins = _PROMPTED.match(entry["title"])
    if begins is None and not answer:
        return  # what else was done there, such as to rate an answer
    asked = entry["title"][begins.end() :] if begins is not None else entry["title"]
    told_at = read_time(str(entry["time"]), name="time")
    chat = str(entry["time"])
    yield from _exchange(number, asked, answer, chat=chat, turn="", told_at=told_at, named=f"{chat}:")


def _exchange(
    number: int, asked: str, answer: str, *, chat: str, turn: str, told_at: int, named: str
) -> Iterator[Record]:
    for position, (speaker, text) in enumerate(((None, asked), (_SPEAKER, answer))):
        if text.strip():
            yield chat_turn(
                number,
                text.strip(),
                source=GEMINI,
                chat=chat,
                turn=f"{turn}{position}",
                position=position,
                speaker=speaker,
                topic=None,
                told_at=told_at,
                named=f"{named}{position}",
            )


def _is_of_gemini(text: str) -> bool:
    return any(product in text for product in _PRODUCTS)


def looks_like_activity(text: str) -> bool:
    """Say whether a text is the activity of any product of Google's, as HTML."""
    return text.lstrip().startswith("<") and _ENTRY.search(text) is not None


def read_activity(text: str) -> Iterator[Record]:
    """Return every question to Gemini and its answer, as they stand in a page; nothing of other products."""
    for number, entry in enumerate(_ENTRY.split(text)[1:], start=1):
        header, *cells = _CELL.split(entry)
        of_kinds = [*zip(cells[::2], cells[1::2], strict=True)]
        product = plain_text(header) or plain_text(
            "".join(told for kind, told in of_kinds if "caption" in kind)
        )
        if not _is_of_gemini(product):
            continue
        linked = _CHAT.search(entry)
        said = next((told for kind, told in of_kinds if "body-1" in kind and "right" not in kind), "")
        lines = _LINE_END.split(said)
        found = ((at, _moment(plain_text(line))) for at, line in enumerate(lines) if at)
        at, told_at = next(((at, moment) for at, moment in found if moment is not None), (0, None))
        if told_at is None:
            if plain_text(said):
                yield Unreadable(line=number, reason="expected an entry of Gemini with its day and time")
            continue
        answer = plain_text("<br>".join(lines[at + 1 :]))
        asked = _own_words("\n".join(_without_files(lines[:at])), is_answered=bool(answer))
        turn = hashlib.sha256(f"{told_at}\0{asked}\0{answer}".encode(errors="replace")).hexdigest()
        chat = linked[1] if linked is not None else turn
        yield from _exchange(
            number, asked, answer, chat=chat, turn=f"{turn}:", told_at=told_at, named=f"{turn}:"
        )


def _without_files(lines: list[str]) -> list[str]:
    """Leave out what tells of files that were sent along: a line that counts them, and a link to each."""
    first = next((at for at, line in enumerate(lines) if _FILE.match(line)), None)
    return lines if first is None else lines[: max(1, first - 1)]


def _own_words(markup: str, *, is_answered: bool) -> str:
    """Return what the owner asked; nothing where Google tells what was done, such as that Gemini made a page."""
    title = plain_text(markup)
    if (prompted := _PROMPTED.match(title)) is not None:
        return title[prompted.end() :]
    labelled = _LABEL.match(title)
    if labelled is None:
        return title if is_answered else ""
    return labelled["said"] if labelled["colon"] or is_answered else ""


def _moment(text: str) -> int | None:
    """Return when a line of the page says that something was asked, in ms since 1970; None: it says something else."""
    found = _MOMENT.fullmatch(" ".join(text.split()))
    day = None if found is None else day_of(found["day"])
    if found is None or day is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % _NOON + _NOON * (found["half"].casefold() == "p")
    seconds = (hour * 60 + int(found["minute"])) * 60 + int(found["second"])
    return day + seconds * 1_000 - round(_hours_before_utc(found["zone"]) * _HOUR_MS)


def _hours_before_utc(zone: str) -> float:
    offset = _OFFSET.fullmatch(zone)
    if offset is None:
        return _ZONES.get(zone.upper(), 0)
    return (int(offset["hours"]) + int(offset["minutes"] or 0) / 60) * (1 if offset["sign"] == "+" else -1)


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
