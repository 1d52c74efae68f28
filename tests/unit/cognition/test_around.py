"""What stands in a prompt beside what was recalled."""

import pytest

from cognition.context.around import read_around
from cognition.context.block import Around, assemble
from cognition.filters import Filters
from cognition.profile.owner import block_id
from cognition.ranking.classes import MULTI_HOP, SINGLE_HOP
from cognition.triggers.kinds import REMINDER, TriggerCandidate
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.step import TriggerStep, write_of
from replica import Set, Write, memories_beginning
from tests.support.minds import NOW_MS, Home
from tests.support.published import published

HOUR_MS = 3_600_000


def around(home: Home, query: str = "what is new?", filters: Filters = Filters()) -> Around:
    return read_around(home.connection, query, [], filters=filters, now_ms=home.now_ms, sessions=True)


@pytest.fixture
def home() -> Home:
    return Home()


@published("ML-86")
def test_a_reminder_is_absent_before_it_is_due_present_after_and_gone_once_delivered(
    home: Home,
) -> None:
    due = NOW_MS + HOUR_MS
    rid = home.remember("call the dentist", type="prospective", event_start=due)
    home.now_ms = due - 1
    assert around(home).reminders == ()
    home.now_ms = due
    (line,) = around(home).reminders
    assert line.startswith("- call the dentist")
    TriggerStep().run(home.core, home.connection, home.now_ms)
    assert around(home).reminders == (line,), "raised is not delivered"
    home.commit(write_of(TriggerCandidate(REMINDER, rid, due, 1.0), TriggerStatus.DELIVERED))
    assert around(home).reminders == ()
    home.now_ms = due + HOUR_MS
    home.commit(Write(Set("event_start", home.now_ms), rid))
    assert len(around(home).reminders) == 1, "it was put off, and is due again"


def test_reminders_keep_to_their_workspace_and_the_profile_to_its_owner(home: Home) -> None:
    home.remember("call the dentist", type="prospective", event_start=5)
    home.remember("file the report", type="prospective", event_start=5, workspace="work")
    home.commit(Write(Set("profile.name", "Ann")))
    work = around(home, filters=Filters(workspace="work"))
    assert work.profile == ()
    assert [line[:17] for line in work.reminders] == ["- file the report"]
    assert around(home).profile == ("- name: Ann",)


def test_what_is_known_of_the_owner_is_told_only_where_the_question_is_about_them(home: Home) -> None:
    home.remember("allergic to nuts", pinned=True)
    assert around(home, "fix the loop").owner == ()
    assert around(home, "what can I eat?").owner == ("- allergic to nuts",)


def test_what_is_due_is_told_the_latest_first(home: Home) -> None:
    home.remember("file the report", type="prospective", event_start=9)
    home.remember("call the dentist", type="prospective", event_start=5)
    home.remember("water the plants", type="prospective", event_start=7)
    told = [line.partition(" (")[0] for line in around(home).reminders]
    assert told == ["- file the report", "- water the plants", "- call the dentist"]


def test_the_names_of_all_lines_are_read_by_one_statement(home: Home) -> None:
    """As many as there are, each found in the store by its name."""
    for number in range(5):
        home.remember(f"Builds weather station {number}", meta={"category": "project"})
        home.remember(f"call dentist {number}", type="prospective", event_start=number + 1)
    asked: list[str] = []
    home.connection.set_trace_callback(asked.append)
    read = read_around(
        home.connection, "fix it", [], filters=Filters(), now_ms=home.now_ms, sessions=False, ids=True
    )
    home.connection.set_trace_callback(None)
    names = [line.rpartition("[")[2].removesuffix("]") for line in (*read.owner, *read.reminders)]
    assert len(set(names)) == 10
    assert all(
        len(memories_beginning(home.connection, name.replace("-", ""), limit=2, characters=0)) == 1
        for name in names
    )
    assert len([statement for statement in asked if "max(m.rid)" in statement]) == 1


@published("LO-23")
def test_the_work_is_always_told_a_taste_where_it_is_touched_and_who_one_is_where_that_is_asked(
    home: Home,
) -> None:
    home.remember("Builds a weather station", meta={"category": "project"})
    home.remember("Prefers dark roast coffee", meta={"category": "preference"})
    home.remember("Lives in Lisbon", meta={"category": "identity"})
    work, taste, self = "- Builds a weather station", "- Prefers dark roast coffee", "- Lives in Lisbon"
    assert around(home, "fix the loop").owner == (work,)
    assert around(home, "which coffee should be bought?").owner == (work, taste)
    assert around(home, "where do I live").owner == (work, self)
    assert around(home, "any good bakery nearby").owner == (work, self)
    assert around(home, "where do I get coffee?").owner == (work, taste, self)
    assert around(home, "where do I live", filters=Filters(workspace="work")).owner == ()


@published("LO-23")
def test_what_no_model_read_goes_by_its_type_and_by_what_it_claims(home: Home) -> None:
    """D-8: the three categories are a view of the eight types."""
    home.remember("Release on Fridays", type="procedural", pinned=True)
    home.remember("Long walks calm me", type="affective", pinned=True)
    assert around(home, "fix the loop").owner == ("- Release on Fridays",)
    assert around(home, "where to walk").preference == ("- Long walks calm me",)


def test_a_prompt_without_room_keeps_who_asks_before_what_is_recalled() -> None:
    lines = Around(profile=("- name: Ann",), reminders=("- call",), sessions=("- chat: long",))
    whole = assemble([], MULTI_HOP, around=lines)
    assert [section.title for section in whole.sections] == ["PROFILE", "REMINDERS", "SESSION CONTEXT"]
    flat = assemble([], SINGLE_HOP, around=lines)
    assert [section.title for section in flat.sections] == [""]
    assert flat.sections[0].lines == ("- name: Ann", "- call")
    tight = assemble([], MULTI_HOP, around=lines, max_tokens=whole.tokens - 1)
    assert [section.title for section in tight.sections] == ["PROFILE", "REMINDERS"]
    assert assemble([], MULTI_HOP, around=lines, max_tokens=1).text == ""


def test_a_blocks_id_follows_from_its_label() -> None:
    assert block_id("persona") == block_id("persona") != block_id("human")
