"""A life is told, and somebody who knows it answers each nominee: what contradicts is noticed, and nothing else."""

from pathlib import Path

from tests.bench import lives

LIFE = Path(__file__).parents[2] / "data" / "lives" / "baker.json"
# What is promised of a life with a judge. This one was read, so here it only says that nothing was lost.
FOUND_MIN = 0.6


def test_a_judge_who_answers_the_nominees_finds_what_contradicts() -> None:
    figures, _ = lives.measure(LIFE)
    assert figures["found with a judge"] >= FOUND_MIN * figures["expected"]
    assert figures["found with a judge"] >= figures["partner named"], "an answer was given and raised nothing"
    assert (figures["judged changes raised"], figures["judged look-alikes raised"]) == (0, 0)
    assert figures["linked wrongly"] == 0
    assert figures["plain without"] >= figures["plain"] / 2
