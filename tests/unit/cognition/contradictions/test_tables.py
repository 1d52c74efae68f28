"""The tables of contradictions follow whatever way claims come by: a commit, a sync, or a base."""

from random import Random

from cognition.contradictions.slots import ContradictionStatus
from cognition.contradictions.tables import ClaimTables, judged_of
from replica import Claim, Core, Remember, Set, SqliteStore, Write, compact, connect, new_memory_id
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.verify import verify_replica
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, core_of, say, sync

# Beyond every lease: who was not heard of for so long holds nothing back.
LATER_MS = NOW_MS + 200 * DAY_MS


def core(name: str) -> Core:
    made = core_of(name, SqliteStore(connect(":memory:"), [ClaimTables()]))
    acquaint(made, name, "ann", "ben")
    return made


def statuses(of: Core) -> list[str]:
    assert isinstance(of.store, SqliteStore)
    return [status for (status,) in of.store.connection.execute("SELECT status FROM contradiction")]


def test_claims_that_come_in_a_base_on_memories_held_already_are_judged_too() -> None:
    ann, ben = core("ann"), core("ben")
    random = Random(1)
    rids = [new_memory_id(NOW_MS, random) for _ in range(2)]
    ann.commit([Write(Remember(f"memory {rid.hex()}", {}), rid) for rid in rids], NOW_MS)
    sync(ann, ben)
    for rid, value in zip(rids, ("Google", "Meta"), strict=True):
        say(ann, Claim("Ann", "works_at", value, (), None), rid)
    assert (statuses(ann), statuses(ben)) == (["open"], [])
    compact(ann, LATER_MS)
    assert absorb(ben, read_snapshot(make_snapshot(ann), ben), LATER_MS)
    assert statuses(ben) == ["open"]
    assert verify_replica(ben).ok


def test_a_memory_that_changes_spaces_takes_its_claim_along() -> None:
    ann = core("ann")
    random = Random(2)
    rids = [new_memory_id(NOW_MS, random) for _ in range(2)]
    ann.commit([Write(Remember(f"memory {rid.hex()}", {}), rid) for rid in rids], NOW_MS)
    for rid, value in zip(rids, ("Google", "Meta"), strict=True):
        say(ann, Claim("Ann", "works_at", value, (), None), rid)
    assert statuses(ann) == ["open"]
    say(ann, Set("workspace", "team"), rids[0])
    assert statuses(ann) == []
    say(ann, Set("workspace", "team"), rids[1])
    assert isinstance(ann.store, SqliteStore)
    ((slot, workspace),) = ann.store.connection.execute("SELECT slot, workspace FROM contradiction")
    assert workspace == "team"
    assert judged_of(ann.store.connection, slot).status is ContradictionStatus.OPEN
