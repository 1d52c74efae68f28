import itertools

import pytest

from cognition.triggers.kinds import HOUR_MS, Thresholds
from cognition.triggers.lattice import MOVES, TriggerState, TriggerStatus, joined
from replica import HeldTrigger, MemoryId, ShownTrigger
from tests.support.published import published
from tests.support.replicas import NOW_MS

ONE, TWO = MemoryId(bytes(16)), MemoryId(b"x" * 16)
TRIGGER = b"t" * 16


def held(status: int, raised_ms: int = NOW_MS, delivered: tuple[int, bytes] | None = None) -> HeldTrigger:
    return HeldTrigger(status, (raised_ms << 16, "reminder", ()), delivered)


@published("YD-71")
def test_a_trigger_lives_for_forty_eight_hours_and_not_two_minutes_more() -> None:
    (raised,) = joined([ShownTrigger(ONE, TRIGGER, held(0))])
    lifetime_ms = Thresholds().lifetime_ms
    minute_ms = 60_000
    assert raised.status(NOW_MS + 48 * HOUR_MS - minute_ms, lifetime_ms) is TriggerStatus.PENDING
    assert raised.status(NOW_MS + 48 * HOUR_MS + minute_ms, lifetime_ms) is TriggerStatus.EXPIRED
    assert raised.status(NOW_MS + 48 * HOUR_MS + minute_ms, 49 * HOUR_MS) is TriggerStatus.PENDING


def test_what_was_decided_does_not_expire() -> None:
    for status in (TriggerStatus.DISMISSED, TriggerStatus.ACTED):
        (raised,) = joined([ShownTrigger(ONE, TRIGGER, held(status))])
        assert raised.status(NOW_MS * 2, Thresholds().lifetime_ms) is status


def test_a_trigger_that_hangs_on_two_memories_is_one() -> None:
    rows = [
        ShownTrigger(TWO, TRIGGER, held(2, NOW_MS + 5)),
        ShownTrigger(ONE, TRIGGER, held(1, NOW_MS, (NOW_MS << 16, b"phone"))),
        ShownTrigger(ONE, b"u" * 16, held(0)),
    ]
    for order in itertools.permutations(rows):
        both, other = joined(order)
        assert both == TriggerState(TRIGGER, ONE, (TWO,), held(2, NOW_MS, (NOW_MS << 16, b"phone")))
        assert other.held.status == 0


@published("YD-70")
@pytest.mark.parametrize("wanted", MOVES)
def test_only_legal_moves_lead_anywhere(wanted: TriggerStatus) -> None:
    """Pending, delivered, then dismissed, acted or expired: never back, and nothing leaves what has expired."""
    for status in MOVES[wanted]:
        assert status < wanted
        assert status is not TriggerStatus.EXPIRED
    assert wanted not in MOVES[wanted]
    if wanted is TriggerStatus.DELIVERED:
        assert MOVES[wanted] == {TriggerStatus.PENDING}
