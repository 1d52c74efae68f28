"""Read mail as an mbox: that of Google Takeout, and the files in which Thunderbird and others keep their folders.

What its owner sent is the owner's own, which Gmail's labels say, or the name of a folder of sent mail. In a folder of
both, whoever it was delivered to is its owner, and wrote what no server handed over: the sender's address alone proves
nothing. Where none of that is there everybody is named, and the profile says which name is the owner's. What lists and
programs send, and what was thrown away, is left out, as are attachments, quoted mail and signatures.
"""

import email.errors
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from typing import IO, Final, NamedTuple

from samemind.portable.markup import plain_text
from samemind.portable.records import FAULTS, Reads, Record, Unreadable, chat_turn
from samemind.portable.texts import FAULTS_OF_A_ZIP

SOURCE: Final = "mbox"
# A message stands behind such a line; "From now on" begins a sentence, which some programs leave as it is.
_SEPARATOR: Final = re.compile(rb"From .{0,400}?\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b.{0,40}?\d{1,2}:\d\d")
_HEADER: Final = re.compile(rb">?[!-9;-~]+:")
_QUOTED_FROM: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
# Texts come before what is attached: more of a message is not read, and it costs no memory.
_MESSAGE_BYTES_MAX: Final = 8 << 20
_HEADERS_BYTES_MAX: Final = 1 << 18
_LINE_BYTES_MAX: Final = 1 << 16
_FAULTS: Final = (*FAULTS, LookupError, AssertionError, RecursionError, email.errors.MessageError)
# Labels of Gmail, and names of folders, in ten languages.
_SENT: Final = frozenset(
    ["sent", "sent mail", "sent items", "sent messages", "gesendet", "gesendete elemente", "gesendete objekte",
     "envoyé", "envoyés", "messages envoyés", "éléments envoyés", "enviado", "enviados", "elementos enviados",
     "inviato", "inviata", "inviati", "posta inviata", "enviada", "enviadas", "itens enviados", "e-mails enviados",
     "verzonden", "verzonden items", "verzonden berichten", "wysłane", "wysłano", "elementy wysłane",
     "отправленные", "отправлено", "надіслані", "надіслано", "відправлені"]
)  # fmt: skip
_THROWN_AWAY: Final = frozenset(
    ["spam", "junk", "trash", "papierkorb", "corbeille", "papelera", "cestino", "lixeira", "lixo", "prullenbak", "kosz",
     "корзина", "спам", "кошик"]
)  # fmt: skip
# What only programs and lists write above a message.
_OF_PROGRAMS: Final = ("List-Id", "List-Unsubscribe", "X-Auto-Response-Suppress", "Feedback-ID")
_PROGRAMS: Final = re.compile(r"(?:no|do[._-]?not)[._-]?reply|mailer-daemon|notifications?", re.IGNORECASE)
_HANDED_OVER: Final = ("Delivered-To", "Received")
_ANSWERS: Final = re.compile(
    r"\A(?:\s*(?:re|aw|wg|fwd?|tr|rv|rif|res|enc|antw|odp|pd|sv|ha|на|ответ)(?:\[\d+\])?\s?:)+\s*",
    re.IGNORECASE,
)
_IDS: Final = re.compile(r"<[^<>\s]+>")
_ID_CHARACTERS_MAX: Final = 200
_YEARS: Final = range(1971, 2101)

# What is above mail that is quoted as a whole: a line of dashes or underscores, or its headers.
_ABOVE_OTHERS: Final = re.compile(r"\s*(?:-{5,}\s?[^\W\d_][^\n]{2,60}?-{5,}|_{20,})\s*")
_SENDER: Final = re.compile(r"\s*\*?(?:from|von|de|da|van|od|от|від)\s?:\*?\s+\S", re.IGNORECASE)
_FIELD: Final = re.compile(r"\s*\*?[^\W\d_][\w -]{0,20}\s?:\*?\s+\S")
_FIELDS_MIN: Final = 3
_SIGNATURES: Final = ("--", "-- ")
_DEVICE: Final = re.compile(
    r"(?:sent|get|von|gesendet|envoyé|enviado|inviato|verzonden|wysłan[eo]|отправлено|надіслано)\b.{0,40}"
    r"\b(?:iphone|ipad|android|outlook|samsung|galaxy|huawei|xiaomi|yahoo|gmx|mobile|handy|smartphone)\b.{0,30}",
    re.IGNORECASE,
)
# Where an answer in HTML begins to quote.
_QUOTES: Final = re.compile(
    r"<blockquote|<div[^<>]{0,200}(?:gmail_quote|gmail_signature|gmail_extra|moz-cite-prefix|moz-signature|yahoo_quoted"
    r"|divRplyFwdMsg|appendonsend|protonmail_quote)",
    re.IGNORECASE,
)

_QUOTE_FOLLOWS: Final = "\n>"

Opens = Callable[[], AbstractContextManager[IO[bytes]]]


class _Owner(NamedTuple):
    """How to tell what the owner sent: by labels, by the folder, or by the address it was delivered to."""

    is_labelled: bool
    is_folder_of_sent: bool
    address: str


def looks_like(beginning: bytes) -> bool:
    """Say whether a file begins as an mbox does."""
    first, _, rest = beginning.lstrip(b"\xef\xbb\xbf\r\n").partition(b"\n")
    return _SEPARATOR.match(first) is not None and _HEADER.match(rest) is not None


def read(name: str, opens: Opens) -> Iterator[Record]:
    """Return every message of people that says something; `name` is the file's. It is read twice, a message at a time.

    One that cannot be read is told by its number, and ends nothing.
    """
    try:
        with opens() as file:
            owner = _owner(name, file)
        with opens() as file:
            for number, raw in enumerate(_messages(file, _MESSAGE_BYTES_MAX), start=1):
                try:
                    yield from _turn(number, raw, owner)
                except _FAULTS as error:
                    yield Unreadable(line=number, reason=f"expected a message of mail, {error!r}"[:500])
    except (*FAULTS_OF_A_ZIP, OSError) as error:  # the latter of bzip2, too
        yield Unreadable(
            line=1, reason=f"expected a file or a zip that can be read to its end, {error!r}"[:500]
        )


def _messages(file: IO[bytes], bytes_max: int) -> Iterator[bytes]:
    """Return the messages of an mbox, of each no more than so many bytes."""
    kept: list[bytes] | None = None
    size, is_blank, is_begun = 0, True, False
    while line := file.readline(_LINE_BYTES_MAX):
        if not is_begun and is_blank and _SEPARATOR.match(line):
            if kept is not None:
                yield b"".join(kept)
            kept, size = [], 0
        elif kept is not None and size < bytes_max:
            kept.append(line)
            size += len(line)
        is_blank, is_begun = not line.strip(), not line.endswith(b"\n")
    if kept is not None:
        yield b"".join(kept)


def _owner(name: str, file: IO[bytes]) -> _Owner:
    parser = BytesHeaderParser()
    delivered = Counter[str]()
    is_labelled = False
    for raw in _messages(file, _HEADERS_BYTES_MAX):
        try:
            headers = parser.parsebytes(raw)
            is_labelled = is_labelled or not _SENT.isdisjoint(_labels(headers))
            delivered[_address(headers, "Delivered-To")] += 1
        except _FAULTS:
            continue  # told when it is read
    del delivered[""]
    is_sent = name.rpartition("/")[2].partition(".")[0].replace("_", " ").casefold() in _SENT
    address = delivered.most_common(1)[0][0] if delivered else ""
    return _Owner(is_labelled, is_sent, address)


def _turn(number: int, raw: bytes, owner: _Owner) -> Iterator[Record]:
    message = BytesParser().parsebytes(_QUOTED_FROM.sub(rb"\1", raw))
    labels = _labels(message)
    is_own = _is_own(message, labels, owner)
    if not _THROWN_AWAY.isdisjoint(labels) or (not is_own and _is_of_a_program(message)):
        return
    said = _own_words(_text(message))
    if not said:
        return
    who, address = parseaddr(_header(message, "From"))
    told_at = _told_at(message)
    turn = _header(message, "Message-ID").strip()
    if not turn or len(turn) > _ID_CHARACTERS_MAX:
        turn = hashlib.sha256(f"{told_at}\0{address}\0{said}".encode(errors="replace")).hexdigest()
    earlier = _IDS.findall(_header(message, "References") or _header(message, "In-Reply-To"))
    thread = _header(message, "X-GM-THRID").strip() or (earlier[0] if earlier else turn)
    yield chat_turn(
        number,
        said,
        source=SOURCE,
        chat=thread[:_ID_CHARACTERS_MAX],
        turn=turn,
        position=number - 1,
        speaker=None if is_own else who.strip() or address or "unknown",
        topic=_ANSWERS.sub("", _header(message, "Subject")).strip(),
        told_at=told_at,
        reads=Reads.YES,
        named=turn,
    )


def _is_own(message: Message, labels: frozenset[str], owner: _Owner) -> bool:
    if owner.is_labelled:
        return not _SENT.isdisjoint(labels)
    if owner.is_folder_of_sent:
        return True
    is_from_owner = bool(owner.address) and _address(message, "From") == owner.address
    return is_from_owner and not any(each in message for each in _HANDED_OVER)


def _is_of_a_program(message: Message) -> bool:
    return (
        any(each in message for each in _OF_PROGRAMS)
        or _header(message, "Precedence").strip().casefold() in ("bulk", "list", "junk")
        or _header(message, "Auto-Submitted").strip().casefold() not in ("", "no")
        or _PROGRAMS.match(_address(message, "From")) is not None
    )


def _labels(headers: Message) -> frozenset[str]:
    labels = _header(headers, "X-Gmail-Labels").replace("\n", "").replace("\r", "")
    return frozenset(each.strip(' "').casefold() for each in labels.split(","))


def _header(headers: Message, name: str) -> str:
    value = str(headers.get(name, ""))
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError, email.errors.MessageError):
        return value


def _address(headers: Message, name: str) -> str:
    return parseaddr(_header(headers, name))[1].casefold()


def _told_at(message: Message) -> int | None:
    try:
        moment = parsedate_to_datetime(_header(message, "Date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.year not in _YEARS:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * 1_000


def _text(message: Message) -> str:
    """Return the words of a message: those that are plain, or else those of its pages; nothing that is attached."""
    plain: list[str] = []
    marked: list[str] = []
    parts: list[Message] = [message]
    while parts:
        part = parts.pop()
        if part.is_multipart():
            within = part.get_payload()
            if part.get_content_maintype() == "multipart" and isinstance(within, list):
                parts += [each for each in within[::-1] if isinstance(each, Message)]
            continue
        if part.get_content_disposition() == "attachment" or part.get_filename():
            continue
        kind = part.get_content_type()
        if kind == "text/plain":
            plain.append(_unfolded(part, _decoded(part)))
        elif kind == "text/html":
            page = _decoded(part)
            quotes = _QUOTES.search(page)
            own = page if quotes is None else page[: quotes.start()]
            marked.append(plain_text(own, flows=True) + (_QUOTE_FOLLOWS if quotes is not None else ""))
    return "\n".join(plain if any(map(str.strip, plain)) else marked)


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    for charset in (part.get_content_charset(), "utf-8"):
        if charset is not None:
            try:
                return data.decode(charset)
            except (LookupError, ValueError):
                continue
    return data.decode("cp1252", "replace")


def _unfolded(part: Message, text: str) -> str:
    """Join lines that end in a blank with the next one, where a message says that they were folded so (RFC 3676)."""
    if str(part.get_param("format") or "").casefold() != "flowed":
        return text
    blank = "" if str(part.get_param("delsp") or "").casefold() == "yes" else " "
    joined: list[str] = []
    goes_on = False
    for line in text.splitlines():
        is_quote = line.startswith(">")
        if goes_on and not is_quote:
            joined[-1] += line.removeprefix(" ")
        else:
            joined.append(line)
        goes_on = line.endswith(" ") and line not in _SIGNATURES and not is_quote
        if goes_on:
            joined[-1] = joined[-1][:-1] + blank
    return "\n".join(joined)


def _own_words(text: str) -> str:
    """Return what whoever sent it wrote of a message: no quoted mail, what leads to it, nor a signature."""
    kept: list[str] = []
    lines = [line.rstrip("\r").replace("\xa0", " ") for line in text.split("\n")]
    for at, line in enumerate(lines):
        if line.startswith(">"):
            if not lines[at - 1].startswith(">") or not at:
                _drop_lead(kept)
            continue
        is_signature = line in _SIGNATURES and any(map(str.strip, kept))
        if is_signature or _ABOVE_OTHERS.fullmatch(line) or _are_headers(lines[at : at + _FIELDS_MIN]):
            break
        kept.append(line)
    _drop_blanks(kept)
    if kept and _DEVICE.fullmatch(kept[-1].strip(" .*[]")):
        kept.pop()
    return "\n".join(kept).strip()


def _are_headers(lines: list[str]) -> bool:
    return len(lines) == _FIELDS_MIN and _SENDER.match(lines[0]) is not None and all(map(_FIELD.match, lines))


def _drop_lead(kept: list[str]) -> None:
    """Drop the line that leads to a quote, "On Monday Ann wrote:", which may be folded once."""
    _drop_blanks(kept)
    if not kept or not kept[-1].rstrip().endswith(":"):
        return
    last = kept.pop()
    is_whole = any(map(str.isdigit, last)) and not last.lstrip().startswith("<")
    if not is_whole and kept and any(map(str.isdigit, kept[-1])):
        kept.pop()
    _drop_blanks(kept)


def _drop_blanks(kept: list[str]) -> None:
    while kept and not kept[-1].strip():
        kept.pop()
