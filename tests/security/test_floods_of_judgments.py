"""A member that says of claims, without end, that they are of one thing or of two: what others said still counts.

Ten thousand judgments on the claims of two memories once made every change of either cost seconds, and a few thousand
in one slot, or beside it, made everything that others had settled there open again. The bounds are set lower here.
"""

from itertools import combinations
from random import Random
from typing import Final

import pytest

from cognition.contradictions import judgments
from cognition.contradictions.judgments import apart_in
from replica import Claim, Core, MemoryId, OpRef, Remember, SameSlot, Set, Write, new_memory_id
from replica.limits import COMMIT_OPS_MAX
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import NOW_MS, group, settle

Ref = tuple[MemoryId, OpRef]
JUDGED_PER_DEVICE_MAX: Final = 16
APART_MAX: Final = 64
NEIGHBOURS_MAX: Final = 16


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> list[Core]:
    monkeypatch.setattr(judgments, "JUDGED_PER_DEVICE_MAX", JUDGED_PER_DEVICE_MAX)
    monkeypatch.setattr(judgments, "APART_MAX", APART_MAX)
    monkeypatch.setattr(judgments, "NEIGHBOURS_MAX", NEIGHBOURS_MAX)
    monkeypatch.setattr(judgments, "NEIGHBOURS_PER_DEVICE_MAX", NEIGHBOURS_MAX // 4)
    return group("ann", "ben", "eve", make_store=make_store)


def tell(core: Core, name: str, value: str) -> Ref:
    rid = new_memory_id(NOW_MS, Random(f"{name} {value}"))
    told = [Write(Remember(name, {}), rid), Write(Claim(name, "time", value, (), None), rid)]
    _, op = core.commit(told, NOW_MS)
    return rid, op.place


def commit(core: Core, writes: list[Write], now_ms: int) -> None:
    for start in range(0, len(writes), COMMIT_OPS_MAX):
        core.commit(writes[start : start + COMMIT_OPS_MAX], now_ms)


def said(one: Ref, other: Ref, same: bool) -> Write:
    return Write(SameSlot.of(one, other, same, by=4, sureness=100))


def filed(core: Core) -> int:
    ((count,),) = connection_of(core).execute("SELECT count(DISTINCT judgment) FROM slot_judgment")
    return int(count)


def work_of_a_change(core: Core, rid: MemoryId) -> int:
    """Return how many statements it takes to change a memory."""
    statements: list[str] = []
    connection_of(core).set_trace_callback(statements.append)
    core.commit([Write(Set("topic", "markets"), rid)], NOW_MS + 9)
    connection_of(core).set_trace_callback(None)
    return len(statements)


def test_what_one_device_says_of_one_memory_costs_no_more_than_its_bound(cores: list[Core]) -> None:
    ann, _, eve = cores
    one, other = tell(ann, "the market", "8 am"), tell(ann, "Christmas market", "9 am")
    settle(cores, NOW_MS)
    side = 2 * int(JUDGED_PER_DEVICE_MAX**0.5)
    claims = [
        [
            (rid, op.place)
            for op in eve.commit(
                [Write(Claim(name, "time", f"{number} pm", (), None), rid) for number in range(side)], NOW_MS
            )
        ]
        for rid, name in ((one[0], "the market"), (other[0], "Christmas market"))
    ]
    flood = [said(mine, theirs, True) for mine in claims[0] for theirs in claims[1]]
    assert len(flood) > 2 * JUDGED_PER_DEVICE_MAX
    work = []
    for start in (0, len(flood) // 2):
        commit(eve, flood[start : start + len(flood) // 2], NOW_MS + 1)
        settle(cores, NOW_MS + 2)
        assert filed(ann) == JUDGED_PER_DEVICE_MAX
        work.append(work_of_a_change(ann, one[0]))
    assert work[1] <= work[0] + 1, "twice the flood is no more work"


def test_what_names_claims_that_nobody_made_is_filed_nowhere(cores: list[Core]) -> None:
    ann, _, eve = cores
    one, other = tell(ann, "the market", "8 am"), tell(ann, "Christmas market", "9 am")
    settle(cores, NOW_MS)
    ann.commit([said(one, other, True)], NOW_MS + 1)
    work = []
    for start in (0, 4 * JUDGED_PER_DEVICE_MAX):
        flood = []
        for number in range(start, start + 4 * JUDGED_PER_DEVICE_MAX):
            nobodys = OpRef(one[1].origin, number + 100, number.to_bytes(8))
            flood.append(said((one[0], nobodys), other, False))
        commit(eve, flood, NOW_MS + 2)
        settle(cores, NOW_MS + 3)
        assert filed(ann) == 1
        assert len(records(ann)) == 1, "joined, as before"
        work.append(work_of_a_change(ann, one[0]))
    assert work[1] <= work[0] + 1, "twice the flood is no more work"


def test_what_a_person_set_apart_in_a_slot_stays_so_whatever_a_member_says_there(cores: list[Core]) -> None:
    """More than `APART_MAX` pairs had all of them set against each other again."""
    ann, _, eve = cores
    one, other = tell(ann, "the market", "8 am"), tell(ann, "the market", "9 am")
    ann.commit([said(one, other, False)], NOW_MS)
    settle(cores, NOW_MS)
    ((slot, *_, status, _, _, _),) = records(ann)
    assert status == "settled"
    told = [tell(eve, "the market", f"{number} pm") for number in range(13)]
    flood = [said(mine, theirs, False) for mine, theirs in combinations(told, 2)]
    assert len(flood) > APART_MAX
    commit(eve, flood, NOW_MS + 1)
    settle(cores, NOW_MS + 2)
    connection = connection_of(ann)
    numbers = dict(connection.execute("SELECT rid, id FROM shown_memory"))
    apart = apart_in(connection, slot)
    assert numbers[other[0]] in {each.id for each in apart[numbers[one[0]]]}
    assert sum(map(len, apart.values())) <= 2 * (JUDGED_PER_DEVICE_MAX + 1)


def test_what_was_joined_stays_so_whatever_a_member_says_beside_it(cores: list[Core]) -> None:
    """Judgments on more than `NEIGHBOURS_MAX` other slots had a slot joined to none."""
    ann, _, eve = cores
    one, other = tell(ann, "the market", "8 am"), tell(ann, "Christmas market", "9 am")
    ann.commit([said(one, other, True)], NOW_MS)
    settle(cores, NOW_MS)
    beside = [tell(eve, f"market {number}", "8 am") for number in range(NEIGHBOURS_MAX + 8)]
    commit(eve, [said(one, each, False) for each in beside], NOW_MS + 1)
    settle(cores, NOW_MS + 2)
    for core in cores:
        assert len(records(core)) == 1


@pytest.mark.parametrize("same", [True, False])
def test_a_flip_in_a_slot_of_which_much_is_said_reads_that_but_a_few_times(
    cores: list[Core], same: bool
) -> None:
    """It was read once for each slot beside it: each flip of one among 512 took every device 0.8 s."""
    ann, _, eve = cores
    hub = tell(eve, "the market", "8 am")
    beside = [tell(eve, f"market {number}", "8 am") for number in range(2 * JUDGED_PER_DEVICE_MAX)]
    commit(eve, [said(hub, each, same) for each in beside], NOW_MS + 1)
    settle(cores, NOW_MS + 2)
    ((slot,),) = connection_of(ann).execute(
        "SELECT s.own FROM claim_slot s JOIN shown_memory m ON m.id = s.id WHERE m.rid = ?", (hub[0],)
    )
    statements: list[str] = []
    connection_of(ann).set_trace_callback(statements.append)
    eve.commit([said(hub, beside[-1], not same)], NOW_MS + 3)
    settle(cores, NOW_MS + 4)
    connection_of(ann).set_trace_callback(None)
    read = [each for each in statements if "ORDER BY hlc DESC" in each and f"slot = x'{slot.hex()}'" in each]
    assert 1 <= len(read) <= 4
