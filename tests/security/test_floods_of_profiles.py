"""A member that writes profile entries, blocks or core facts without end: what each prompt costs stays bounded.

Each line that stood beside an answer was compared with all the others: 2,000 blocks took every prompt half a minute,
and 20,000 more than an hour.
"""

import pytest

from cognition.context.around import read_around
from cognition.context.block import Around, assemble
from cognition.filters import Filters
from cognition.profile.owner import CORE_LOOKED_AT, facts
from cognition.ranking.classes import MULTI_HOP
from replica import Core, Set, Write, connect, new_memory_id
from replica.hlc import HLC_MAX
from replica.ops import Remember
from replica.reads.profile import blocks_by_turns, core_rows
from replica.storage.store import SqliteStore
from tests.support.minds import derived_tables
from tests.support.replicas import NOW_MS, Hand, group, settle, take

OFTEN = 300


def with_tables() -> SqliteStore:
    return SqliteStore(connect(":memory:"), derived_tables())


def added(core: Core, text: str, **fields: object) -> Write:
    return Write(Remember(text, fields), new_memory_id(NOW_MS, core._random))  # type: ignore[arg-type]


def flooded(*floods: Write) -> SqliteStore:
    """Ann, who set and wrote something of herself a moment later than Eve what comes before it by name."""
    ann, eve = group("ann", "eve", make_store=with_tables)
    eve.commit(list(floods), NOW_MS)
    ann.commit([Write(Set("profile.name", "Ann")), added(ann, "Be brief.", block="persona")], NOW_MS + 1)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    return ann.store


def around(store: SqliteStore) -> Around:
    return read_around(
        store.connection, "what is new?", [], filters=Filters(), now_ms=NOW_MS + 2, sessions=True
    )


def test_entries_and_blocks_without_end_leave_room_for_what_others_wrote() -> None:
    (eve,) = group("eve")
    entries = [Write(Set(f"profile.a{n:03}", "of no use")) for n in range(OFTEN)]
    blocks = [added(eve, "of no use", block=f"a{n:03}") for n in range(OFTEN)]
    profile = around(flooded(*entries, *blocks)).profile
    assert len(profile) < OFTEN
    assert {"- name: Ann", "- persona: Be brief."} <= {*profile}


def test_what_is_set_with_stamps_from_the_future_keeps_no_later_entry_out() -> None:
    """Nothing could be set after it, and the last hundred that were set stood in each prompt."""
    ann, _ = group("ann", "eve", make_store=with_tables)
    eve = Hand("eve")
    ops = [
        eve.write(Set(f"profile.a{n:03}", "of no use"), hlc=HLC_MAX - OFTEN + n, ends=n == OFTEN - 1)
        for n in range(OFTEN)
    ]
    take(ann, eve.frame(*ops))
    ann.commit([Write(Set("profile.name", "Ann"))], NOW_MS + 1)
    assert isinstance(ann.store, SqliteStore)
    profile = around(ann.store).profile
    assert "- name: Ann" in profile
    assert len(profile) > 1, "what has room is shown, whatever its stamp"


def test_blocks_that_no_prompt_has_room_for_are_not_made_into_lines() -> None:
    """A text may have a megabyte, and each was rendered and counted twice."""
    (eve,) = group("eve")
    store = flooded(*(added(eve, "x" * 60_000, block=f"a{n}") for n in range(20)))
    profile = around(store).profile
    assert sum(map(len, profile)) < 200_000
    assert {"- name: Ann", "- persona: Be brief."} <= {*profile}
    assert "Be brief." in assemble([], MULTI_HOP, around=around(store)).text


def test_of_core_facts_those_heard_last_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    (eve,) = group("eve")
    store = flooded(
        *(added(eve, f"builds thing {n}", meta={"category": "project"}) for n in range(CORE_LOOKED_AT + 5))
    )
    assert len(core_rows(store.connection, "project", limit=CORE_LOOKED_AT)) == CORE_LOOKED_AT
    monkeypatch.setattr("cognition.profile.owner.CORE_LOOKED_AT", 10)
    assert len(facts(store.connection, now_ms=NOW_MS + 2)) == 10


def test_blocks_come_by_turns_and_in_the_order_of_their_labels() -> None:
    (eve,) = group("eve")
    store = flooded(*(added(eve, "of no use", block=f"a{n}") for n in range(5)))
    assert [row.label for row in blocks_by_turns(store.connection, 3)] == ["a0", "a1", "persona"]
