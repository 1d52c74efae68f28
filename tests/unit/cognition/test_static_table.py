"""The table of word vectors is given back to the system once much of it was read, and not after every word."""

import mmap
from collections.abc import Sequence

import numpy as np
import pytest

from cognition import StaticEmbedder
from cognition.embedding import static
from cognition.embedding.static import WIDTH, Table


class Mapped(mmap.mmap):
    """A piece of memory that counts how often it is given back."""

    given_back = 0

    def madvise(self, *_: int) -> None:
        self.given_back += 1


@pytest.mark.skipif(static._LET_GO is None, reason="the system has no such call")
def test_it_is_given_back_once_so_many_rows_were_read() -> None:
    mapped = Mapped(-1, WIDTH * 2)
    table = Table(mapped, 0, 1)
    counts = []
    for read in (static._KEPT_ROWS - 1, 1, static._KEPT_ROWS - 1, 1, 3 * static._KEPT_ROWS):
        table.let_go(read)
        counts.append(mapped.given_back)
    assert counts == [0, 1, 1, 2, 3]


def test_every_vector_that_is_looked_up_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(Table, "let_go", lambda _, rows: read.append(rows))
    embedder = StaticEmbedder()

    def pieces(texts: Sequence[str]) -> int:
        return sum(len(embedder._load()[0].of(text)) for text in texts)

    texts = ["tea", "", "a cup of Darjeeling by the lake"]
    assert np.count_nonzero(embedder.embed(texts).any(axis=1)) == 2
    embedder.weigh(texts)
    assert read == [pieces(texts)] * 2
    assert read[0] > 8
