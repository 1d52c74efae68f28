"""A member that says it holds writes which this device never made, so that it begins one chain after the other.

A device that was restored hears so from its peers that it lost something, and begins anew. Nothing signed stands behind
that word. Who was always believed made a device begin a chain with each of its writes; after 64 of them the others took
no more of that hour, and accused the victim.
"""

from copy import deepcopy
from random import Random

from replica import Core, OpRef
from replica.core import ECHOES_UNPROVEN_MAX
from replica.evidence import Accused, Fault
from replica.frontier import Frontier
from replica.incarnations import ChainEvent
from replica.membership import revoke
from replica.quotas import CHAINS_AN_HOUR
from sync.exchange import Exchange
from sync.wire.messages import Heads, encode_message
from tests.support.replicas import NOW_MS, agree, core_of, group, remember, settle, sync, texts


def never_written(victim: Core, number: int) -> OpRef:
    """A place behind the last op of a device, which no op has."""
    assert victim.own_feed is not None
    return OpRef(victim.origin, victim.feeds[victim.own_feed].seq + 5, number.to_bytes(8))


def copy_of(core: Core, name: str, *, seed: str) -> Core:
    """The same device on a copy of its disk."""
    return core_of(name, deepcopy(core.store), seed=seed)


def claim(exchange: Exchange, victim: Core, number: int) -> None:
    """Let the peer at the other end of a link say that it holds such a place."""
    heads = [*victim.frontier().heads, never_written(victim, number)]
    exchange.receive(encode_message(Heads(Frontier.of(heads))), NOW_MS)


def test_a_member_that_names_what_was_never_written_is_believed_once_and_named() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ann, "first")
    settle([ann, ben, eve])
    to_eve, _ = sync(ann, eve)
    for number in range(2 * CHAINS_AN_HOUR):
        remember(ann, f"note {number}")
        claim(to_eve, ann, number)
    assert ann.feeds.count_of(ann.device) == 2
    assert Accused(eve.device, Fault.ECHO) in ann.evidence
    sync(ann, ben)
    assert agree(ann, ben)
    assert not ben.evidence, "nobody accuses the victim"


def test_a_restart_makes_nobody_believed_again() -> None:
    ann, eve = group("ann", "eve")
    remember(ann, "first")
    to_eve, _ = sync(ann, eve)
    claim(to_eve, ann, 0)
    remember(ann, "second")
    again = Core(ann.store, device=ann.device, sign=ann.sign, random=Random("again"))
    assert not again.heard_of_myself([never_written(again, 1)], eve.device, NOW_MS)


def test_devices_that_a_member_made_up_come_to_no_more_than_a_few_chains() -> None:
    names = [f"eve {number}" for number in range(ECHOES_UNPROVEN_MAX + 3)]
    ann, *crowd = group("ann", *names)
    for number, each in enumerate(crowd):
        remember(ann, f"note {number}")
        ann.heard_of_myself([never_written(ann, number)], each.device, NOW_MS)
    assert ann.feeds.count_of(ann.device) == 1 + ECHOES_UNPROVEN_MAX
    remember(ann, "one more")
    first = crowd[0].device
    ann.learn([], [revoke(ann.sign, ann.device, first)], now_ms=NOW_MS)
    assert not ann.heard_of_myself([never_written(ann, 99)], first, NOW_MS), (
        "not twice, whoever is out meanwhile"
    )
    assert ann.heard_of_myself([never_written(ann, 99)], crowd[-1].device, NOW_MS), "and makes room"


def test_whose_word_proved_true_is_believed_the_next_time() -> None:
    """A device is put back twice, and each time the same peer has what it lost."""
    ann, ben = group("ann", "ben")
    remember(ann, "always there")
    backup = copy_of(ann, "ann", seed="1")
    remember(ann, "lost once")
    settle([ann, ben])
    sync(backup, ben)
    assert backup.incidents[-1].why is ChainEvent.ECHO
    remember(backup, "before the second backup")
    second = copy_of(backup, "ann", seed="2")
    remember(backup, "lost twice")
    settle([backup, ben])
    chains = second.feeds.count_of(second.device)
    sync(second, ben)
    remember(second, "and on")
    settle([second, ben])
    assert agree(second, ben)
    assert {"lost once", "lost twice", "and on"} <= texts(second)
    assert second.feeds.count_of(second.device) == chains + 1
    assert not second.evidence


def test_a_true_word_that_is_not_believed_loses_nothing() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ann, "always there")
    settle([ann, ben, eve])
    assert ann.heard_of_myself([never_written(ann, 1)], ben.device, NOW_MS)
    remember(ann, "since then")
    backup = copy_of(ann, "ann", seed="1")
    remember(ann, "lost")
    settle([ann, ben])
    assert not backup.heard_of_myself(ben.frontier().heads, ben.device, NOW_MS)
    remember(backup, "written in its place")
    settle([backup, ben])
    assert agree(backup, ben)
    assert {"lost", "written in its place"} <= texts(backup)
