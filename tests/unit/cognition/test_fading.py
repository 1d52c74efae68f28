"""What is about to be forgotten comes first, whatever happened to it."""

from random import Random

import pytest

from cognition import Filters
from cognition.days import DAY_MS
from cognition.fading.forecast import priority, weakest
from cognition.memories import read_memories
from replica import Access, Forget, MemoryId, Set, Write
from tests.support.minds import Home
from tests.support.published import published

TYPES = (None, "episodic", "semantic", "procedural")


def by_brute_force(home: Home, now_ms: int) -> list[bytes]:
    numbers = [number for (number,) in home.connection.execute("SELECT id FROM memory")]
    memories = [shown.memory for shown in read_memories(home.connection, numbers)]
    return [memory.rid for memory in sorted(memories, key=lambda each: (priority(each, now_ms), each.rid))]


@published("YD-05")
def test_what_fades_is_in_the_order_of_brute_force_after_random_updates() -> None:
    home, random = Home(), Random(3)
    rids: list[MemoryId] = []
    for number in range(40):
        home.now_ms += random.randrange(10 * DAY_MS)
        chosen = random.choice(TYPES)
        fields = {} if chosen is None else {"type": chosen}
        rids.append(home.remember(f"Note {number}", importance=random.random(), **fields))
    for _ in range(60):
        home.now_ms += random.randrange(DAY_MS)
        rid = random.choice(rids)
        match random.randrange(4):
            case 0:
                home.commit(Write(Set("importance", random.random()), rid))
            case 1:
                home.commit(Write(Set("half_life", random.choice([3_600.0, 1e6, None])), rid))
            case 2:
                home.commit(Write(Access(((rid, 1, home.now_ms),))))
            case _ if len(rids) > 30:
                rids.remove(rid)
                home.commit(Write(Forget((rid,))))
        for now_ms in (home.now_ms, home.now_ms + 300 * DAY_MS):
            found = weakest(home.connection, Filters(), now_ms=now_ms)
            assert [rid for rid, _ in found] == by_brute_force(home, now_ms)
            assert [left for _, left in found] == sorted(left for _, left in found)


def test_what_fades_is_told_with_what_is_left_of_it() -> None:
    home = Home()
    faint = home.remember("Ann moved to Lisbon", importance=0.9)
    pinned = home.remember("The door code is in the safe", importance=0.1, pinned=True)
    strong = home.remember("How to bleed a radiator", importance=0.9, type="procedural")
    found = weakest(home.connection, Filters(), now_ms=home.now_ms + 7 * DAY_MS)
    assert [rid for rid, _ in found] == [faint, strong]
    assert found[0][1] == pytest.approx(0.7656, abs=1e-4)
    assert pinned not in dict(found)
    assert weakest(home.connection, Filters(type="procedural"), now_ms=home.now_ms)[0][0] == strong
