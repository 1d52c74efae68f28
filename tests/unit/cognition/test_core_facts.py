"""What a model heard again is counted, whatever a member wrote where the count stands."""

import pytest

from cognition.talk.core_facts import MENTIONS_MAX, merged
from replica.fields import INT_MAX, INT_MIN


@pytest.mark.parametrize(
    ("held", "counted"),
    [
        (1, 2),
        (41, 42),
        (MENTIONS_MAX, 2),
        (INT_MAX, 2),
        (INT_MIN, 2),
        (0, 2),
        (0.5, 2),
        ("two", 2),
        (None, 2),
    ],
)
def test_a_fact_heard_again_is_counted_from_what_counts(held: object, counted: int) -> None:
    assert merged({"meta": {"told": "again"}}, {"meta": {"mentions": held, "kept": 1}}) == {
        "meta": {"mentions": counted, "kept": 1, "told": "again"}
    }
