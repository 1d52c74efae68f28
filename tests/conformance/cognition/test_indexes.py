"""`check_index`: what every vector index promises, tried on each, beside a brute-force list."""

import importlib.util
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from cognition.approximate import HnswIndex
from cognition.errors import IndexStale
from cognition.index import ExactIndex, VectorIndex
from tests.support.minds import unit_rows

WIDTH = 16

compiled = pytest.mark.skipif(
    importlib.util.find_spec("hnswlib") is None, reason="hnswlib is not installed (it needs a C++ compiler)"
)
MAKERS = [ExactIndex, pytest.param(HnswIndex, marks=compiled)]


@pytest.mark.parametrize("make", MAKERS)
def test_me_14_an_index_agrees_with_a_list_whatever_is_added_and_removed(
    make: Callable[[int], VectorIndex],
) -> None:
    """Random adds, replacements and removals; every search gives what sorting a list gives."""
    random, index = Random(5), make(WIDTH)
    model: dict[int, np.ndarray] = {}
    for step in range(60):
        ids = [random.randrange(800) for _ in range(random.randrange(1, 40))]
        ids = list(dict.fromkeys(ids))
        if random.random() < 0.7:
            rows = unit_rows(len(ids), WIDTH, step)
            index.add(ids, rows)
            model.update(zip(ids, rows, strict=True))
        else:
            index.remove(ids)
            for number in ids:
                model.pop(number, None)
        assert len(index) == len(model)
        query = unit_rows(1, WIDTH, 10_000 + step)[0]
        among = None if step % 2 else random.sample(range(800), 50)
        pool = model if among is None else {number: model[number] for number in among if number in model}
        expected = sorted(((float(row @ query), -number) for number, row in pool.items()), reverse=True)[:7]
        found = index.search(query, 7, among=among)
        assert [number for number, _ in found] == [-negative for _, negative in expected]
        assert np.allclose([cosine for _, cosine in found], [cosine for cosine, _ in expected], atol=1e-5)


@pytest.mark.parametrize("make", MAKERS)
def test_ml_14_an_index_refuses_vectors_of_another_width(make: Callable[[int], VectorIndex]) -> None:
    index = make(WIDTH)
    with pytest.raises(IndexStale, match="expected 1 vectors of width 16, got \\(1, 8\\)"):
        index.add([1], unit_rows(1, 8, 1))
    with pytest.raises(IndexStale, match="width 16"):
        index.search(unit_rows(1, 8, 1)[0], 3)


@pytest.mark.parametrize("make", MAKERS)
def test_an_empty_index_and_a_wish_for_nothing_find_nothing(make: Callable[[int], VectorIndex]) -> None:
    index, query = make(WIDTH), unit_rows(1, WIDTH, 1)[0]
    assert index.search(query, 5) == []
    index.add([3], unit_rows(1, WIDTH, 2))
    assert index.search(query, 0) == []
    assert index.search(query, 5, among=[]) == []
    assert [number for number, _ in index.search(query, 10**6)] == [3]


@pytest.mark.parametrize("make", MAKERS)
def test_equal_cosines_are_ordered_by_number(make: Callable[[int], VectorIndex]) -> None:
    index, row = make(WIDTH), unit_rows(1, WIDTH, 1)
    index.add([9, 4, 7, 1], np.repeat(row, 4, axis=0))
    assert [number for number, _ in index.search(row[0], 2)] == [1, 4]


@compiled
def test_ml_35_the_graph_finds_what_exact_search_finds_in_nineteen_of_twenty_cases() -> None:
    random = np.random.default_rng(3)
    topics = unit_rows(100, WIDTH, 1)
    rows = topics[random.integers(0, 100, 5_000)] + 0.3 * unit_rows(5_000, WIDTH, 2)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    exact, graph = ExactIndex(WIDTH), HnswIndex(WIDTH)
    for index in (exact, graph):
        index.add(range(5_000), rows)
    queries = rows[::250]
    found = sum(
        len(
            {number for number, _ in exact.search(query, 10)}
            & {number for number, _ in graph.search(query, 10)}
        )
        for query in queries
    )
    assert found >= 0.95 * 10 * len(queries)
