"""Worlds that meet through a bad mailbox: `python -m simulations.mailboxes 1..3000` plays more."""

import pytest

from simulations.mailboxes import World

# 3, 22 and 37 once had a device revoke the only member it knew, which parts it from the group on links, too. 1, 6 and
# 24: one file stated the group for all, made by somebody whom a device could only come to believe through others. 664:
# two files waited for each other, each of a chain that had seen the other's middle.
SEEDS = [1, 3, 4, 6, 22, 24, 37, 664, *range(100, 112)]


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_agree_through_a_mailbox_that_does_what_it_likes(seed: int) -> None:
    assert World(seed).run() == []
