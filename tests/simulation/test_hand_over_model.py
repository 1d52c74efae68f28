"""The model of one founder that hands its place on to another shows what it says: each rule fails in its way."""

import pytest

from simulations.hand_over_model import BEGINNING, RULES, World, following, judged, settled, wrongs

EVENTS = 4


def played(rule: str, *history: str) -> World:
    world = BEGINNING
    for what in history:
        world = dict(following(world, rule))[what]
    return world


def after(rule: str, *history: str) -> set[str]:
    return wrongs(settled(played(rule, *history), rule), rule)


def test_no_rule_is_sound() -> None:
    found = {rule: judged(EVENTS, rule).wrong for rule in RULES}
    assert found["as heard"]["two founders"] > 0
    assert found["by the set"]["two founders"] == found["accepted"]["two founders"] == 0
    assert found["as heard"]["captured"] > found["accepted"]["captured"] > 0
    assert found["by the set"]["captured"] > found["accepted"]["captured"]


@pytest.mark.parametrize("rule", RULES)
def test_where_nothing_is_stolen_or_lost_all_follow_whom_the_place_was_handed_to(rule: str) -> None:
    taken = ["0 hears 1", "0 takes over"] if rule == "accepted" else []
    world = settled(played(rule, "1 hands over", *taken), rule)
    assert {device.follows for device in world.devices} == {0}


def test_two_that_hand_over_to_each_other_change_places_where_all_go_as_they_hear() -> None:
    history = ("0 hands over", "1 hands over")
    assert after("as heard", *history) == {"two founders"}
    assert after("by the set", *history) == after("accepted", *history) == set()


def test_what_was_handed_on_long_ago_is_handed_on_again_by_a_thief_where_the_set_decides() -> None:
    history = ["1 hands over", "2 hears 1", "1 is stolen"]
    thief = "the thief tells 2 (('hands', 1, -1),)"
    assert after("by the set", *history, thief) == {"captured"}
    assert after("as heard", *history, thief) == set()


def test_what_was_offered_is_taken_by_a_thief_before_a_revocation_is_heard() -> None:
    """An offer cannot be taken back, and whoever heard that it was taken follows the thief."""
    history = ["1 hands over", "2 hears 1", "0 is stolen", "1 revokes 0"]
    assert after("accepted", *history) == set()
    assert after("accepted", *history, "the thief tells 2 (('takes', 0, 1),)") == {"captured"}
