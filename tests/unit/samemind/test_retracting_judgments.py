"""What a device that nobody trusts said of claims is taken back with the rest, and what others said stands again."""

from datetime import UTC, datetime
from random import Random

import pytest

from replica import (
    Claim,
    ClaimVerdict,
    Core,
    MemoryId,
    OpRef,
    Remember,
    Resolve,
    SameSlot,
    Write,
    new_memory_id,
    show_memory_id,
)
from replica.verify import verify_replica
from samemind.commands.thinking._parts import Retract
from samemind.commands.thinking._retracting import find_all, shown, write_all
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import NOW_MS, agree, group, settle

Ref = tuple[MemoryId, OpRef]
NAMES = ("the market", "Christmas market", "fish market")


@pytest.fixture
def cores() -> list[Core]:
    return group("ann", "ben", "eve", make_store=make_store)


def claims(core: Core) -> list[Ref]:
    refs = []
    for number, name in enumerate(NAMES):
        rid = new_memory_id(NOW_MS, Random(name))
        told = [Write(Remember(name, {}), rid), Write(Claim(name, "time", f"{number + 8} am", (), None), rid)]
        _, op = core.commit(told, NOW_MS)
        refs.append((rid, op.place))
    return refs


def say(core: Core, one: Ref, other: Ref, same: bool | None, now_ms: int, *, by: int = 4) -> None:
    core.commit([Write(SameSlot.of(one, other, same, by=by, sureness=90))], now_ms)


def said(core: Core) -> dict[tuple[bytes, ...], int]:
    rows = connection_of(core).execute("SELECT one, other, same FROM same_slot")
    return {(one, other): same for one, other, same in rows}


def retract(core: Core, options: Retract, now_ms: int) -> list[str]:
    found = find_all(core, connection_of(core), options)
    write_all(core, found, now_ms)
    return shown(found, dry_run=False).judgments


def test_what_a_device_said_of_claims_goes_on_every_device_and_can_be_said_again(cores: list[Core]) -> None:
    ann, ben, eve = cores
    one, other, third = claims(ann)
    settle(cores, NOW_MS)
    say(ann, one, third, True, NOW_MS + 1)
    say(eve, one, other, True, NOW_MS + 2)
    say(eve, other, third, False, NOW_MS + 3)
    settle(cores, NOW_MS + 4)
    device = Retract(device=eve.device.hex())
    before = ann.digests()
    assert len(find_all(ann, connection_of(ann), device).judgments) == 2
    assert ann.digests() == before, "to look changes nothing"
    gone = retract(ann, device, NOW_MS + 5)
    pairs = [{one[0], other[0]}, {other[0], third[0]}]
    assert sorted(gone) == sorted(" ".join(map(show_memory_id, sorted(pair))) for pair in pairs)
    settle(cores, NOW_MS + 6)
    assert agree(*cores)
    for core in cores:
        assert said(core) == {tuple(sorted((one[0], third[0]))): 1}
        assert records(core) == records(ann)
        assert verify_replica(core).ok
    assert retract(ben, device, NOW_MS + 7) == []
    say(ben, one, other, True, NOW_MS + 8)
    settle(cores, NOW_MS + 9)
    assert len(said(ann)) == 2


def test_what_was_said_at_once_by_another_stands_again(cores: list[Core]) -> None:
    """Of two that did not know of each other the later shows; the other is no device's to take away."""
    ann, ben, eve = cores
    one, other, _ = claims(ann)
    settle(cores, NOW_MS)
    say(ben, one, other, False, NOW_MS + 1)
    say(eve, one, other, True, NOW_MS + 2)
    settle(cores, NOW_MS + 3)
    assert [*said(ann).values()] == [1]
    retract(ann, Retract(device=eve.device.hex()), NOW_MS + 4)
    settle(cores, NOW_MS + 5)
    assert [[*said(core).values()] for core in cores] == [[0]] * 3


def test_only_what_was_said_since_a_time_goes_and_nothing_that_comes_to_nothing(cores: list[Core]) -> None:
    ann, _, eve = cores
    one, other, third = claims(ann)
    rid = new_memory_id(NOW_MS, Random("eve"))
    _, op = eve.commit(
        [Write(Remember("eve's", {}), rid), Write(Claim("market", "time", "3 am", (), None), rid)], NOW_MS
    )
    settle(cores, NOW_MS)
    say(eve, one, other, True, NOW_MS + 1_000)
    say(eve, other, third, True, NOW_MS + 60_000)
    say(eve, one, (rid, op.place), True, NOW_MS + 61_000)
    settle(cores, NOW_MS + 62_000)
    since = datetime.fromtimestamp((NOW_MS + 30_000) / 1_000, UTC).isoformat()
    found = find_all(ann, connection_of(ann), Retract(device=eve.device.hex(), since=since))
    assert len(found.judgments) == 2
    found = find_all(ann, connection_of(ann), Retract(device=eve.device.hex()))
    assert found.rids == [rid]
    assert len(found.judgments) == 2, "the third is on a memory that goes"


def test_memories_on_which_it_claimed_or_decided_are_named(cores: list[Core]) -> None:
    """A claim that takes the place of another's hides that; somebody has to look, and to decide anew."""
    ann, _, eve = cores
    one, other, third = claims(ann)
    settle(cores, NOW_MS)
    eve.commit([Write(Claim("the market", "time", "3 am", (one[1],), None), one[0])], NOW_MS + 1)
    eve.commit([Write(Resolve((ClaimVerdict(*other, False),)))], NOW_MS + 2)
    settle(cores, NOW_MS + 3)
    device = Retract(device=eve.device.hex())
    assert find_all(ann, connection_of(ann), device).changed == sorted([one[0], other[0]])
    assert third[0] not in find_all(ann, connection_of(ann), device).changed
    assert find_all(ann, connection_of(ann), Retract(device=cores[1].device.hex())).changed == []
