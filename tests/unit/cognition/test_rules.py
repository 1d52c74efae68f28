"""Each of the fourteen rules decides an order by itself, where it applies, and keeps silent where it does not."""

from collections.abc import Callable

import numpy as np
import pytest

from cognition.ranking import query
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import SIGNALS, WEIGHTS, score
from cognition.ranking.signals.entity import CALLED_OTHERWISE
from cognition.ranking.vocabulary import BRIDGES, TABLES, VERBS
from tests.support.published import published

RULES = (
    *(
        "entity",
        "verb",
        "verb and topic",
        "most words",
        "bridge",
        "prefix",
        "policy",
        "other policy",
        "duration",
    ),
    *("current", "quantity", "roster", "used", "nothing shared"),
)

# What each weighs for whoever switches it on; fitted to data, most weigh nothing beside the others.
PUBLISHED = {signal.name: signal.published or 0.0 for signal in SIGNALS}


def facts(*texts: str) -> list[CandidateRow]:
    """Memories that stand alone."""
    return [
        CandidateRow(i, i.to_bytes(16), i, text, None, None, None, 0, None, 0, 0)
        for i, text in enumerate(texts, 1)
    ]


def order(query: str, *texts: str, only: str) -> list[str]:
    """Return the texts in the order that one rule alone gives; ties go to the last, so that a rule must act."""
    rows = facts(*texts)
    none = np.zeros(len(rows))
    scores = score(Pool(Query(query), rows, none, none, 0), {only: PUBLISHED[only]}).scores
    return [rows[i].text for i in sorted(range(len(rows)), key=lambda i: (-scores[i], -i))]


def says(query: str, text: str, *, only: str) -> float:
    rows, none = facts(text), np.zeros(1)
    return float(score(Pool(Query(query), rows, none, none, 0), {only: PUBLISHED[only]}).scores[0])


@published("PM-20")
def test_every_rule_can_be_turned_off() -> None:
    assert len(RULES) == 14
    assert set(RULES) == {signal.name for signal in SIGNALS if signal.rule}
    rows, none = facts("Ann lives in Lisbon"), np.zeros(1)
    for name in RULES:
        weights = {**WEIGHTS, name: 0.0}
        assert (
            name not in score(Pool(Query("Where does Ann live?"), rows, none, none, 0), weights).contributions
        )


@published("PM-03")
def test_a_rule_is_a_pure_function_of_query_and_text() -> None:
    asked = ("Where does Ann live?", "Bob lives in Porto", "Ann lives in Lisbon")
    assert order(*asked, only="entity") == order(*asked, only="entity")


@published("PM-06")
def test_the_one_who_is_named_must_be_there() -> None:
    assert (
        order("Where does Ann live?", "Ann lives in Lisbon", "Bob lives in Porto", only="entity")[0][:3]
        == "Ann"
    )
    assert (
        order("Where does Bob live?", "Bob lives in Porto", "Ann lives in Lisbon", only="entity")[0][:3]
        == "Bob"
    )


@published("PM-07")
def test_a_verb_is_met_by_its_synonyms() -> None:
    best, other = "She is based in Lisbon", "She visited Lisbon"
    assert order("where does she live", best, other, only="verb")[0] == best


@published("PM-08")
def test_verb_and_topic_together_say_more_than_the_verb() -> None:
    text = "We host the blog on Fly"
    assert says("where do we deploy the blog", text, only="verb and topic") > 0
    both = says("where do we deploy the blog", text, only="verb") + says(
        "where do we deploy the blog", text, only="verb and topic"
    )
    assert both > says("where do we deploy the shop", text, only="verb")
    assert says("where do we deploy the shop", text, only="verb and topic") == 0


@published("PM-09")
def test_all_tokens_beat_some() -> None:
    best = "The blog runs with a cache and a proxy"
    assert order("blog cache proxy", best, "The blog runs", only="most words")[0] == best


@published("PM-10")
def test_a_database_is_met_by_postgres() -> None:
    best = "We chose Postgres for orders"
    assert order("which database do we use", best, "We chose Lisbon for the party", only="bridge")[0] == best


@published("PM-11")
def test_a_labelled_note_comes_first() -> None:
    best = "Fix: restart the worker"
    assert order("what's the fix for the queue", best, "The fix was hard", only="prefix")[0] == best


@published("PM-12")
def test_a_decision_beats_a_mention() -> None:
    best = "We agreed that every change must be reviewed"
    assert order("what's the review policy", best, "Somebody mentioned reviews", only="policy")[0] == best


@published("PM-13")
def test_a_policy_on_something_else_is_no_answer() -> None:
    best = "Policy: review before merge"
    assert order("what is the review policy", best, "Policy: travel by train", only="other policy")[0] == best


@published("PM-14")
def test_a_lifetime_is_digits_and_a_unit() -> None:
    best = "Tokens expire after 15 minutes"
    assert (
        order("what is the token lifetime", best, "Tokens expire at some point", only="duration")[0] == best
    )


@published("PM-15")
def test_now_asks_for_what_holds_now() -> None:
    best = "Ann currently works at Stripe"
    assert order("where does Ann work now", best, "Ann worked at Google", only="current")[0] == best


@published("PM-16")
def test_how_many_asks_for_a_number() -> None:
    best = "There are 7 servers"
    assert order("how many servers are there", best, "There are servers", only="quantity")[0] == best


@published("PM-17")
def test_who_is_on_the_team_asks_for_several_names() -> None:
    best = "The team: Ann, Bob and Carla"
    assert order("who is on the team", best, "The team met Ann", only="roster")[0] == best


@published("PM-18")
def test_what_we_used_is_met_by_what_we_host_on() -> None:
    best = "The site is hosted on Fly"
    assert order("what did we use for the site", best, "The site is pretty", only="used")[0] == best


@published("PM-19")
def test_nothing_in_common_is_off_topic() -> None:
    best = "Tea is in the cupboard"
    assert order("where is the tea", best, "Boats float", only="nothing shared")[0] == best


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_does_not_apply_says_nothing(name: str) -> None:
    if name in {"nothing shared", "most words"}:
        assert says("", "Boats float", only=name) == 0
    else:
        assert says("grüne wolken", "Boats float on 7 lakes", only=name) == 0


@published("PM-21")
def test_six_bridges() -> None:
    assert set(BRIDGES) == {"typing", "database", "policy", "lifetime", "deploy", "plan"}
    assert TABLES.bridges.of("mypy") == {"typing"}


@published("PM-22")
def test_eight_verbs() -> None:
    assert set(VERBS) == {"live", "work", "own", "lead", "decide", "deploy", "fix", "name"}
    for form in ("moved", "based", "lives", "viven", "wohnt", "живёт", "мешкає"):
        assert "live" in TABLES.verbs.of(form), form


@published("PM-25")
def test_a_question_in_one_language_is_met_by_a_verb_in_another() -> None:
    best = "Анна живёт в Берлине"
    assert order("where does she live", best, "Анна любит чай", only="verb")[0] == best


@published("PM-64")
def test_me_asks_for_what_is_said_of_oneself() -> None:
    best = "I moved to Lisbon"
    assert order("where do I live", best, "Bob moved to Porto", only="self")[0] == best
    assert says("where does Bob live", best, only="self") == 0


@published("PM-05")
def test_a_query_is_read_once_however_many_candidates_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(name: str) -> Callable[[str], object]:
        real: Callable[[str], object] = getattr(query, name)

        def reading(text: str) -> object:
            read.append(name)
            return real(text)

        return reading

    for name in ("terms", "proper_nouns"):
        monkeypatch.setattr(query, name, counted(name))
    rows, none = facts(*(f"Ann lives in house {n}" for n in range(50))), np.zeros(50)
    score(Pool(Query("Where does Ann live?"), rows, none, none, 0))
    assert sorted(read) == ["proper_nouns", "terms"]


@published("PM-23")
def test_proper_nouns_are_capitals_that_are_no_common_words() -> None:
    assert Query("what does Alice think about Postgres").proper_nouns == {"alice", "postgres"}
    assert "when" not in Query("When did Alice go?").proper_nouns
    assert Query("где живёт Анна").proper_nouns == {"анна"}


@published("PM-06")
def test_who_is_called_otherwise_may_be_meant_and_counts_half() -> None:
    said = [
        says("Where does Liz live?", f"{name} lives in Porto", only="entity")
        for name in ("Liz", "Elizabeth", "Olga")
    ]
    assert said == [0.0, PUBLISHED["entity"] * CALLED_OTHERWISE, PUBLISHED["entity"]]
