"""A member that signs another one's edit again, in an op that does not say it had seen what the edit continues.

The text library forgot such an edit where the other one came later, and kept it where it came first: two devices of one
group then read a memory differently, for good.
"""

from random import Random

import pytest

from replica import Core, Edit, Forget, MemoryId, Write
from replica.ids import new_memory_id
from replica.ops import Remember
from tests.support.replicas import NOW_MS, agree, group, memories, settle, sync


@pytest.mark.parametrize("continued", ["x new fresh words text", "x text"], ids=["words", "a deletion"])
@pytest.mark.parametrize("signs_both", [False, True], ids=["one edit", "both, the later one first"])
def test_an_edit_has_its_effect_whenever_what_it_continues_arrives(continued: str, signs_both: bool) -> None:
    ann, ben, mal, eve = group("ann", "ben", "mal", "eve")
    rid = new_memory_id(NOW_MS, Random(1))
    ann.commit([Write(Remember("x text", {}), rid)], NOW_MS)
    settle([ann, ben, mal, eve])
    (first,) = ann.edits_of(rid, "x new words text")
    ann.commit([first], NOW_MS + 1)
    sync(ann, eve)
    (second,) = eve.edits_of(rid, continued)
    mal.commit([Write(second.body, rid)], NOW_MS + 2)
    if signs_both:
        mal.commit([Write(first.body, rid)], NOW_MS + 3)
    sync(mal, ben)  # what continues an edit arrives before it, and is stored
    sync(ann, ben)
    sync(ann, mal)
    settle([ann, ben, mal])
    assert {text_of(core, rid) for core in (ann, ben, mal)} == {continued}
    agree(ann, ben, mal)
    ann.commit([Write(Forget((rid,)))], NOW_MS + 9)
    settle([ann, ben, mal])
    agree(ann, ben, mal)


def test_what_never_finds_what_it_continues_changes_nothing() -> None:
    ann, ben, mal, eve = group("ann", "ben", "mal", "eve")
    rid = new_memory_id(NOW_MS, Random(1))
    ann.commit([Write(Remember("x text", {}), rid)], NOW_MS)
    settle([ann, ben, mal, eve])
    eve.commit(eve.edits_of(rid, "x new words text"), NOW_MS + 1)  # and nobody hears of it
    (continued,) = eve.edits_of(rid, "x new fresh words text")
    assert isinstance(continued.body, Edit)
    mal.commit([Write(continued.body, rid)], NOW_MS + 2)
    settle([ann, ben, mal])
    assert {text_of(core, rid) for core in (ann, ben, mal)} == {"x text"}
    ann.commit(ann.edits_of(rid, "x text and more"), NOW_MS + 3)
    settle([ann, ben, mal])
    assert {text_of(core, rid) for core in (ann, ben, mal)} == {"x text and more"}
    agree(ann, ben, mal)


def text_of(core: Core, rid: MemoryId) -> str:
    """Return how a memory reads on a device."""
    return memories(core)[rid].text
