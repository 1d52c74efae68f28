"""What the benches decide by themselves; what they measure is for `make bench`."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cognition import StaticEmbedder
from cognition.embedding.index import ALL_MAX
from cognition.ranking.signals import SIGNALS
from tests.bench import golden_run, nearest, recall_stages, remember_stages, stress
from tests.bench.fitting import Example
from tests.bench.golden import DAYS, MEMORIES, QUESTIONS
from tests.bench.recall_at_size import fill
from tests.bench.recall_locomo import Outcome, ablation, failure
from tests.support.published import published

NOTHING = Example(np.zeros((0, 0), np.float32), np.zeros(0, np.bool_), 1, 1)


def outcome(evidence: str, turns: str, speakers: str, named: str = "") -> Outcome:
    return Outcome(
        conversation="c", category=1, question="?", evidence=frozenset(evidence.split()),
        turns=turns.split(), speakers=speakers.split(), named=frozenset(named.split()), bm25=(), took_ms=1.0,
        example=NOTHING,
    )  # fmt: skip


@published("ML-83")
@pytest.mark.parametrize(
    ("asked", "bucket"),
    [
        (outcome("a", "b a", "Ann Bob"), "FOUND"),
        (outcome("a z", "b a", "Ann Bob"), "INCOMPLETE"),
        (outcome("a", "", ""), "LLM_REFUSE"),
        (outcome("a", "b c", "Bob Bob", "Ann"), "SPEAKER_SWAP"),
        (outcome("a", " ".join("bcdefghijk"), " ".join(["Ann"] * 10), "Ann"), "WRONG_FACT"),
        (outcome("a", "b c", "Bob Bob"), "WRONG_FACT"),
    ],
)
def test_each_failure_of_a_benchmark_has_one_of_four_names(asked: Outcome, bucket: str) -> None:
    assert failure(asked) == bucket


@published("YD-74")
def test_the_golden_set_has_its_shape_and_gives_the_same_every_time() -> None:
    """32 memories, 8 sessions, 25 days; 40 questions, 12 categories; three baselines; the whole is the mean."""
    assert (len(MEMORIES), len({told.session for told in MEMORIES})) == (32, 8)
    assert max(told.day for told in MEMORIES) - min(told.day for told in MEMORIES) == DAYS == 25
    assert (len(QUESTIONS), len({asked.category for asked in QUESTIONS})) == (40, 12)
    assert all(0 <= number < 32 for asked in QUESTIONS for number in asked.answers)
    found = golden_run.run()
    assert [*found] == ["vectors", "all signals", "and the graph"]
    counts = Counter(asked.category for asked in QUESTIONS)
    for by_category in found.values():
        assert all(0 <= value <= 1 for metrics in by_category.values() for value in metrics)
        for name, whole in by_category["all"]._asdict().items():
            parts = sum(count * getattr(by_category[category], name) for category, count in counts.items())
            assert whole == pytest.approx(parts / 40)
    assert golden_run.run() == found
    assert found["all signals"]["all"].mrr > found["vectors"]["all"].mrr


@published("PM-69")
def test_the_stress_asks_thirty_facts_in_thirty_ways_each() -> None:
    """900 questions = 30 x 30, in five languages, some across them, some two in one, names apart, and of oneself."""
    asked = list(stress.questions())
    assert (len(asked), len({one.text for one in asked}), len(stress.facts())) == (900, 900, 30)
    assert set(Counter(one.answer for one in asked).values()) == {30}
    assert {one.language for one in asked} == set(stress.LANGUAGES)
    kinds = {one.kind for one in asked}
    assert {"compound", "of oneself", "of others", "of others, across languages"} <= kinds
    assert list(stress.questions()) == asked


@published("PM-72")
def test_the_ablation_shows_what_the_rules_and_the_embedder_buy_here(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One question that only a rule answers, one that only meaning does: without either, one of two is found."""
    names = [signal.name for signal in SIGNALS]
    asked = []
    for telling in ("entity", "meaning"):
        signals = np.zeros((20, len(names)), np.float32)
        signals[:-1, names.index("entity")] = telling == "entity"  # all but the right one lack what was named
        signals[-1, names.index("meaning")] = telling == "meaning"
        right = np.arange(20) == 19
        asked.append(replace(outcome("a", "a", "Ann"), example=Example(signals, right, 1, 1)))
    ablation(asked)
    printed = re.findall(r"^ +(.+?) +([\d.]+)/ *([\d.]+)$", capsys.readouterr().out, re.MULTILINE)
    shown = {name: f"{any_hit}/{fraction}" for name, any_hit, fraction in printed}
    assert shown["(with all)"] == "100.0/100.0"
    assert shown["(no rules)"] == shown["(no vectors)"] == "50.0/50.0"
    assert set(names) <= set(shown)


@published("YD-02", "ME-13")
def test_near_vectors_are_measured_where_a_product_with_all_does_and_where_it_does_not() -> None:
    """What it turns on is named, making it anew is timed, and up to 10,000 all are looked at."""
    assert nearest.SIZES == (10_000, 50_000, 100_000)
    assert nearest.SIZES[0] <= ALL_MAX < nearest.SIZES[1]
    embedder = StaticEmbedder()
    found = nearest.measure(nearest.Asked(1_000, embedder, None), embedder, 1_000, None)
    assert {"first search, ms", "search, ms", "product with all, ms"} < set(found)
    assert (found["of the nearest 10"], found["of the nearest 120"]) == (1, 1)


def test_the_stages_of_a_recall_add_up_to_the_whole_and_are_put_back(tmp_path: Path) -> None:
    before = [getattr(owner, name) for _, places in recall_stages.STAGES for owner, name in places]
    fill(tmp_path / "home", 100)
    shares = recall_stages.measure(tmp_path / "home", 100, 5)
    assert sum(shares.values()) == pytest.approx(1)
    assert (
        min(shares[stage] for stage in ("full text", "vectors", "rank: the signals", "assemble and show")) > 0
    )
    assert before == [getattr(owner, name) for _, places in recall_stages.STAGES for owner, name in places]


def test_each_stage_of_a_remember_is_found_where_the_code_looks_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that moved would be timed as nothing, and its time told as the interface's."""
    monkeypatch.setattr(remember_stages, "BURSTS", 1)
    shares, quick_s = remember_stages.measure(tmp_path / "home")
    assert set(shares) > {stage for stage, _ in remember_stages.STAGES}
    assert all(share > 0 for share in shares.values())
    assert sum(shares.values()) == pytest.approx(1)
    assert quick_s > 0
