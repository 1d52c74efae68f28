"""Rows of memories, as every package above the replica reads them."""

import re
import sqlite3

import pytest

from replica import (
    FoldStatus,
    MemoryId,
    OpKind,
    OpRef,
    Remember,
    SqliteStore,
    Value,
    all_memories,
    content_number,
    count_tellings,
    memories_by_age,
    memories_called,
    memories_of,
    memories_to_come,
    newest_numbers,
    numbers_between,
    peer_notes,
    show_memory_id,
)
from replica.hlc import HLC_MAX
from replica.ids import parse_memory_id
from replica.ops import Claim, Forget, Relate, Set, Write
from replica.reads import (
    attribution,
    claims,
    conversations,
    counts,
    devices,
    duplicates,
    facts,
    graph,
    ids,
    log,
    profile,
    proposals,
)
from replica.reads import texts as texts_of
from replica.reads.memories import ROWS_PER_READ
from tests.support.replicas import NOW_MS, core_of, edit, group, remember, say, sqlite_store

RID = MemoryId(bytes(range(16)))
FIELDS: dict[str, Value] = {
    "speaker": "Ann",
    "tags": ["boats"],
    "meta": {"n": 1},
    "pinned": True,
    "importance": 0.5,
}


def all_numbers(connection: sqlite3.Connection) -> list[int]:
    """Return the rows of all memories that show, in order."""
    return [number for (number,) in connection.execute("SELECT id FROM memory ORDER BY id")]


def test_a_row_has_its_fields_as_what_they_are_and_says_who_told_it() -> None:
    """Lists, maps and flags are no text and no numbers, and what is not set is not there."""
    store = sqlite_store()
    core = core_of("ann", store)
    (op,) = core.commit([Write(Remember("The boat leaks", FIELDS), RID)], NOW_MS)
    (shown,) = all_memories(store.connection)
    assert shown.memory.text == "The boat leaks"
    assert shown.memory.fields == FIELDS
    assert (shown.device, shown.incarnation) == (core.origin.device, core.origin.incarnation)
    assert shown.rid == op.rid == RID
    assert shown.device_name == "ann"


def test_rows_are_found_by_number_and_by_id_whatever_is_asked_beside_them() -> None:
    """What does not show is left out, and what is asked for twice comes once."""
    store = sqlite_store()
    rids = remember(core_of("ann", store), "one", "two", "three")
    by_id = {shown.rid: shown for shown in memories_called(store.connection, [*rids, bytes(16), rids[0]])}
    assert by_id.keys() == set(rids)
    numbers = [by_id[rid].id for rid in rids[:2]]
    assert {shown.rid for shown in memories_of(store.connection, [*numbers, 10**9])} == set(rids[:2])
    assert list(memories_of(store.connection, ())) == []


@pytest.mark.parametrize("count", [ROWS_PER_READ - 1, ROWS_PER_READ, ROWS_PER_READ + 1])
def test_more_rows_than_are_read_at_a_time_all_come(count: int) -> None:
    """At the bound, and on both sides of it; by age is by stamp."""
    store = sqlite_store()
    rids = remember(core_of("ann", store), *map(str, range(count)))
    assert [shown.memory.text for shown in all_memories(store.connection)] == [*map(str, range(count))]
    assert len(list(memories_called(store.connection, rids))) == count
    aged = list(memories_by_age(store.connection))
    assert aged == sorted(aged, key=lambda shown: (shown.memory.created, shown.rid))
    assert len(aged) == count


def test_an_id_is_shown_as_the_uuid_that_reads_back_as_it() -> None:
    """By hand, and as `uuid` would."""
    rid = MemoryId(bytes(range(16)))
    assert show_memory_id(rid) == "00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert parse_memory_id(show_memory_id(rid)) == rid


def test_what_is_to_come_is_read_by_its_time() -> None:
    """Other memories with a time, plans without one, and what is archived are none of it."""
    store = sqlite_store()
    plan: dict[str, Value] = {"type": "prospective"}
    told: dict[str, dict[str, Value]] = {
        "second": plan | {"event_start": 20},
        "first": plan | {"event_start": 10},
        "archived": plan | {"event_start": 5, "archived": True},
        "brought back": plan | {"event_start": 30, "archived": False},
        "without a time": plan,
        "a day": {"type": "episodic", "event_start": 1},
    }
    writes = [
        Write(Remember(text, fields), MemoryId(bytes([number]) * 16))
        for number, (text, fields) in enumerate(told.items())
    ]
    core_of("ann", store).commit(writes, NOW_MS)
    shown = [it.memory.text for it in memories_to_come(store.connection)]
    assert shown == ["first", "second", "brought back"]


def test_the_newest_are_tellings_that_are_not_put_away() -> None:
    """What was changed last comes first, and a fact stands with its telling."""
    store = sqlite_store()
    core = core_of("ann", store)
    first, second, third, fact = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3, 4))
    for at, (rid, fields) in enumerate([(first, {}), (second, {}), (third, {}), (fact, {"parent": first})]):
        core.commit([Write(Remember(f"said {at}", fields), rid)], NOW_MS + at)
    core.commit([Write(Set("archived", True), second)], NOW_MS + 10)
    core.commit(core.edits_of(first, "said once more"), NOW_MS + 11)
    named = {shown.id: shown.rid for shown in all_memories(store.connection)}
    assert [named[number] for number in newest_numbers(store.connection, 9, NOW_MS)] == [first, third]
    assert [named[number] for number in newest_numbers(store.connection, 1, NOW_MS)] == [first]
    assert count_tellings(store.connection) == 3


def test_what_a_clock_far_ahead_stamped_is_as_new_as_when_it_was_told_and_else_the_oldest() -> None:
    day_ms = 86_400_000
    ahead_ms, now_ms = NOW_MS + 1_000 * day_ms, NOW_MS + 3 * day_ms
    store = sqlite_store()
    core = core_of("ann", store)
    told: dict[bytes, str] = {}

    def tell(text: str, at_ms: int) -> MemoryId:
        rid = MemoryId(bytes([len(told)]) * 16)
        told[rid] = text
        core.commit([Write(Remember(text, {}), rid)], at_ms)
        return rid

    tell("before", NOW_MS)
    changed = tell("before, and changed by the wrong clock", NOW_MS + 1)
    tell("by the wrong clock", ahead_ms)
    dated = tell("by the wrong clock, and dated", ahead_ms + 1)
    tell("by the wrong clock, and last", ahead_ms + 2)
    core.commit(
        [*core.edits_of(changed, "other words"), Write(Set("told_at", NOW_MS + day_ms), dated)], ahead_ms + 3
    )
    tell("afterwards", NOW_MS + 2 * day_ms)
    named = {shown.id: told[shown.rid] for shown in all_memories(store.connection)}
    wanted = [
        "afterwards",
        "by the wrong clock, and dated",
        "before, and changed by the wrong clock",
        "before",
        "by the wrong clock, and last",
        "by the wrong clock",
    ]
    for limit in (1, 4, 9):
        numbers = newest_numbers(store.connection, limit, now_ms)
        assert [named[number] for number in numbers] == wanted[:limit]
    assert named[newest_numbers(store.connection, 1, ahead_ms)[0]] == "by the wrong clock, and dated"


def test_a_stretch_of_time_holds_what_happened_or_was_told_in_it() -> None:
    """Both ends are in it; what has a time of its own is not of the time it was told at."""
    store = sqlite_store()
    core = core_of("ann", store)
    told, happening, put_away = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3))
    later_ms = NOW_MS + 86_400_000
    core.commit([Write(Remember("told now", {}), told)], NOW_MS)
    core.commit([Write(Remember("happens later", {"event_start": later_ms}), happening)], NOW_MS)
    core.commit([Write(Remember("put away", {"archived": True}), put_away)], NOW_MS)
    named = {shown.id: shown.rid for shown in all_memories(store.connection)}

    def between(start_ms: int, end_ms: int) -> list[MemoryId]:
        return [named[number] for number in numbers_between(store.connection, start_ms, end_ms, 9)]

    assert between(NOW_MS - 1_000, NOW_MS + 1_000) == [told]
    assert between(later_ms, later_ms) == [happening]
    assert between(later_ms + 1, later_ms + 2) == []
    assert between(NOW_MS - 1_000, later_ms) == [happening, told]
    assert len(numbers_between(store.connection, NOW_MS - 1_000, later_ms, 1)) == 1


def test_lookups_find_memories_by_id_by_what_they_say_and_by_who_told_them() -> None:
    """What is forgotten is not shown, and is known all the same."""
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    boat, fact, other = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3))
    core.commit([Write(Remember("The boat leaks", {"source": "Log", "workspace": "Sea"}), boat)], NOW_MS)
    core.commit([Write(Remember("It leaks", {"parent": boat}), fact)], NOW_MS + 1)
    core.commit([Write(Remember("The boat leaks", {"speaker": "Bob", "told_at": 5}), other)], NOW_MS + 2)
    number = ids.number_of(connection, boat)
    assert number is not None
    assert ids.numbers_of(connection, [boat, bytes(16)]) == {boat: number}
    assert ids.shown_among(connection, [boat, bytes(16)]) == {boat}
    assert ids.known_among(connection, [boat, bytes(16)]) == {boat: False}
    assert ids.all_ids(connection) == [boat, fact, other]
    assert ids.ids_between(connection, boat, fact, limit=9) == [boat, fact]
    assert ids.ids_between(connection, boat, other, limit=2) == [boat, fact]
    assert texts_of.text_of(connection, fact) == "It leaks"
    assert texts_of.texts_called(connection, [fact, bytes(16)]) == {fact: "It leaks"}
    assert (facts.parent_of(connection, fact), facts.parent_of(connection, boat)) == (boat, None)
    assert list(facts.all_facts(connection)) == [(fact, boat)]
    assert facts.fact_numbers_of(connection, boat) == [ids.number_of(connection, fact)]
    same = [number, ids.number_of(connection, other)]
    assert duplicates.numbers_saying(connection, content_number("The boat leaks"), "The boat leaks") == same
    assert duplicates.saying_the_same(connection, boat, None) == {boat, other}
    assert duplicates.saying_the_same(connection, boat, "SEA") == {boat}
    assert attribution.attribution_of(connection, other) == {"speaker": "Bob", "told_at": 5}
    assert attribution.attribution_of(connection, bytes(16)) == {}
    everything = (0, HLC_MAX)
    device = core.origin.device
    assert [told.rid for told in attribution.told_by(connection, *everything, source="log")] == [boat]
    assert [told.rid for told in attribution.told_by(connection, *everything, speaker="BOB")] == [other]
    assert {told.rid for told in attribution.told_by(connection, *everything, device=device)} == {
        boat,
        fact,
        other,
    }
    assert attribution.told_by(connection, *everything) == []
    core.commit([Write(Forget((fact,)))], NOW_MS + 3)
    assert ids.known_among(connection, [boat, fact, bytes(16)]) == {boat: False, fact: True}
    assert (ids.is_shown(connection, fact), ids.is_forgotten(connection, fact)) == (False, True)
    assert (ids.is_shown(connection, boat), ids.is_forgotten(connection, boat)) == (True, False)
    assert ids.forgotten_between(connection, bytes(16), b"\xff" * 16, limit=9) == [fact]
    assert texts_of.text_of(connection, fact) is None


def test_an_open_goal_is_found_by_what_it_says() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    goal = MemoryId(bytes([1]) * 16)
    core.commit([Write(Remember("Mend the boat", {"goal": "open"}), goal)], NOW_MS)
    content = content_number("Mend the boat")
    assert profile.open_goal_saying(store.connection, content) == goal
    core.commit([Write(Set("goal", "done"), goal)], NOW_MS + 1)
    assert profile.open_goal_saying(store.connection, content) is None


def test_the_log_is_read_in_its_order_from_either_end() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    assert log.last_position(connection) == 0
    rids = remember(core, "one", "two", "three")
    core.commit([Write(Set("topic", "boats"), rids[0])], NOW_MS + 9)
    logged = log.ops_after(connection, 0, 99)
    assert log.last_ops(connection, 99) == logged
    assert log.last_ops(connection, 2) == logged[-2:]
    assert log.ops_after(connection, logged[0].position, 1) == logged[1:2]
    assert log.last_position(connection) == logged[-1].position
    assert [op.device_name for op in logged] == ["ann"] * len(logged)
    assert [row.pos for row in log.ops_on(connection, rids[0])] == [
        op.position for op in logged if op.rid == rids[0]
    ]
    (came,) = log.ranges_after(connection, logged[0].position)
    assert came == (core.origin.incarnation, logged[1].seq, logged[-1].seq, logged[1].hlc, logged[-1].hlc)
    (feed,) = log.feed_writers(connection)
    assert log.feed_writers(connection)[feed] == (core.origin.device, "ann")
    assert log.origins_of(connection, [feed, 99]) == {feed: core.origin}
    changed = log.memories_changed(connection, core.origin.device, (OpKind.SET,), 0, HLC_MAX)
    assert [(change.rid, change.hlc) for change in changed] == [(rids[0], logged[-1].hlc)]
    assert log.last_stamp_at(connection, OpRef(core.origin, logged[-1].seq, bytes(8))) == logged[-1].hlc
    assert log.last_stamp_at(connection, OpRef(core.origin, 99, bytes(8))) == 0
    assert log.read_meta(connection).position == logged[-1].position


def test_counts_are_of_what_shows_and_of_the_log() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    rids = remember(core, "one", "two", "three")
    core.commit([Write(Set("pinned", True), rids[0]), Write(Forget((rids[1],)))], NOW_MS + 1)
    core.commit([Write(Relate("a", "knows", "b", 0.5))], NOW_MS + 2)
    assert counts.count_ops(connection) == len(log.ops_after(connection, 0, 99))
    assert counts.count_ops_of(connection, FoldStatus.FOLDED) == counts.count_ops(connection)
    assert counts.count_ops_of(connection, FoldStatus.UNKNOWN) == 0
    assert counts.payload_bytes(connection) > 0
    assert (counts.count_memories(connection), counts.count_forgotten(connection)) == (2, 1)
    assert counts.count_edges(connection) == 1
    assert counts.count_pinned(connection, beside=None) == 1
    assert counts.count_pinned(connection, beside=rids[0]) == 0
    assert counts.count_by_type(connection) == {"none": 2}
    assert counts.count_by_workspace(connection) == {"": 2}
    assert counts.count_by_device(connection) == {"ann": 2}


def test_edges_are_found_by_either_end() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    core.commit([Write(Relate("a", "knows", "b", 0.5)), Write(Relate("b", "likes", "c", 1.0))], NOW_MS)
    assert graph.edges_of(connection, "b", limit=9) == [("a", "knows", "b", 0.5), ("b", "likes", "c", 1.0)]
    assert len(graph.edges_of(connection, "b", limit=1)) == 1
    assert graph.edges_related(connection, "b", ["likes"]) == [("b", "likes", "c", 1.0)]
    assert graph.neighbours_of(connection, ["b"], limit=9) == ["a", "c"]
    stamps = graph.edges_stamped(connection, 0, HLC_MAX)
    assert stamps.keys() == {("a", "knows", "b"), ("b", "likes", "c")}
    assert graph.edges_stamped(connection, 0, min(stamps.values()) - 1) == {}


def test_a_note_of_a_sync_does_not_wait_for_the_disk() -> None:
    """It is made while a link comes up, whose first message waited for it."""
    ann, bob = group("ann", "bob", make_store=sqlite_store)
    store = ann.store
    assert isinstance(store, SqliteStore)
    said: list[str] = []
    store.connection.set_trace_callback(said.append)
    peer_notes.note_sync(store.connection, bob.origin.device, last_sync=7)
    assert said[0] == "PRAGMA synchronous = NORMAL"
    assert said[-2:] == ["COMMIT", "PRAGMA synchronous = FULL"]


def test_a_device_is_called_by_its_nickname_and_is_found_by_it() -> None:
    ann, bob = group("ann", "bob", make_store=sqlite_store)
    store = ann.store
    assert isinstance(store, SqliteStore)
    connection, bobs = store.connection, bob.origin.device
    assert devices.device_names(connection)[bobs] == "bob"
    peer_notes.note_nickname(connection, bobs, "Phone")
    peer_notes.note_sync(connection, bobs, last_sync=7, last_address="there")
    assert peer_notes.nicknames(connection) == {bobs: "Phone"}
    assert devices.devices_named(connection, "PHONE", limit=9) == [bobs]
    assert devices.devices_named(connection, "bob", limit=9) == []
    assert devices.devices_between(connection, bobs, bobs, limit=9) == [bobs]
    assert list(devices.peers_of(connection, ann.origin.device)) == [(bobs, "Phone", 7, None, "there")]
    new = sqlite_store()
    other = new.connection
    peer_notes.copy_notes(connection, other, [bobs])
    (note,) = peer_notes.peer_notes(other)
    assert (note.nickname, note.last_address, note.last_sync, note.told) == ("Phone", "there", None, False)
    assert peer_notes.frontier_noted(connection, bobs) is None


def _accesses(connection: sqlite3.Connection, sql: str) -> list[str]:
    """Return how a statement reads its tables, without their names, and alike where SQLite makes a join of EXISTS."""
    lines = [line for *_, line in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    found = [re.sub(r"^(SCAN|SEARCH) (TABLE )?\S+( AS \S+)?( EXISTS)?", r"\1", line) for line in lines]
    return [line for line in found if not line.startswith("CORRELATED SCALAR SUBQUERY")]


def test_the_views_are_read_as_their_tables_are() -> None:
    """A view that were made whole first would read every memory for one of them."""
    store = sqlite_store()
    connection = store.connection
    connection.execute("CREATE TABLE own (id INTEGER PRIMARY KEY, grp INTEGER)")
    joins = (
        "SELECT m.text FROM own o JOIN {memory} m ON m.id = o.id WHERE o.grp = 1",
        "SELECT o.grp, max(m.created) FROM own o JOIN {memory} m ON m.id = o.id GROUP BY o.grp",
        "SELECT DISTINCT m.parent FROM own o CROSS JOIN {memory} m ON m.id = o.id",
        "SELECT o.id FROM own o LEFT JOIN {memory} m ON m.id = o.id WHERE m.archived IS NULL",
        "SELECT count(*) FROM {memory} m WHERE m.topic = 'x'",
        "SELECT o.id FROM own o WHERE EXISTS (SELECT 1 FROM {memory} m WHERE m.id = o.id)",
        "SELECT m.id FROM {memory} m JOIN {claim} c ON c.id = m.id WHERE m.rid = x'00'",
        "SELECT target FROM {edge} WHERE source = 'a' UNION SELECT source FROM {edge} WHERE target = 'a'",
        "SELECT o.id FROM own o JOIN {memory} m ON m.id = o.id JOIN {feed} f ON f.no = m.feed",
    )
    tables = {"memory": "memory", "claim": "claim", "edge": "edge", "feed": "feed"}
    views = {"memory": "shown_memory", "claim": "shown_claim", "edge": "shown_edge", "feed": "known_feed"}
    for join in joins:
        plans = [_accesses(connection, join.format_map(names)) for names in (tables, views)]
        assert plans[0] == plans[1]


def test_a_view_has_the_columns_of_its_table() -> None:
    """A migration that adds a column to a table makes the views anew."""
    store = sqlite_store()
    connection = store.connection

    def columns(name: str) -> set[str]:
        return {column for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))}

    assert columns("shown_memory") == columns("memory") - {"more"}
    for view, table in (("shown_claim", "claim"), ("shown_edge", "edge"), ("shown_link", "says_same")):
        assert columns(view) == columns(table)
    assert columns("shown_proposal") == columns("proposal_member")
    assert columns("shown_same_slot") == columns("same_slot")


def test_texts_are_read_by_rows_with_the_fields_that_are_asked_for() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    first, second = (MemoryId(bytes([number]) * 16) for number in (1, 2))
    core.commit([Write(Remember("One", {"speaker": "Bob", "tags": ["a", "b"]}), first)], NOW_MS)
    core.commit([Write(Remember("Two", {"told_at": 5}), second)], NOW_MS + 1)
    one, two = all_numbers(connection)
    wordings = list(texts_of.wordings_with(connection, "tags", ("speaker", "tags")))
    assert [(each.id, each.text, each.fields) for each in wordings] == [
        (one, "One", {"speaker": "Bob", "tags": ["a", "b"]})
    ]
    assert [each.id for each in texts_of.wordings_with(connection, "told_at", ("topic",))] == [two]
    assert list(texts_of.wordings_of(connection, [one, 99], ("speaker", "tags"))) == wordings
    other = texts_of.wording_of(connection, second, ("speaker", "tags"))
    assert other is not None
    assert (other.id, other.text, other.fields) == (two, "Two", {})
    assert texts_of.wording_of(connection, bytes(16), ()) is None
    assert (texts_of.text_at(connection, one), texts_of.text_at(connection, 99)) == ("One", None)
    assert sorted(texts_of.texts_at(connection, [one, two, 99], 2)) == ["On", "Tw"]
    assert texts_of.texts_after(connection, 0, limit=9) == [(two, "Two"), (one, "One")]
    assert texts_of.said_after(connection, 0, limit=1) == [(one, "One", "Bob")]
    assert texts_of.said_at(connection, [two]) == [(two, "Two", None)]
    assert texts_of.said_then(connection, [two, one]) == [
        (one, first, "Bob", "One", NOW_MS),
        (two, second, None, "Two", 5),
    ]
    assert texts_of.updates_of(connection, [one, 99]) == {one: wordings[0].updated}


def test_last_edits_are_read_by_memory_whatever_else_is_stored() -> None:
    """SQLite would read every cell there is, and look for each of the memories in each of them."""
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    said = remember(core, "One", "Two", "Three")
    made = edit(core, said[1], "Two and a half", now_ms=NOW_MS + 1)
    say(core, Set("topic", "numbers"), said[2], now_ms=NOW_MS + 2)
    numbers = all_numbers(connection)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    found = texts_of.last_edits(connection, numbers)
    connection.set_trace_callback(None)
    ((feed,),) = connection.execute("SELECT feed FROM op WHERE id = ?", (made.id,)).fetchall()
    assert [*found.values()] == [texts_of.LastEdit(made.hlc, feed)]
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}")]
    assert any(line.endswith(" c USING PRIMARY KEY (part=? AND name=?)") for line in plan)


def test_conversations_are_read_without_facts_and_what_is_archived() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    told: list[tuple[str, dict[str, Value]]] = [
        ("Second", {"conversation": "chat", "position": 1, "told_at": 20, "speaker": "Bob"}),
        ("First", {"conversation": "chat", "position": 0, "told_at": 10, "topic": "boats"}),
        ("Fact", {"conversation": "chat", "parent": bytes([1]) * 16}),
        ("Gone", {"conversation": "chat", "archived": True}),
        ("Other", {"conversation": "talk", "told_at": 30}),
    ]
    for number, (text, fields) in enumerate(told, start=1):
        core.commit([Write(Remember(text, fields), MemoryId(bytes([number]) * 16))], NOW_MS)
    assert conversations.count_conversations(connection) == 2
    assert conversations.count_conversations(connection, "chat") == 1
    found = conversations.latest_conversations(connection, limit=9)
    assert [tuple(each) for each in found] == [("talk", 1, 30, 30, None), ("chat", 2, 10, 20, "boats")]
    assert conversations.latest_conversations(connection, "chat", limit=9) == found[1:]
    assert list(conversations.turns_of(connection, "chat", limit=9)) == [("First", None), ("Second", "Bob")]


def test_core_facts_blocks_and_goals_are_read_unless_archived() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    rids = [MemoryId(bytes([number]) * 16) for number in range(5)]
    written: list[tuple[str, dict[str, Value]]] = [
        ("Sure", {"meta": {"category": "identity"}, "certainty": 0.9}),
        ("Unsure", {"meta": {"category": "project"}, "certainty": 0.1}),
        ("Put away", {"meta": {"category": "identity"}, "archived": True}),
        ("Block", {"block": "persona"}),
        ("Goal", {"goal": "open"}),
    ]
    for rid, (text, fields) in zip(rids, written, strict=True):
        core.commit([Write(Remember(text, fields), rid)], NOW_MS)
    sure, unsure, *_ = all_numbers(connection)
    assert profile.surest_numbers(connection, None, limit=9) == [sure, unsure]
    assert [row.rid for row in profile.core_rows(connection, "identity", limit=9)] == [rids[0]]
    assert profile.core_rows(connection, "identity", limit=0) == []
    assert [(row.rid, row.label, row.text) for row in profile.block_rows(connection)] == [
        (rids[3], "persona", "Block")
    ]
    (goal,) = profile.goal_rows(connection, ["open"])
    assert (goal.rid, goal.text, goal.status) == (rids[4], "Goal", "open")
    assert profile.goal_rows(connection, ["done"]) == []
    assert profile.goal_row(connection, rids[4]) == goal
    assert profile.goal_row(connection, rids[0]) is None


def test_claims_are_read_by_memory_and_by_what_they_are_about() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    rid, silent = remember(core, "Ann lives in Rome", "Nothing")
    core.commit([Write(Claim("Ann", "lives_in", "Rome", (), None), rid)], NOW_MS)
    number = ids.number_of(connection, rid)
    assert number is not None
    (claim,) = claims.all_claims(connection)
    assert claims.claims_of(connection, number) == [claim]
    assert claims.claim_names(connection, number) == [(None, "Ann", "lives_in", claim.claim, claim.feed)]
    assert claims.memories_claiming(connection) == {number: rid}
    assert claims.numbers_claiming(connection) == [number]
    assert claims.claiming_between(connection, 0, 99) == [number]
    assert claims.claiming_among(connection, all_numbers(connection)) == [number]
    assert claims.entities_claimed(connection, ["lives_in", "works_at"]) == [("lives_in", "Ann")]
    assert claims.claims_of(connection, ids.number_of(connection, silent) or 0) == []


def test_a_fact_knows_its_memory_and_what_is_put_together_leaves_out_what_stands_apart() -> None:
    store = sqlite_store()
    core = core_of("ann", store)
    connection = store.connection
    told, fact, pinned = (MemoryId(bytes([number]) * 16) for number in (1, 2, 3))
    core.commit([Write(Remember("Told", {"workspace": "Sea", "speaker": "Bob"}), told)], NOW_MS)
    core.commit([Write(Remember("Fact", {"parent": told}), fact)], NOW_MS + 1)
    core.commit([Write(Remember("Pinned", {"pinned": True}), pinned)], NOW_MS + 2)
    numbers = all_numbers(connection)
    kin = facts.kin_of(connection, fact)
    assert kin is not None
    assert (kin.id, kin.content, kin.parent) == (numbers[1], content_number("Fact"), told)
    assert facts.kin_of(connection, bytes(16)) is None
    assert facts.parents_of(connection, numbers) == {told}
    assert facts.numbers_beside(connection, [told, pinned, MemoryId(bytes(16))]) == {*numbers}
    assert facts.numbers_beside(connection, [fact]) == {numbers[1]}
    assert ids.ids_of(connection, numbers[::-1]) == [told, fact, pinned]
    assert ids.ids_of(connection, numbers, limit=1) == [told]
    assert {each.rid for each in proposals.loose_among(connection, [told, fact, pinned])} == {told, fact}
    assert ids.number_ahead(connection, 0, 1) == numbers[1]
    assert ids.number_ahead(connection, 0, 3) is None
    assert ids.newest_tellings(connection, None, limit=9, read_max=9) == [
        (numbers[2], pinned),
        (numbers[0], told),
    ]
    assert ids.newest_tellings(connection, "sea", limit=9, read_max=9) == [(numbers[0], told)]
    assert ids.newest_tellings(connection, None, limit=1, read_max=9) == [(numbers[2], pinned)]
    assert ids.newest_tellings(connection, None, limit=9, read_max=1) == [(numbers[2], pinned)]
    said = {"workspace": "Sea", "speaker": "Bob"}
    assert duplicates.told_the_same(connection, content_number("Told"), "Told", said, limit=9) == [told]
    assert duplicates.told_the_same(connection, content_number("Told"), "Told", {}, limit=9) == []
    names = ("speaker", "topic")
    assert duplicates.latest_fields(connection, names, content_number("told"), "Told", "Sea") == {
        "speaker": "Bob"
    }
    assert duplicates.latest_fields(connection, names, content_number("told"), "Told", None) == {}
    assert duplicates.contents_are_indexed(connection)


def test_the_log_says_which_memories_each_op_acts_on() -> None:
    store = sqlite_store()
    core, connection = core_of("ann", store), store.connection
    told, other = (MemoryId(bytes([number]) * 16) for number in (1, 2))
    core.commit([Write(Remember("Told", {}), told), Write(Remember("Other", {}), other)], NOW_MS)
    position = core.position
    core.commit([Write(Set("pinned", True), other), Write(Set("unit", "metric"))], NOW_MS + 1)
    core.commit([Write(Forget((told, other)))], NOW_MS + 2)
    acts = log.acts_between(connection, position, core.position, 10)
    assert acts == [(OpKind.SET, (other,)), (OpKind.SET, ()), (OpKind.FORGET, (told, other))]
    assert log.acts_between(connection, position, core.position, 1) == acts[:1]
    assert log.acts_between(connection, core.position, core.position, 10) == []
