"""The vectors that are kept between cycles: what they find is what the table says, however they came here."""

import sqlite3
from random import Random

import numpy as np
import pytest

from cognition.consolidation import alone
from cognition.consolidation.alone import Alone
from cognition.consolidation.clusters import SIMILARITY_MIN
from cognition.embedding.embedder import Vectors
from cognition.embedding.products import unit

WIDTH = 16


def a_store(days: dict[int, int]) -> sqlite3.Connection:
    """Return a store of memories that stand alone; those with the same last digit are alike."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE consolidation_alone (id INTEGER PRIMARY KEY, day INTEGER NOT NULL)")
    connection.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    tell(connection, days)
    return connection


def tell(connection: sqlite3.Connection, days: dict[int, int]) -> None:
    connection.executemany("INSERT INTO consolidation_alone VALUES (?, ?)", days.items())
    rows = [(number, vector(number)[0].astype(np.float16).tobytes()) for number in days]
    connection.executemany("INSERT INTO vector VALUES (?, ?)", rows)


def vector(number: int) -> Vectors:
    found = np.zeros((1, WIDTH), np.float32)
    found[0, number % 10] = 2.0
    return found / 2.0


def test_what_is_told_in_its_time_is_found_and_nothing_else() -> None:
    connection = a_store({1: 100, 11: 100, 21: 131, 31: 132, 41: 69, 51: 68, 2: 100})
    assert Alone().like(connection, vector(1), 100, 100) == [21, 1, 11, 41]
    assert Alone().like(connection, vector(5), 100, 100) == []


def test_what_is_added_is_found_as_if_the_store_were_read_anew() -> None:
    random, held = Random(7), Alone()
    connection = a_store({})
    told: list[int] = []
    for _ in range(8):
        fresh = {number: random.randrange(90, 140) for number in range(len(told), len(told) + 50)}
        tell(connection, fresh)
        held.add(connection, [*fresh, 9_999])
        told += fresh
        asked = random.randrange(10)
        found = held.like(connection, vector(asked), 100, 105)
        assert sorted(found) == sorted(Alone().like(connection, vector(asked), 100, 105)) != []


def test_a_memory_that_was_told_anew_is_found_by_what_it_says_now() -> None:
    connection, held = a_store({1: 100, 2: 100}), Alone()
    assert held.like(connection, vector(1), 100, 100) == [1]
    connection.execute(
        "UPDATE vector SET data = ? WHERE id = 1", (vector(5)[0].astype(np.float16).tobytes(),)
    )
    held.add(connection, [1])
    assert held.like(connection, vector(1), 100, 100) == []
    assert held.like(connection, vector(5), 100, 100) == [1]


def test_the_latest_told_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "ALONE_MAX", 20)
    monkeypatch.setattr(alone, "_SPARE", 5)
    held, connection = Alone(), a_store({})
    held.like(connection, vector(0), 0, 0)
    for number in range(0, 400, 10):  # the later told, the lower its number
        tell(connection, {number: 200 - number // 10})
        held.add(connection, [number])
    found = held.like(connection, vector(0), 160, 200)
    assert len(found) <= 25
    assert set(found) >= set(range(0, 200, 10))
    assert Alone().like(connection, vector(0), 160, 200) == sorted(set(range(0, 200, 10)))


def test_what_is_told_of_a_time_before_the_kept_days_meets_its_own_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An archive that is imported into a store whose later days fill what is kept."""
    monkeypatch.setattr(alone, "ALONE_MAX", 20)
    monkeypatch.setattr(alone, "_SPARE", 5)
    connection, grown = a_store({}), Alone()
    grown.like(connection, vector(0), 0, 0)
    for number in range(300, 340):
        tell(connection, {number: 20_000})
        grown.add(connection, [number])
    tell(connection, {1: 100, 11: 131, 21: 132, 2: 100})
    grown.add(connection, [1, 2, 11, 21])
    for held in (grown, Alone()):
        assert held.like(connection, vector(1), 100, 100) == [11, 1]
        # A day that only some are left of is read from the table, too: the latest of it, as many as are kept.
        assert len(held.like(connection, vector(3), 20_000, 20_000)) > 0


def test_vectors_of_another_width_begin_anew() -> None:
    connection, held = a_store({1: 100}), Alone()
    held.like(connection, vector(1), 100, 100)
    wide = np.ones((1, 2 * WIDTH), np.float32) / np.sqrt(2 * WIDTH)
    connection.execute("UPDATE vector SET data = ?", (wide[0].astype(np.float16).tobytes(),))
    assert held.like(connection, wide.astype(np.float32), 100, 100) == [1]


def test_whatever_is_like_another_is_named_and_hardly_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of 8 bits move a cosine; none that is near enough may be missed for it, in whatever block it stands."""
    monkeypatch.setattr(alone, "_BLOCK", 300)
    random, width = np.random.default_rng(5), 256
    asked = random.normal(size=(3, width)).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    noise = random.normal(size=(3_000, width)) / width**0.5
    stored = (asked[random.integers(0, 3, 3_000)] + random.uniform(0.9, 1.1, (3_000, 1)) * noise).astype(
        np.float16
    )
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE consolidation_alone (id INTEGER PRIMARY KEY, day INTEGER NOT NULL)")
    connection.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    connection.executemany(
        "INSERT INTO vector VALUES (?, ?)", [(at, row.tobytes()) for at, row in enumerate(stored)]
    )
    connection.execute("INSERT INTO consolidation_alone SELECT id, 100 FROM vector")
    cosines = (unit([row.tobytes() for row in stored]) @ asked.T).max(axis=1)
    like, nearly = (
        set(np.flatnonzero(cosines > least).tolist()) for least in (SIMILARITY_MIN, SIMILARITY_MIN - 0.04)
    )
    held = Alone()
    assert like <= set(held.like(connection, asked, 100, 100)) <= nearly
    assert 500 < len(like) < len(nearly) < 3_000
    assert held._packed.numbers.nbytes == stored.nbytes // 2
