"""Read a JSON list one item at a time, so that an export of any size takes the memory of its largest item.

The standard library reads documents whole, but it can be asked for one value at the beginning of a text. What comes
of an item that is not whole yet is an error at the end of what was read so far, upon which more is read.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final

from replica.json_text import check_nesting

# What is read at once at first; an item that is larger is tried again when twice as much was read.
_CHARACTERS: Final = 1 << 16
# The longest chat that was ever exported is a small part of this; what is longer is no item but damage.
ITEM_CHARACTERS_MAX: Final = 1 << 26
# A value that is cut off fails this near the end at the most ("nul", "\\u00e"), unless it is a text.
_CUT_OFF: Final = 16
_CUT_TEXT: Final = "Unterminated string"
_SPACE: Final = " \t\r\n"


class Damaged(ValueError):
    """What was read is no JSON from here on."""


def items(read: Callable[[int], str], *, under: tuple[str, ...] = ()) -> Iterator[object]:
    """Return the items of a JSON list; `read(n)` returns the next characters of it, at most `n`, and "" at its end.

    An object gives those of the lists `under` these names. Raises `Damaged` behind the last item that is whole, if the
    list goes on in another way than it should.
    """
    text = _Text(read)
    yield from _in_object(text, under) if under and text.next() == "{" else _in_list(text)
    if text.next():
        raise Damaged("expected nothing behind the list")


def _in_list(text: "_Text") -> Iterator[object]:
    if text.next() != "[":
        raise Damaged("expected a list")
    text.at += 1
    if text.next() == "]":
        text.at += 1
        return
    while True:
        text.next()
        yield text.value()
        if not text.goes_on("]"):
            return


def _in_object(text: "_Text", under: tuple[str, ...]) -> Iterator[object]:
    text.at += 1
    if text.next() == "}":
        text.at += 1
        return
    while True:
        name = text.value() if text.next() == '"' else None
        if text.next() != ":":
            raise Damaged("expected a name and a colon in the object")
        text.at += 1
        if text.next() == "[" and name in under:
            yield from _in_list(text)
        else:
            text.value()
        if not text.goes_on("}"):
            return


class _Text:
    """The part of a text that was read and is still needed."""

    def __init__(self, read: Callable[[int], str]) -> None:
        self._read = read
        self._held = ""
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode
        self.at = 0

    def next(self) -> str:
        """Return the next character that is no space, and go there; "" at the end."""
        while True:
            while self.at < len(self._held):
                if (letter := self._held[self.at]) not in _SPACE:
                    return letter
                self.at += 1
            if not self._more(_CHARACTERS):
                return ""

    def goes_on(self, end: str) -> bool:
        """Go behind the comma or the end that stands here; say whether it was a comma."""
        mark = self.next()
        self.at += 1
        if mark not in (",", end) or not mark:
            raise Damaged(f"expected a comma or the end of the list, got {mark!r}")
        return mark == ","

    def value(self) -> object:
        """Return the value that begins here, and go behind it."""
        while True:
            try:
                found, end = self._decode(self._held, self.at)
                check_nesting(found)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith(_CUT_TEXT) or error.pos >= len(self._held) - _CUT_OFF
                if not cut or not self._more(len(self._held)):
                    raise Damaged(str(error)) from None
                continue
            except (ValueError, RecursionError) as error:
                raise Damaged(f"expected a value of JSON, {error}") from None
            if end < len(self._held) or not self._more(_CHARACTERS):  # a number may go on
                self.at = end
                return found

    def _more(self, characters: int) -> bool:
        """Read on; say whether there was anything."""
        if len(self._held) - self.at > ITEM_CHARACTERS_MAX:
            raise Damaged(f"expected an item of at most {ITEM_CHARACTERS_MAX} characters")
        read = "" if self._ended else self._read(max(characters, _CHARACTERS))
        self._ended = not read
        if read:
            self._held, self.at = self._held[self.at :] + read, 0
        return bool(read)
