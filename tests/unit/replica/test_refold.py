"""A store that an older program wrote is folded anew by one that understands more."""

from pathlib import Path
from random import Random

import pytest

from replica import ops
from replica.core import Core
from replica.folding import count_added
from replica.ids import MemoryId, new_memory_id
from replica.oplog import FoldStatus
from replica.refold import Refolded, refold, refold_after_upgrade
from replica.state.cells import State, memory_key
from replica.state.memories import BareMemory, MemoryCell
from replica.storage import schema
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    core_of,
    group,
    remember,
    rows_of,
    say,
    sqlite_store,
    take,
)

RID = MemoryId(new_memory_id(1, Random(1)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def upgraded(store: SqliteStore, path: Path) -> Core:
    """The device when a program opened it that folds what the one before took for a mistake."""
    schema.judge_crooked_ops_anew(store.connection)
    store.connection.close()
    return core_of("ann", sqlite_store(str(path)))


def test_a_word_that_was_taken_for_a_mistake_is_folded_after_the_upgrade(path: Path) -> None:
    """It was never looked at again, and the digests parted from the others' for good."""
    store = sqlite_store(str(path))
    core = core_of("ann", store)
    (rid,) = remember(core, "one")
    word = say(core, ops.Set("type", "episodic"), rid)
    known = core.digests()
    store.connection.execute("UPDATE op SET status = ? WHERE id = ?", (FoldStatus.UNFOLDABLE, word.id))
    core = upgraded(store, path)
    assert refold_after_upgrade(core, NOW_MS)
    assert [row.status for row in rows_of(core)] == [FoldStatus.FOLDED] * 2
    assert core.digests() == known
    assert verify_replica(core).ok
    assert not refold_after_upgrade(core, NOW_MS), "once"


def test_what_a_proof_alone_erased_stays_erased_after_the_upgrade(path: Path) -> None:
    """The op that erased it is not in the log yet, so no row that is folded again says so."""
    (ben,) = group("ben")
    store = sqlite_store(str(path))
    core = core_of("ann", store)
    acquaint(core, "ann", "ben")
    erased, other = remember(core, "erased by another device", "typed")
    word = say(core, ops.Set("type", "episodic"), other)
    say(ben, ops.Erase((erased,)))
    core.learn([], [], ben.proofs.values(), NOW_MS)
    known = core.digests()
    store.connection.execute("UPDATE op SET status = ? WHERE id = ?", (FoldStatus.UNFOLDABLE, word.id))
    core = upgraded(store, path)
    assert refold_after_upgrade(core, NOW_MS)
    assert core.digests() == known
    assert verify_replica(core).ok


def test_what_its_author_made_wrong_stays_without_effect(path: Path) -> None:
    store = sqlite_store(str(path))
    core = core_of("ann", store)
    acquaint(core, "ann", "ben")
    hand = Hand("ben")
    take(core, hand.frame(hand.write(kind=ops.OpKind.REMEMBER, rid=RID, plain=b"\xc1")))
    before = core.digests()
    core = upgraded(store, path)
    assert refold_after_upgrade(core, NOW_MS)
    assert [row.status for row in rows_of(core)] == [FoldStatus.UNFOLDABLE]
    assert core.digests() == before
    assert verify_replica(core).ok
    assert not refold_after_upgrade(core, NOW_MS), "once"


def test_a_row_finds_the_memories_of_a_base_that_have_no_cell_in_it() -> None:
    laptop = core_of("laptop")
    labelled, plain = remember(laptop, "to be labelled", "as it was")
    base = State(dict(laptop.store.all_cells()))
    say(laptop, ops.Set("topic", "trains"), labelled)
    added = {
        key.name: BareMemory(key.name, dot, add)
        for key, cell in base.cells.items()
        if isinstance(cell, MemoryCell)
        for dot, add in cell.adds.items()
    }
    bare = State()

    def refolded(base: State, added: dict[bytes, BareMemory]) -> Refolded:
        feeds, rows = laptop.feeds, rows_of(laptop)[2:]
        return refold(
            base,
            rows,
            feeds,
            feeds.vector_at,
            understood=laptop.understood,
            added=lambda rid: added.pop(rid, None),
        )

    whole, apart = refolded(base, {}), refolded(bare, added)
    count_added(apart.totals, laptop.feeds.origin_of, added.values())  # of those that no row touched
    assert apart.totals == whole.totals == laptop.totals
    assert apart.state.cells == {memory_key(labelled): whole.state.cells[memory_key(labelled)]}
    assert bare.cells == {memory_key(labelled): base.cells[memory_key(labelled)]}
    assert set(added) == {plain}
