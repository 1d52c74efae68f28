import pytest

from cognition.days import DAY_MS
from cognition.triggers import kinds
from cognition.triggers.kinds import (
    KINDS,
    Thresholds,
    TriggerCandidate,
    escalation_urgency,
    kind_of,
    most_urgent,
    reminder_urgency,
    review_urgency,
    stagnation_urgency,
    trigger_id,
)
from replica import MemoryId
from tests.support.published import published

RID = MemoryId(bytes(range(16)))


@published("YD-60")
def test_a_review_is_as_urgent_as_what_fades_matters() -> None:
    assert review_urgency(0.8, 0.05) == pytest.approx(0.76)
    assert review_urgency(0.8, 1.0) == 0


@published("YD-62")
def test_an_open_contradiction_grows_more_urgent_with_age_and_severity() -> None:
    ages = [escalation_urgency("high", day * DAY_MS) for day in range(60)]
    assert ages == sorted(set(ages))
    assert 0 < ages[0] < ages[-1] < 1
    assert escalation_urgency("high", 0) > escalation_urgency("medium", 0) > escalation_urgency("low", 0)
    assert escalation_urgency("high", -DAY_MS) == escalation_urgency("high", 0), "a clock behind is no age"


@published("YD-73")
def test_the_proposed_thresholds_are_what_a_device_begins_with() -> None:
    assert Thresholds() == Thresholds(0.1, 20, "high", 48.0)
    assert Thresholds(trigger_hours=0.5).lifetime_ms == 1_800_000


def test_a_triggers_id_follows_from_kind_subject_and_window_alone() -> None:
    once = trigger_id("decay_review", RID, 7)
    assert (
        once
        == TriggerCandidate(kinds.REVIEW, RID, 7, 0.1).id
        == TriggerCandidate(kinds.REVIEW, RID, 7, 0.9, (RID,)).id
    )
    others = {
        trigger_id("decay_review", RID, 8),
        trigger_id("reminder", RID, 7),
        trigger_id("decay_review", RID[::-1], 7),
        trigger_id("decay_revie", b"w" + RID, 7),
        TriggerCandidate(kinds.PATTERN, RID, 7, 0.1, detail="hub").id,
        TriggerCandidate(kinds.PATTERN, RID, 7, 0.1, detail="mood").id,
        TriggerCandidate(kinds.PATTERN, RID, 7, 0.1, subject=b"s", detail="mood").id,
    }
    assert len(others) == 7
    assert once not in others
    assert len(once) == 16


def test_urgencies_stay_between_nothing_and_one() -> None:
    for urgency in (
        reminder_urgency(0),
        reminder_urgency(10**12),
        stagnation_urgency(10**12),
        kinds.pattern_urgency(10**6),
        kinds.consolidation_urgency(10**6, 20),
    ):
        assert 0 < urgency <= 1
    assert reminder_urgency(0) > kinds.pattern_urgency(10**6), "an insight never pushes aside what is due"


def test_candidates_are_raised_in_an_order_that_every_device_shares() -> None:
    some = [
        TriggerCandidate(kinds.REVIEW, RID, window, urgency)
        for window, urgency in ((1, 0.5), (2, 0.5), (3, 0.9))
    ]
    assert most_urgent(some) == most_urgent(some[::-1])
    assert most_urgent(some)[0].window == 3


def test_a_kind_from_a_newer_version_is_known_by_its_name() -> None:
    assert kind_of("pattern:hub") is KINDS["pattern"]
    assert kind_of("birthday_card").name == "birthday_card"
