"""The cursor protocol loses ops, and only where its rule is wrong."""

from simulations.drawing import draw
from simulations.experiments import gossip
from simulations.run import simulate
from tests.support.published import published

SEEDS = 50


@published("YD-53")
def test_a_single_cursor_loses_ops_within_fifty_seeds_and_the_checker_says_so() -> None:
    for seed in range(SEEDS):
        outcome = simulate(draw(seed, protocol="hlc-cursor"))
        if outcome.lost_ops:
            assert {each.checker for each in outcome.violations} == {"convergence"}
            assert not outcome.converged
            return
    raise AssertionError(f"nothing was lost in {SEEDS} seeds")


def test_two_devices_alone_lose_nothing_by_a_cursor() -> None:
    for seed in range(10):
        assert not simulate(draw(seed, protocol="hlc-cursor", replicas=2, faults="none")).violations


@published("YD-57")
def test_random_gossip_over_five_peers_converges_and_a_cursor_misses_what_comes_late() -> None:
    ours = gossip(replicas=5, ops_each=4, late=True)
    assert (ours.missing, ours.rounds is not None) == (0, True)
    assert any(simulate(draw(seed, protocol="hlc-cursor", replicas=5)).lost_ops for seed in range(SEEDS))


def test_what_comes_second_hand_and_late_is_lost_by_a_cursor_and_by_nothing_else() -> None:
    lost = gossip(replicas=8, ops_each=2, late=True, acquainted=True, protocol="hlc-cursor")
    assert lost.missing > 0
    assert lost.rounds is None
    ours = gossip(replicas=8, ops_each=2, late=True, acquainted=True)
    assert (ours.missing, ours.rounds is not None) == (0, True)


@published("YD-53")
def test_a_second_sync_moves_no_ops() -> None:
    once = gossip(replicas=2, ops_each=10)
    assert once.deliveries == 20


@published("YD-56")
def test_two_devices_converge_in_one_conversation() -> None:
    assert gossip(replicas=2, ops_each=10).rounds == 1
