"""A member that proposes summaries without end: each op costs as much as an honest one, and so does each change after.

A hundred proposals of ten thousand memories took ten seconds, and one of two thousand that live six at every change of
any of them.
"""

from random import Random

import pytest

from cognition.consolidation import tables
from cognition.consolidation.clusters import MEMBERS_MAX
from cognition.consolidation.tables import summary_id
from replica import Core, MemoryId, Propose, Set, Withdraw, new_memory_id, proposals_of
from replica.limits import MEMBERS_SHOWN_MAX, NAMES_MAX
from replica.storage import schema
from tests.property.cognition.test_summaries_laws import connection_of, make_store, shown
from tests.support.replicas import NOW_MS, agree, group, remember, say, settle

# Of SQLite's machine; it takes ten.
STEPS_A_ROW_MAX = 20
PROPOSALS = 200


def rows(core: Core) -> int:
    ((count,),) = connection_of(core).execute("SELECT count(*) FROM proposal_member").fetchall()
    return int(count)


def told(core: Core, count: int) -> list[MemoryId]:
    return remember(core, *(f"We hiked to place{number} near town{number}." for number in range(count)))


def test_of_a_proposal_the_first_members_show_and_every_device_shows_the_same() -> None:
    ann, eve = cores = group("ann", "eve", make_store=make_store)
    real = told(ann, 2 * MEMBERS_SHOWN_MAX)
    settle(cores)
    say(eve, Propose(tuple(real)))
    invented = sorted(new_memory_id(NOW_MS, Random(number)) for number in range(NAMES_MAX))
    say(eve, Propose(tuple(invented)))
    settle(cores)
    assert rows(ann) == 2 * MEMBERS_SHOWN_MAX
    assert agree(ann, eve)
    assert shown(ann) == shown(eve)
    assert {rid for members, _ in shown(ann).values() for rid in members} <= {*real[:MEMBERS_SHOWN_MAX]}
    assert summary_id(real[0]) in shown(ann)
    assert ann.store.check(ann.store.all_cells()) == []
    say(ann, Withdraw(tuple(proposals_of(connection_of(ann), [real[0], invented[0]]))))
    assert rows(ann) == 0
    assert shown(ann) == {}


def test_what_thinking_proposes_shows_whole() -> None:
    assert MEMBERS_MAX < MEMBERS_SHOWN_MAX
    (ann,) = group("ann", make_store=make_store)
    say(ann, Propose(tuple(told(ann, MEMBERS_MAX))))
    assert rows(ann) == MEMBERS_MAX


def test_a_store_of_an_older_program_shows_the_first_members_from_now_on() -> None:
    (ann,) = group("ann", make_store=make_store)
    real = told(ann, MEMBERS_SHOWN_MAX + 3)
    say(ann, Propose(tuple(real)))
    say(ann, Propose(tuple(real[-3:])))
    connection = connection_of(ann)
    ((name,),) = connection.execute(
        "SELECT proposal FROM proposal_member WHERE rid = ?", (real[0],)
    ).fetchall()
    connection.executemany(
        "INSERT INTO proposal_member VALUES (?, ?)", [(name, rid) for rid in real[MEMBERS_SHOWN_MAX:]]
    )
    assert ann.store.check(ann.store.all_cells()) != []
    schema.bound_members_of_proposals(connection)
    assert ann.store.check(ann.store.all_cells()) == []


def test_many_proposals_of_the_same_memories_are_gone_through_once_each() -> None:
    (ann,) = group("ann", make_store=make_store)
    real = told(ann, MEMBERS_MAX)
    for _ in range(PROPOSALS):
        say(ann, Propose(tuple(real)))
    # For each row that is read, and not for each of its fellows: that took nine times as many.
    assert steps_of_a_change(ann, real[0]) < PROPOSALS * MEMBERS_MAX * STEPS_A_ROW_MAX


def test_a_chain_of_proposals_costs_as_much_as_it_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "TOGETHER_MAX", 20)
    taken: list[int] = []
    looked: list[int] = []
    for length in (100, 400):
        ann, eve = cores = group("ann", "eve", make_store=make_store)
        real = told(ann, length)
        settle(cores)
        for start in range(0, length - 1, MEMBERS_MAX - 1):
            say(eve, Propose(tuple(real[start : start + MEMBERS_MAX])))
        settle(cores)
        assert shown(ann) == shown(eve)
        taken.append(len({rid for members, _ in shown(ann).values() for rid in members}))
        looked.append(looked_at(ann, real[0], monkeypatch))
    assert looked[1] < 5 * looked[0]
    assert taken[1] > 300, "nearly every memory stands under a summary"


def steps_of_a_change(core: Core, rid: MemoryId) -> int:
    """How much SQLite does for one change of a memory, in steps of its machine by the hundred."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    connection = connection_of(core)
    connection.set_progress_handler(step, 100)
    say(core, Set("importance", 0.9), rid)
    connection.set_progress_handler(None, 0)
    return count * 100


def looked_at(core: Core, rid: MemoryId, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many memories were weighed for a place in a summary, one count for each summary they were weighed for."""
    from cognition.consolidation import extract

    count = 0
    summary = extract._summary

    def counted(ordered, sentences_of):  # type: ignore[no-untyped-def]
        nonlocal count
        count += len(ordered)
        return summary(ordered, sentences_of)

    with monkeypatch.context() as patch:
        patch.setattr(extract, "_summary", counted)
        say(core, Set("importance", 0.9), rid)
    return count
