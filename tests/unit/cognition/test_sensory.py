"""The buffer in front of memory, under a clock that is a number."""

from pathlib import Path

import pytest

import samemind
from cognition.ingest.sensory import CAPACITY, KINDS, TTL_MS, SensoryBuffer
from tests.support.published import published


@published("ML-02")
def test_what_is_sensed_lasts_five_seconds() -> None:
    buffer = SensoryBuffer()
    buffer.push("hello", kind="turn", now_ms=0)
    assert TTL_MS == 5_000
    assert [one.text for one in buffer.live(4_999)] == ["hello"]
    assert buffer.live(5_001) == []
    assert len(buffer) == 0


@published("ML-02")
def test_how_long_is_a_choice() -> None:
    buffer = SensoryBuffer(ttl_ms=10)
    buffer.push("hello", kind="turn", now_ms=0)
    assert (len(buffer.live(10)), len(buffer.live(11))) == (1, 0)
    with pytest.raises(ValueError, match="positive"):
        SensoryBuffer(ttl_ms=0)


@published("ML-03")
def test_the_101st_overwrites_the_first_and_the_order_stays() -> None:
    buffer = SensoryBuffer()
    for number in range(CAPACITY + 1):
        buffer.push(str(number), kind="turn", now_ms=number)
    assert [one.text for one in buffer.live(CAPACITY)] == [str(number) for number in range(1, 101)]


@published("ML-04")
def test_what_is_stale_never_reaches_who_processes_it() -> None:
    buffer = SensoryBuffer()
    buffer.push("old", kind="turn", now_ms=0)
    assert buffer.process(6_000) == []
    buffer.push("new", kind="turn", now_ms=6_000)
    assert [one.text for one in buffer.process(6_001)] == ["new"]
    assert buffer.process(6_001) == []


@published("ML-05")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_accepted_and_survives_into_the_memory(tmp_path: Path, kind: str) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.sense("The ferry leaves at nine", kind=kind, speaker="Ann")  # type: ignore[arg-type]
        (rid,) = mind.absorb().rids
        memory = mind.get(rid)
        assert (memory.text, memory.speaker, memory.meta) == (
            "The ferry leaves at nine", "Ann", {"source_kind": kind},
        )  # fmt: skip


@published("ML-05")
def test_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="turn, document, api"):
        SensoryBuffer().push("x", kind="smell", now_ms=0)  # type: ignore[arg-type]


@published("ML-01")
def test_what_is_only_sensed_is_not_recalled_until_it_is_absorbed(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.sense("The ferry leaves at nine")
        assert len(mind.recall("ferry")) == 0
        assert mind.absorb().count == 1
        assert [hit.text for hit in mind.recall("ferry")] == ["The ferry leaves at nine"]
        assert mind.absorb().count == 0
