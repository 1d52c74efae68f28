"""Recalls are counted for all devices, and the log hears of them once a minute."""

import sys
import threading
from collections import Counter
from math import isnan

import pytest

from cognition.days import DAY_MS
from cognition.decay import HALF_LIVES, PROFILES, DecayProfile, memlocal, memori, yantrik
from cognition.fading.rehearsal import TELL_MS, Rehearsals, keep
from cognition.fading.tiers import Tier, count_tiers, life_of, tier
from cognition.memories import read_memories
from replica import Forget, Memory, MemoryId, OpKind, Write
from replica.fields import Value
from replica.ops import Set
from tests.support.minds import Home
from tests.support.published import published


@pytest.fixture
def home() -> Home:
    return Home()


def told(home: Home) -> int:
    return sum(row.kind == OpKind.ACCESS for row in home.core.store.rows())


def recalled(home: Home, *rids: MemoryId) -> bool:
    noted = dict.fromkeys(rids, (1, home.now_ms))
    return keep(home.core, home.connection, noted, home.now_ms)


def shown(home: Home, rid: MemoryId) -> Memory:
    (found,) = read_memories(home.connection, [home.number(rid)])
    return found.memory


def stands(memory: Memory, now_ms: int, *, under: bool = False, profile: DecayProfile = yantrik) -> Tier:
    return tier(memory, stands_under_summary=under, now_ms=now_ms, profile=profile)


def test_recalls_of_a_minute_are_told_together(home: Home) -> None:
    rid, other = home.remember("Ann moved to Lisbon"), home.remember("Bob bakes bread")
    for _ in range(30):
        home.now_ms += TELL_MS // 31
        assert not recalled(home, rid)
    assert told(home) == 0
    assert shown(home, rid).accesses == 0
    home.now_ms += TELL_MS
    assert recalled(home, rid, other)
    assert told(home) == 1
    assert (shown(home, rid).accesses, shown(home, other).accesses) == (31, 1)
    assert shown(home, rid).last_access == home.now_ms


def test_totals_go_on_from_what_was_told_before_and_none_is_lost(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    for _ in range(3):
        recalled(home, rid)
        home.now_ms += TELL_MS
        assert keep(home.core, home.connection, {}, home.now_ms)
    assert shown(home, rid).accesses == 3
    assert not keep(home.core, home.connection, {}, home.now_ms)
    home.core.incarnate()  # after a restore, say: a new origin has a total of its own
    recalled(home, rid)
    home.now_ms += TELL_MS
    keep(home.core, home.connection, {}, home.now_ms)
    assert shown(home, rid).accesses == 4


def test_what_was_forgotten_meanwhile_is_not_counted(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    recalled(home, rid)
    home.commit(Write(Forget((rid,))))
    home.now_ms += TELL_MS
    assert not keep(home.core, home.connection, {}, home.now_ms)
    assert told(home) == 0


@published("E-07")
def test_strength_counts_from_the_last_recall_or_else_from_the_beginning(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    began = home.now_ms
    home.now_ms = began + 20 * DAY_MS
    assert yantrik(life_of(shown(home, rid), home.now_ms), home.now_ms) == pytest.approx(2 ** (-20 / 30))
    recalled(home, rid)
    home.now_ms += TELL_MS
    keep(home.core, home.connection, {}, home.now_ms)
    home.now_ms = began + 40 * DAY_MS
    strength = yantrik(life_of(shown(home, rid), home.now_ms), home.now_ms)
    assert strength == pytest.approx(2 ** (-20 / 30), rel=1e-3)  # 20 days, not 40
    assert stands(shown(home, rid), home.now_ms) == "hot"
    assert stands(shown(home, rid), home.now_ms + 11 * DAY_MS) == "warm"


def test_a_recall_that_a_wrong_clock_stamped_ahead_of_now_does_not_count(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    life = life_of(shown(home, rid)._replace(last_access=home.now_ms + DAY_MS), home.now_ms)
    assert isnan(life.last_access_ms)


def test_tiers_are_what_a_person_or_time_makes_them(home: Home) -> None:
    memory = shown(home, home.remember("Ann moved to Lisbon"))
    later = home.now_ms + 400 * DAY_MS
    assert stands(memory, later) == "warm"  # faint, and found all the same
    pinned = memory._replace(fields={"pinned": True})
    assert stands(pinned, later) == "hot"
    assert stands(pinned, later, under=True) == "cold"
    assert stands(memory._replace(fields={"archived": True}), 0) == "cold"


def test_tiers_are_counted_as_each_is_shown_and_by_the_profile_of_the_device(home: Home) -> None:
    """A device that chose a slower curve was told by the default one; and counting read every text."""
    rids = [home.remember(f"note {number}", type="prospective") for number in range(6)]
    home.commit(Write(Set("pinned", True), rids[0]), Write(Set("archived", True), rids[1]))
    home.now_ms += 60 * DAY_MS
    for profile, expected in (
        (yantrik, {"hot": 1, "warm": 4, "cold": 1}),
        (memlocal, {"hot": 1, "warm": 4, "cold": 1}),
        (memori, {"hot": 5, "cold": 1}),
    ):
        counted: Counter[str] = Counter()
        after: int | None = 0
        while after is not None:  # a page ends inside
            page, after = count_tiers(home.connection, after, 4, now_ms=home.now_ms, profile=profile)
            counted.update(page)
        assert counted == expected
        assert counted == Counter(stands(shown(home, rid), home.now_ms, profile=profile) for rid in rids)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_tiers_change_at_the_very_millisecond_at_which_each_memory_has_half_its_strength(
    home: Home, profile: DecayProfile
) -> None:
    kinds: list[dict[str, Value]] = [{}]
    kinds += [{"type": name} for name in HALF_LIVES]
    halves: list[dict[str, Value]] = [{}, {"half_life": 29 * DAY_MS / 1_000}]
    rids = [
        home.remember("note", told_at=home.now_ms - ago_ms, **kind, **half)
        for ago_ms in (-DAY_MS, 0, 29 * DAY_MS, 30 * DAY_MS, 30 * DAY_MS + 1, 1_000 * DAY_MS)
        for kind in kinds
        for half in halves
    ]
    for rid in rids[::5]:
        recalled(home, rid)
    keep(home.core, home.connection, {}, home.now_ms + TELL_MS)
    seen = Counter[str]()
    for days in (0, 1, 29, 30, 31, 138, 139, 179, 180, 181, 346, 347, 365):
        for now_ms in (home.now_ms + days * DAY_MS, home.now_ms + days * DAY_MS + 1):
            page, _ = count_tiers(home.connection, 0, 1_000, now_ms=now_ms, profile=profile)
            assert page == Counter(stands(shown(home, rid), now_ms, profile=profile) for rid in rids)
            seen += page
    assert seen.keys() == {"hot", "warm"}


def test_threads_that_recall_at_once_lose_no_count() -> None:
    rid, threads, each = MemoryId(b"\1" * 16), 4, 30_000

    rehearsals = Rehearsals(lambda: 0)

    def note() -> None:
        for _ in range(each):
            rehearsals.note([rid])

    noting = [threading.Thread(target=note) for _ in range(threads)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in noting:
            thread.start()
        for thread in noting:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert rehearsals.noted[rid][0] == threads * each
