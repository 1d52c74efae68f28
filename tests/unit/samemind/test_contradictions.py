"""Contradictions through the doors: raised, shown, settled, corrected, and never at the cost of a memory."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.contradictions.slots import LiveClaim
from cognition.contradictions.tables import told_of
from cognition.judging.reopening import DECISIONS_MAX
from samemind import BlockingMind
from samemind.cli.printing import show as printed
from samemind.commands.contradictions import _work, resolve, settle, show
from samemind.commands.contradictions._parts import ContradictionView
from samemind.errors import Usage
from samemind.formats.plain import to_json
from samemind.formats.times import read_since
from tests.support.devices import run
from tests.support.doors import opened
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def only(mind: BlockingMind) -> ContradictionView:
    (found,) = mind.contradictions()
    return found


def standings(found: ContradictionView) -> list[tuple[str, str]]:
    return [(belief.value, belief.standing) for belief in found.beliefs]


def recalled(mind: BlockingMind, query: str, *, include_cold: bool = False) -> set[str]:
    return {hit.text for hit in mind.recall(query, include_cold=include_cold)}


@published("YD-34", "YD-35")
def test_two_employers_are_one_question_and_two_friends_none(mind: BlockingMind) -> None:
    google = mind.remember("I work at Google", read=True)
    meta = mind.remember("I work at Meta", read=True)
    mind.remember("I'm friends with Bob")
    mind.remember("I'm friends with Carla")
    found = only(mind)
    assert (google.contradictions, meta.contradictions) == ([], [found.id])
    assert (found.severity, found.action, found.status) == ("high", "ask", "open")
    assert (found.entity, found.relation) == ("owner", "works_at")
    assert (found.a.rid, found.b.rid) == (google.rid, meta.rid)


def test_what_a_decision_hid_holds_again_once_all_else_is_forgotten(mind: BlockingMind) -> None:
    """Nothing stands against it any more, so there is nothing to be asked, or to undo."""
    mind.remember("I work at Google")
    meta = mind.remember("I work at Meta", read=True)
    (name,) = meta.contradictions
    mind.resolve(name, keep_b=True)
    assert recalled(mind, "where do I work?") == {"I work at Meta"}
    mind.forget(meta.rid)
    assert not [*mind.contradictions()]
    assert recalled(mind, "where do I work?") == {"I work at Google"}
    for ask in (mind.reopen, mind.contradiction):
        with pytest.raises(samemind.NotFound, match="nothing contradicts 'Google' any more") as refused:
            ask(name)
        assert refused.value.code == "moot"
    with pytest.raises(samemind.NotFound, match="no contradiction has the id 123456789"):
        mind.contradiction("123456789")
    mind.remember("I work at Apple", read=True)
    assert standings(mind.contradiction(name)) == [("Google", "hidden"), ("Apple", "held")]
    assert mind.reopen(name).contradiction.status == "open"


@pytest.mark.parametrize("is_decided", [True, False])
def test_whoever_mends_the_spelling_of_a_value_that_lost_decides_nothing(
    mind: BlockingMind, is_decided: bool
) -> None:
    """Not where a decision hid it, and not where something told later took its place."""
    google = mind.remember("I work at Google, on maps")
    if is_decided:
        (name,) = mind.remember("I work at Meta", read=True).contradictions
        mind.resolve(name, keep_b=True)
    else:
        mind.remember("I just started at Meta", read=True)
    before = only(mind)
    mind.edit(google.rid, "I work at Google, on the maps")
    after = mind.contradiction(before.id)
    lost = "hidden" if is_decided else "replaced"
    assert standings(after) == [("Google", lost), ("Meta", "held")]
    mind.edit(google.rid, "I work at Apple, on the maps")
    assert ("Apple", "held") in standings(mind.contradiction(before.id))
    mind.edit(google.rid, "I work at Google, on the maps")
    assert ("Google", "held") in standings(mind.contradiction(before.id)), "it is said anew"


def test_what_decisions_claimed_anew_is_told_once(mind: BlockingMind) -> None:
    google = mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    for _ in range(2):
        mind.resolve(name, merge="I am my own boss")
        mind.reopen(name)
        mind.resolve(name, keep=google.rid, since="2024-01-01")
        assert standings(mind.contradiction(name))[:2] == [("Google", "replaced"), ("Google", "held")]
        mind.reopen(name)
    found = mind.contradiction(name)
    assert [(each.rid, each.value) for each in found.beliefs if each.standing == "held"] == [
        (side.rid, side.value) for side in (found.a, found.b)
    ]
    assert len(found.beliefs) == 4, "each held, and what of it is replaced, once"


@pytest.mark.parametrize(
    ("older", "newer", "attention", "values"),
    [
        ("We have three chickens", "We have five chickens", "mention", {"3 chickens", "5 chickens"}),
        (
            "Mia ist allergisch gegen Nüsse",
            "Mia ist nicht allergisch gegen Nüsse",
            "ask",
            {"allergisch gegen Nüsse", "nicht"},
        ),
        ("Ich heiße Jannik Wiesner", "Ich heiße Torben Wiesner", "ask", {"Jannik Wiesner", "Torben Wiesner"}),
    ],
)
def test_plain_sentences_that_differ_in_one_value_are_raised(
    mind: BlockingMind, older: str, newer: str, attention: str, values: set[str]
) -> None:
    mind.remember(older, wait=True)
    mind.remember(newer, wait=True)
    mind.wait_for_queue()
    mind.think()
    found = only(mind)
    assert (found.status, found.attention) == ("open", attention)
    assert {found.a.value, found.b.value} == values


@published("YD-42")
def test_a_contradiction_is_a_record_that_lasts(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann lives in Lisbon")
        name = mind.remember("Ann lives in Porto", read=True).contradictions[0]
        mind.resolve(name, keep_b=True)
    with samemind.open_blocking(tmp_path / "home") as mind:
        found = mind.contradiction(name[:8])
        assert (found.id, found.status, found.settled_by) == (name, "settled", "resolution")
        assert [(each.kept, each.hidden) for each in found.resolutions] == [(["Porto"], ["Lisbon"])]
        assert mind.verify().ok


@published("YD-39", "D-12")
def test_who_is_not_kept_is_hidden_and_not_lost_and_deciding_twice_changes_nothing(
    mind: BlockingMind,
) -> None:
    google, meta = mind.remember("I work at Google", read=True), mind.remember("I work at Meta", read=True)
    name = meta.contradictions[0]
    decided = mind.resolve(name, keep_a=True)
    assert decided.changed
    assert standings(decided.contradiction) == [("Google", "held"), ("Meta", "hidden")]
    assert recalled(mind, "where do I work?") == {"I work at Google"}
    assert recalled(mind, "where do I work?", include_cold=True) == {"I work at Google", "I work at Meta"}
    assert mind.get(meta).text == "I work at Meta"
    assert mind.get(google).text == "I work at Google"
    ops = mind.digest().ops
    assert not mind.resolve(name, keep_a=True).changed
    assert mind.digest().ops == ops


@published("YD-40")
def test_both_stay_and_nothing_is_asked_again(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    mind.think()
    assert mind.resolve(name, keep_both=True).contradiction.status == "settled"
    assert recalled(mind, "where do I work?") == {"I work at Google", "I work at Meta"}
    assert mind.think().contradictions.ids == [name], "that it was settled is told as well, once"
    assert only(mind).status == "settled"
    assert mind.think().contradictions.count == 0
    assert mind.remember("I work at Meta in Zurich", read=True).contradictions == []


@pytest.mark.parametrize(
    "how",
    [
        {"keep_a": True},
        {"keep_b": True},
        {"keep_both": True},
        {"keep_b": True, "since": "2026-02-01"},
        {"merge": "I work at Google and advise Meta"},
    ],
    ids=" ".join,
)
def test_a_decision_is_undone_by_reopening(mind: BlockingMind, how: dict[str, Any]) -> None:
    for text in ("I work at Google", "I work at Meta"):
        mind.remember(text, at="2026-01-10", wait=True)
    (before,) = mind.contradictions()
    told = {each.rid for each in mind.list()}
    merged = mind.resolve(before.id, **how).rid
    done = mind.reopen(before.id[:8])
    assert done.changed
    assert done.forgotten == ([] if merged is None else [merged])
    found = done.contradiction
    assert found == only(mind)
    assert (found.status, found.a, found.b, found.others) == ("open", before.a, before.b, [])
    assert found.resolutions == [], "that it is asked again is no decision"
    assert {each.rid for each in mind.list()} == told
    assert recalled(mind, "where do I work?") == {"I work at Google", "I work at Meta"}
    ops = mind.digest().ops
    assert not mind.reopen(before).changed
    assert mind.digest().ops == ops
    assert mind.resolve(before, keep_a=True).changed
    assert recalled(mind, "where do I work?") == {"I work at Google"}
    assert mind.verify().ok


def test_what_was_decided_before_another_question_came_up_stays_decided(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    mind.resolve(name, keep_b=True)
    mind.remember("I work at Apple", read=True)
    mind.resolve(name, keep_b=True)
    found = mind.reopen(name).contradiction
    assert {found.a.value, found.b.value} == {"Meta", "Apple"}
    assert standings(found) == [("Google", "hidden"), ("Meta", "held"), ("Apple", "held")]


def test_what_nobody_decided_cannot_be_reopened(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    assert not mind.reopen(name).changed, "it is open, and nobody decided yet"
    mind.remember("I just started at Stripe", read=True)
    with pytest.raises(samemind.NotFound, match="no decision settled") as refused:
        mind.reopen(name)
    assert refused.value.code == "not_decided"
    with pytest.raises(samemind.NotFound, match="no contradiction has the id 123456789"):
        mind.reopen("123456789")


@pytest.mark.parametrize(
    "how",
    [{"keep_a": True}, {"keep_b": True}, {"keep_both": True}, {"keep_b": True, "since": "2026-02-01"}],
    ids=" ".join,
)
@pytest.mark.parametrize("words", ["I work at Google and advise Meta", "I work at Meta"])
def test_a_merger_that_holds_a_value_is_undone_before_another_decision(
    mind: BlockingMind, words: str, how: dict[str, Any]
) -> None:
    mind.remember("I work at Google", at="2026-01-10")
    name = mind.remember("I work at Meta", at="2026-01-11", read=True).contradictions[0]
    merged = mind.resolve(name, merge=words).rid
    ops = mind.digest().ops
    with pytest.raises(samemind.Usage, match=f"merged already: {words}") as refused:
        mind.resolve(name, **how)
    assert (refused.value.code, name[:12] in refused.value.hint) == ("merged", True)
    assert not mind.resolve(name, keep=merged).changed, "that is what was decided"
    assert mind.digest().ops == ops
    mind.reopen(name)
    assert mind.resolve(name, **how).changed
    held = {value for value, standing in standings(only(mind)) if standing == "held"}
    assert held == {"Google", "Meta"} - {
        "Meta" if "keep_a" in how else "",
        "Google" if "keep_b" in how else "",
    }


def test_a_merger_in_other_words_is_decided_otherwise_as_anything_is(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    mind.resolve(name, merge="I am retired")
    assert mind.resolve(name, keep_b=True).changed
    assert recalled(mind, "where do I work?") == {"I work at Meta"}


def test_a_merger_that_was_edited_since_is_a_telling_and_stays(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    merged = mind.resolve(name, merge="I work at Google and advise Meta").rid
    assert merged is not None
    mind.edit(merged, "I work at Google and advise Meta on Fridays")
    with pytest.raises(samemind.NotFound, match="no decision settled"):
        mind.reopen(name)
    assert mind.get(merged).text == "I work at Google and advise Meta on Fridays"


def test_what_was_told_with_the_source_of_a_merger_is_not_forgotten(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    mind.resolve(name, keep_a=True)
    told = mind.remember("I work at Google, in Zurich", source="merge", wait=True)
    done = mind.reopen(name)
    assert (done.forgotten, done.contradiction.status) == ([], "open")
    assert mind.get(told.rid).text == "I work at Google, in Zurich"


def test_what_was_said_of_two_memories_before_the_decision_stays_said(mind: BlockingMind) -> None:
    one = mind.remember("I work at Google", read=True)
    other = mind.remember("I work at Google, in the office", read=True)
    mind.settle(one, other, "repeats")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    before = recalled(mind, "where do I work?")
    mind.resolve(name, keep_b=True)
    assert mind.reopen(name).contradiction.status == "open"
    assert recalled(mind, "where do I work?") == before
    assert not mind.settle(one, other, "repeats").changed


def test_words_that_were_corrected_back_are_no_decision(mind: BlockingMind) -> None:
    old = mind.remember("I work at Google", read=True)
    mind.remember("I work at Meta now", read=True)
    mind.correct(old, "I work at Googol")
    mind.correct(old, "I work at Google")
    found = only(mind)
    with pytest.raises(samemind.NotFound, match="no decision settled"):
        mind.reopen(found)
    assert only(mind) == found


def test_behind_many_decisions_a_question_is_as_it_stands_without_any(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    for number in range(DECISIONS_MAX + 1):
        mind.resolve(name, keep_a=number % 2 == 0, keep_b=number % 2 == 1)
    assert mind.reopen(name).contradiction.status == "open"
    assert recalled(mind, "where do I work?") == {"I work at Google", "I work at Meta"}


def test_a_change_that_is_told_twice_has_only_what_held_before_both(mind: BlockingMind) -> None:
    for text in ("Ann moved to Porto", "Ann moved to Lisbon", "Ann moved to Porto", "Ann moved to Porto"):
        mind.remember(text)
    claim = mind.recall("where does Ann live?")[0].claim
    assert claim is not None
    assert (claim.value, claim.earlier[0].value) == ("Porto", "Lisbon")


def test_what_is_dated_anew_is_not_told_as_what_held_before(mind: BlockingMind) -> None:
    """Since when something holds is claimed once more, on the same telling; the claim without it is no other value."""
    mind.remember("I live in Porto", speaker="Ann", at="2026-01-10")
    name = mind.remember("I live in Lisbon", speaker="Ann", at="2026-03-20", read=True).contradictions[0]
    found = mind.resolve(name, keep_b=True, since="2026-03-15").contradiction
    claim = mind.recall("where does Ann live?").results[0].claim
    assert claim is not None
    assert (claim.value, [each.value for each in claim.earlier]) == ("Lisbon", ["Porto"])
    lines = show.render(to_json(found))
    assert [line[:17] for line in lines if line.startswith(("held", "replaced"))] == [
        "replaced  Porto  ",
        "held      Lisbon ",
    ]


def test_what_changed_holds_since_then_and_the_other_until_then(mind: BlockingMind) -> None:
    """Nothing is decided against: both were true, each of its time."""
    mind.remember("I work at Google", at="2024-01-10")
    meta = mind.remember("I work at Meta", at="2026-03-01", read=True)
    name = meta.contradictions[0]
    found = mind.resolve(name, keep_b=True, since="2026-02-01").contradiction
    assert (found.status, found.settled_by) == ("settled", "change")
    assert [(each.value, each.standing) for each in found.beliefs if each.value == "Google"] == [
        ("Google", "replaced")
    ]
    (held,) = [each for each in found.beliefs if each.standing == "held"]
    since = datetime.fromisoformat("2026-02-01").astimezone()
    assert (held.value, held.valid_from) == ("Meta", since)
    assert [each.valid_until for each in found.beliefs if each.value == "Google"] == [since]
    assert recalled(mind, "where do I work?") == {"I work at Meta"}
    assert mind.resolve(name, keep_a=True).contradiction.settled_by == "resolution", (
        "and may be decided again"
    )
    for wrong in ({"keep_both": True}, {"merge": "neither"}):
        with pytest.raises(samemind.SamemindError, match="`since`"):
            mind.resolve(name, since="2026-02-01", **wrong)


@published("YD-41")
def test_a_merger_comes_from_both_and_stands_in_their_place(mind: BlockingMind) -> None:
    google, meta = mind.remember("I work at Google", read=True), mind.remember("I work at Meta", read=True)
    merged = mind.resolve(meta.contradictions[0], merge="I work at Google and advise Meta")
    assert merged.rid is not None
    assert recalled(mind, "where do I work?") == {"I work at Google and advise Meta"}
    assert (merged.contradiction.status, merged.contradiction.settled_by) == ("settled", "resolution")
    edges = {(edge.source, edge.relation, edge.target) for edge in mind.graph(merged.rid).edges}
    assert edges >= {(merged.rid, "updates", google.rid), (merged.rid, "updates", meta.rid)}
    mind.forget(merged.rid)
    assert only(mind).status == "open", "with the merger gone, what it merged stands against each other again"


@published("YD-43")
def test_recall_brings_both_sides_and_marks_them(mind: BlockingMind) -> None:
    mind.remember_many([f"Bob bakes loaf number {i}" for i in range(20)])
    mind.remember("Ann lives in Lisbon")
    name = mind.remember("Ann lives in Porto", read=True).contradictions
    hits = mind.recall("Lisbon", k=3)
    assert len(hits) <= 3
    assert {hit.text: hit.contradiction_id for hit in hits if hit.contradiction_id} == {
        "Ann lives in Lisbon": name[0],
        "Ann lives in Porto": name[0],
    }
    assert mind.recall("loaf number 7", k=1)[0].contradiction_id is None


def test_the_other_side_is_as_sure_as_the_side_that_was_found(mind: BlockingMind) -> None:
    mind.remember_many([f"The tram to Lisbon left platform {i} at noon" for i in range(20)])
    mind.remember("Ann lives in Lisbon")
    mind.remember("Ann lives in Porto", read=True)
    hits = mind.recall("tram to Lisbon", k=21)
    sides = {hit.text: hit for hit in hits if hit.contradiction_id}
    found, brought = sides["Ann lives in Lisbon"], sides["Ann lives in Porto"]
    assert brought.confidence == found.confidence < 1


def test_a_memory_that_answers_brings_no_side_of_another_thing_that_it_says(mind: BlockingMind) -> None:
    """Asked where one lives, "My name is Tom" came second, as sure as the home, since the name was in dispute."""
    mind.remember_many([f"Where they live number {i} is no matter of ours" for i in range(20)])
    mind.remember("My name is Thomas and I live in Lisbon")
    name = mind.remember("My name is Tom", read=True).contradictions
    home, *others = mind.recall("where do I live?", k=5)
    assert home.contradiction_id == name[0]
    assert "My name is Tom" not in {hit.text for hit in others}
    assert {hit.text for hit in mind.recall("what is my name?", k=2)} == {
        "My name is Thomas and I live in Lisbon",
        "My name is Tom",
    }


def test_the_other_side_is_brought_along_only_where_the_filters_let_it_through(mind: BlockingMind) -> None:
    mind.remember("I live in Lisbon", speaker="Ann")
    mind.remember("Ann lives in Porto", speaker="Bob")
    assert [hit.text for hit in mind.recall("Lisbon", speaker="Ann")] == ["I live in Lisbon"]


def test_a_rejected_value_told_anew_asks_anew_also_word_for_word(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    meta = mind.remember("I work at Meta", read=True)
    name = meta.contradictions[0]
    mind.resolve(name, keep_a=True)
    again = mind.remember("I work at Meta", read=True)
    assert (again.says_same, again.contradictions) == ([meta.rid], [name])
    assert only(mind).status == "open"
    third = mind.remember("I work at Meta", read=True)
    assert third.contradictions == [name], "told a third time, it is the same question"
    assert [side.value for side in (only(mind).a, only(mind).b)] == ["Google", "Meta"]


def test_a_third_value_joins_the_same_record(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    apple = mind.remember("I work at Apple", read=True)
    assert apple.contradictions == [name]
    found = only(mind)
    assert [side.value for side in (found.a, found.b, *found.others)] == ["Google", "Meta", "Apple"]
    decided = mind.resolve(name, keep=apple.rid).contradiction
    assert standings(decided) == [("Google", "hidden"), ("Meta", "hidden"), ("Apple", "held")]


@published("ML-53")
def test_what_is_told_as_a_change_is_settled_by_it_and_the_old_is_closed_and_not_deleted(
    mind: BlockingMind,
) -> None:
    google = mind.remember("I work at Google")
    between = mind.get(google).created_at
    told = mind.remember("I just started at Meta", read=True)
    assert told.contradictions == [], "nothing is asked"
    found = only(mind)
    assert (found.status, found.settled_by) == ("settled", "change")
    old, new = found.beliefs
    assert (old.standing, new.standing) == ("replaced", "held")
    assert old.valid_until == new.valid_from
    assert new.valid_until is None
    assert recalled(mind, "what started, at Google or at Meta?") == {"I just started at Meta"}
    assert mind.get(google).text == "I work at Google"
    assert mind.history(google).versions[0].text == "I work at Google"
    with pytest.raises(samemind.NotFound):
        mind.contradiction(found.id, as_of=between)
    now = mind.contradiction(found.id, as_of=datetime.now(UTC) + timedelta(seconds=1))
    assert [belief.standing for belief in now.beliefs] == ["replaced", "held"]
    assert list(mind.contradictions(as_of=between)) == []


@pytest.mark.parametrize("k", [1, 2, 3])
def test_what_is_in_dispute_behind_it_does_not_push_out_what_was_asked_in_its_own_words(
    mind: BlockingMind, k: int
) -> None:
    for text in ("Ann lives in Lisbon", "Ann lives in Porto", "Ann likes Lisbon in spring"):
        mind.remember(text)
    mind.remember("that is all", wait=True)
    hits = mind.recall("Ann likes Lisbon in spring", k=k)
    assert hits[0].text == "Ann likes Lisbon in spring"
    assert len(hits) == k
    assert k < 3 or {hit.text for hit in [*hits][1:]} == {"Ann lives in Lisbon", "Ann lives in Porto"}


def test_in_sequence_without_a_word_of_change_it_is_asked_once(mind: BlockingMind) -> None:
    mind.remember("I work at Google", speaker="Ann")
    assert len(mind.remember("I work at Meta", speaker="Ann", read=True).contradictions) == 1
    assert mind.think().contradictions.count == 1
    assert mind.think().contradictions.count == 0


def test_a_later_beginning_by_the_same_speaker_is_a_change_and_by_another_a_question(
    mind: BlockingMind,
) -> None:
    mind.remember("Since May 2019 I live in Porto", speaker="Ann")
    mind.remember("I live in Lisbon since May 2024", speaker="Ann")
    assert (only(mind).status, only(mind).settled_by) == ("settled", "change")
    mind.remember("Since June 2024 Ann lives in Faro", speaker="Bob")
    assert only(mind).status == "open"


def test_a_correction_settles_and_takes_the_facts_along(mind: BlockingMind) -> None:
    mind.remember("Ann lives in Lisbon")
    talk = mind.remember("Ann lives in Porto. She loves hiking in the mountains of the north.", read=True)
    name = only(mind).id
    assert len(talk.facts) == 2
    corrected = mind.correct(talk, "Ann lives in Lisbon. She loves hiking in the mountains of the north.")
    assert (corrected.settled, corrected.contradictions) == ([name], [])
    assert len(corrected.facts) == len(corrected.forgotten) == 1
    assert {memory.text for memory in mind.list()} == {
        "Ann lives in Lisbon",
        "Ann lives in Lisbon. She loves hiking in the mountains of the north.",
        "Ann loves hiking in the mountains of the north",
    }
    assert "Porto" in str(mind.history(talk).versions[0].text)


def test_an_edit_is_a_correction_and_one_that_claims_nothing_more_ends_the_claim(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    meta = mind.remember("I work at Meta")
    mind.edit(meta, "I like the people at Meta and what they do")
    assert list(mind.contradictions(status="open")) == []
    mind.edit(meta, "I work at Meta")
    assert (only(mind).status, only(mind).settled_by) == ("settled", "change")
    assert recalled(mind, "where do I work?") == {"I work at Meta"}


def test_a_memory_whose_words_were_changed_is_told_for_what_it_says_now(mind: BlockingMind) -> None:
    """It neither answers for its old words, nor goes with them when somebody tells what holds instead."""
    key = mind.remember("I work at Google")
    mind.correct(key, "The key of the archive is in drawer four")
    assert [hit.text for hit in mind.recall("where do I work?") if hit.claim] == []
    assert mind.why(key).claims == []
    mind.correct(key, "I work at Oracle")
    assert "Oracle" in [claim.value for claim in mind.why(key).claims]
    mind.correct(key, "The key of the archive is in drawer four")
    mind.remember("I just started at Meta")
    mind.wait_for_queue()
    best = mind.recall("the key of the archive")[0]
    assert (best.text, best.claim) == ("The key of the archive is in drawer four", None)
    assert {memory.text for memory in mind.list()} == {"I just started at Meta", best.text}
    asked = mind.recall("where do I work?")[0]
    assert asked.claim is not None
    assert (asked.claim.value, asked.claim.earlier) == ("Meta", [])
    mind.remember("I work at Stripe")
    assert only(mind).status == "open"
    assert mind.recall("the key of the archive")[0].contradiction_id is None
    assert all(hit.contradiction_id for hit in mind.recall("where do I work?", k=2))


def test_a_side_put_right_after_both_were_said_to_disagree_still_holds(mind: BlockingMind) -> None:
    rules = mind.remember("We use ruff, lines of 100 characters")
    lines = mind.remember("The length of a line is 120 now")
    mind.settle(rules, lines, "disagree")
    assert mind.recall("ruff")[0].contradiction_id is not None
    mind.correct(rules, "We use ruff, lines of 120 characters")
    assert list(mind.contradictions(status="open")) == []
    best = mind.recall("ruff")[0]
    assert (best.text, best.claim) == ("We use ruff, lines of 120 characters", None)
    assert "NO LONGER" not in mind.context("ruff").text


def test_what_ended_leaves_room_and_what_was_never_known_ends_nothing(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    mind.remember("I left Google")
    mind.remember("I left Oracle")
    assert mind.remember("I work at Meta", read=True).contradictions == []
    assert only(mind).settled_by == "change"


@published("E-15")
def test_only_the_same_subject_and_relation_contradict_each_other(mind: BlockingMind) -> None:
    for text in (
        "Ann lives in Lisbon", "Bob lives in Porto", "Ann works at Google", "Ann lives in Portugal",
        "Ann loves sushi", "Ann's birthday is 3 June", "Ann was born in Faro",
    ):  # fmt: skip
        assert mind.remember(text, no_dedup=True, read=True).contradictions == []
    assert list(mind.contradictions()) == []


def test_spaces_do_not_contradict_each_other(mind: BlockingMind) -> None:
    mind.remember("I work at Google", workspace="one")
    assert mind.remember("I work at Meta", workspace="two", read=True).contradictions == []
    name = mind.remember("I work at Apple", workspace="two", read=True).contradictions[0]
    assert [found.id for found in mind.contradictions(workspace="two")] == [name]
    assert list(mind.contradictions(workspace="one")) == []


def test_who_forgets_a_side_has_nothing_to_decide(mind: BlockingMind) -> None:
    google = mind.remember("I work at Google")
    mind.remember("I work at Meta")
    mind.forget(google)
    assert list(mind.contradictions()) == []


def test_an_erased_side_leaves_no_word_in_the_tables(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        secret = mind.remember("I work at Quexalotl")
        mind.remember("I work at Meta")
        assert only(mind).a.value == "Quexalotl"
        mind.forget(secret, erase=True)
        assert list(mind.contradictions()) == []
    held = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert b"Quexalotl" not in held


def test_a_memory_that_says_more_stays_when_one_thing_in_it_has_changed(mind: BlockingMind) -> None:
    mind.remember("I work at Google. My desk is by the window.", no_facts=False)
    mind.remember("I just started at Meta")
    assert "I work at Google. My desk is by the window." in recalled(mind, "where do I work?")


def test_no_decision_needs_one_and_two_are_too_many(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    name = mind.remember("I work at Meta", read=True).contradictions[0]
    with pytest.raises(samemind.NeedsDecision, match="Google or Meta") as raised:
        mind.resolve(name)
    assert raised.value.exit_code == 4
    with pytest.raises(samemind.Usage):
        mind.resolve(name, keep_a=True, merge="both")
    with pytest.raises(samemind.NotFound):
        mind.resolve("123456789", keep_a=True)
    other = mind.remember("Bob bakes")
    with pytest.raises(samemind.NotFound):
        mind.resolve(name, keep=other.rid)


def test_a_decision_for_what_had_been_replaced_brings_it_back(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    mind.remember("I just started at Meta")
    decided = mind.resolve(only(mind).id, keep_a=True).contradiction
    assert [belief.value for belief in decided.beliefs if belief.standing == "held"] == ["Google"]
    assert recalled(mind, "where do I work?") == {"I work at Google"}


def test_what_is_told_of_an_earlier_day_takes_back_nothing_told_later(mind: BlockingMind) -> None:
    mind.remember("I work at Meta", at="2024-05-01")
    mind.remember("I just started at Google", at="2022-05-01")
    assert only(mind).status == "open"


def test_a_batch_and_an_import_claim_what_they_say_when_asked_for_facts(tmp_path: Path) -> None:
    lines = ["I work at Google", "I just started at Meta", "I work at Apple"]
    with samemind.open_blocking(tmp_path / "batch") as mind:
        mind.remember_many(lines, facts=True)
        assert standings(only(mind)) == [("Google", "replaced"), ("Meta", "held"), ("Apple", "held")]
        file = tmp_path / "out.jsonl"
        mind.export(file)
        with samemind.open_blocking(tmp_path / "other") as other:
            other.import_(file)
            assert standings(only(other)) == standings(only(mind))
            assert other.digest().digest == mind.digest().digest
            ops = other.digest().ops
            other.import_(file)
            assert other.digest().ops == ops
    plain = tmp_path / "in.jsonl"
    plain.write_text("".join(f'{{"text": "{line}"}}\n' for line in lines))
    with samemind.open_blocking(tmp_path / "import") as mind:
        mind.import_(plain, facts=True)
        assert [value for value, _ in standings(only(mind))] == ["Google", "Meta", "Apple"]


@published("D-03")
def test_who_wants_the_later_word_to_stand_is_not_asked(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('contradictions = "newer"\n')
    with samemind.open_blocking(home) as mind:
        google = mind.remember("I work at Google")
        assert mind.remember("I work at Meta", read=True).contradictions == []
        assert (only(mind).status, only(mind).settled_by) == ("settled", "change")
        assert only(mind).beliefs[0].valid_until is not None
        assert mind.get(google).text == "I work at Google", "closed, and not deleted"
        mind.remember_many(["I live in Porto", "I live in Faro"], facts=True)
        assert list(mind.contradictions(status="open")) == []


def test_what_was_held_back_claims_what_it_says_once_it_is_released(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    held = mind.remember("I work at Meta. The key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD.")
    assert held.held
    assert list(mind.contradictions()) == []
    mind.release_held(held.rid)
    assert only(mind).b.value == "Meta"


def test_what_is_told_as_news_stays_when_more_has_changed_since(mind: BlockingMind) -> None:
    mind.remember("I moved to Porto")
    mind.remember("I moved to Lisbon")
    assert {memory.text for memory in mind.list()} == {"I moved to Porto", "I moved to Lisbon"}
    mind.remember("I live in Faro")
    mind.remember("I moved to Braga")
    assert "I live in Faro" not in {memory.text for memory in mind.list()}


def test_what_a_decision_hid_stays_hidden_when_what_had_replaced_it_goes(mind: BlockingMind) -> None:
    mind.remember("I work at Google")
    meta = mind.remember("I just started at Meta")
    apple = mind.remember("I work at Apple")
    mind.resolve(only(mind).id, keep=apple.rid)
    mind.forget(meta)
    assert standings(only(mind)) == [("Google", "hidden"), ("Apple", "held")]
    assert only(mind).status == "settled"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("last March", "2026-03-01"),
        ("gestern", "2026-06-14"),
        ("la semaine dernière", "2026-06-08"),
        ("в марте", "2026-03-01"),
        ("2026-02-03", "2026-02-03"),
    ],
)
def test_since_when_it_changed_is_told_in_words(words: str, day: str) -> None:
    now = datetime(2026, 6, 15, 12, tzinfo=UTC)
    read = read_since(words, name="since", now_ms=round(now.timestamp() * 1_000))
    found = datetime.fromtimestamp(read / 1_000, UTC)
    assert abs(found - datetime.fromisoformat(day).replace(tzinfo=UTC)) < timedelta(days=1)


def test_words_that_name_no_time_that_is_over_are_refused() -> None:
    for words in ("soon", "tomorrow", "the day it happened"):
        with pytest.raises(Usage):
            read_since(words, name="since", now_ms=1_750_000_000_000)


def test_it_changed_closes_the_old_value_where_the_words_say(mind: BlockingMind) -> None:
    mind.remember("Ann lives in Lisbon", at="2020-01-01")
    name = mind.remember("Ann lives in Porto", at="2020-02-01").contradictions[0]
    found = mind.resolve(name, keep_b=True, since="yesterday").contradiction
    assert (found.status, found.settled_by) == ("settled", "change")
    closed = next(belief for belief in found.beliefs if belief.value == "Lisbon").valid_until
    assert closed is not None
    assert timedelta() < datetime.now(UTC) - closed < timedelta(days=3)


def test_the_day_since_which_it_holds_is_shown(mind: BlockingMind) -> None:
    ann = mind.remember("Ann lives in Lisbon", at="2020-01-01", read=True)
    porto = mind.remember("Ann lives in Porto", at="2020-02-01", read=True)
    resolved = mind.resolve(porto.contradictions[0], keep_b=True, since="2020-01-15T00:00")
    assert resolve.render(to_json(resolved)) == ["Ann lives_in: Porto, since 2020-01-15"]
    bob = mind.remember("Bob lives in Rome")
    settled = mind.settle(ann.rid, bob.rid, "changed", since="2021-06-01T00:00")
    assert settle.render(to_json(settled))[0].endswith("changed since 2021-06-01, by person")


def test_a_list_says_how_many_imported_texts_are_still_to_be_read(mind: BlockingMind) -> None:
    """Until then, that nothing contradicts itself only means that nobody has looked."""
    listed = to_json(mind.contradictions())
    assert printed("contradictions list", listed) == ["nothing contradicts itself"]
    assert printed("contradictions list", {**listed, "unread": 2}) == [
        "2 imported texts are still to be read: `samemind queue wait`, then ask again"
    ]


def test_what_was_imported_and_not_read_is_counted_in_the_list(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path, online=False) as device:
            ingest = device.device.mind.ingest
            with ingest.gathering():
                ingest.brought += 2
                assert (await device.mind.contradictions()).unread == 2
                ingest.brought -= 2

    run(main)


def test_only_those_that_are_listed_are_judged(mind: BlockingMind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten thousand that a member raised, each list of fifty took four seconds, and nobody recalled meanwhile."""
    for name in ("Ann", "Ben", "Carla"):
        mind.remember(f"{name} works at Google", read=True)
        mind.remember(f"{name} works at Meta", read=True)
    mind.resolve(mind.contradictions()[1], keep_a=True)
    whole = mind.contradictions()
    assert [each.status for each in whole] == ["open", "open", "settled"]
    judged: list[bytes] = []

    def counting(connection: sqlite3.Connection, slot: bytes) -> list[LiveClaim]:
        judged.append(slot)
        return told_of(connection, slot)

    monkeypatch.setattr(_work, "told_of", counting)
    few = mind.contradictions(limit=2)
    assert (list(few), few.total) == (whole.contradictions[:2], 3)
    assert [slot.hex() for slot in judged] == [each.id for each in few]
    assert mind.contradictions(status="settled", limit=0).total == 1
