"""When a mind thinks by itself, and which of several does."""

from cognition.thinking.pace import BUSY_OPS, MINUTE_MS, interval_ms, is_due, runner
from replica import DeviceId
from tests.support.published import published

LAPTOP, PHONE = DeviceId(b"l" * 32), DeviceId(b"p" * 32)


@published("YD-59")
def test_every_five_minutes_when_busy_and_thirty_when_idle() -> None:
    assert interval_ms(0, runs=True) == 30 * MINUTE_MS
    assert interval_ms(BUSY_OPS, runs=True) == interval_ms(10_000, runs=True) == 5 * MINUTE_MS
    between = [interval_ms(ops, runs=True) for ops in range(BUSY_OPS + 1)]
    assert between == sorted(between, reverse=True)
    assert not is_due(5 * MINUTE_MS - 1, BUSY_OPS, runs=True)
    assert is_due(5 * MINUTE_MS, BUSY_OPS, runs=True)
    assert not is_due(30 * MINUTE_MS - 1, 0, runs=True)
    assert is_due(30 * MINUTE_MS, 0, runs=True)


def test_one_device_thinks_for_all_that_are_linked_and_the_others_stand_by() -> None:
    assert runner(PHONE, [LAPTOP]) == runner(LAPTOP, [PHONE]) == LAPTOP
    assert runner(PHONE, []) == PHONE  # alone again
    assert not is_due(59 * MINUTE_MS, BUSY_OPS, runs=False)
    assert is_due(60 * MINUTE_MS, 0, runs=False)  # in case the one does not
