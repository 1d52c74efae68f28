"""Worlds that meet through a bad mailbox: `python -m simulations.mailboxes 1..3000` plays more."""

import pytest

from simulations.mailboxes import World
from sync.carrier.shelf import TIER_FILES_MAX

# 3, 22 and 37 once had a device revoke the only member it knew, which parts it from the group on links, too. 1, 6 and
# 24: one file stated the group for all, made by somebody whom a device could only come to believe through others. 664:
# two files waited for each other, each of a chain that had seen the other's middle. 1020 and 1064: a thief had revoked
# whom the newcomer was paired with, whose files were no member's to it before one of them had named the root.
SEEDS = [1, 3, 5, 6, 22, 24, 37, 664, 1020, 1064]
# Devices that merge sooner. 31688 and 31728: a restored device's branch left in the middle of a chain that a file had
# from its start, below what others had compacted, and none of them could take it.
# 43: what was written for two files was smaller than one of them, since others' files had the rest by then; that one
# stayed, and was merged again, 64 times a visit.
# 803, 869 and 2762: the root puts out whoever had introduced another, and keeps that one, as the program does.
SEEDS_MERGING = [43, 803, 869, 2762, 31688, 31728, *range(100, 112)]


# Somebody had taken a file before another of the same size took its place, and counted it for ever.
SEEDS_WITH_SWAPS = [267, 281, 283]

# A thief puts out the root of the group, others believe it, and the root is heard all the same with what puts it right.
SEEDS_WITH_THIEF = [61, 69, 71, 148]


@pytest.mark.parametrize("seed", SEEDS_WITH_THIEF)
def test_whoever_was_put_out_by_a_thief_is_heard_through_a_mailbox(seed: int) -> None:
    world = World(seed, swaps=False)
    assert world.run() == []
    assert world.thief is not None
    assert all(world.thief.key.device in each.core.membership.revoked for each in world.members())


@pytest.mark.parametrize("seed", SEEDS_WITH_SWAPS)
def test_devices_agree_after_files_were_put_in_the_place_of_others(seed: int) -> None:
    assert World(seed, swaps=True).run() == []


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_agree_through_a_mailbox_that_does_what_it_likes(seed: int) -> None:
    assert World(seed, merge_at=TIER_FILES_MAX, swaps=False).run() == []


@pytest.mark.parametrize("seed", SEEDS_MERGING)
def test_devices_agree_also_where_files_are_merged_sooner(seed: int) -> None:
    assert World(seed, swaps=False).run() == []
