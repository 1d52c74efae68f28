"""Stand in for `pycrdt` by Yjs, as far as `replica.state.text` calls it.

pycrdt counts in UTF-8 bytes, Yjs in UTF-16 units. Both write one document in the same bytes but for the order in which
deletions are listed, so nothing compares or hashes those bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from samemind.phone.bridge import given, got, javascript, javascript_error


class Text:
    """A text in a document."""

    def __init__(self, text: Any) -> None:
        self._text = text

    def __str__(self) -> str:
        return str(javascript().shownText(self._text))

    def insert(self, at: int, words: str) -> None:
        """Insert words at an offset in bytes."""
        javascript().insertText(self._text, self._units(at), words)

    def __delitem__(self, bounds: slice) -> None:
        start = self._units(bounds.start or 0)
        javascript().deleteText(self._text, start, self._units(bounds.stop) - start)

    def _units(self, at: int) -> int:
        return len(str(self).encode()[:at].decode().encode("utf-16-le")) // 2


class Doc:
    """A document."""

    def __class_getitem__(cls, holds: object) -> "type[Doc]":
        return cls

    def __init__(self, client_id: int | None = None) -> None:
        self._document = javascript().newDocument(client_id)

    def get(self, name: str, *, type: object = None) -> Text:
        """Return the text of this name."""
        return Text(javascript().textOf(self._document, name))

    def apply_update(self, update: bytes) -> None:
        """Merge an update; `ValueError` for bytes that are none."""
        try:
            javascript().applyUpdate(self._document, given(update))
        except javascript_error() as error:
            raise ValueError(str(error)) from None

    def get_update(self, state: bytes | None = None) -> bytes:
        """Return the document, or what of it a state lacks."""
        return got(javascript().updateOf(self._document, None if state is None else given(state)))

    def get_state(self) -> bytes:
        """Return what the document holds, as far as another needs it to say what is lacking."""
        return got(javascript().stateOf(self._document))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Group edits; here each stands for itself, which comes to the same update."""
        yield
