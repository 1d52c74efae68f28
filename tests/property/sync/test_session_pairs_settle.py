"""Whatever was written where, and however messages interleave or links are cut: whoever talks long enough agrees."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica import Core, MemoryId, Write, new_memory_id
from replica.ops import Forget, Relate, Remember, Set
from tests.support.exchanges import NOW_MS, ExchangePair, cores
from tests.support.published import published

NAMES = ("laptop", "phone", "tablet", "server")
Chance = random.Random


def write_something(core: Core, rids: list[MemoryId], chance: Chance, now_ms: int) -> None:
    """One commit of one to three changes, often about something that others wrote about too."""
    writes: list[Write] = []
    for _ in range(chance.randint(1, 3)):
        match chance.randrange(5):
            case 0 | 1:
                rids.append(new_memory_id(now_ms, chance))
                writes.append(Write(Remember(f"memory {len(rids)}", {"importance": 0.5}), rids[-1]))
            case 2 if rids:
                writes.append(Write(Set("importance", chance.random()), chance.choice(rids)))
            case 3 if rids:
                writes.append(Write(Forget((chance.choice(rids),))))
            case _:
                entities = ("Ann", "Bob")
                writes.append(
                    Write(
                        Relate(
                            chance.choice(entities),
                            "knows",
                            chance.choice(entities),
                            chance.choice([None, 1.0]),
                        )
                    )
                )
    core.commit(writes, now_ms)


def talk(one: Core, other: Core, chance: Chance, rids: list[MemoryId], now_ms: int) -> None:
    """One conversation: writes while it lasts, any interleaving, and half of the time it is cut."""
    pair = ExchangePair(one, other, now_ms)
    for _ in range(chance.randrange(40)):
        pair.step(chance.random() < 0.5)
        if chance.random() < 0.1:
            write_something(chance.choice([one, other]), rids, chance, now_ms)
            pair.stir()
    if chance.random() < 0.5:
        pair.stir()
        pair.settle(lambda: chance.random() < 0.5)
        assert one.digests() == other.digests()
    assert pair.refusals() == [], "an honest peer sends nothing that was not to be taken"


@published("YD-57")
@settings(max_examples=50)  # each is a group of up to four that talks for up to twelve rounds
@given(
    chance=st.randoms(use_true_random=False),
    names=st.integers(2, 4),
    rounds=st.integers(1, 12),
    in_sqlite=st.booleans(),
)
def test_random_histories_and_conversations_end_in_agreement(
    chance: Chance, names: int, rounds: int, in_sqlite: bool
) -> None:
    """Including clocks that differ by days, and conversations that are cut at any message."""
    group = cores(*NAMES[:names], in_sqlite=in_sqlite)
    skew_ms = {core.device: chance.randint(-3, 3) * 86_400_000 // 4 for core in group}
    rids: list[MemoryId] = []
    now_ms = NOW_MS
    for _ in range(rounds):
        now_ms += chance.randrange(1, 10_000)
        for core in chance.sample(group, chance.randrange(names + 1)):
            write_something(core, rids, chance, now_ms + skew_ms[core.device])
        one, other = chance.sample(group, 2)
        talk(one, other, chance, rids, now_ms)
    hub, *others = group
    for core in (*others, *others):
        pair = ExchangePair(hub, core, now_ms)
        pair.settle(lambda: chance.random() < 0.5)
        assert pair.refusals() == []
    assert len({core.digests() for core in group}) == 1
    assert len({core.frontier() for core in group}) == 1


@given(chance=st.randoms(use_true_random=False))
def test_a_conversation_without_news_is_one_message_each_way(chance: Chance) -> None:
    one, other = cores("laptop", "phone")
    rids: list[MemoryId] = []
    for n in range(chance.randrange(5)):
        write_something(chance.choice([one, other]), rids, chance, NOW_MS + n)
    ExchangePair(one, other).settle()
    again = ExchangePair(one, other)
    again.settle(lambda: chance.random() < 0.5)
    assert again.delivered == 2


@given(chance=st.randoms(use_true_random=False), times=st.integers(1, 6))
def test_asking_anew_at_any_moment_never_confuses_the_other(chance: Chance, times: int) -> None:
    """A question may cross an answer to the one before."""
    one, other = cores("laptop", "phone")
    rids: list[MemoryId] = []
    for n in range(6):
        write_something(chance.choice([one, other]), rids, chance, NOW_MS + n)
    ExchangePair(one, other).settle()
    for n in range(4):
        write_something(chance.choice([one, other]), rids, chance, NOW_MS + 10 + n)
    pair = ExchangePair(one, other)
    for _ in range(times):
        for _ in range(chance.randrange(8)):
            pair.step(chance.random() < 0.5)
        chance.choice(pair.ends).ask()
        pair.stir()
    pair.settle(lambda: chance.random() < 0.5)
    assert one.digests() == other.digests()
