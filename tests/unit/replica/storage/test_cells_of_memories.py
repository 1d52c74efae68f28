"""Which memories have a cell of their own: those that say more than their op does, or whose op is gone."""

from random import Random

from replica import ops
from replica.compaction import compact
from replica.ids import new_memory_id
from replica.verify import verify_replica
from tests.support.replicas import NOW_MS, Hand, core_of, memories, remember, say, sqlite_store, take, texts


def test_a_memory_has_a_cell_of_its_own_once_it_says_more_than_its_op_or_the_op_is_gone() -> None:
    """Nearly all memories are never touched again: the op says it all, and to store it twice took a tenth of a sync."""
    core = core_of("ann", store := sqlite_store())

    def named() -> list[bytes]:
        return [
            name for (name,) in store.connection.execute("SELECT name FROM cell WHERE part = 0 ORDER BY name")
        ]

    untouched, changed, forgotten = remember(core, "one", "two", "three")
    assert named() == []
    assert set(memories(core)) == {untouched, changed, forgotten}
    say(core, ops.Set("importance", 0.5), changed)
    say(core, ops.Forget((forgotten,)))
    assert named() == [changed]
    before = dict(store.all_cells())
    assert compact(core, NOW_MS) == 5
    assert named() == [untouched, changed]
    assert dict(store.all_cells()) == dict(store.all_base_cells()) == before
    assert verify_replica(core).ok


def test_only_an_op_that_was_folded_tells_what_a_memory_says() -> None:
    core, hand = core_of("ann", sqlite_store()), Hand("ann")
    rid = new_memory_id(NOW_MS, Random(1))
    wrong = hand.write(kind=ops.OpKind.REMEMBER, rid=rid, plain=b"\xc1")
    later = hand.write(ops.Remember("what a newer program says", {}), rid, version=2)
    right = hand.write(ops.Remember("one", {}), rid)
    assert take(core, hand.frame(wrong, later, right)).ops == 3
    assert texts(core) == {"one"}
    assert verify_replica(core).ok
