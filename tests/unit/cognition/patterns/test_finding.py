"""Patterns over a store: found where something moved, said in words, and taken back with what showed them."""

from random import Random
from uuid import UUID

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition.days import DAY_MS
from cognition.memories import read_memories
from cognition.patterns.found import FoundPattern, shown_by
from cognition.patterns.miners import Miner
from cognition.patterns.step import Patterns
from cognition.patterns.tables import PatternTables
from cognition.patterns.words import pattern_reason
from replica import Erase, Forget, MemoryId, Set, Value, Write
from tests.support.minds import NOW_MS, Home
from tests.support.published import published

HOUR_MS = 3_600_000
# 2023-11-13, a Monday, at nine.
MONDAY_MS = 1_699_866_000_000


def think(home: Home) -> list[str]:
    """Look until nothing is left, and return the new patterns in words."""
    ids: list[str] = []
    while True:
        outcome = Patterns().run(home.core, home.connection, home.now_ms)
        ids += outcome.ids
        if not outcome.more:
            break
    return sorted(said(home, pattern) for pattern in patterns(home) if str(UUID(bytes=pattern.id)) in ids)


def patterns(home: Home) -> list[FoundPattern]:
    rows = home.connection.execute("SELECT miner, key, support FROM pattern ORDER BY id")
    return [FoundPattern(Miner(miner), key, support) for miner, key, support in rows]


def said(home: Home, pattern: FoundPattern) -> str:
    rids = shown_by(home.connection, pattern)
    memories = [it.memory for it in read_memories(home.connection, [home.number(rid) for rid in rids])]
    return str(pattern_reason(pattern.miner.value, memories))


@published("YD-65")
def test_a_pair_is_found_with_the_fourth_memory_and_once() -> None:
    home = Home()
    for n in range(3):
        home.remember(f"yesterday Ann met Bob, number {n}", told_at=NOW_MS + n * 40 * DAY_MS)
    assert think(home) == []
    home.remember("then Bob called Ann again", told_at=NOW_MS)
    assert think(home) == ["Ann and Bob come up together in 4 memories"]
    home.remember("then Ann and Bob went home", told_at=NOW_MS)
    assert think(home) == []


@published("YD-69")
def test_a_name_with_five_others_is_a_hub_and_one_with_four_is_not() -> None:
    home = Home()
    for other in ("Bob", "Carl", "Dora", "Eve"):
        home.remember(f"yesterday Ann saw {other}")
    assert think(home) == []
    home.remember("yesterday Ann saw Fritz")
    assert think(home) == ["Ann is at the centre of many: Bob, Carl, Dora, Eve, Fritz"]


def test_the_names_of_one_long_note_are_no_hubs() -> None:
    home = Home()
    home.remember("Ann, Bob, Carl, Dora, Eve, Fritz and Gina met at the lake")
    assert think(home) == []
    home.remember("yesterday Ann saw Hugo")
    assert think(home) == []


@published("YD-66")
def test_monday_mornings_are_found_and_a_uniform_week_is_not() -> None:
    home = Home()
    for week in range(4):
        home.remember("wrote the report", topic="standup", told_at=MONDAY_MS + week * 7 * DAY_MS)
    assert think(home) == ["standup comes up on Monday mornings"] * 2, (
        "for the topic, and for all that is told"
    )
    uniform = Home()
    for n in range(112):
        uniform.remember(f"note {n}", topic="misc", told_at=MONDAY_MS + n * 6 * HOUR_MS)
    assert think(uniform) == []
    burst = Home()
    for n in range(6):
        burst.remember(f"note {n}", topic="misc", told_at=MONDAY_MS + n)
    assert think(burst) == [], "one morning is no habit"


@published("YD-67")
def test_a_subject_that_is_told_of_better_and_better_is_found() -> None:
    home, noise = Home(), Home()
    random = Random(3)
    for n in range(8):
        at = NOW_MS + n * DAY_MS * 11
        home.remember(f"day {n} with Ann", valence=-0.8 + 0.2 * n, told_at=at)
        noise.remember(f"day {n} with Ann", valence=random.uniform(-1, 1), told_at=at)
    assert think(home) == ["Ann has been getting better"] * 2
    assert think(noise) == []


def embed(home: Home, rids: list[MemoryId], *rows: list[float]) -> None:
    home.connection.executemany(
        "INSERT INTO vector VALUES (?, 1, ?)",
        [
            (home.number(rid), np.array(row, np.float16).tobytes())
            for rid, row in zip(rids, rows, strict=True)
        ],
    )


@published("YD-68")
def test_memories_that_are_alike_in_one_month_are_a_theme() -> None:
    home = Home()
    texts = ("oat bread rose", "rye bread rose", "white bread sank", "rye bread rose high", "the boat sank")
    rids = [home.remember(text, told_at=NOW_MS + n * 6 * DAY_MS) for n, text in enumerate(texts)]
    assert think(home) == [], "no vectors, no themes"
    embed(home, rids, [1, 0.1], [1, 0.2], [1, 0.0], [1, 0.3], [0, 1])
    assert think(home) == ["4 memories share a theme: bread, rose, rye"]
    three = Home()
    rids = [three.remember(text, told_at=NOW_MS + n * 6 * DAY_MS) for n, text in enumerate(texts[:3])]
    embed(three, rids, [1, 0.1], [1, 0.2], [1, 0.0])
    assert think(three) == [], "three are too few"
    apart = Home()
    rids = [apart.remember(text, told_at=NOW_MS + n * 31 * DAY_MS) for n, text in enumerate(texts)]
    embed(apart, rids, *[[1, 0.1]] * 5)
    assert think(apart) == []


def test_names_leave_with_the_last_memory_that_holds_them() -> None:
    home = Home()
    rids = [home.remember(f"yesterday Ann met Quentin, number {n}") for n in range(4)]
    assert think(home)
    home.commit(Write(Forget((rids[0],))))
    assert [shown_by(home.connection, pattern) for pattern in patterns(home)] == [[]], "three are too few"
    for rid in rids[1:]:
        home.commit(Write(Erase((rid,))))
    dump = "\n".join(home.connection.iterdump()).casefold()
    assert "quentin" not in dump


def test_what_was_not_told_by_anybody_makes_no_pattern() -> None:
    home = Home()
    parent = home.remember("yesterday Ann met Bob and they talked")
    for n in range(4):
        home.remember(f"yesterday Ann met Bob, number {n}", parent=parent)
        home.remember(f"yesterday Ann met Bob, time {n}", archived=True)
        home.remember(f"yesterday Ann met Bob, block {n}", block=f"label {n}")
    assert think(home) == []


COUNTED = ("note", "subject", "pair", "day", "bucket", "felt")


def counts(home: Home) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: sorted(home.connection.execute(f"SELECT * FROM pattern_{name}"), key=str) for name in COUNTED
    }


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), steps=st.integers(1, 25))
def test_counts_kept_in_step_equal_counts_made_anew(seed: int, steps: int) -> None:
    home, random = Home(), Random(seed)
    rids: list[MemoryId] = []
    names = ["Ann", "Bob", "Carl", "Lisbon"]
    for _ in range(steps):
        match random.randrange(6):
            case 0 | 1 | 2:
                fields = {"valence": random.choice([-0.5, 0.5])} if random.random() < 0.5 else {}
                text = f"yesterday {' and '.join(random.choices(names, k=3))} went out"
                rids.append(home.remember(text, told_at=NOW_MS + random.randrange(9) * HOUR_MS * 7, **fields))
            case 3 if rids:
                changes: list[tuple[str, Value]] = [("topic", "a"), ("archived", True), ("valence", 0.1)]
                name, value = random.choice(changes)
                home.commit(Write(Set(name, value), random.choice(rids)))
            case 4 if rids:
                home.commit(Write(Forget((rids.pop(random.randrange(len(rids))),))))
            case _:
                think(home)
    think(home)
    kept = counts(home)
    home.connection.execute("DELETE FROM pattern_version")
    PatternTables().migrate(home.connection)
    think(home)
    assert counts(home) == kept
