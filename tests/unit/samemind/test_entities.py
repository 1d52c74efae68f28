"""What memories name, and what they state of it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import samemind
from samemind.cli.printing import show
from samemind.commands.graph._parts import edge_line
from samemind.errors import NotFound
from samemind.formats.plain import to_json
from samemind.library.blocking import BlockingMind
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def named(mind: BlockingMind) -> dict[str, int]:
    return {one.name: one.memories for one in mind.entities().entities}


def test_nobody_waits_for_all_texts_to_be_read_and_hears_how_many_are_left(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade that reads more in texts, a million of them would take a quarter of an hour."""
    monkeypatch.setattr("cognition.background.naming.IDLE_S", 1_000.0)  # or the mind reads them meanwhile
    monkeypatch.setattr("samemind.moments.NAMES_S", 0.0)
    mind.remember("Today I met Mary Jones at home")
    mind.remember("Alice works at Stripe")
    unread = "2 texts not read for names yet: ask again to go on"
    then = datetime.now(UTC) + timedelta(days=1)
    for found in (mind.entities(), mind.entities(as_of=then)):
        assert (found.entities, found.left, show("entities", to_json(found))) == ([], 2, [unread])
    with pytest.raises(NotFound) as trouble:
        mind.graph("Alice")
    assert trouble.value.hint == unread
    mind.relate("Alice", "knows", "Bob")
    edges = mind.graph("Alice")
    assert show("graph", to_json(edges)) == ["Alice --knows--> Bob", unread]
    monkeypatch.undo()
    assert (mind.entities().left, mind.graph("Alice").left) == (0, 0)


@published("YD-03")
def test_people_whom_memories_name_appear_as_entities(mind: BlockingMind) -> None:
    mind.remember("Yesterday I met Mary Jones and Олена in Lisbon", speaker="Ann")
    mind.remember("Then Mary Jones left for Porto")
    assert named(mind) == {"Mary Jones": 2, "Ann": 1, "Lisbon": 1, "Porto": 1, "Олена": 1}


def test_days_zones_and_the_roles_of_a_talk_are_no_entities(mind: BlockingMind) -> None:
    mind.remember("Olga and I swim on Thursdays at 18:00 CET", speaker="user")
    mind.remember("Noted: User swims with Olga on Thursdays", speaker="Assistant")
    assert named(mind) == {"Olga": 2}


def test_entities_follow_edits_and_forgetting(mind: BlockingMind) -> None:
    told = mind.remember("Today I met Mary Jones at home")
    assert "Mary Jones" in named(mind)
    mind.edit(told.rid, "Today I met Bob Stone at home")
    assert set(named(mind)) == {"Bob Stone"}
    mind.forget(told.rid)
    assert named(mind) == {}


def test_what_memories_state_is_part_of_the_graph(mind: BlockingMind) -> None:
    told = mind.remember("Alice works at Stripe")
    mind.relate("Stripe", "based_in", "Dublin")
    edges = {(edge.source, edge.relation, edge.target) for edge in mind.graph("alice", hops=2).edges}
    assert edges == {("Alice", "works_at", "Stripe"), ("Stripe", "based_in", "Dublin")}
    mind.forget(told.rid)
    with pytest.raises(NotFound):
        mind.graph("alice")


def test_devices_that_were_told_the_same_agree_however_they_read_it(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"id": 1, "text": "Alice works at Stripe"}\n{"id": 2, "text": "Bob lives in Lisbon"}')
    digests = []
    for name, asks in (("a", True), ("b", False)):
        with samemind.open_blocking(tmp_path / name) as mind:
            mind.import_(file)
            if asks:
                mind.entities()
            digests.append(mind.digest().digest)
            assert mind.verify().ok
    assert digests[0] == digests[1]


def test_names_that_only_an_edge_joins_are_entities_and_memories_that_one_joins_are_not(
    mind: BlockingMind,
) -> None:
    told = mind.remember("Then Ann left for Porto")
    other = mind.remember("it rained all day")
    mind.relate("ann", "knows", "Bob")
    mind.relate(told.rid, "causes", other.rid)
    assert named(mind) == {"Ann": 1, "Porto": 1, "Bob": 0}
    mind.unrelate("ann", "knows", "Bob")
    assert named(mind) == {"Ann": 1, "Porto": 1}


def test_an_edge_that_holds_no_more_is_marked(mind: BlockingMind) -> None:
    mind.remember("Maria works at Acme", read=True)
    mind.remember("Maria left Acme and works at Globex now", read=True)
    marked = {(edge.relation, edge.target): edge.replaced for edge in mind.graph("Maria").edges}
    assert marked == {("works_at", "Acme"): True, ("works_at", "Globex"): False}
    (line,) = [edge_line(to_json(edge)) for edge in mind.graph("acme").edges]
    assert line == "Maria --works_at--> Acme, no longer"
    mind.remember("Maria works at Acme", speaker="Jonas", read=True, no_dedup=True)
    assert not any(edge.replaced for edge in mind.graph("Acme").edges), "somebody holds it"


def test_an_edge_that_was_decided_against_is_marked(mind: BlockingMind) -> None:
    mind.remember("Zoe lives in Porto", read=True)
    (name,) = mind.remember("Zoe lives in Lisbon", read=True).contradictions
    assert not any(edge.replaced for edge in mind.graph("Zoe").edges), "nobody decided"
    mind.resolve(name, keep_b=True)
    assert {edge.target for edge in mind.graph("Zoe").edges if edge.replaced} == {"Porto"}
