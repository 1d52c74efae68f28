"""Each published curve of forgetting, with its own numbers."""

from math import log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import decay
from cognition.days import DAY_MS
from cognition.decay import Life, Lives
from replica import MEMORY_TYPES
from tests.support.published import published


def after(days: float, *, type: str | None = None, profile: str = "memlocal", **life: float | None) -> float:
    """Return the strength of a memory made at 0, some days later."""
    held = Life(type, told_ms=0, updated_ms=0, **life)  # type: ignore[arg-type]
    return decay.PROFILES[profile](held, int(days * DAY_MS))


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-6)


def check_memlocal(type: str, rate: float, at_30: float, at_365: float | None) -> None:
    assert decay.RATES[type] == rate
    assert after(30, type=type) == near(at_30)
    if at_365 is not None:
        assert after(365, type=type) == near(at_365)
    assert after(log(2) / rate, type=type) == near(0.5)


@published("ML-18")
def test_episodic() -> None:
    check_memlocal("episodic", 0.005, 0.860708, 0.161218)


@published("ML-19")
def test_factual() -> None:
    check_memlocal("factual", 0.002, 0.941765, 0.481909)


@published("ML-20")
def test_semantic() -> None:
    check_memlocal("semantic", 0.002, 0.941765, 0.481909)


@published("ML-21")
def test_procedural() -> None:
    check_memlocal("procedural", 0.002, 0.941765, 0.481909)


@published("ML-22")
def test_social() -> None:
    check_memlocal("social", 0.003, 0.913931, None)


@published("ML-23")
def test_spatial() -> None:
    check_memlocal("spatial", 0.005, 0.860708, 0.161218)


@published("ML-24")
def test_prospective() -> None:
    check_memlocal("prospective", 0.020, 0.548812, 0.000676)


@published("ML-25")
def test_affective() -> None:
    check_memlocal("affective", 0.005, 0.860708, 0.161218)


@published("ML-26")
@given(
    st.sampled_from(MEMORY_TYPES),
    st.sampled_from(sorted(decay.PROFILES)),
    st.integers(0, 3_000),
    st.integers(1, 300),
)
def test_strength_begins_at_one_and_only_falls(type: str, profile: str, days: int, more: int) -> None:
    accessed = {"last_access_ms": 0} if profile == "memori" else {}
    assert after(0, type=type, profile=profile, **accessed) == 1
    earlier = after(days, type=type, profile=profile, **accessed)
    later = after(days + more, type=type, profile=profile, **accessed)
    assert 0 <= later < earlier or earlier == later == 0


@published("YD-26")
@pytest.mark.parametrize(("type", "days"), [("episodic", 30), ("semantic", 180), ("procedural", 365)])
def test_strength_halves_at_the_half_life_of_its_type(type: str, days: int) -> None:
    assert after(days, type=type, profile="yantrik") == near(0.5)
    assert after(days / 2, type=type, profile="yantrik", half_life_s=days / 2 * 86_400) == near(0.5)


@pytest.mark.parametrize("profile", sorted(decay.PROFILES))
def test_a_type_that_only_a_later_version_knows_fades_as_what_nobody_typed(profile: str) -> None:
    assert after(7, type="olfactory", profile=profile) == after(7, profile=profile)


@pytest.mark.parametrize("profile", sorted(decay.PROFILES))
def test_a_column_of_memories_fades_as_each_of_them_does(profile: str) -> None:
    now_ms = 400 * DAY_MS
    each = [
        Life(name, 10 * DAY_MS, 30 * DAY_MS, recalled, half)
        for name in (None, "episodic", "social", "prospective", "olfactory")
        for recalled in (nan, 0.0, 5 * DAY_MS, 399 * DAY_MS, 401 * DAY_MS)
        for half in (None, 1e-3, 86_400.0, 1e12)
    ]
    types, created, updated, recalled, halves = zip(*each, strict=True)
    lives = Lives(
        types,
        np.array(created, np.float64),
        np.array(updated, np.float64),
        np.array(recalled),
        np.array(halves, np.float64),
    )
    curve = decay.PROFILES[profile]
    # numpy and the C library may part in the last digit.
    assert curve.column(lives, now_ms).tolist() == pytest.approx(
        [curve(life, now_ms) for life in each], rel=1e-14
    )
    nobody = np.zeros(0)
    assert curve.column(Lives((), nobody, nobody, nobody, nobody), now_ms).tolist() == []


@published("YD-13")
def test_strength_times_importance_is_the_decay_signal() -> None:
    assert 0.9 * after(7, type="episodic", profile="yantrik") == near(0.765600)


@published("YD-27")
def test_a_recall_resets_the_clock() -> None:
    recalled = after(40, type="episodic", profile="yantrik", last_access_ms=20 * DAY_MS)
    assert recalled == after(20, type="episodic", profile="yantrik")


@published("ME-04")
@pytest.mark.parametrize(("days", "expected"), [(69, 0.5016), (138, 0.2516)])
def test_strength_fades_from_the_last_recall_on(days: int, expected: float) -> None:
    assert after(days, profile="memori", last_access_ms=0) == pytest.approx(expected, abs=1e-4)


@published("ME-05")
def test_what_was_never_recalled_is_not_punished_for_its_age() -> None:
    assert after(365, profile="memori") == 1


def test_a_clock_that_went_back_makes_no_memory_stronger_than_new() -> None:
    for profile in decay.PROFILES:
        assert after(-10, profile=profile, last_access_ms=0) == 1
