"""Hold a memory's text so that two people who edit it apart both keep their words.

The text is a Yjs document (`pycrdt`). Its base is a function of (rid, text): every device builds the same document,
with a client id derived from both, so an unedited memory needs no document at all. Every edit draws a fresh random
client id, since a client id used by two devices (a restored backup) makes them differ silently and for ever.

Yjs counts in UTF-8 bytes, and an index inside a character lands somewhere else: offsets here are taken from encoded
text and only ever at character boundaries.
"""

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from replica.errors import InvalidOp
from replica.ids import OpRef
from replica.state.yjs import (
    check_document,
    check_edit,
    clocks_of,
    is_part_of,
    joined,
    put_together,
    says,
    without_deletions,
)

if TYPE_CHECKING:
    from random import Random

    from pycrdt import Doc, Text

# Client ids are 53-bit, since Yjs was born in JavaScript.
_CLIENT_ID_MAX: Final = 2**53 - 1
_ROOT: Final = "text"
# Two passages of this many words, multiplied, are compared word by word (some 20 ms); larger ones are replaced whole.
_COMPARED_WORDS_MAX: Final = 100_000
# A run of what `str.isalnum` is true of, or any one other character.
_WORD: Final = re.compile(r"[^\W_]+|.", re.DOTALL)


class SignedEdit(NamedTuple):
    """An edit of a memory's text, as its author signed it: which op it is, its stamp, and the document it changes."""

    place: OpRef
    hlc: int
    base: bytes
    update: bytes


def base_name(rid: bytes, text: str) -> bytes:
    """Return the 8 bytes that name the document which starts from this text."""
    return hashlib.sha256(b"samemind text\0" + rid + text.encode()).digest()[:8]


class EditedText:
    """One document: a base text and every edit to it that arrived, in any order.

    An edit that continues another one waits for it, and is kept with the document meanwhile. An honest writer has seen
    what it continues; one that has not said so must not make the text depend on what arrives first.
    """

    def __init__(self, state: bytes) -> None:
        self._begin(state)

    def _begin(self, state: bytes) -> None:
        self._state = state
        self._doc = _new_document()
        self._doc.apply_update(state)
        self._text = _text_in(self._doc)
        # Words that are not there yet may be waited for: the library's own bytes leave out what waits.
        self._waits = self._doc.get_update() != state
        self._came: list[bytes] = []

    @classmethod
    def from_base(cls, rid: bytes, text: str) -> "EditedText":
        """Return the document that every device derives from a memory's first text."""
        client = int.from_bytes(
            hashlib.sha256(b"samemind client\0" + rid + text.encode()).digest()[:7], "big"
        )
        doc = _new_document(client & _CLIENT_ID_MAX)
        _text_in(doc).insert(0, text)
        return cls(doc.get_update())

    def apply(self, update: bytes) -> None:
        """Merge one edit, or a whole other copy of the document, that was checked before."""
        self._came.append(update)

    def holds(self, update: bytes) -> bool:
        """Say whether an edit that was checked before is part of the document already."""
        before = self.state()
        if self._waits:
            return says(before, update)
        copy = EditedText(before)
        copy.apply(update)
        return copy.state() == before

    def state(self) -> bytes:
        """Return the document, and what waits, as bytes that `EditedText(...)` takes.

        From then on the document is the one that these bytes make: of an edit that a member made by hand, the library
        may put another text together when it reads what it wrote. What shows and is hashed is what is stored.
        """
        if self._came:
            self._begin(self.written_anew())
        return self._state

    def written_anew(self) -> bytes:
        """Return the document, and what waits, as the library writes it now: alike, whichever edits came together.

        And in whichever order they came. What an edit by hand says, the library puts in by what stands there at the
        time. So what was ever said is put together first, and the library reads it in one go.
        """
        try:
            whole = put_together([self._state, *self._came])
            document = _new_document()
            _apply(document, whole.update)
        except InvalidOp:  # more pieces than can be gone through each time
            return self._added_by_the_library()
        known, clocks = document.get_update(), clocks_of(document.get_state())
        if all(clocks.get(client, 0) >= end for client, end in whole.needs.items()):
            return known
        return joined(known, [whole.update])

    def _added_by_the_library(self) -> bytes:
        """Return the document with what came, as the library puts it in one by one."""
        document = _new_document()
        for update in (self._state, *self._came):
            _apply(document, update)
        known, clocks = document.get_update(), clocks_of(document.get_state())
        may_wait = [self._state, *self._came] if self._waits else self._came
        waiting = [update for update in may_wait if not is_part_of(update, clocks)]
        return joined(known, waiting) if waiting else known

    def show(self) -> str:
        """Return the text as it reads now."""
        self.state()
        return str(self._text)

    def edit(self, text: str, random: "Random") -> bytes:
        """Return the update that turns what is shown into `text`, keeping what others insert around it.

        It may take out more runs than others take in one: `in_parts`.
        """
        try:
            update = self._edited(text, random)
            check_edit(update)
        except InvalidOp:
            # More runs of words than others take, or too far apart, or a member broke a character in two, which the
            # library counts otherwise than it shows it: it is another text.
            update = self._edited(text, random, whole=True)
        return update

    def _edited(self, text: str, random: "Random", *, whole: bool = False) -> bytes:
        """Return the update that turns the text into another; as a `whole`, or else word by word."""
        copy = _new_document(random.randrange(1, _CLIENT_ID_MAX))
        with _panics_refused():
            copy.apply_update(self.state())
            # Of the copy: what a member made by hand, the library may put together in another way each time.
            before, target = copy.get_state(), _text_in(copy)
            changes = [(0, len(target), text)] if whole else _changes(str(target), text)
            with copy.transaction():
                for start, stop, words in reversed(changes):
                    if stop > start:
                        del target[start:stop]
                    if words:
                        target.insert(start, words)
            update = copy.get_update(before)
        return without_deletions(update, self.state())


def changed_in_one_place(was: str, one: str, other: str) -> bool:
    """Say whether two changes of a text touch: both change some word of it, or words side by side."""
    others = _changes(was, other)
    return any(
        start <= end and begin <= stop for start, stop, _ in _changes(was, one) for begin, end, _ in others
    )


def check_update(update: bytes) -> None:
    """Refuse bytes that no edit of ours comes to, by the bytes alone, and before any document meets them."""
    check_edit(update)
    _apply(_new_document(), update)


def check_state(state: bytes) -> None:
    """Refuse bytes that are not a text with its edits, before any document meets them."""
    check_document(state)
    _apply(_new_document(), state)


def _apply(document: "Doc[Text]", update: bytes) -> None:
    with _panics_refused():
        document.apply_update(update)


@contextmanager
def _panics_refused() -> Iterator[None]:
    """Refuse what the library cannot take: what it panics with is no `Exception`, and would end the program."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, ValueError | RuntimeError) or type(error).__name__ == "PanicException":
            raise InvalidOp(f"expected a Yjs update, got bytes that are not one: {error}") from None
        raise


def _new_document(client: int | None = None) -> "Doc[Text]":
    """Return an empty document; the library comes with the first, since it takes 3 MB and few texts are edited."""
    from pycrdt import Doc

    return Doc(client_id=client)


def _text_in(document: "Doc[Text]") -> "Text":
    from pycrdt import Text

    return document.get(_ROOT, type=Text)


def _changes(old: str, new: str) -> list[tuple[int, int, str]]:
    """Return (start, stop, replacement) for each changed run of words; offsets in UTF-8 bytes of `old`."""
    a, b = _words(old), _words(new)
    offsets = [0]
    for word in a:
        offsets.append(offsets[-1] + len(word.encode()))
    changes: list[tuple[int, int, str]] = []
    a_from = b_from = done = 0
    for a_to, b_to in [*_anchors(a, b), (len(a), len(b))]:
        for replaced in _replacements(a, b, a_from, a_to, b_from, b_to):
            start, stop, first, last = _with_the_space_before(a, b, replaced, done)
            begins, words = offsets[start], "".join(b[first:last])
            if changes and start == done:  # nothing is left between the two
                begins, _, before = changes.pop()
                words = before + words
            changes.append((begins, offsets[stop], words))
            done = stop
        a_from, b_from = a_to + 1, b_to + 1
    return changes


def _anchors(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Return the longest row of words, each there once in both texts, that stand in the same order in both.

    Between two such words the texts are compared closely. All at once that takes a minute for forty kilobytes.
    """
    once = {word for word, count in Counter(a).items() if count == 1}
    at_in_b = {word: at for at, word in enumerate(b) if word in once}
    for word, count in Counter(b).items():
        if count > 1:
            at_in_b.pop(word, None)
    tails: list[int] = []  # the smallest end, in b, of a row of each length
    row_of: list[
        tuple[int, int, int]
    ] = []  # of each candidate: place in a, in b, and the candidate before it
    ends: list[int] = []
    for at, word in enumerate(a):
        if (there := at_in_b.get(word)) is not None:
            length = bisect_left(tails, there)
            row_of.append((at, there, ends[length - 1] if length else -1))
            tails[length : length + 1] = [there]
            ends[length : length + 1] = [len(row_of) - 1]
    row: list[tuple[int, int]] = []
    candidate = ends[-1] if ends else -1
    while candidate >= 0:
        at, there, candidate = row_of[candidate]
        row.append((at, there))
    return row[::-1]


def _replacements(
    a: list[str], b: list[str], a_from: int, a_to: int, b_from: int, b_to: int
) -> list[tuple[int, int, int, int]]:
    if a[a_from:a_to] == b[b_from:b_to]:
        return []
    if (a_to - a_from) * (b_to - b_from) > _COMPARED_WORDS_MAX:
        return [(a_from, a_to, b_from, b_to)]
    from difflib import SequenceMatcher  # here: every command loads this module, and few texts are edited

    matcher = SequenceMatcher(None, a[a_from:a_to], b[b_from:b_to], autojunk=False)
    return [
        (a_from + start, a_from + stop, b_from + first, b_from + last)
        for tag, start, stop, first, last in matcher.get_opcodes()
        if tag != "equal"
    ]


def _with_the_space_before(
    a: list[str], b: list[str], replaced: tuple[int, int, int, int], done: int
) -> tuple[int, int, int, int]:
    """Return a change so that it begins with the space before its words, where one is left behind what is `done`.

    What two devices wrote in one place then stands side by side, not in one word.
    """
    start, stop, first, last = replaced
    if start == done or a[start - 1] != " ":
        return replaced
    if start < stop and first < last:
        return start - 1, stop, first - 1, last
    if (a[stop - 1] if start < stop else b[last - 1]) == " ":  # the same, one place to the left
        return start - 1, stop - 1, first - 1, last - 1
    return replaced


def _words(text: str) -> list[str]:
    """Split into words and the single characters between them: an edit then moves whole words."""
    return _WORD.findall(text)
