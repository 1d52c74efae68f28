"""Devices that consolidate while apart, in whatever way, find the same summaries once they have met."""

import sqlite3
import weakref

from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import CognitionTables
from cognition.consolidation.extract import MEMBERS_MIN
from cognition.consolidation.summaries import read_summaries
from cognition.consolidation.tables import SummaryTables, summary_id
from replica import Core, Forget, MemoryId, Propose, Set, SqliteStore, Withdraw, connect, proposals_of
from replica.storage.shown import DerivedTables
from tests.support.replicas import agree, group, remember, say, settle

MEMORIES = 7
Summaries = dict[MemoryId, tuple[frozenset[MemoryId], str]]


def connection_of(core: Core) -> sqlite3.Connection:
    store = core.store
    assert isinstance(store, SqliteStore)
    return CONNECTIONS[store]


CONNECTIONS: weakref.WeakKeyDictionary[SqliteStore, sqlite3.Connection] = weakref.WeakKeyDictionary()


def make_store() -> SqliteStore:
    connection = connect(":memory:")
    derived: list[DerivedTables] = [CognitionTables(), SummaryTables()]
    store = SqliteStore(connection, derived)
    CONNECTIONS[store] = connection
    weakref.finalize(store, connection.close)
    return store


def shown(core: Core) -> Summaries:
    connection = connection_of(core)
    numbers = [no for (no,) in connection.execute("SELECT no FROM summary")]
    return {
        each.rid: (frozenset(member.rid for member in each.members), each.memory.text)
        for each in read_summaries(connection, numbers)
    }


def components(proposals: list[set[MemoryId]], counting: set[MemoryId]) -> set[frozenset[MemoryId]]:
    """What summaries are, by the plainest way: join proposals while any two share a member that counts."""
    sets = [each & counting for each in proposals]
    joined = True
    while joined:
        joined = False
        for one in sets:
            for other in sets:
                if one is not other and one & other:
                    one |= other
                    sets.remove(other)
                    joined = True
                    break
            if joined:
                break
    return {frozenset(each) for each in sets if len(each) >= MEMBERS_MIN}


picks = st.lists(st.integers(0, MEMORIES - 1), min_size=2, max_size=4, unique=True)
deeds = st.one_of(
    st.tuples(st.just("propose"), picks),
    st.tuples(st.just("withdraw"), picks),
    st.tuples(st.just("archive"), st.lists(st.integers(0, MEMORIES - 1), min_size=1, max_size=1)),
    st.tuples(st.just("forget"), st.lists(st.integers(0, MEMORIES - 1), min_size=1, max_size=1)),
)
stories = st.lists(st.tuples(st.sampled_from(["ann", "bob", "meet"]), deeds), max_size=12)


def do(core: Core, deed: str, rids: list[MemoryId]) -> None:
    """Do it as a device would: nobody withdraws what it does not hold, or archives what it has forgotten."""
    connection = connection_of(core)
    alive = {rid for (rid,) in connection.execute("SELECT rid FROM memory")}
    if deed == "propose":
        say(core, Propose(tuple(rids)))
    elif deed == "withdraw" and (places := proposals_of(connection, rids)):
        say(core, Withdraw(tuple(places)))
    elif deed == "archive" and rids[0] in alive:
        say(core, Set("archived", True), rids[0])
    elif deed == "forget" and rids[0] in alive:
        say(core, Forget((rids[0],)))


@settings(max_examples=25, deadline=None)
@given(stories)
def test_whatever_was_proposed_where_all_devices_find_the_same_summaries(
    story: list[tuple[str, tuple[str, list[int]]]],
) -> None:
    ann, bob = cores = group("ann", "bob", make_store=make_store)
    rids = remember(ann, *(f"We hiked to place{number} near town{number}." for number in range(MEMORIES)))
    settle(cores)
    for who, (deed, chosen) in story:
        if who == "meet":
            settle(cores)
        else:
            do(ann if who == "ann" else bob, deed, sorted(rids[number] for number in chosen))
    settle(cores)
    assert agree(ann, bob)
    assert shown(ann) == shown(bob)
    connection = connection_of(ann)
    proposed: dict[bytes, set[MemoryId]] = {}
    for name, rid in connection.execute("SELECT proposal, rid FROM proposal_member"):
        proposed.setdefault(name, set()).add(MemoryId(rid))
    counting = {
        MemoryId(rid) for (rid,) in connection.execute("SELECT rid FROM memory WHERE archived IS NULL")
    }
    expected = components(list(proposed.values()), counting)
    assert {members for members, _ in shown(ann).values()} == expected
    created = dict(connection.execute("SELECT rid, created FROM memory"))
    oldest = [min(members, key=lambda rid: (created[rid], rid)) for members in expected]
    assert set(shown(ann)) == set(map(summary_id, oldest))
    assert ann.store.check(ann.store.all_cells()) == []
