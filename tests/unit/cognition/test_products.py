"""Products of many vectors with many: the same as BLAS gives in one piece, for any number of vectors."""

import numpy as np
import pytest

from cognition.embedding.products import products


@pytest.mark.parametrize(
    ("rows", "columns", "width"),
    [(1, 1, 256), (31, 33, 256), (100, 1_000, 256), (3, 70, 1), (0, 5, 8), (5, 0, 8)],
)
def test_each_is_multiplied_with_each(rows: int, columns: int, width: int) -> None:
    random = np.random.default_rng(rows * columns + width)
    left, right = (random.normal(size=(count, width)).astype(np.float32) for count in (rows, columns))
    found = products(left, right)
    assert found.shape == (rows, columns)
    assert found.dtype == np.float32
    assert found == pytest.approx(left @ right.T, abs=1e-4)


def test_wide_vectors_are_multiplied_too() -> None:
    wide = np.ones((3, 300_000), np.float32)
    assert products(wide, wide) == pytest.approx(np.full((3, 3), 300_000.0))
