"""What is shown as one follows from what was folded, in whatever order; and a write looks at a few classes only."""

from collections.abc import Sequence
from itertools import pairwise, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition.tellings import CLASSES_MAX, STEPS_MAX, _class_of
from replica import (
    Forget,
    MemoryId,
    Remember,
    SaysSame,
    Set,
    SqliteStore,
    Unlink,
    Write,
    links_of,
    new_memory_id,
)
from replica.compaction import LEASE_MS, compact
from replica.verify import verify_replica
from sync.exchange import Exchange
from sync.wire.messages import Ops, decode_message
from tests.support.minds import Home, acquaint, converse, derived_tables
from tests.support.replicas import NOW_MS


def shown(home: Home) -> set[frozenset[bytes]]:
    """The groups that a device shows."""
    found: dict[int, set[bytes]] = {}
    for group, rid in home.connection.execute(
        "SELECT t.grp, m.rid FROM telling t JOIN memory m ON m.id = t.id"
    ):
        found.setdefault(group, set()).add(rid)
    return {frozenset(rids) for rids in found.values() if len(rids) > 1}


def defined(home: Home) -> set[frozenset[bytes]]:
    """The groups as they are defined, from all memories and links at once."""
    rows = home.connection.execute(
        "SELECT rid, created, text, workspace, speaker, event_start, event_end FROM memory"
    ).fetchall()
    of = {rid: _class_of(rid, 1, *said) for rid, _, *said in rows}
    space = {rid: workspace for rid, _, _, workspace, *_ in rows}
    told = {rid: (created, rid) for rid, created, *_ in rows}
    surest: dict[tuple[int, int], int] = {}
    for one, other, sure in home.connection.execute("SELECT one, other, sureness FROM says_same"):
        if one in of and other in of and space[one] == space[other] and of[one] != of[other]:
            older, newer = sorted((one, other), key=told.__getitem__)
            pair = of[older], of[newer]
            surest[pair] = max(surest.get(pair, 0), sure)
    leans: dict[int, int] = {}
    for (older, newer), _ in sorted(surest.items(), key=lambda each: (-each[1], each[0][0])):
        leans.setdefault(newer, older)
    groups: dict[int, list[int]] = {}
    for head in {*of.values()}:
        if head in leans and not (leans.get(leans[head]) == head and head < leans[head]):
            continue
        members = around = [head]
        for _ in range(STEPS_MAX):
            found = []
            for name in around:
                near = sorted((-sure, newer) for (older, newer), sure in surest.items() if older == name)
                found += [each for _, each in near[: CLASSES_MAX - 1] if leans[each] == name and each != head]
            around = found[: CLASSES_MAX - len(members)]
            members = members + around
        groups[head] = members
    heads = {name: head for head, members in groups.items() for name in members}
    shown: dict[int, set[bytes]] = {}
    for rid, name in of.items():
        shown.setdefault(heads.get(name, name), set()).add(rid)
    return {frozenset(rids) for rids in shown.values() if len(rids) > 1}


def linked(home: Home, one: MemoryId, other: MemoryId, sureness: int = 90) -> None:
    home.commit(Write(SaysSame((min(one, other), max(one, other)), sureness)))


def test_a_chain_is_followed_two_steps_from_its_head() -> None:
    home = Home()
    rids = [home.remember(f"text {n}") for n in range(9)]
    for one, other in pairwise(rids):
        linked(home, one, other)
    assert shown(home) == defined(home) == {frozenset(rids[:3])}


def test_a_group_takes_the_surest_and_is_never_too_large() -> None:
    home = Home()
    rids = [home.remember(f"text {n}") for n in range(CLASSES_MAX + 10)]
    for n, rid in enumerate(rids[1:]):
        linked(home, rids[0], rid, 50 + n)
    assert shown(home) == defined(home) == {frozenset([rids[0], *rids[-CLASSES_MAX + 1 :]])}


def test_two_heads_that_are_linked_make_one_group() -> None:
    """Of two devices that were apart each tells its own wordings, and one tells both first ones."""
    home = Home()
    rids = [home.remember(f"text {n}") for n in range(6)]
    for one, other in ((0, 1), (0, 2), (3, 4), (3, 5), (0, 3)):
        linked(home, rids[one], rids[other])
    assert shown(home) == defined(home) == {frozenset(rids)}


@pytest.mark.parametrize("shape", ["star", "chain", "class"])
def test_a_further_telling_of_what_was_told_thousands_of_times_is_filed_in_a_few_steps(shape: str) -> None:
    """Counted in what SQLite does: the same for fifty as for a thousand."""

    def steps(count: int) -> int:
        home = Home()
        rids = [home.remember("text" if shape == "class" else f"text {n}") for n in range(count)]
        links = {
            "star": [(rids[0], rid) for rid in rids[1:]],
            "chain": [*pairwise(rids)],
            "class": [(rids[0], home.remember("texts"))],
        }[shape]
        for start in range(0, len(links), 500):
            part = links[start : start + 500]
            home.commit(*(Write(SaysSame((min(pair), max(pair)), 90)) for pair in part))
        assert shown(home) or shape == "chain"
        spent = 0

        def note() -> None:
            nonlocal spent
            spent += 1

        home.connection.set_progress_handler(note, 100)
        new = home.remember("another text")
        linked(home, rids[0], new)
        linked(home, rids[-1], new, 95)
        home.connection.set_progress_handler(None, 0)
        return spent

    few, many = steps(50), steps(1_000)
    assert many < 3 * few + 50, (few, many)


@settings(max_examples=40)  # up to forty steps each, compared after every one with what is defined
@given(seed=st.integers(0, 10**6))
def test_devices_that_hold_the_same_show_the_same_groups(seed: int) -> None:
    random = Random(seed)
    homes = [Home(1), Home(2)]
    for one, other in ((homes[0], homes[1]), (homes[1], homes[0])):
        acquaint(one, other)
    rids: list[MemoryId] = []
    for _ in range(random.randint(5, 40)):
        home = random.choice(homes)
        deed = random.random()
        if deed < 0.4 or len(rids) < 2:
            fields = random.choice([{}, {}, {"workspace": "w"}, {"speaker": "Ann"}])
            rids.append(home.remember(f"text {random.randrange(4)}", **fields))
        elif deed < 0.65:
            first, second = sorted(random.sample(rids, 2))
            home.commit(Write(SaysSame((first, second), random.randint(1, 100))))
        elif deed < 0.75 and (links := links_of(home.connection, random.sample(rids, 1))):
            home.commit(Write(Unlink(tuple(sorted(links)))))
        elif deed < 0.85:
            home.commit(Write(Forget((random.choice(rids),))))
        elif deed < 0.95:
            held = [rid for (rid,) in home.connection.execute("SELECT rid FROM memory")]
            if held:
                home.commit(Write(Set("speaker", random.choice(["Ann", None])), random.choice(held)))
        else:
            converse(*homes)
        assert shown(home) == defined(home)
    for _ in range(2):
        converse(*homes)
        converse(*homes[::-1])
    assert shown(homes[0]) == shown(homes[1]) == defined(homes[0])
    compact(homes[0].core, NOW_MS + LEASE_MS)
    late = Home(3)
    for one, other in ((late, homes[0]), (homes[0], late)):
        acquaint(one, other)
    converse(late, homes[0])
    assert shown(late) == shown(homes[0])
    assert verify_replica(homes[0].core).problems == verify_replica(late.core).problems == ()


def test_a_whole_store_that_comes_at_once_is_grouped_when_its_index_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("replica.storage.shown._FILLING_ROWS_MIN", 40)
    monkeypatch.setattr("replica.storage.shown._ADDED_AT_ONCE", 20)
    monkeypatch.setattr("cognition.tellings._MANY", 20)
    monkeypatch.setattr("cognition.tellings._WALK_MIN", 20)
    home, late = Home(1), Home(2)
    indexes = _indexes(late)
    rids = [home.remember(f"text {number % 17}") for number in range(45)]
    linked(home, rids[0], rids[1])
    compact(home.core, NOW_MS + LEASE_MS)
    for one, other in ((late, home), (home, late)):
        acquaint(one, other)
    converse(late, home)
    assert len(shown(home)) == 16
    assert shown(late) == defined(late) == shown(home)
    assert _indexes(late) == indexes


@pytest.fixture
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty ops a frame, which are many."""
    monkeypatch.setattr("replica.storage.shown._LEFT_OUT_ROWS_MIN", 20)
    monkeypatch.setattr("cognition.tellings._MANY", 20)
    monkeypatch.setattr("replica.outbox._FIRST_FRAME_OPS", 20)
    monkeypatch.setattr("replica.outbox._FRAME_GROWTH", 1)


def group_of_homes(count: int, memories: int) -> list[Home]:
    """Devices that know each other, of which the first remembers something."""
    homes = [Home(number) for number in range(1, count + 1)]
    for one, other in permutations(homes, 2):
        acquaint(one, other)
    rids = [homes[0].remember(f"text {number % 47}") for number in range(memories)]
    linked(homes[0], rids[0], rids[1])
    return homes


def conversation(one: Home, other: Home) -> tuple[Exchange, Exchange]:
    return Exchange(one.core, other.core.device, NOW_MS), Exchange(other.core, one.core.device, NOW_MS)


def until(
    ours: Exchange, theirs: Exchange, frames_max: int | None = None, to_us: Sequence[bytes] = ()
) -> int:
    """Go on with a conversation until all is said, or we would hear this frame; return how many we were sent."""
    to_them, to_us, frames = ours.more(NOW_MS), [*to_us, *theirs.more(NOW_MS)], 0
    while to_them or to_us:
        if to_them:
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            frames += type(decode_message(to_us[0])) is Ops
            if frames == frames_max:
                break
            to_them += ours.receive(to_us.pop(0), NOW_MS)
    return frames


@pytest.mark.usefixtures("small_frames")
@pytest.mark.parametrize("says_last", [True, False], ids=["with the last frame", "behind it"])
def test_a_store_that_comes_frame_by_frame_is_grouped_when_all_has(
    says_last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not says_last:
        monkeypatch.setattr("replica.outbox.Outbox.is_empty", lambda self, core: False)
    home, late = group_of_homes(2, 110)
    indexes, said = _indexes(late), list[str]()
    late.connection.set_trace_callback(lambda sql: said.append(sql) if "INDEX" in sql else None)
    assert until(*conversation(late, home)) == 6
    assert [sql.split()[:3] for sql in said] == [
        ["DROP", "INDEX", "memory_by_content"],
        ["CREATE", "INDEX", "memory_by_content"],
    ]
    assert _indexes(late) == indexes
    assert shown(late) == defined(late) == shown(home)


@pytest.mark.usefixtures("small_frames")
@pytest.mark.parametrize("was_killed", [False, True], ids=["its link was cut", "its program was killed"])
@pytest.mark.parametrize("before", [1, 2, 3, 6])
def test_what_came_before_it_was_broken_off_is_grouped(before: int, was_killed: bool) -> None:
    home, late = group_of_homes(2, 110)
    indexes = _indexes(late)
    ours, theirs = conversation(late, home)
    assert until(ours, theirs, before) == before
    assert (_indexes(late) == indexes) == (before == 1)
    if was_killed:
        SqliteStore(late.connection, derived_tables())
    else:
        ours.close()
    assert _indexes(late) == indexes
    assert shown(late) == defined(late)
    if not was_killed:
        converse(late, home)
        assert _indexes(late) == indexes
        assert shown(late) == defined(late) == shown(home)


@pytest.mark.usefixtures("small_frames")
def test_what_comes_at_once_by_a_link_that_was_quiet_leaves_no_index_out() -> None:
    home, late = group_of_homes(2, 2)
    indexes = _indexes(late)
    ends = conversation(late, home)
    until(*ends)
    home.commit(*(Write(Remember("text", {}), new_memory_id(NOW_MS, home.random)) for _ in range(30)))
    until(*ends)
    assert _indexes(late) == indexes
    assert shown(late) == defined(late) == shown(home)


@pytest.mark.usefixtures("small_frames")
def test_a_link_that_is_quiet_makes_no_index_while_another_one_brings_more() -> None:
    home, late, third = group_of_homes(3, 110)
    indexes = _indexes(late)
    quiet = conversation(late, third)
    until(*quiet)
    until(*conversation(late, home), 4)
    until(*quiet)
    assert third.core.position == late.core.position > 20
    assert _indexes(late) != indexes


def _indexes(home: Home) -> list[tuple[str]]:
    return home.connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY sql"
    ).fetchall()
