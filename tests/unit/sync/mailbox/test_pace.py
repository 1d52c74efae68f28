"""When a mailbox is looked at, written to and left alone, in seconds of a clock that the test tells."""

from random import Random

import pytest

from sync.errors import Denied, Full, MailboxError, Unreached
from sync.mailbox.pace import (
    LOOK_SECONDS_MAX,
    LOOK_SECONDS_MIN,
    PAUSE_SECONDS_MAX,
    PAUSE_SECONDS_MIN,
    PERSON_SECONDS,
    LookClock,
    Pace,
)


def test_where_nothing_rings_one_looks_less_and_less_often_while_nothing_comes_up_to_minutes() -> None:
    clock, waits = LookClock(), list[float]()
    for _ in range(10):
        clock.listed({"one": 1})
        waits.append(clock.wait_s)
    assert waits[:2] == [LOOK_SECONDS_MIN, 2 * LOOK_SECONDS_MIN]
    assert waits[-1] == LOOK_SECONDS_MAX
    clock.listed({"one": 1, "two": 2})
    assert clock.wait_s == LOOK_SECONDS_MIN


@pytest.mark.parametrize(
    ("error", "pause_s"),
    [
        (Denied("no"), PERSON_SECONDS),
        (Full("no room"), PERSON_SECONDS),
        (Unreached("busy", retry_after_s=0.0), PAUSE_SECONDS_MIN),
        (Unreached("busy", retry_after_s=PAUSE_SECONDS_MIN + 7), PAUSE_SECONDS_MIN + 7),
        (Unreached("busy", retry_after_s=1e9), PERSON_SECONDS),
    ],
)
def test_one_that_asks_to_be_left_alone_is_within_bounds(error: MailboxError, pause_s: float) -> None:
    assert Pace(30.0, Random(1)).pause_after(error) == pause_s


def test_one_that_does_not_answer_is_left_alone_for_no_longer_than_so() -> None:
    pace = Pace(30.0, Random(1))
    pauses = [pace.pause_after(Unreached("away")) for _ in range(40)]
    assert pauses[0] <= PAUSE_SECONDS_MIN
    assert PAUSE_SECONDS_MAX / 2 <= pauses[-1] <= PAUSE_SECONDS_MAX
    pace.looked()
    assert pace.pause_after(Unreached("away")) <= PAUSE_SECONDS_MIN
