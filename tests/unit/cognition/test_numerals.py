"""Numbers of a text are read as the values that they are, however they are written."""

from datetime import UTC, datetime

import pytest

from cognition.contradictions.values import compatible
from cognition.grammar.attributes import attributes
from cognition.grammar.typed import read_claims
from cognition.numerals import in_decimals
from cognition.reminding.reading import read_moment, read_reminder
from cognition.times import windows

NOW = datetime(2026, 11, 27, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Take ½ tablet at 8", "Take 0.5 tablet at 8"),
        ("2½ years old", "2.5 years old"),
        ("2 ½ cups, 1¾ kg", "2.5 cups, 1.75 kg"),
        ("⅓ l and 2 1⁄3 l", "0.3333 l and 2.3333 l"),
        ("2⅛ l", "2.1250 l"),  # "2.125" is two thousand in other languages
        ("10² kg, 450¹ €", "  kg,   €"),  # neither 10 nor 102
        ("80 m², 3 ㎏", "80 m², 3 ㎏"),
        ("1⁄0 of it", "  of it"),
        ("v1.2½", "v1.2 "),
        ("plain 1/2", "plain 1/2"),
    ],
)
def test_fractions_are_decimals_and_marked_numbers_are_none(told: str, said: str) -> None:
    assert in_decimals(told) == said


@pytest.mark.parametrize(
    ("told", "kind", "value"),
    [
        ("Take ½ tablet at 8", "dose tablet", 0.5),
        ("Dosis: 1½ Tabletten", "dose tablet", 1.5),
        ("She is 2½ years old", "duration", 2.5 * 31_557_600),
        ("¾ kg of flour", "mass", 750),
        ("３ kg of flour", "mass", 3_000),
        ("٣ kg of flour", "mass", 3_000),
    ],
)
def test_a_number_counts_in_every_reader_as_what_it_is(told: str, kind: str, value: float) -> None:
    assert (kind, value) in [(each.kind, each.value) for each in attributes(told)]
    typed = [
        (f"{claim.kind} {claim.unit}".strip(), claim.value)
        for claim in read_claims(told).claims
        if claim.kind == kind.partition(" ")[0]
    ]
    assert typed == [(kind, value)]


def test_amounts_with_fractions_compare_by_arithmetic() -> None:
    assert compatible("½ hour", "30 minutes")
    assert compatible("1½ h", "90 min")
    assert not compatible("½ tablet", "1 tablet")
    assert not compatible("2½ kg", "21 kg")


def test_times_with_fractions_are_read_and_a_sign_on_a_number_is_no_time() -> None:
    now_ms = int(NOW.timestamp() * 1_000)
    assert (
        windows("2½ years ago", now_ms) == windows("2.5 years ago", now_ms) == windows("2 years ago", now_ms)
    )
    assert windows("½ year ago", now_ms) == ()
    reminder = read_reminder("Remind me in 1½ hours to call Ann", NOW)
    assert reminder is not None
    assert reminder.due == NOW.replace(hour=6, minute=30)
    reminder = read_reminder("Remind me in ½ hour to call Ann", NOW)
    assert reminder is not None
    assert reminder.due == NOW.replace(hour=5, minute=30)
    assert read_moment("in 0.25 hours", NOW) == NOW.replace(minute=15)
    assert read_reminder("Remind me on ❻ March", NOW) is None
