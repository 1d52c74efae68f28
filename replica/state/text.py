"""Hold a memory's text so that two people who edit it apart both keep their words.

The text is a Yjs document (`pycrdt`). Its base is a function of (rid, text): every device builds the same document,
with a client id derived from both, so an unedited memory needs no document at all. Every edit draws a fresh random
client id, since a client id used by two devices (a restored backup) makes them differ silently and for ever.

Yjs counts in UTF-8 bytes, and an index inside a character lands somewhere else: offsets here are taken from encoded
text and only ever at character boundaries.
"""

import hashlib
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from pycrdt import Doc, Text

from replica.errors import InvalidOp

if TYPE_CHECKING:
    from random import Random

# Client ids are 53-bit, since Yjs was born in JavaScript.
_CLIENT_ID_MAX: Final = 2**53 - 1
_ROOT: Final = "text"


def base_name(rid: bytes, text: str) -> bytes:
    """Return the 8 bytes that name the document which starts from this text."""
    return hashlib.sha256(b"samemind text\0" + rid + text.encode()).digest()[:8]


class EditedText:
    """One document: a base text and every edit to it that arrived, in any order."""

    def __init__(self, state: bytes) -> None:
        self._doc: Doc[Text] = Doc()
        self._doc.apply_update(state)
        self._text = self._doc.get(_ROOT, type=Text)

    @classmethod
    def from_base(cls, rid: bytes, text: str) -> "EditedText":
        """Return the document that every device derives from a memory's first text."""
        client = int.from_bytes(
            hashlib.sha256(b"samemind client\0" + rid + text.encode()).digest()[:7], "big"
        )
        doc: Doc[Text] = Doc(client_id=client & _CLIENT_ID_MAX)
        doc.get(_ROOT, type=Text).insert(0, text)
        return cls(doc.get_update())

    def apply(self, update: bytes) -> None:
        """Merge one edit, or a whole other copy of the document."""
        self._doc.apply_update(update)

    def state(self) -> bytes:
        """Return the document as bytes that `EditedText(...)` takes."""
        return self._doc.get_update()

    def show(self) -> str:
        """Return the text as it reads now."""
        return str(self._text)

    def edit(self, text: str, random: "Random") -> bytes:
        """Return the update that turns what is shown into `text`, keeping what others insert around it."""
        before = self._doc.get_state()
        copy: Doc[Text] = Doc(client_id=random.randrange(1, _CLIENT_ID_MAX))
        copy.apply_update(self.state())
        target = copy.get(_ROOT, type=Text)
        with copy.transaction():
            for start, stop, words in reversed(_changes(str(target), text)):
                if stop > start:
                    del target[start:stop]
                if words:
                    target.insert(start, words)
        return copy.get_update(before)


def check_update(update: bytes) -> None:
    """Refuse bytes that are not a Yjs update, before any document meets them."""
    try:
        Doc().apply_update(update)
    except (ValueError, RuntimeError) as error:
        raise InvalidOp(f"expected a Yjs update, got bytes that are not one: {error}") from None


def _changes(old: str, new: str) -> list[tuple[int, int, str]]:
    """Return (start, stop, replacement) for each changed run of words; offsets in UTF-8 bytes of `old`."""
    a, b = _words(old), _words(new)
    offsets = [0]
    for word in a:
        offsets.append(offsets[-1] + len(word.encode()))
    return [
        (offsets[a_from], offsets[a_to], "".join(b[b_from:b_to]))
        for tag, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _words(text: str) -> list[str]:
    """Split into words and the single characters between them: an edit then moves whole words."""
    words: list[str] = []
    for character in text:
        if words and character.isalnum() and words[-1][-1].isalnum():
            words[-1] += character
        else:
            words.append(character)
    return words
