"""What the vector index promises, beside a brute-force list: all of it in one pass, and in two for large memories."""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event, Thread
from typing import Final

import numpy as np
import pytest

import cognition.embedding.index
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import AHEAD, ALL_MAX, BESIDE_MIN, Halves, VectorIndex
from cognition.errors import IndexStale
from tests.support.minds import unit_rows
from tests.support.published import published

WIDTH = 16
# Beyond what is searched in one pass, and no multiple of anything.
MANY = ALL_MAX + 3_333


def topical(count: int, width: int, seed: int) -> Vectors:
    """Return vectors that lie about a hundred topics, all of them to one side, as those of texts do.

    Their numbers are such as 16 bits hold, as those of a store are.
    """
    random = np.random.default_rng(seed)
    rows = unit_rows(100, width, seed)[random.integers(0, 100, count)] + 0.6 * unit_rows(
        count, width, seed + 1
    )
    rows += 0.5 * unit_rows(1, width, seed + 2)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float16).astype(np.float32)


@published("ME-14")
def test_an_index_agrees_with_a_list_whatever_is_added_and_removed() -> None:
    """Random adds, replacements and removals; every search gives what sorting a list gives."""
    random, index = Random(5), VectorIndex(WIDTH)
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


@published("ML-35")
def test_among_many_vectors_the_nearest_are_found_by_their_signs() -> None:
    """Of the ten nearest none may be missing, of the nearest 120 one in fifty."""
    rows, index = topical(MANY, 256, 3), VectorIndex(256)
    index.add(range(MANY), rows)
    found, found_of_ten = 0, 0
    for query in topical(30, 256, 3):
        hits = index.search(query, 120)
        cosines = [cosine for _, cosine in hits]
        assert np.allclose(
            cosines, sorted(rows[[number for number, _ in hits]] @ query, reverse=True), atol=1e-5
        )
        nearest = np.argsort(-(rows @ query)).tolist()
        found += len({number for number, _ in hits} & {*nearest[:120]})
        found_of_ten += len({number for number, _ in hits[:10]} & {*nearest[:10]})
    assert found_of_ten == 30 * 10
    assert found >= 0.98 * 30 * 120


def test_signatures_follow_what_is_added_replaced_and_removed() -> None:
    """A vector that came, moved or went after the signatures were made is where it is now."""
    rows, index = topical(MANY, 64, 4), VectorIndex(64, room=MANY + 1)
    index.add(range(MANY), rows)
    query = -rows[:50].mean(axis=0)  # nothing is like it yet, by signs or by numbers
    query /= np.linalg.norm(query)
    index.search(query, 1)  # makes the signatures
    near = query + 0.05 * unit_rows(3, 64, 8)
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    index.add([7, MANY + 5], near[:2])
    assert {number for number, _ in index.search(query, 2)} == {7, MANY + 5}
    index.remove([int(np.argmin(rows @ query))])  # the last row takes its place, which is the new one
    assert {number for number, _ in index.search(query, 2)} == {7, MANY + 5}
    index.remove([7])
    assert index.search(query, 1)[0][0] == MANY + 5
    index.add(range(2 * MANY, 4 * MANY), -rows.repeat(2, axis=0))  # beyond what there was room for
    index.add([8], near[2:])
    assert {number for number, _ in index.search(query, 2)} == {8, MANY + 5}


def test_cosines_of_some_are_those_that_a_search_finds() -> None:
    rows = unit_rows(50, WIDTH, 3)
    index = VectorIndex(WIDTH)
    index.add(range(1, 51), rows)
    found = dict(index.search(rows[7], 50))
    assert index.cosines(rows[7], [8, 3, 999, 50]) == {number: found[number] for number in (8, 3, 50)}
    assert index.cosines(rows[7], [4, 4]) == {4: found[4]}
    index.remove([3])
    index.add([8], rows[20:21])
    expected = {8: float(rows[7] @ rows[20]), 50: found[50]}
    assert index.cosines(rows[7], [3, 8, 50]) == pytest.approx(expected), "as they stand now"
    assert index.cosines(rows[7], []) == {}


def test_a_question_among_a_few_of_many_is_exact() -> None:
    rows, index = topical(MANY, 64, 4), VectorIndex(64)
    index.add(range(MANY), rows)
    query, among = topical(1, 64, 9)[0], Random(1).sample(range(MANY), 500)
    expected = sorted(among, key=lambda number: -float(rows[number] @ query))[:50]
    assert [number for number, _ in index.search(query, 50, among=among)] == expected


def test_who_wants_nearly_all_of_many_gets_them_in_one_pass() -> None:
    rows, index = topical(MANY, WIDTH, 4), VectorIndex(WIDTH)
    index.add(range(MANY), rows)
    found = [number for number, _ in index.search(rows[0], MANY)]
    assert sorted(found) == [*range(MANY)]


def test_vectors_without_any_difference_are_all_on_the_shortlist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cognition.embedding.index, "ALL_MAX", 10)
    monkeypatch.setattr(cognition.embedding.index, "SHORTLIST_MIN", 10)
    index, row = VectorIndex(WIDTH), unit_rows(1, WIDTH, 1)
    index.add(range(100, 0, -1), row.repeat(100, axis=0))
    assert [number for number, _ in index.search(row[0], 2)] == [1, 2]


@published("ML-14")
def test_an_index_refuses_vectors_of_another_width() -> None:
    index = VectorIndex(WIDTH)
    with pytest.raises(IndexStale, match="expected 1 vectors of width 16, got \\(1, 8\\)"):
        index.add([1], unit_rows(1, 8, 1))
    with pytest.raises(IndexStale, match="width 16"):
        index.search(unit_rows(1, 8, 1)[0], 3)
    with pytest.raises(IndexStale, match="width 16"):
        index.cosines(unit_rows(1, 8, 1)[0], [1])


def test_an_empty_index_and_a_wish_for_nothing_find_nothing() -> None:
    index, query = VectorIndex(WIDTH), unit_rows(1, WIDTH, 1)[0]
    assert index.search(query, 5) == []
    index.add([3], unit_rows(1, WIDTH, 2))
    assert index.search(query, 0) == []
    assert index.search(query, 5, among=[]) == []
    assert [number for number, _ in index.search(query, 10**6)] == [3]


def test_equal_cosines_are_ordered_by_number() -> None:
    index, row = VectorIndex(WIDTH), unit_rows(1, WIDTH, 1)
    index.add([9, 4, 7, 1], np.repeat(row, 4, axis=0))
    assert [number for number, _ in index.search(row[0], 2)] == [1, 4]


def test_the_same_vectors_have_the_same_cosines_in_32_bits_and_in_16() -> None:
    """To the last bit, also of numbers that hardly differ from nought: a store that grows answers as it did."""
    rows, query = topical(ALL_MAX, WIDTH, 6), unit_rows(1, WIDTH, 9)[0]
    rows[:100] *= np.float32(2.0**-20)  # beyond what has its whole fraction in 16 bits
    rows[100], rows[101] = 0, -0.0
    rows = rows.astype(np.float16).astype(np.float32)
    small, large = VectorIndex(WIDTH), VectorIndex(WIDTH, room=MANY)
    small.add(range(ALL_MAX), rows.astype(np.float16))
    large.add(range(ALL_MAX), rows)
    numbers = range(0, ALL_MAX, 7)
    assert small.cosines(query, numbers) == large.cosines(query, numbers)
    assert small.search(query, 50) == large.search(query, 50)
    assert small.spread(query) == large.spread(query)
    assert all((small.vectors([n])[n] == large.vectors([n])[n]).all() for n in (0, 50, 100, 101, 5_000))


def test_how_cosines_spread_is_as_if_all_had_come_at_once() -> None:
    """Whatever came, left or was replaced since the sample was taken, in it or beside it, and as its step changes."""
    random, index, query = Random(7), VectorIndex(WIDTH), unit_rows(1, WIDTH, 9)[0]
    model: dict[int, Vectors] = {}
    for step in range(120):
        ids = random.sample(range(6_000), random.choice((1, 1, 2, 300)))
        if step % 3 == 2:
            index.remove(ids[:5])
            for number in ids[:5]:
                model.pop(number, None)
        else:
            rows = unit_rows(len(ids), WIDTH, step)
            index.add(ids, rows)
            model.update(zip(ids, rows, strict=True))
        anew = VectorIndex(WIDTH)
        anew.add([*model], np.array([*model.values()]))
        assert index.spread(query) == anew.spread(query)


def test_what_a_search_multiplied_serves_whoever_asks_next_until_something_changes() -> None:
    rows, query = unit_rows(700, WIDTH, 3), unit_rows(1, WIDTH, 4)[0]
    index = VectorIndex(WIDTH)
    index.add(range(700), rows)
    for change in range(4):
        anew = VectorIndex(WIDTH)
        here = [number for number in range(700) if number in index.vectors(range(700))]
        anew.add(here, np.array([*index.vectors(here).values()]))
        index.search(query, 5)
        assert index.cosines(query, range(0, 700, 3)) == anew.cosines(query, range(0, 700, 3))
        assert index.spread(query) == anew.spread(query)
        if change % 2:
            index.add([6, 12], rows[[12, 6]])
        else:
            index.remove([change, 30, 200])


@pytest.mark.parametrize(("count", "ahead"), [(BESIDE_MIN, BESIDE_MIN), (AHEAD + 9, AHEAD + 4)])
def test_a_product_that_was_begun_beside_is_that_of_the_search_unless_something_changed_since(
    count: int, ahead: int
) -> None:
    rows, queries = topical(count, WIDTH, 3), unit_rows(2, WIDTH, 4)
    index = VectorIndex(WIDTH)
    index.add(range(count), rows)
    made = index.search(queries[0], 30)
    index.multiply_beside(queries[0])
    assert index._begun is not None
    assert len(index._begun[1].result()) == ahead
    assert index.search(queries[0], 30) == made
    index.multiply_beside(queries[1])
    assert index.search(queries[0], 30) == made  # another question
    index.multiply_beside(queries[0])
    index.remove([made[0][0]])
    assert index.search(queries[0], 29) == made[1:]
    index.multiply_beside(queries[0])
    index.add([made[0][0]], rows[[made[0][0]]])
    assert index.search(queries[0], 30) == made


def test_a_search_makes_the_product_where_no_other_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, query = topical(BESIDE_MIN, WIDTH, 3), unit_rows(1, WIDTH, 4)[0]
    index, held = VectorIndex(WIDTH), Event()
    index.add(range(BESIDE_MIN), rows)
    made = index.search(query, 30)
    with ThreadPoolExecutor(1) as busy:
        busy.submit(held.wait)
        monkeypatch.setattr(cognition.embedding.index._thread, "_executor", busy)
        monkeypatch.setattr(cognition.embedding.index._thread, "_has_none", False)
        index.multiply_beside(query)
        assert index.search(query, 30) == made
        held.set()
    index.multiply_beside(query)  # which begins no thread, as its executor was shut down
    assert index._begun is None
    assert index.search(query, 30) == made


def test_what_was_asked_of_a_thread_that_cannot_be_begun_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = topical(BESIDE_MIN, WIDTH, 3)
    index, thread = VectorIndex(WIDTH), cognition.embedding.index._ProductThread()
    index.add(range(BESIDE_MIN), rows)

    def cannot(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(cognition.embedding.index, "_thread", thread)
    monkeypatch.setattr(Thread, "start", cannot)
    index.multiply_beside(rows[0])
    assert (index._begun, thread._executor) == (None, None)
    assert index.search(rows[0], 1)[0][0] == 0


_FORKED: Final = """
import os
import numpy as np
from cognition.embedding.index import BESIDE_MIN, VectorIndex

index = VectorIndex(8)
index.add(range(BESIDE_MIN), np.ones((BESIDE_MIN, 8), np.float32))
query = np.ones(8, np.float32)
index.multiply_beside(query)
index.search(query, 1)
if child := os.fork():
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
index.multiply_beside(query)
index._begun[1].result(timeout=10)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_process_that_was_forked_has_a_thread_of_its_own() -> None:
    """Else what each of its searches asks of the one that it has not would stay in memory."""
    forked = subprocess.run([sys.executable, "-c", _FORKED], check=False, timeout=60)
    assert forked.returncode == 0


def test_a_few_vectors_are_multiplied_by_the_caller() -> None:
    index = VectorIndex(WIDTH)
    index.add(range(BESIDE_MIN - 1), topical(BESIDE_MIN - 1, WIDTH, 3))
    index.multiply_beside(unit_rows(1, WIDTH, 4)[0])
    assert index._begun is None


def test_a_store_that_grows_beyond_one_pass_keeps_what_it_has() -> None:
    rows, index = topical(MANY, WIDTH, 7), VectorIndex(WIDTH)
    for start in range(0, MANY, 1_000):
        index.add(range(start, min(start + 1_000, MANY)), rows[start : start + 1_000])
    query = topical(1, WIDTH, 11)[0]
    expected = np.argsort(-(rows @ query), kind="stable")[:5].tolist()
    assert [number for number, _ in index.search(query, 5)] == expected
    assert all((index.vectors([n])[n] == rows[n]).all() for n in (0, ALL_MAX - 1, ALL_MAX, MANY - 1))


class Table:
    """Vectors where they are kept, as a store has them."""

    def __init__(self) -> None:
        self.rows: dict[int, Halves] = {}
        self.read = 0

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        self.rows.update(zip(ids, vectors.astype(np.float16), strict=True))

    def kept(self, ids: Sequence[int]) -> tuple[list[int], Halves]:
        found = sorted({*ids} & self.rows.keys())
        self.read += len(found)
        rows = [self.rows[number] for number in found]
        return found, np.array(rows, np.float16).reshape(len(rows), -1)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three hundred vectors be many."""
    monkeypatch.setattr(cognition.embedding.index, "ALL_MAX", 300)
    monkeypatch.setattr(cognition.embedding.index, "SHORTLIST_MIN", 200)
    monkeypatch.setattr(cognition.embedding.index, "SHORTLIST_EACH", 10)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(3))
def test_vectors_held_in_8_bits_answer_as_those_in_16_do(seed: int) -> None:
    """To the last bit: what is returned was read where it is kept, whatever came, left or was replaced meanwhile."""
    random, table = Random(seed), Table()
    eighths, halves = VectorIndex(64, kept=table.kept), VectorIndex(64)
    for step in range(40):
        ids = random.sample(range(2_000), random.choice((1, 2, 60)))
        if step % 4 == 3:
            eighths.remove(ids)
            halves.remove(ids)
            for number in ids:
                table.rows.pop(number, None)
        else:
            rows = (
                topical(len(ids), 64, seed).astype(np.float32) if step % 2 else unit_rows(len(ids), 64, step)
            )
            table.add(ids, rows)
            eighths.add(ids, rows)
            halves.add(ids, rows.astype(np.float16))
        query = topical(1, 64, step)[0]
        among = random.sample(range(2_000), 400)
        if len(halves) <= 300:  # its rows are held in 32 bits: the same but for those that 16 do not hold
            continue
        assert eighths.search(query, 20, among=among) == halves.search(query, 20, among=among)
        assert eighths.search(query, 2_000) == halves.search(query, 2_000)
        assert eighths.cosines(query, [*among, *among[:3]]) == halves.cosines(query, [*among, *among[:3]])
        assert eighths.spread(query) == halves.spread(query)
        found, held = eighths.vectors(among), halves.vectors(among)
        assert found.keys() == held.keys()
        assert all((found[number] == held[number]).all() for number in found)


@published("ML-35")
def test_among_many_vectors_in_8_bits_as_many_of_the_nearest_are_found() -> None:
    """Of the ten nearest none may be missing, of 120 one in fifty; and hardly more are read than asked for."""
    rows, table = topical(MANY, 256, 3), Table()
    table.add(range(MANY), rows)
    index = VectorIndex(256, room=MANY, kept=table.kept)
    index.add(range(MANY), rows)
    found, found_of_ten = 0, 0
    for query in topical(30, 256, 3):
        hits = index.search(query, 120)
        nearest = np.argsort(-(rows @ query)).tolist()
        found += len({number for number, _ in hits} & {*nearest[:120]})
        found_of_ten += len({number for number, _ in hits[:10]} & {*nearest[:10]})
    assert found_of_ten == 30 * 10
    assert found >= 0.98 * 30 * 120
    assert table.read < 30 * 120 * 1.5


@pytest.mark.usefixtures("few")
def test_what_is_gone_where_it_was_kept_is_still_found_until_it_is_removed() -> None:
    """Whoever asked sees what became of the memory; its vector is nowhere to be read."""
    rows, table = topical(600, 64, 4), Table()
    table.add(range(600), rows)
    index = VectorIndex(64, kept=table.kept)
    index.add(range(600), rows)
    before = index.search(rows[41], 5)
    del table.rows[41]
    after = index.search(rows[41], 5)
    assert [number for number, _ in after] == [number for number, _ in before]
    assert after[0][1] == pytest.approx(before[0][1], abs=0.01)
    assert after[1:] == before[1:]
    assert index.vectors([41, 42]).keys() == {42}
    index.remove([41])
    assert 41 not in [number for number, _ in index.search(rows[41], 5)]


@pytest.mark.usefixtures("few")
def test_vectors_without_a_number_or_with_one_are_held_in_8_bits_too() -> None:
    rows, table = topical(400, 64, 4), Table()
    rows[7], rows[8] = 0, 0
    rows[8, 3] = 1
    table.add(range(400), rows)
    index = VectorIndex(64, kept=table.kept)
    index.add(range(400), rows)
    assert index.search(rows[8], 1) == [(8, 1.0)]
    assert index.cosines(rows[8], [7]) == {7: 0.0}
