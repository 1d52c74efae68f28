"""Look up the adds of one memory by what an op needs of them: who had seen them, their bases, and their labels.

Nearly every memory was added once, or by a few imports. But a member may add one by the ten thousand, and then a frame
of five thousand ops that each go through all adds keeps every device from answering for hours. Here an op costs a step
for each feed that added the memory, and one for each label that it takes off.
"""

from collections.abc import Mapping
from typing import NamedTuple

from replica.fields import Value
from replica.state.labels import TAGS, Untagged
from replica.state.register import Dot, Vector
from replica.state.text import base_name


class Add(NamedTuple):
    """One add: its stamp, its text and the fields it started with."""

    hlc: int
    text: str
    fields: dict[str, Value]


class AddIndex:
    """The adds of the memory `rid`, those that come later too (`tell`), and what was not taken off of them yet."""

    def __init__(self, rid: bytes, adds: Mapping[Dot, Add], untagged: Untagged) -> None:
        self._rid = rid
        self._first: dict[int, int] = {}
        self._by_base: dict[bytes, dict[int, tuple[int, str]]] = {}
        self._by_label: dict[str, dict[int, list[Dot]]] = {}
        for dot in sorted(adds, key=lambda dot: dot.seq):
            self.tell(dot, adds[dot], untagged.get(dot, ()))

    def tell(self, dot: Dot, add: Add, off: tuple[str, ...] = ()) -> None:
        """Take in an add that no add of its feed follows, of which some labels are off."""
        self._first.setdefault(dot.feed, dot.seq)
        self._by_base.setdefault(base_name(self._rid, add.text), {}).setdefault(dot.feed, (dot.seq, add.text))
        labels = add.fields.get(TAGS)
        if isinstance(labels, list):
            for label in {*labels}.difference(off):
                self._by_label.setdefault(label, {}).setdefault(dot.feed, []).append(dot)

    def is_known(self, vector: Vector) -> bool:
        """Say whether whoever wrote with this vector had seen an add."""
        return any(vector.get(feed, 0) >= seq for feed, seq in self._first.items())

    def text_of(self, base: bytes, vector: Vector) -> str | None:
        """Return the text that this base names, if such an add had been seen."""
        for feed, (seq, text) in self._by_base.get(base, {}).items():
            if vector.get(feed, 0) >= seq:
                return text
        return None

    def take_off(self, label: str, vector: Vector) -> list[Dot]:
        """Return the adds that had been seen whose label this is, each once: from then on it counts as taken off."""
        taken: list[Dot] = []
        for feed, dots in self._by_label.get(label, {}).items():
            upto = vector.get(feed, 0)
            seen = next((at for at, dot in enumerate(dots) if dot.seq > upto), len(dots))
            taken += dots[:seen]
            del dots[:seen]
        return taken
