"""Whatever was written, by whom, and who had heard of what: devices that move into a rebuilt group agree."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId
from replica.ops import Erase, Forget, Set, Tag, Untag
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    Hand,
    agree,
    edit,
    everything,
    group,
    memories,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
    take,
)
from tests.unit.replica.test_rebuilding import device, moved, rebuilt

NAMES = ("ann", "ben", "cleo", "eve")


def write_something(core: Core, random: Random, now_ms: int) -> None:
    """One change of what lives here, or a new memory."""
    alive = sorted(memories(core))
    if not alive or random.random() < 0.3:
        remember(core, f"words {random.randrange(1_000)} of {random.random()}", now_ms=now_ms)
        return
    rid = MemoryId(random.choice(alive))
    match random.randrange(6):
        case 0:
            edit(core, rid, f"{memories(core)[rid].text} and {random.randrange(100)}", now_ms=now_ms)
        case 1:
            say(core, Set("place", f"{random.randrange(9)}"), rid, now_ms=now_ms)
        case 2:
            say(core, Tag((f"label {random.randrange(3)}",)), rid, now_ms=now_ms)
        case 3:
            say(core, Untag((f"label {random.randrange(3)}",)), rid, now_ms=now_ms)
        case 4:
            say(core, Forget((rid,)), now_ms=now_ms)
        case _:
            say(core, Erase((rid,)), now_ms=now_ms)


def lives(cores: list[Core], random: Random, steps: int, now_ms: int) -> int:
    for _ in range(steps):
        now_ms += random.randrange(3) * 1_000
        if random.random() < 0.5:
            write_something(random.choice(cores), random, now_ms)
        else:
            one, other = random.sample(cores, 2)
            sync(one, other, now_ms)
    return now_ms


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_devices_that_move_into_a_rebuilt_group_agree(seed: int, since: bool, compacts: bool) -> None:
    """All that honest devices signed is there, nothing that goes is, and all show the same."""
    random = Random(seed)
    ann, ben, cleo, eve = cores = group(*NAMES, make_store=sqlite_store)
    middle = lives(cores, random, 20, NOW_MS)
    if compacts:
        settle(cores, middle)
        compact(ann, middle)
    now_ms = lives(cores, random, 30, middle + 1)
    new, carried = rebuilt(ann, "ann", "eve", until_ms=middle if since else None)
    assert not carried.refused
    honest = {op.id for op in everything(ann).ops if op.origin.device != eve.device}
    carried_ops = {op.id for op in everything(new).ops}
    if not compacts:
        assert honest <= carried_ops
    eves = [op for op in everything(new).ops if op.origin.device == eve.device]
    assert since or not eves
    assert all(new.membership.allows(op.origin, op.seq) for op in eves)
    lives([ben, cleo, eve], random, 10, now_ms)
    moved_in = [moved(ben, "ben", new, "ann")[0], moved(cleo, "cleo", new, "ann")[0]]
    settle([new, *moved_in])
    assert agree(new, *moved_in)
    for core in (new, *moved_in):
        assert not verify_replica(core).problems


def test_a_branch_that_a_bad_one_makes_within_its_reach_holds_nobody_up() -> None:
    """It is told to one device alone: what that wrote since is told again under its ids."""
    ann, ben, _ = group("ann", "ben", "eve", make_store=sqlite_store)
    hand = Hand("eve")
    first = hand.write(Tag(("x",)), bytes(16))
    fork = hand.fork()
    second = hand.write(Tag(("y",)), bytes(16))
    for core in (ann, ben):
        take(core, hand.frame(first))
    take(ann, hand.frame(second))
    remember(ann, "by ann", now_ms=NOW_MS + 10)
    take(ben, hand.frame(fork.write(Tag(("z",)), bytes(16))))
    (rid,) = remember(ben, "by ben", now_ms=NOW_MS + 10)
    new, carried = rebuilt(ann, "ann", "eve", until_ms=NOW_MS + 1_000)
    assert not carried.refused
    ben2, carried = moved(ben, "ben", new, "ann")
    assert carried.refused
    assert carried.told == [rid]
    assert agree(new, ben2)
    assert memories(new)[rid].text == "by ben"
    assert device("eve") not in new.membership.standing
