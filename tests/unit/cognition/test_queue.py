import numpy as np
import pytest

from cognition import HashedEmbedder
from cognition.background import queue
from replica import MemoryId, Set, Write
from tests.support.minds import NOW_MS, Home
from tests.support.published import published

EMBEDDER = HashedEmbedder()


@pytest.fixture
def home() -> Home:
    return Home()


def due(home: Home, now_ms: int = NOW_MS, limit: int = 100) -> list[queue.Job]:
    return queue.due(home.connection, now_ms=now_ms, limit=limit)


def embed(home: Home, jobs: list[queue.Job]) -> list[int]:
    space = queue.enter_space(home.connection, "test", now_ms=NOW_MS)
    return queue.done(home.connection, space, jobs, EMBEDDER.embed([job.text for job in jobs]))


def fail(home: Home, rid: MemoryId, now_ms: int, error: str = "no") -> None:
    queue.failed(home.connection, {home.number(rid): error}, now_ms=now_ms)


def embedded(home: Home, space: int) -> list[int]:
    return [number for ids, _ in queue.read_vectors(home.connection, space, EMBEDDER.width) for number in ids]


@published("PM-50")
def test_an_entry_shows_what_waits_since_when_and_what_went_wrong(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    (entry,) = queue.entries(home.connection)
    assert entry == queue.QueueRow(
        home.number(rid),
        rid,
        "Ann moved to Lisbon",
        NOW_MS,
        None,
        attempts=0,
        last_error=None,
        status="pending",
    )
    fail(home, rid, NOW_MS + 5, "out of memory")
    (entry,) = queue.entries(home.connection)
    assert (entry.last_attempt_at, entry.attempts, entry.last_error) == (NOW_MS + 5, 1, "out of memory")


@published("PM-50")
def test_retries_are_found_by_an_index_on_status_and_attempts(home: Home) -> None:
    ((sql,),) = home.connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'embed_queue_by_status'")
    assert "(status, attempts)" in sql


@published("PM-52")
def test_success_deletes_the_row(home: Home) -> None:
    home.remember("one")
    home.remember("two")
    assert embed(home, due(home)) == [0, 1]
    assert due(home) == []
    assert queue.state(home.connection) == queue.QueueState(0, 0, None)
    ((ids, vectors),) = queue.read_vectors(home.connection, 1, EMBEDDER.width)
    assert ids == [1, 2]
    assert np.allclose(vectors, EMBEDDER.embed(["one", "two"]), atol=1e-3)


@published("PM-53")
def test_failures_wait_one_and_a_half_seconds_and_then_twice_as_long_each_time(home: Home) -> None:
    rid, now_ms = home.remember("poison"), NOW_MS
    for wait in (1_500, 3_000, 6_000, 12_000):
        assert len(due(home, now_ms)) == 1
        fail(home, rid, now_ms)
        assert queue.state(home.connection).due_at == now_ms + wait
        assert due(home, now_ms + wait - 1) == []
        now_ms += wait
    assert len(due(home, now_ms)) == 1


@published("PM-54")
def test_the_fifth_failure_is_kept_for_inspection_and_can_be_asked_for_again(home: Home) -> None:
    rid, other = home.remember("poison"), home.remember("fine")
    for attempt in range(queue.ATTEMPTS_MAX):
        fail(home, rid, NOW_MS, f"error {attempt}")
    assert [job.text for job in due(home, NOW_MS + 10**9)] == ["fine"]
    assert queue.state(home.connection) == queue.QueueState(1, 1, NOW_MS)
    (entry,) = queue.entries(home.connection, status="failed")
    assert (entry.rid, entry.last_error, entry.attempts) == (rid, "error 4", 5)
    assert queue.requeue(home.connection, [other]) == 1
    assert queue.requeue(home.connection) == 1
    assert {job.text for job in due(home)} == {"poison", "fine"}
    assert queue.requeue(home.connection) == 0


def test_new_texts_come_before_those_that_failed(home: Home) -> None:
    first = home.remember("first")
    fail(home, first, NOW_MS)
    home.remember("second")
    assert [job.text for job in due(home, NOW_MS + 1_500)] == ["second", "first"]
    assert [job.text for job in due(home, NOW_MS + 1_500, limit=1)] == ["second"]


def test_a_text_that_changed_while_it_was_embedded_keeps_no_vector_of_its_old_words(home: Home) -> None:
    rid, _ = home.remember("old"), home.remember("other")
    jobs = due(home)
    home.commit(Write(Set("topic", "new"), rid))
    assert embed(home, jobs) == [1]
    assert [job.text for job in due(home)] == ["old new"]
    assert embedded(home, 1) == [2]


def test_a_memory_forgotten_while_it_was_embedded_keeps_no_vector(home: Home) -> None:
    home.remember("old")
    jobs = due(home)
    home.connection.execute("DELETE FROM memory")
    assert embed(home, jobs) == []


@published("ML-14")
def test_another_space_embeds_everything_again_and_mixes_nothing(home: Home) -> None:
    home.remember("one")
    home.remember("two")
    embed(home, due(home))
    assert queue.enter_space(home.connection, "test", now_ms=NOW_MS) == 1
    assert due(home) == []
    space = queue.enter_space(home.connection, "better", now_ms=NOW_MS)
    assert embedded(home, space) == []
    assert len(due(home)) == 2


def test_a_damaged_vector_is_passed_over(home: Home) -> None:
    home.remember("one")
    home.remember("two")
    embed(home, due(home))
    home.connection.execute("UPDATE vector SET data = x'00' WHERE id = 1")
    assert embedded(home, 1) == [2]


def test_batches_grow_while_they_are_quick_and_shrink_when_they_are_slow() -> None:
    assert queue.next_batch(8, took_ms=1) == 16
    assert queue.next_batch(64, took_ms=75) == 64
    assert queue.next_batch(64, took_ms=1_000) == 32
    assert queue.next_batch(queue.BATCH_MAX, took_ms=1) == queue.BATCH_MAX
    assert queue.next_batch(1, took_ms=10_000) == queue.BATCH_MIN
