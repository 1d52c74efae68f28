"""Decide what to ask a NATS server so that a JetStream stream keeps files: one subject for each part of a file.

Each verb is a generator that says what to ask next and is told the answer, so that a daemon asks over its client and a
page over a WebSocket. It knows no connection and no clock. What counts is what is listed; see `sync.mailbox.jetstream`.
"""

import base64
import binascii
import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Final, TypeVar

from replica.json_text import parse_json
from sync.errors import Full, Gone, Unreached
from sync.mailbox.box import FILES_MAX, is_name, too_many

# Servers take messages of at most 1 MB unless told otherwise.
PART_BYTES: Final = 512 * 1024
# One part, in base 64, with all that is said of it; a message may be sixteen times as long.
_MESSAGE_BYTES_MAX: Final = 2 * PART_BYTES
# A file of `sync.carrier.shelf.FILE_BYTES_MAX` has so many.
PARTS_MAX: Final = 512
# Streams reserve what they may grow to, so this is what one group takes of a server's disk where nothing else is said.
STREAM_BYTES_MAX: Final = 1 << 30
# The largest file takes minutes over a poor line.
HALF_SECONDS_MAX: Final = 3_600.0
# Most files are one part, and a few large ones many.
_SUBJECTS_MAX: Final = 4 * FILES_MAX
# A page names 100,000 parts, if there are as many.
_PAGE_PARTS_MAX: Final = 100_000
PAGES_MAX: Final = 16
# What else an answer says, of the stream and of the servers that keep it. While JSON is read nothing else runs: for ten
# seconds where a server sends millions of empty lists.
_CONTAINERS_MAX: Final = 1_000
_ITEMS_MAX: Final = _PAGE_PARTS_MAX + 10 * _CONTAINERS_MAX
# What was interrupted is seldom; of a crowd, a server made up all but a few.
SWEPT_AT_ONCE_MAX: Final = 64
# Over one stream limit or another, or no room for the stream itself (server errors.json).
_FULL_CODES: Final = frozenset({10023, 10028, 10047, 10054, 10077, 10122})
_NO_STREAM: Final = 10059
_NO_MESSAGE: Final = 10037
_DIGITS_MAX: Final = 12
_REASON_CHARACTERS_MAX: Final = 200

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Ask:
    """Step: ask the server something, and return its answer."""

    subject: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Tell:
    """Step: say something that nobody answers."""

    subject: str


StreamStep = Ask | Tell
Asking = Generator[StreamStep, Any, Result]


class StreamFiles:
    """The files of one group in one stream, under names of ours (`check_name`). `now`: a steady clock's seconds."""

    def __init__(
        self,
        group: str,
        *,
        now: Callable[[], float],
        replicas: int = 1,
        bytes_max: int = STREAM_BYTES_MAX,
    ) -> None:
        self.ring: Final = f"samemind.{group}.ring"
        """The subject on which everybody of the group hears that a file came."""
        self._stream = f"SAMEMIND_{group}"
        self._subject = f"samemind.{group}.file"
        self._replicas = replicas
        self._bytes_max = bytes_max
        self._now = now
        self._halves: dict[str, float] = {}
        # As they were listed last: what a name means never changes, and a look reads what it listed just before.
        self._sizes: dict[str, int] = {}

    def open(self) -> Asking[None]:
        """Make the stream if there is none."""
        answer = yield from self._ask("INFO", {})
        if _code(answer) != _NO_STREAM:
            _checked(answer)
            return
        config = {
            "name": self._stream,
            "subjects": [f"{self._subject}.>"],
            "storage": "file",
            "num_replicas": self._replicas,
            "retention": "limits",
            "max_bytes": self._bytes_max,
            "max_msgs_per_subject": 1,
            "max_consumers": -1,
            "max_msgs": -1,
            "max_age": 0,
            # The default drops the oldest files without a word when there is no more room.
            "discard": "new",
            "allow_direct": True,
        }
        _checked((yield from self._ask("CREATE", config)))

    def put(self, name: str, data: bytes) -> Asking[None]:
        """Write the parts of a file: it is there when all of them are."""
        if _count(len(data)) > PARTS_MAX:
            raise Full(f"expected a file of at most {PARTS_MAX * PART_BYTES} bytes, got {len(data)}")
        for part in range(_count(len(data))):
            begin = part * PART_BYTES
            subject = self._part(name, len(data), part)
            _checked(_read((yield Ask(subject, data[begin : begin + PART_BYTES]))))
        yield Tell(self.ring)

    def names(self) -> Asking[Mapping[str, int]]:
        """List the files of which all parts are there; those of which some never came are removed after an hour."""
        self._sizes, halves = yield from self._listed()
        yield from self._sweep(halves)
        return dict(self._sizes)

    def get(self, name: str, bytes_max: int, into: IO[bytes]) -> Asking[None]:
        """Read all parts of a file into `into`."""
        size = self._sizes.get(name)
        if size is None:
            whole, _ = yield from self._listed(name)
            if name not in whole:
                raise _gone()
            size = whole[name]
        left = bytes_max
        for part in range(_count(size)):
            if left > 0:  # a part may be larger than it should be
                # Asked of the leader: a follower may not have yet what was listed.
                asked = {"last_by_subj": self._part(name, size, part)}
                data = _read_message((yield from self._ask("MSG.GET", asked, _MESSAGE_BYTES_MAX)))
                into.write(data[:left])
                left -= len(data)

    def remove(self, name: str) -> Asking[None]:
        """Remove all parts of a file; nobody needs to know at once, so it rings no bell."""
        yield from self._purge(name)

    def _listed(self, name: str | None = None) -> Asking[tuple[dict[str, int], set[str]]]:
        """Return the files that are whole, with their sizes, and the names of those that are not."""
        below = ">" if name is None else f"{_token(name)}.>"
        found: dict[tuple[str, int], set[int]] = {}
        offset, total, pages = 0, 1, 0
        while offset < total:
            if (pages := pages + 1) > PAGES_MAX:
                raise too_many()
            asked = {"subjects_filter": f"{self._subject}.{below}", "offset": offset}
            subjects, total = _read_page(_checked((yield from self._ask("INFO", asked))))
            for subject in subjects:
                part = _read_part(subject.removeprefix(f"{self._subject}."))
                if part is not None:
                    each, size, number = part
                    found.setdefault((each, size), set()).add(number)
            offset += len(subjects)
            if len(found) > FILES_MAX or offset > _SUBJECTS_MAX:
                raise too_many()
            if not subjects:
                break
        whole = {each: size for (each, size), held in found.items() if len(held) == _count(size)}
        return whole, {each for each, _ in found} - whole.keys()

    def _sweep(self, halves: set[str]) -> Asking[None]:
        """Remove files of which some parts never came: whoever wrote them was interrupted, and wrote others since."""
        now = self._now()
        self._halves = {name: self._halves.get(name, now) for name in halves}
        old = (name for name, since in self._halves.items() if now - since >= HALF_SECONDS_MAX)
        for name in islice(old, SWEPT_AT_ONCE_MAX):
            yield from self._purge(name)

    def _purge(self, name: str) -> Asking[None]:
        _checked((yield from self._ask("PURGE", {"filter": f"{self._subject}.{_token(name)}.>"})))

    def _ask(self, what: str, asked: dict[str, Any], bytes_max: int | None = None) -> Asking[dict[str, Any]]:
        answer: bytes = yield Ask(f"$JS.API.STREAM.{what}.{self._stream}", json.dumps(asked).encode())
        if bytes_max is not None and len(answer) > bytes_max:
            raise Unreached(f"expected a part of a file in {bytes_max} bytes, got {len(answer)}")
        return _read(answer)

    def _part(self, name: str, size: int, number: int) -> str:
        return f"{self._subject}.{_token(name)}.{size}.{number}"


def _count(size: int) -> int:
    """Return of how many parts a file of so many bytes is."""
    return max(1, -(-size // PART_BYTES))


def _token(name: str) -> str:
    """Return a name as one word of a subject, where a point parts words."""
    return name.replace(".", "_")


def _read(answer: bytes) -> dict[str, Any]:
    if answer.count(b"[") + answer.count(b"{") > _CONTAINERS_MAX or answer.count(b",") > _ITEMS_MAX:
        raise _unreadable()
    try:
        found = parse_json(answer)
    except ValueError:
        raise _unreadable() from None
    return found if isinstance(found, dict) else {}


def _read_page(answer: dict[str, Any]) -> tuple[list[str], int]:
    """Return some of a stream's subjects, and of how many."""
    state, total = answer.get("state"), answer.get("total", 0)
    subjects = (state.get("subjects") or {}) if isinstance(state, dict) else None
    if not isinstance(subjects, dict) or type(total) is not int:
        raise Unreached("expected the server to list the files of the group, got something else")
    return list(subjects), total


def _read_message(answer: dict[str, Any]) -> bytes:
    """Return what a message holds that was asked for by its subject."""
    if _code(answer) == _NO_MESSAGE:
        raise _gone()
    message = _checked(answer).get("message")
    data = message.get("data", "") if isinstance(message, dict) else None
    try:
        return base64.b64decode(data if isinstance(data, str) else "?", validate=True)
    except (binascii.Error, ValueError):
        raise _unreadable() from None


def _read_part(subject: str) -> tuple[str, int, int] | None:
    words = subject.split(".")
    if len(words) != 3 or not subject.isascii() or not (words[1].isdecimal() and words[2].isdecimal()):
        return None
    if len(words[1]) > _DIGITS_MAX or len(words[2]) > _DIGITS_MAX:
        return None
    name, size, number = words[0].replace("_", "."), int(words[1]), int(words[2])
    return (name, size, number) if is_name(name) and number < _count(size) <= PARTS_MAX else None


def _code(answer: dict[str, Any]) -> int | None:
    error = answer.get("error")
    return error.get("err_code") if isinstance(error, dict) else None


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    error = answer.get("error")
    if not isinstance(error, dict):
        return answer
    said = f"the server refuses: {str(error.get('description', ''))[:_REASON_CHARACTERS_MAX]}"
    code = error.get("err_code")
    raise Full(said) if isinstance(code, int) and code in _FULL_CODES else Unreached(said)


def _gone() -> Gone:
    return Gone("the file is there no more")


def _unreadable() -> Unreached:
    return Unreached("the server's answer could not be read")
