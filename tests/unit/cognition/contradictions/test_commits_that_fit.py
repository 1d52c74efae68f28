"""What is told together goes into as many commits as hold it."""

from random import Random

import pytest

from cognition.contradictions.tables import ClaimTables
from cognition.contradictions.telling import ClaimWriter, telling_of
from cognition.ingest.plan import read_text, take_in
from replica import Core, MemoryId, SqliteStore, TooLarge, authoring, connect, new_memory_id
from tests.support.replicas import NOW_MS, acquaint, core_of

BYTES_MAX = 2_000


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    """Return a device whose commits hold less."""
    monkeypatch.setattr(authoring, "COMMIT_PAYLOAD_BYTES_MAX", BYTES_MAX)
    made = core_of("ann", SqliteStore(connect(":memory:"), [ClaimTables()]))
    acquaint(made, "ann", "ann")
    return made


def tell(teller: ClaimWriter, text: str, random: Random) -> MemoryId:
    rid = new_memory_id(NOW_MS, random)
    fields, found = read_text(text, {}, now_ms=NOW_MS)
    taken = take_in(rid, text, fields, found)
    teller.tell(taken.writes, [(telling_of(where, fields, NOW_MS), each) for where, each in taken.statements])
    return rid


@pytest.mark.parametrize("seed", range(20))
def test_a_commit_holds_what_may_be_in_one_and_each_memory_is_in_one_with_its_claims(
    core: Core, seed: int
) -> None:
    random = Random(seed)
    assert isinstance(core.store, SqliteStore)
    teller = ClaimWriter(core, core.store.connection, NOW_MS)
    told = [
        tell(teller, f"Ben{n} lives in Lisbon. " + "la " * random.choice([0, 9, 200, 600]), random)
        for n in range(random.randint(1, 40))
    ]
    ops = teller.commit()
    begun = list(dict.fromkeys(op.rid for op in ops))
    assert begun == told
    assert len(ops) > len(told), "nothing was claimed"
    size, here = 0, set[bytes | None]()
    for op in ops:
        size += len(op.payload or b"")
        here.add(op.rid)
        if op.ends:
            assert size <= BYTES_MAX
            assert all(each.rid not in here for each in ops[ops.index(op) + 1 :])
            size, here = 0, set()


def test_what_fits_no_commit_is_refused_as_it_was(core: Core) -> None:
    assert isinstance(core.store, SqliteStore)
    teller = ClaimWriter(core, core.store.connection, NOW_MS)
    tell(teller, "la " * BYTES_MAX, Random(1))
    with pytest.raises(TooLarge, match=f"at most {BYTES_MAX} bytes in one commit"):
        teller.commit()
