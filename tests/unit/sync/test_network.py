"""A machine that moved, or slept, is told from one that did not."""

from sync.network import SLEPT_SECONDS_MIN, Change, Looks

HOME = frozenset({"192.168.1.7", "fe80::7"})


def looks() -> Looks:
    return Looks(HOME, wall_seconds=1_000.0, seconds=50.0)


def test_nothing_changes_while_both_clocks_go_on_alike() -> None:
    seen = looks()
    for n in range(1, 5):
        assert seen.look(HOME, wall_seconds=1_000.0 + 3 * n, seconds=50.0 + 3 * n) is Change.NOTHING


def test_an_address_that_came_or_went_is_noticed_once() -> None:
    seen = looks()
    away = frozenset({"10.0.0.9"})
    assert seen.look(away, wall_seconds=1_003.0, seconds=53.0) is Change.ADDRESSES
    assert seen.look(away, wall_seconds=1_006.0, seconds=56.0) is Change.NOTHING
    assert seen.look(HOME, wall_seconds=1_009.0, seconds=59.0) is Change.ADDRESSES


def test_a_machine_that_slept_is_noticed_though_it_woke_in_the_same_network() -> None:
    seen = looks()
    assert seen.look(HOME, wall_seconds=1_003.0 + 600, seconds=53.0) is Change.SLEPT
    assert seen.look(HOME, wall_seconds=1_006.0 + 600, seconds=56.0) is Change.NOTHING


def test_a_busy_machine_and_a_corrected_clock_are_no_sleep() -> None:
    seen = looks()
    assert seen.look(HOME, wall_seconds=1_060.0, seconds=110.0) is Change.NOTHING, (
        "late by a minute on both clocks"
    )
    assert seen.look(HOME, wall_seconds=1_063.0 - 500, seconds=113.0) is Change.NOTHING, "set back"
    nearly = SLEPT_SECONDS_MIN - 1
    assert seen.look(HOME, wall_seconds=566.0 + nearly, seconds=116.0) is Change.NOTHING
