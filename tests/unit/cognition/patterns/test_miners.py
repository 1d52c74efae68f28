from random import Random

from cognition.patterns.miners import come_together, is_hub, is_routine, is_theme, mood
from cognition.patterns.reading import bucket_of, bucket_words, note
from tests.support.published import published


@published("YD-65")
def test_two_names_come_together_in_more_than_three_memories() -> None:
    assert [come_together(count) for count in (3, 4)] == [False, True]


@published("YD-69")
def test_a_hub_comes_up_with_five_others() -> None:
    assert [is_hub(degree) for degree in (4, 5)] == [False, True]


@published("YD-68")
def test_four_memories_that_are_alike_are_a_theme() -> None:
    assert [is_theme(count) for count in (3, 4)] == [False, True]


def test_a_habit_takes_four_days_and_half_of_all() -> None:
    assert [is_routine(there, 4) for there in (3, 4)] == [False, True]
    assert [is_routine(5, days) for days in (10, 11)] == [True, False]


@published("YD-67")
def test_a_ramp_is_found_and_noise_is_not() -> None:
    assert mood([n / 10 for n in range(-4, 4)]) == "rising"
    assert mood([n / 10 for n in range(4, -4, -1)]) == "falling"
    assert mood([0.5, 0.3, 0.9, 0.4, 0.6, 0.2, 0.8, 0.5]) == "good"
    assert mood([-0.5] * 8) == "bad"
    assert mood([-0.5] * 7) is None, "seven are too few"
    assert mood([1.0, *([-0.5] * 8)]) == "bad", "what came before the window does not count"
    random = Random(1)
    noise = [mood([random.uniform(-1, 1) for _ in range(8)]) for _ in range(1_000)]
    assert sum(going is not None for going in noise) <= 30
    assert mood([0.01 * n for n in range(8)]) is None, "too little rises"


def test_a_part_of_the_week_is_a_quarter_of_a_day() -> None:
    monday_ms = 4 * 86_400_000  # 1970-01-05
    assert bucket_words(bucket_of(monday_ms)) == "Monday nights"
    assert bucket_words(bucket_of(monday_ms + 9 * 3_600_000)) == "Monday mornings"
    assert bucket_words(bucket_of(monday_ms - 1)) == "Sunday evenings"
    assert bucket_words(bucket_of(-1)) == "Wednesday evenings"


def test_what_is_noted_of_a_memory_is_whom_it_names_and_when_it_was() -> None:
    noted = note("I met Bob Miller in Porto", {"speaker": "Ann", "topic": "Travel", "told_at": 5}, 9)
    assert noted.names == {"ann": "Ann", "bob miller": "Bob Miller", "porto": "Porto"}
    assert noted.subjects == ("", *noted.names, "travel")
    assert (noted.at_ms, noted.valence) == (5, None)
    assert note("nothing", {}, 9).at_ms == 9
