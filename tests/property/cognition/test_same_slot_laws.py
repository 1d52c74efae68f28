"""What devices with other readers say of what is one thing comes to the same questions, in whatever order they meet."""

from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import replica.storage.same_slots
from cognition.contradictions import joining, judgments
from cognition.contradictions.joining import (
    LINKS_MAX,
    REACHED_MAX,
    Pair,
    SlotNames,
    SlotVerdict,
    groups,
    may_be_one,
)
from cognition.contradictions.tables import ClaimTables, judged_of
from replica import (
    Claim,
    Core,
    Forget,
    MemoryId,
    OpRef,
    Remember,
    SameSlot,
    Set,
    Write,
    compact,
    new_memory_id,
)
from replica.state.register import Dot, Register
from replica.verify import verify_replica
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import DAY_MS, NOW_MS, agree, group, sync
from tests.support.replicas import settle as meet

NAMES = ("Ann Bo", "Bo Cy", "Cy Di", "Di Ann", "Bo Cy Di", "me")
SLOTS = [bytes([number]) for number in range(6)]


def verdict(same: bool, *, by: int = 1, hlc: int = 1, op: bytes = b"", sureness: int = 50) -> SlotVerdict:
    return SlotVerdict(by, hlc, op, same, sureness)


def grouped(said: dict[Pair, SlotVerdict]) -> set[frozenset[bytes]]:
    return set(groups(SLOTS, said))


@given(
    st.dictionaries(
        st.sampled_from([(a, b) for a in SLOTS for b in SLOTS if a < b]),
        st.builds(
            lambda same, by, hlc, op, sureness: SlotVerdict(by, hlc, bytes([op]), same, sureness),
            st.booleans(),
            st.integers(1, 4),
            st.integers(1, 3),
            st.integers(0, 255),
            st.sampled_from([50, 90]),
        ),
    ),
    st.randoms(),
)
def test_groups_are_the_same_in_any_order_and_keep_their_three_rules(
    said: dict[Pair, SlotVerdict], random: Random
) -> None:
    found = groups(SLOTS, said)
    items, slots = list(said.items()), [*SLOTS]
    random.shuffle(items)
    random.shuffle(slots)
    assert groups(slots, dict(items)) == found
    assert sorted(slot for group in found for slot in group) == SLOTS
    for each in found:
        pairs = {(a, b) for a in each for b in each if a < b}
        assert not any(pair in said and not said[pair].same for pair in pairs), (
            "what was kept apart stays apart"
        )
        links = {pair for pair in pairs if pair in said and said[pair].same}
        for a, b in pairs:
            near = (a, b) in links or any(
                (min(a, c), max(a, c)) in links and (min(b, c), max(b, c)) in links for c in each - {a, b}
            )
            assert near, f"no chain is longer than {LINKS_MAX}"


def test_of_a_longer_chain_the_weakest_link_is_left_out() -> None:
    a, b, c, d, *_ = SLOTS
    chain = {(a, b): verdict(True), (b, c): verdict(True, sureness=90), (c, d): verdict(True, by=3)}
    assert frozenset([b, c, d]) in grouped(chain)
    assert frozenset([a]) in grouped(chain)


def test_what_was_kept_apart_is_not_joined_by_a_way_round() -> None:
    a, b, c, *_ = SLOTS
    said = {(a, b): verdict(True, sureness=90), (b, c): verdict(True), (a, c): verdict(False)}
    assert frozenset([a, b]) in grouped(said)
    assert frozenset([c]) in grouped(said)


def test_who_joins_everything_joins_nothing() -> None:
    slots = [number.to_bytes(2) for number in range(REACHED_MAX + 1)]
    assert set(groups(slots, {(slots[0], each): verdict(True) for each in slots[1:]})) == {
        frozenset([each]) for each in slots
    }


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        (("the market", "time"), ("Christmas market", "time"), True),
        (("the market", "time"), ("the market", "day"), False),
        (("the market", "time"), ("the bakery", "time"), False),
        (("owner", "favorite:tea"), ("owner", "favorite:kinds of tea"), True),
        (("owner", "lives_in"), ("owner's sister", "lives_in"), False),
        (("Ann", "friends_with"), ("Ann", "friends_with"), False),
        (("Ann", "judged:1"), ("Ann", "judged:2"), False),
        (("Ann's car", "price"), ("Bob's bike", "price"), False),
    ],
)
def test_a_guard_stands_before_every_judge(one: tuple[str, str], other: tuple[str, str], may: bool) -> None:
    assert may_be_one(SlotNames(None, *one), SlotNames(None, *other)) is may
    assert may_be_one(SlotNames(None, *other), SlotNames("", *one)) is may
    assert not may_be_one(SlotNames("work", *one), SlotNames(None, *other))


class World:
    """Three devices that claim, judge, forget and rename the owner while apart."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.cores = group(*(f"device {number}" for number in range(3)), make_store=make_store)
        self.claims: list[tuple[MemoryId, OpRef]] = []
        self.now_ms = NOW_MS

    def act(self) -> None:
        random, core = self.random, self.random.choice(self.cores)
        self.now_ms += 1_000
        match random.choice(
            ["claim", "claim", "judge", "judge", "judge", "forget", "name", "move", "sync", "sync"]
        ):
            case "claim":
                rid = new_memory_id(self.now_ms, random)
                claim = Claim(
                    random.choice(NAMES), "lives_in", random.choice(["Oslo", "Quito", "Lima"]), (), None
                )
                _, op = core.commit([Write(Remember("a text", {}), rid), Write(claim, rid)], self.now_ms)
                self.claims.append((rid, op.place))
            case "judge" if len(self.claims) > 1:
                one, other = random.sample(self.claims, 2)
                same, by = random.choice([True, True, False, None]), random.randint(1, 4)
                said = SameSlot.of(one, other, same, by=by, sureness=random.choice([50, 90]))
                core.commit([Write(said)], self.now_ms)
            case "forget" if self.claims and random.random() < 0.4:
                core.commit([Write(Forget((random.choice(self.claims)[0],)))], self.now_ms)
            case "name" if random.random() < 0.3:
                core.commit(
                    [Write(Set("profile.name", random.choice(["Ann Bo", "Cy Di", None])))], self.now_ms
                )
            case "move" if self.claims and random.random() < 0.3:
                moved = Set("workspace", random.choice(["work", None]))
                core.commit([Write(moved, random.choice(self.claims)[0])], self.now_ms)
            case "sync":
                sync(core, random.choice([each for each in self.cores if each is not core]), self.now_ms)
            case _:
                pass


def filed(core: Core) -> dict[tuple[bytes, bytes], tuple[bytes, bytes]]:
    rows = connection_of(core).execute(
        "SELECT m.rid, s.claim, s.slot, s.own FROM claim_slot s JOIN memory m ON m.id = s.id"
    )
    return {(rid, claim): (slot, own) for rid, claim, slot, own in rows}


def made_anew(core: Core) -> tuple[Any, Any]:
    """What the tables come to when they are made anew from what the replica shows."""
    connection = connection_of(core)
    connection.execute("DELETE FROM claim_version")
    ClaimTables().migrate(connection)
    return filed(core), records(core)


def last_arrived(register: Register) -> tuple[Dot, int, Any]:
    """A wrong rule: of what was said at once, what this device heard last."""
    dot, (hlc, value) = [*register.items()][-1]
    return dot, hlc, value


def test_the_last_judgment_by_arrival_is_seen_to_diverge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica.storage.same_slots, "winner", last_arrived)
    for seed in range(30):
        world = World(seed)
        for _ in range(40):
            world.act()
        meet(world.cores, world.now_ms)
        if len({str(records(core)) for core in world.cores}) > 1:
            return
    pytest.fail("no history shows it")


@pytest.mark.parametrize("seed", range(30))
def test_devices_whose_readers_differ_ask_the_same(seed: int) -> None:
    world = World(seed)
    for step in range(world.random.randrange(10, 60)):
        world.act()
        if step % 7 == 0:
            core = world.random.choice(world.cores)
            assert made_anew(core) == (filed(core), records(core)), (seed, step)
    meet(world.cores, world.now_ms)
    assert agree(*world.cores), seed
    first = world.cores[0]
    for core in world.cores:
        assert (filed(core), records(core)) == (filed(first), records(first)), seed
        found = filed(core), records(core)
        assert made_anew(core) == found, seed
        assert verify_replica(core).ok, seed


@pytest.mark.parametrize("seed", range(40))
def test_bounds_that_are_reached_count_alike_however_the_judgments_came(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one more judgment pushes out, and what one fewer lets in again, is found on the way as from the start."""
    random = Random(f"bounds {seed}")
    monkeypatch.setattr(judgments, "JUDGED_PER_DEVICE_MAX", random.randint(1, 4))
    monkeypatch.setattr(judgments, "NEIGHBOURS_PER_DEVICE_MAX", random.randint(1, 2))
    monkeypatch.setattr(judgments, "NEIGHBOURS_MAX", random.randint(1, 3))
    for module in (judgments, joining):
        monkeypatch.setattr(module, "REACHED_MAX", random.randint(2, 4))
    world = World(seed)
    for step in range(random.randrange(30, 70)):
        world.act()
        if step % 3 == 0:
            core = random.choice(world.cores)
            found = filed(core), records(core)
            assert made_anew(core) == found, (seed, step)
    meet(world.cores, world.now_ms)
    first = world.cores[0]
    for core in world.cores:
        assert (filed(core), records(core)) == (filed(first), records(first)), seed
        found = filed(core), records(core)
        assert made_anew(core) == found, seed


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_joining_after_parting_and_parting_after_joining_come_to_the_last_known(
    order: tuple[int, ...],
) -> None:
    """Who knew of a judgment and says another thing is believed, whoever hears of it first."""
    cores = group("ann", "ben", "cleo", make_store=make_store)
    ann = cores[0]
    refs = []
    for name, value in (("the market", "9"), ("Christmas market", "10")):
        rid = new_memory_id(NOW_MS, Random(name))
        _, op = ann.commit(
            [Write(Remember("a text", {}), rid), Write(Claim(name, "time", value, (), None), rid)], NOW_MS
        )
        refs.append((rid, op.place))
    meet(list(cores), NOW_MS)

    def say(core: Core, same: bool | None, by: int, now_ms: int) -> None:
        core.commit([Write(SameSlot.of(refs[0], refs[1], same, by=by, sureness=90))], now_ms)

    def asked() -> list[int]:
        meet([cores[number] for number in order], NOW_MS + DAY_MS)
        found = [len(records(core)) for core in cores]
        assert len({str(records(core)) for core in cores}) == 1
        return found

    assert asked() == [0] * 3
    say(cores[0], True, 1, NOW_MS + 1)
    assert asked() == [1] * 3
    say(cores[1], False, 1, NOW_MS + 2)
    assert asked() == [0] * 3
    say(cores[2], True, 1, NOW_MS + 3)
    assert asked() == [1] * 3
    say(cores[0], True, 3, NOW_MS + 9)  # two at once: the higher rank counts, whichever stamp it bears
    say(cores[1], False, 4, NOW_MS + 4)
    assert asked() == [0] * 3
    say(cores[2], None, 4, NOW_MS + 5)
    assert asked() == [1] * 3


def test_two_things_of_one_name_are_never_set_against_each_other_and_a_third_is_still_asked() -> None:
    ann, *_ = cores = group("ann", "ben", make_store=make_store)
    refs = []
    for number in range(3):
        rid = new_memory_id(NOW_MS + number, Random(number))
        claim = Claim("the market", "time", f"{number + 8} am", (), None)
        _, op = ann.commit([Write(Remember(f"market {number}", {}), rid), Write(claim, rid)], NOW_MS + number)
        refs.append((rid, op.place))
        if number == 1:
            ann.commit([Write(SameSlot.of(refs[0], refs[1], False, by=4, sureness=100))], NOW_MS + 10)
            ((slot, *_, status, _, _, _),) = records(ann)
            assert status == "settled"
    ((slot, *_, status, _, _, _),) = records(ann)
    assert status == "open"
    assert len(judged_of(connection_of(ann), slot).sides) == 3
    ann.commit([Write(SameSlot.of(refs[0], refs[2], False, by=4, sureness=100))], NOW_MS + 20)
    sides = judged_of(connection_of(ann), slot).sides
    assert [[belief.told.rid for belief in side] for side in sides] == [[refs[1][0]], [refs[2][0]]]
    meet(list(cores), NOW_MS + 30)
    assert records(cores[0]) == records(cores[1])


def test_judgments_outlive_compaction_and_go_with_what_they_are_about() -> None:
    ann, ben = group("ann", "ben", make_store=make_store)
    refs = []
    for name, value in (("the market", "9"), ("Christmas market", "10")):
        rid = new_memory_id(NOW_MS, Random(name))
        _, op = ann.commit(
            [Write(Remember(name, {}), rid), Write(Claim(name, "time", value, (), None), rid)], NOW_MS
        )
        refs.append((rid, op.place))
    ann.commit([Write(SameSlot.of(refs[0], refs[1], True, by=3, sureness=90))], NOW_MS + 1)
    meet([ann, ben], NOW_MS + 2)
    for core in (ann, ben):
        compact(core, NOW_MS + 400 * DAY_MS)
        assert verify_replica(core).ok
        assert len(records(core)) == 1
    ben.commit([Write(Forget((refs[0][0],)))], NOW_MS + 5)
    meet([ann, ben], NOW_MS + 6)
    assert records(ann) == records(ben) == []
