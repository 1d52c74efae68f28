"""Devices that notice one thing while apart, each by its own reader, end with one question."""

from random import Random
from typing import Final

import pytest

from cognition.contradictions.tables import judged_of
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims
from cognition.judging import noticing
from cognition.memories import read_memories
from replica import Core
from replica.verify import verify_replica
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import NOW_MS, agree, edit, group, remember, settle

PAIRS: Final = (
    ("Mila's birthday is 3 May", "Mila's birthday is on 9 June"),
    ("Jonas wohnt in Kiel", "Jonas wohnt in Bremen"),
    ("The rent for the room is 430 € a month", "The rent for the room is 520 € a month"),
)


def notice(core: Core, older: str, newer: str, likeness: float, now_ms: int) -> None:
    """Find and write what one look of a device does, by the likeness that its own model gives."""
    connection = connection_of(core)
    numbers = dict(connection.execute("SELECT text, id FROM shown_memory"))
    found = []
    for of in disagreements(read_claims(older), read_claims(newer), likeness)[:1]:
        (before,), (now,) = (read_memories(connection, [numbers[text]]) for text in (older, newer))
        found.append(noticing.DisagreeingPair(before, now, of))
    noticing.write(core, connection, found, [numbers[newer]], now_ms)


@pytest.mark.parametrize("seed", range(6))
def test_what_two_notice_apart_is_one_question(seed: int) -> None:
    random = Random(seed)
    ann, ben, cleo = cores = group("ann", "ben", "cleo", make_store=make_store)
    for older, newer in PAIRS:
        remember(ann, older, now_ms=NOW_MS)
        remember(ann, newer, now_ms=NOW_MS + 1_000)
    settle(cores, NOW_MS + 2_000)
    for core in (ann, ben):  # the third has no reader
        for pair in random.sample(PAIRS, random.randint(2, len(PAIRS))):
            notice(core, *pair, random.choice([0.6, 0.9]), NOW_MS + 3_000)
    settle(cores, NOW_MS + 4_000)
    assert agree(*cores)
    found = records(cleo)
    assert found
    assert len(found) <= len(PAIRS)
    assert len({(entity, relation) for _, entity, relation, *_ in found}) == len(found)
    for core in cores:
        assert records(core) == found
        assert verify_replica(core).ok
    notice(cleo, *PAIRS[0], 0.9, NOW_MS + 5_000)
    settle(cores, NOW_MS + 6_000)
    assert len(records(ben)) <= len(PAIRS)


def test_what_is_noticed_late_stands_when_and_where_it_was_told() -> None:
    """Whoever notices hears of things in any order; the sides stand in the order in which their words were written."""
    rent = "The rent for the room is {} € a month"
    ann, ben = cores = group("ann", "ben", make_store=make_store)
    remember(ann, rent.format(430), now_ms=NOW_MS)
    (reworded,) = remember(ann, "Bought shoes", now_ms=NOW_MS)
    remember(ben, rent.format(520), now_ms=NOW_MS + 1_000)
    remember(ben, rent.format(610), now_ms=NOW_MS + 2_000)
    notice(ben, rent.format(520), rent.format(610), 0.9, NOW_MS + 3_000)
    settle(cores, NOW_MS + 4_000)
    notice(ben, rent.format(430), rent.format(610), 0.9, NOW_MS + 5_000)
    settle(cores, NOW_MS + 6_000)

    def sides(core: Core) -> list[tuple[str, int, bytes]]:
        ((slot, *_),) = records(core)
        return [
            (side[0].told.value, side[0].told.told_ms - NOW_MS, side[0].told.told_on)
            for side in judged_of(connection_of(core), slot).sides
        ]

    here, there = ann.device, ben.device
    assert sides(ann) == sides(ben) == [("430 €", 0, here), ("520 €", 1_000, there), ("610 €", 2_000, there)]
    edit(ann, reworded, rent.format(470), now_ms=NOW_MS + 7_000)
    settle(cores, NOW_MS + 8_000)
    notice(ben, rent.format(610), rent.format(470), 0.9, NOW_MS + 9_000)
    settle(cores, NOW_MS + 10_000)
    assert sides(ann)[-1] == sides(ben)[-1] == ("470 €", 7_000, here)
