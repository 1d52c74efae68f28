"""What `why-not` says is what a recall does: asked of every memory, for questions and wishes of every sort."""

from pathlib import Path
from random import Random

import pytest

import samemind
from cognition.fading import rehearsal

PEOPLE = ("Olga", "Pavel", "Ines", "Tarik")
DEEDS = ("moved to", "lives in", "works at", "keeps bees in", "sings in")
PLACES = ("Porto", "Lisbon", "the harbour choir", "an old mill")
QUESTIONS = (
    "where does Olga live?",
    "Where does Olga live and what does Pavel keep behind the old mill?",
    "What did Ines and Tarik do? Where does Pavel work these days, and who sings in Porto?",
    "choir",
    "?!",
)


def test_why_not_finds_exactly_what_a_recall_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among them duplicates, archived ones, sides of contradictions, summaries and what stands under them."""
    # How often each was recalled weighs a little, and is written down once a minute: not between a recall and its why.
    monkeypatch.setattr(rehearsal, "TELL_MS", 3_600_000)
    random = Random(5)
    stages = set()
    with samemind.open_blocking(tmp_path / "home") as mind:
        for _ in range(50):
            text = f"{random.choice(PEOPLE)} {random.choice(DEEDS)} {random.choice(PLACES)}"
            mind.remember(text, no_dedup=random.random() < 0.7, importance=random.choice([None, 0.9]))
        mind.think()
        for view in [view for view in mind.list() if not view.summary_of][:4]:
            mind.archive(view)
        listed = mind.list(include_cold=True, limit=500)
        everything = [rid for view in listed for rid in (view.rid, *view.same)]
        assert mind.contradictions().total
        for query in QUESTIONS:
            for k in (0, 1, 4, 200):
                shown = [hit.rid for hit in mind.recall(query, k=k)]
                # Each of them at one number; at the others what is shown, and some of the many that are not.
                some = everything if k == 4 else {*shown, *random.sample(everything, len(everything) // 6)}
                for rid in some:
                    told = mind.why_not(rid, query, k=k)
                    last = told.stages[-1]
                    stages.add(last.name)
                    assert told.found == (rid in shown), (query, k, rid, last)
                    assert all(stage.passed for stage in told.stages[:-1])
                    if told.found:
                        assert f"at {shown.index(rid) + 1} of {len(shown)}" in last.detail
    assert stages == {"filters", "summary", "duplicates", "contradiction", "candidates", "ranking", "fusion"}


def test_a_part_of_a_question_that_others_outdid_is_named(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Olga moved to Porto in March", no_facts=True)
        rid = mind.remember("Pavel bought a telescope in Prague", no_facts=True).rid
        asked = "Where did Olga move and what did Pavel buy?"
        assert mind.why_not(rid, asked, k=2).found
        last = mind.why_not(rid, asked, k=1).stages[-1]
        assert (last.name, last.passed) == ("fusion", False)
        assert "'what did Pavel buy?'" in last.detail


def test_what_no_longer_holds_is_kept_out_of_the_present_alone(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        before = mind.remember("I work at Globex", at="2026-03-01", wait=True).rid
        mind.remember("I work at Initech now", at="2026-09-01", wait=True)
        assert mind.why_not(before, "where do I work?").stages[-1].name == "filters"
        assert mind.why_not(before, "where did I work before?").found
        assert mind.why_not(before, "where do I live and where did I work before?").found
        assert mind.why_not(before, "I work at Globex").found  # whoever asks in its words gets it
        last = mind.why_not(before, "where did I work before?", k=0).stages[-1]
        assert (last.name, last.passed) == ("ranking", False)


def test_a_wish_that_a_recall_refuses_is_refused_here_too(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        rid = mind.remember("Pavel bought a telescope").rid
        with pytest.raises(samemind.Usage, match="k of 0 or more"):
            mind.why_not(rid, "telescope", k=-1)


def test_what_gave_way_to_the_other_side_of_a_contradiction_is_told_so(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Olga lives in Lisbon", no_dedup=True)
        mind.remember("Olga lives in Porto", no_dedup=True)
        mind.remember("Lisbon has trams", no_dedup=True)
        rid = mind.remember("Lisbon has trains", no_dedup=True).rid
        mind.think()
        # The best answer stays; of the others, what is not in dispute gives way.
        assert {hit.text for hit in mind.recall("Lisbon trams", k=3)} == {
            "Lisbon has trams",
            "Olga lives in Lisbon",
            "Olga lives in Porto",
        }
        last = mind.why_not(rid, "Lisbon trams", k=3).stages[-1]
        assert (last.name, last.passed) == ("contradiction", False)
