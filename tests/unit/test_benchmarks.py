"""The page of benchmarks says what was measured, and nothing else."""

import json
from typing import Any
from xml.etree import ElementTree

from tests.bench.compare import page
from tests.bench.compare.__main__ import expected_seconds
from tests.bench.compare.plot import draw

DOCUMENT: Any = json.loads((page.FOLDER / "compare.json").read_text("utf-8"))


def test_the_page_of_benchmarks_is_what_was_measured() -> None:
    text = (page.FOLDER / "README.md").read_text("utf-8")
    assert text == page.filled(text, DOCUMENT), "run: python -m tests.bench.compare.page"


def test_every_picture_of_the_benchmarks_is_drawn_from_what_was_measured() -> None:
    for name, row in page.measured(DOCUMENT).items():
        held = (page.FOLDER / f"{name}.svg").read_text("utf-8")
        assert held == draw(row.title, name, DOCUMENT["results"])
        ElementTree.fromstring(held)


def test_wherever_somebody_is_ahead_the_page_says_why() -> None:
    assert [line for line in page.behind(DOCUMENT) if "not explained" in line] == []


def test_a_figure_is_the_median_of_its_runs_and_a_ratio_says_how_many_times_better_ours_is() -> None:
    runs = [
        {"name": "samemind", "version": "1", "size": 1_000, "recall_ms": took, "fill_per_s": 500.0}
        for took in (9.0, 2.0, 4.0)
    ]
    (found,) = page.summary(runs)
    assert (found["recall_ms"], found["runs"]) == (4.0, 3)
    other = {"name": "floor", "version": "2", "size": 1_000, "runs": 1, "recall_ms": 1.0, "fill_per_s": 250.0}
    document = {"results": [found, other]}
    assert list(page.table("recall_ms", document))[2] == "| 1,000 | 4.00 | 1.00 (0.25 ×) |"
    assert list(page.table("fill_per_s", document))[2] == "| 1,000 | 500 | 250 (2 ×) |"
    (ahead,) = list(page.behind(document))[2:]
    assert ahead.startswith("| recall, ms | 1,000 | floor | 4.00 |")


def test_who_would_not_be_done_in_time_is_known_by_what_a_smaller_size_took() -> None:
    assert expected_seconds({}, 1_000) == 0.0, "the smallest is always measured"
    assert expected_seconds({1_000: 3.0}, 1_000) == 3.0
    assert 30.0 < expected_seconds({1_000: 3.0, 100: 1.0}, 10_000) < 45.0
