"""What repeats is counted by the clock of the zone that its rule names."""

import pytest

from cognition.reminding.repeating import (
    RULE_CHARACTERS_MAX,
    with_exceptions,
    with_zone,
    without_exceptions,
    zone_in,
)

WEEKLY = "FREQ=WEEKLY;BYDAY=TU"


def test_a_rule_names_one_zone_before_its_exceptions() -> None:
    rule = with_zone(with_exceptions(WEEKLY, [1_767_225_600_000]), "Europe/Berlin")
    assert rule == f"{WEEKLY};TZID=Europe/Berlin;EXDATE=20260101T000000Z"
    moved = with_zone(rule, "America/New_York")
    assert moved == f"{WEEKLY};TZID=America/New_York;EXDATE=20260101T000000Z"
    assert str(zone_in(moved)) == "America/New_York"
    assert without_exceptions(moved) == (WEEKLY, (1_767_225_600_000,))


def test_the_longest_rule_keeps_its_zone_and_its_exceptions() -> None:
    times = [1_767_225_600_000 + day * 86_400_000 for day in range(100)]
    rule = with_zone(with_exceptions("X-NOTE=".ljust(120, "x"), times), "America/Argentina/ComodRivadavia")
    assert len(rule) <= RULE_CHARACTERS_MAX
    assert str(zone_in(rule)) == "America/Argentina/ComodRivadavia"
    assert without_exceptions(rule)[1] == tuple(times)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "Europe",
            "Europe/Berlin/West",
            "Europe/Nowhere",
            "Europe/Berlin ",
            "E" * 41,
            "Europe/Berlin\n",
        ),
        *(
            "/etc/passwd",
            "../../etc/passwd",
            "Europe/../../passwd",
            "Europe//Berlin",
            "Europe\\Berlin",
            "Ευρώπη",
        ),
        # The machine's own zone, and one whose clock counts leap seconds: other devices' would not agree.
        *(
            "localtime",
            "posixrules",
            "right/Europe/Berlin",
            "posix/Europe/Berlin",
            "Europe/Berlin;FREQ=DAILY",
        ),
    ],
)
def test_what_is_no_name_of_a_zone_names_none(name: str) -> None:
    assert with_zone(WEEKLY, name) == WEEKLY
    assert with_zone(WEEKLY, None) == WEEKLY
    if ";" not in name:
        assert zone_in(f"{WEEKLY};TZID={name}") is None
