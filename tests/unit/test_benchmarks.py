"""The pages of benchmarks say what was measured, and nothing else."""

import json
from typing import Any
from xml.etree import ElementTree

from tests.bench.compare import page
from tests.bench.compare.__main__ import expected_seconds
from tests.bench.compare.plot import draw

DOCUMENT: Any = json.loads((page.FOLDER / "compare.json").read_text("utf-8"))


def test_the_pages_of_benchmarks_say_what_was_measured() -> None:
    for name in page.PAGES:
        text = (page.FOLDER / name).read_text("utf-8")
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
    assert ahead.startswith("| recall, ms | floor | 4.00 | all sizes |")


def test_who_is_ahead_at_several_sizes_has_one_line_with_the_least_and_the_most() -> None:
    figures = {1_000: (8.0, 2.0), 10_000: (9.0, 3.0), 30_000: (10.0, 9.9)}
    results = [
        {"name": name, "version": "1", "size": size, "runs": 1, "recall_ms": took}
        for size, both in figures.items()
        for name, took in zip(("samemind", "chroma"), both, strict=True)
    ]
    (ahead,) = list(page.behind({"results": results}))[2:]
    assert ahead.startswith("| recall, ms | chroma | 3.00 to 4.00 | 1,000, 10,000 |")


def test_the_overview_has_every_row_at_one_size_with_how_many_times_better_ours_is() -> None:
    results = [
        {"name": name, "version": "1", "size": size, "runs": 1, "recall_ms": took}
        for name, size, took in (
            ("samemind", 10_000, 2.0),
            ("floor", 10_000, 280.0),
            ("samemind", 1_000, 1.0),
        )
    ]
    assert list(page.overview({"results": results})) == [
        "| with 10,000 memories | samemind | floor |",
        "| --- | ---: | ---: |",
        "| recall, ms | 2.00 | 280 (140 ×) |",
    ]


def test_the_pages_are_written_after_every_size_whoever_is_measured() -> None:
    for who, size_max in (("samemind", 1_000), ("samemind", 10_000), ("floor", 10_000)):
        results = [
            each
            for each in DOCUMENT["results"]
            if each["size"] <= size_max and who in ("samemind", each["name"])
        ]
        for name in page.PAGES:
            assert page.filled((page.FOLDER / name).read_text("utf-8"), DOCUMENT | {"results": results})
    assert next(page.overview({"results": [{"name": "samemind", "size": 1_000}]})).startswith("| with 1,000 ")


def test_who_would_not_be_done_in_time_is_known_by_what_a_smaller_size_took() -> None:
    assert expected_seconds({}, 1_000) == 0.0, "the smallest is always measured"
    assert expected_seconds({1_000: 3.0}, 1_000) == 3.0
    assert 30.0 < expected_seconds({1_000: 3.0, 100: 1.0}, 10_000) < 45.0
