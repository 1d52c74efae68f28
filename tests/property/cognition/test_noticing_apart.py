"""Devices that notice one thing while apart, each by its own reader, end with one question."""

from random import Random
from typing import Final

import pytest

from cognition import noticing
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims
from cognition.memories import read_memories
from replica import Core
from replica.verify import verify_replica
from tests.property.cognition.test_contradiction_laws import connection_of, make_store, records
from tests.support.replicas import NOW_MS, agree, group, remember, settle

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
