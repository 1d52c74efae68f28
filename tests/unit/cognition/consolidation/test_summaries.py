"""Summaries are what live proposals come to: computed, never written, undone without a trace."""

import sqlite3
from random import Random

import pytest

from cognition.consolidation.summaries import Summary, read_summaries, summary_named
from cognition.consolidation.tables import SummaryTables, summary_id
from replica import Erase, Forget, MemoryId, OpRef, Propose, Set, Withdraw, Write, proposals_of
from tests.support.minds import Home
from tests.support.published import published

WORDS = ("lake", "hill", "wood", "town", "road", "moor", "glen", "isle")


@pytest.fixture
def home() -> Home:
    return Home()


def told(home: Home, count: int = 4, **fields: str | float | bool) -> list[MemoryId]:
    rids = []
    for number in range(count):
        home.now_ms += 1_000
        rids.append(home.remember(f"We hiked to the {WORDS[number]} of {WORDS[number]}ham.", **fields))
    return rids


def propose(home: Home, *rids: MemoryId) -> OpRef:
    return home.commit(Write(Propose(tuple(sorted(rids)))))[0].place


def summaries(home: Home) -> list[Summary]:
    numbers = [no for (no,) in home.connection.execute("SELECT no FROM summary ORDER BY rid")]
    return sorted(read_summaries(home.connection, numbers), key=lambda summary: summary.rid)


def members(home: Home) -> list[set[MemoryId]]:
    return [{member.rid for member in summary.members} for summary in summaries(home)]


def in_step(home: Home) -> bool:
    """Say whether the tables hold what they would if they were made anew."""

    def held(connection: sqlite3.Connection) -> object:
        return sorted(
            connection.execute(
                "SELECT s.rid, s.created, x.id FROM summary s JOIN summary_member x ON x.summary = s.no"
            )
        )

    before = held(home.connection)
    home.connection.execute("UPDATE summary_version SET version = 0")
    SummaryTables().migrate(home.connection)
    return before == held(home.connection)


def test_overlapping_proposals_are_one_summary(home: Home) -> None:
    a, b, c, d = told(home)
    propose(home, a, b, c)
    assert members(home) == [{a, b, c}]
    propose(home, b, c, d)
    assert members(home) == [{a, b, c, d}]
    (summary,) = summaries(home)
    assert summary.rid == summary_id(a)  # of the oldest
    assert summary_named(home.connection, summary.rid) == summary
    assert in_step(home)


@published("YD-31")
def test_members_are_the_union_of_what_was_proposed(home: Home) -> None:
    a, b, c, d, e, f = told(home, 6)
    propose(home, a, b, c)
    propose(home, d, e, f)
    assert members(home) == [{a, b, c}, {d, e, f}] or members(home) == [{d, e, f}, {a, b, c}]
    propose(home, c, d)
    assert members(home) == [{a, b, c, d, e, f}]
    assert in_step(home)


@published("YD-32")
def test_sources_stand_under_a_summary_that_matters_more(home: Home) -> None:
    a, b, c = told(home, 3, importance=0.7)
    propose(home, a, b, c)
    (summary,) = summaries(home)
    assert summary.memory.fields["type"] == "semantic"
    assert summary.memory.fields["importance"] == pytest.approx(0.8)
    assert summary.memory.text.startswith("We hiked to the lake")
    assert home.connection.execute("SELECT count(*) FROM memory").fetchone() == (3,)  # and is no memory


@published("YD-33")
def test_withdrawing_restores_exactly_what_was(home: Home) -> None:
    rids = told(home, 3)

    def held() -> object:
        shown = home.connection.execute("SELECT * FROM memory ORDER BY id").fetchall()
        return shown, home.core.digests().visible, home.connection.execute("SELECT * FROM summary").fetchall()

    before = held()
    propose(home, *rids)
    assert held() != before
    home.commit(Write(Withdraw(tuple(proposals_of(home.connection, rids)))))
    assert held() == before
    assert in_step(home)


def test_below_three_live_members_a_summary_dissolves(home: Home) -> None:
    a, b, c, d = told(home)
    propose(home, a, b, c, d)
    home.commit(Write(Forget((a,))))
    assert members(home) == [{b, c, d}]
    assert summaries(home)[0].rid == summary_id(b)
    home.commit(Write(Forget((c,))))
    assert members(home) == []
    assert in_step(home)


def test_forgetting_all_members_at_once_leaves_nothing(home: Home) -> None:
    rids = told(home, 3)
    propose(home, *rids)
    home.commit(Write(Forget(tuple(sorted(rids)))))
    assert members(home) == []
    assert home.connection.execute("SELECT count(*) FROM summary_member").fetchone() == (0,)
    assert in_step(home)


def test_an_erased_member_is_in_no_summary_any_more(home: Home) -> None:
    a, b, c, d = told(home)
    propose(home, a, b, c, d)
    assert "lakeham" in summaries(home)[0].memory.text
    home.commit(Write(Erase((a,))))
    assert "lakeham" not in summaries(home)[0].memory.text
    home.commit(Write(Erase((b,))))
    assert summaries(home) == []


@pytest.mark.parametrize("field", ["archived", "pinned", "apart"])
def test_what_a_person_put_elsewhere_stands_under_no_summary(home: Home, field: str) -> None:
    a, b, c, d = told(home)
    propose(home, a, b, c, d)
    home.commit(Write(Set(field, True), b))
    assert members(home) == [{a, c, d}]
    home.commit(Write(Set(field, None), b))
    assert members(home) == [{a, b, c, d}]
    assert in_step(home)


def test_a_summary_never_joins_two_workspaces(home: Home) -> None:
    some, others = told(home, 3, workspace="home"), told(home, 3, workspace="work")
    propose(home, *some, *others)
    assert sorted(map(sorted, members(home))) == sorted([sorted(some), sorted(others)])
    home.commit(Write(Set("workspace", "work"), some[0]))
    assert members(home) == [{some[0], *others}]
    assert in_step(home)


def test_a_changed_text_changes_what_the_summary_says(home: Home) -> None:
    a, b, c = told(home, 3)
    propose(home, a, b, c)
    home.commit(*home.core.edits_of(a, "We swam in the sea."))
    assert summaries(home)[0].memory.text.startswith("We swam in the sea.")


def test_random_changes_leave_the_tables_in_step(home: Home) -> None:
    """What is followed change by change is what would be found anew."""
    random = Random(5)
    rids = told(home, 8)
    places: list[OpRef] = []
    for _ in range(60):
        match random.randrange(5):
            case 0 | 1:
                places.append(propose(home, *random.sample(rids, random.randint(2, 4))))
            case 2 if places:
                home.commit(Write(Withdraw((places.pop(random.randrange(len(places))),))))
            case 3:
                home.commit(Write(Set("archived", random.random() < 0.5 or None), random.choice(rids)))
            case _ if random.random() < 0.1 and len(rids) > 4:
                home.commit(Write(Forget((rids.pop(random.randrange(len(rids))),))))
        assert in_step(home)
    assert home.core.store.check(home.core.store.all_cells()) == []
