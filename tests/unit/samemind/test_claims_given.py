"""Who tells something can say what it states: it is compared with what is known, and goes with the memory."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from samemind.cli.line import find_verb, read_line, read_words
from samemind.errors import Usage
from samemind.library.blocking import BlockingMind


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "m.db") as opened:
        yield opened


def claims(mind: BlockingMind, rid: str) -> list[tuple[str, str, str, str]]:
    return [(each.entity, each.relation, each.value, each.reader) for each in mind.why(rid).claims]


@pytest.mark.parametrize(
    ("claim", "stated"),
    [
        ("Ann works_at: Stripe", ("Ann", "works_at", "Stripe")),
        ("Ann Miller employer: Stripe", ("Ann Miller", "works_at", "Stripe")),
        ("I lives_in: Portugal", ("owner", "lives_in_country", "Portugal")),
        ("Ann favorite:colour: dark red", ("Ann", "favorite:colour", "dark red")),
        ("Ann salary: 3,200 €; of gross, monthly", ("Ann", "salary:gross monthly", "3,200 €")),
        ("Ann weight: 62 kg; mode goal", ("Ann", "goal:weight", "62 kg")),
        ('{"entity": "Ann", "attribute": "dose", "value": 75, "unit": "µg"}', ("Ann", "dose", "75 µg")),
        (
            '{"entity": "Ann", "attribute": "rent", "value": "455 €", "of": "room 2", "mode": "state"}',
            ("Ann", "rent:room 2", "455 €"),
        ),
    ],
)
def test_a_claim_is_written_as_a_line_or_as_an_object(
    mind: BlockingMind, claim: str, stated: tuple[str, str, str]
) -> None:
    rid = mind.remember("Something was said", claims=[claim]).rid
    assert claims(mind, rid) == [(*stated, "person")]


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("", "expected a claim like"),
        ("Ann works at Stripe", "expected a claim like"),
        ("Ann: Stripe", "expected a claim like"),
        ("Ann works_at: Stripe; mode maybe", "expected state, level, event, goal, rule as mode"),
        ("Ann works_at: Stripe; since the day of yore", "since"),
        ("Ann works_at: Stripe; of a; of b", "expected one 'of'"),
        ("Ann works_at: " + "x" * 201, "value of at most 200 characters, got 201"),
        ("Ann works_at: \ud800", "claims, got half of a letter at 14"),
        ('{"entity": "Ann"}', "got no attribute"),
        ('{"entity": "Ann", "attribute": "a", "value": "b", "colour": 1}', "got 'colour'"),
        ('{"entity": "Ann", "attribute": "a", "value": [1]}', "expected text or a number as value"),
        ("{", "as a JSON object"),
        ('{"entity": ' * 5_000, "as a JSON object"),
    ],
)
def test_what_is_no_claim_is_refused_with_what_was_expected_and_stores_nothing(
    mind: BlockingMind, claim: str, says: str
) -> None:
    with pytest.raises(Usage, match=says):
        mind.remember("Something was said", claims=[claim])
    assert mind.list().total == 0


def test_there_are_at_most_sixteen_and_none_that_looks_secret(mind: BlockingMind) -> None:
    with pytest.raises(Usage, match="at most 16 claims, got 17"):
        mind.remember("Numbers", claims=[f"Ann number_{at}: {at}" for at in range(17)])
    with pytest.raises(Usage, match="looks secret"):
        mind.remember("The key", claims=["the build token: ghp_" + "a1B2" * 9])
    assert mind.list().total == 0


def test_two_that_cannot_both_hold_are_a_contradiction_and_their_words_need_not_say_it(
    mind: BlockingMind,
) -> None:
    mind.remember("Signed the papers today!", claims=["Ann works_at: Stripe"])
    new = mind.remember("So that was the last interview", claims=["ann employer: Adyen"])
    (found,) = mind.contradictions().contradictions
    assert new.contradictions == [found.id]
    assert {found.a.value, found.b.value} == {"Stripe", "Adyen"}


def test_what_holds_from_later_on_takes_the_place_of_what_held_before(mind: BlockingMind) -> None:
    mind.remember("Signed", claims=["Ann works_at: Stripe; since 2024-03-01"])
    new = mind.remember("Signed again", claims=["Ann works_at: Adyen; since 2026-01"])
    assert new.contradictions == []
    (settled,) = mind.contradictions().contradictions
    assert (settled.status, settled.settled_by) == ("settled", "change")
    (claim,) = mind.why(new.rid).claims
    assert claim.since is not None
    assert claim.since.isoformat().startswith("2026-01-01")


def test_goals_levels_and_amounts_told_in_other_units_contradict_nothing(mind: BlockingMind) -> None:
    for claim in (
        "Ann weight: 64 kg; mode level",
        "Ann weight: 62 kg; mode level",
        "Ann weight: 60 kg; mode goal",
        "Ann weight: 58 kg; mode goal",
        "the commute duration: ½ h",
        "the commute duration: 30 minutes",
    ):
        mind.remember(f"Noted: {claim}", claims=[claim])
    assert mind.contradictions().total == 0
    mind.remember("It takes longer now", claims=["the commute duration: 50 minutes"])
    assert mind.contradictions().total == 1


def test_what_is_given_counts_before_what_is_read_and_the_rest_is_read_too(mind: BlockingMind) -> None:
    told = mind.remember("I work at Google. I live in Lisbon.", claims=["I works_at: Alphabet"])
    facts = {rid: claims(mind, rid) for rid in [told.rid, *told.facts]}
    assert sorted(one for each in facts.values() for one in each) == [
        ("owner", "lives_in", "Lisbon", "patterns"),
        ("owner", "works_at", "Alphabet", "person"),
    ]
    words = mind.remember("I live in Porto.", no_facts=True, claims=["I lives_in: Porto"]).rid
    assert claims(mind, words) == [("owner", "lives_in", "Porto", "patterns")]


def test_the_agent_that_told_it_is_its_reader(mind: BlockingMind) -> None:
    rid = mind.remember("Done", source="agent Claude", claims=["Ann works_at: Stripe"]).rid
    assert claims(mind, rid) == [("Ann", "works_at", "Stripe", "agent Claude")]


def test_they_are_gone_with_the_memory_and_what_they_contradicted_with_them(mind: BlockingMind) -> None:
    mind.remember("Signed the papers today!", claims=["Ann works_at: Stripe"])
    new = mind.remember("The last interview", claims=["Ann works_at: Adyen"])
    assert mind.contradictions().total == 1
    mind.forget(new.rid, erase=True)
    assert mind.contradictions().total == 0


def test_they_come_with_many_and_through_export_and_import(mind: BlockingMind, tmp_path: Path) -> None:
    lines = [
        {"text": "One", "claims": ["Ann works_at: Stripe"]},
        {"text": "Two", "claims": ["Ann works_at: Adyen"]},
    ]
    told = mind.remember_many(lines)
    assert claims(mind, told.rids[1]) == [("Ann", "works_at", "Adyen", "person")]
    assert mind.contradictions().total == 1
    kept = tmp_path / "kept.jsonl"
    mind.export(kept)
    with samemind.open_blocking(tmp_path / "other.db") as other:
        other.import_(kept)
        assert claims(other, told.rids[0]) == [("Ann", "works_at", "Stripe", "person")]
        assert other.contradictions().total == 1
    with pytest.raises(Usage, match="line 1: claims: expected a list of texts"):
        mind.remember_many([{"text": "Three", "claims": "Ann works_at: Stripe"}])


def test_a_command_line_takes_several() -> None:
    claim = json.dumps({"entity": "Ann"})
    line = read_line(["remember", "x", "--claim", "Ann works_at: Stripe", "--claim", claim])
    assert read_words(find_verb(line), line.words)["claims"] == ["Ann works_at: Stripe", claim]
