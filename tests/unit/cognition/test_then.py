"""What held at a time in the past is found where that time is asked for, and nowhere else."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import samemind
from cognition.recall.known import KnownValue, _held, asked_then
from cognition.times import Window
from replica import MemoryId

NOW = "2026-11-25T09:00:00Z"
NOW_MS = round(datetime(2026, 11, 25, 9, tzinfo=UTC).timestamp() * 1_000)
OLD, NEW = "I work at Initech as a tester", "I work at Globex now"


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[samemind.BlockingMind]:
    folder: Path = tmp_path_factory.mktemp("then")
    with samemind.open_blocking(folder) as mind:
        for text, day in (
            (OLD, "2026-03-03"),
            ("Ann works at the bank", "2026-03-05"),
            ("bought new shoes", "2026-04-12"),
            (NEW, "2026-11-10"),
        ):
            mind.remember(text, at=f"{day}T09:00:00Z", wait=True)
        yield mind


@pytest.mark.parametrize(
    "question",
    [
        "where did I work in October",
        "where did I work in April?",
        "where did I work last month?",
        "where did I work before",
        "where did I work previously?",
    ],
)
def test_what_was_replaced_since_comes_before_what_replaced_it(
    mind: samemind.BlockingMind, question: str
) -> None:
    texts = [hit.text for hit in mind.recall(question, k=4, now=NOW).results]
    assert texts.index(OLD) < texts.index(NEW), "and nothing is hidden"


@pytest.mark.parametrize(
    "question",
    [
        "where do I work?",
        "where did I work yesterday?",
        "who works, and how old is Ann?",
        "who is it that works for me before lunch",
    ],
)
def test_what_was_replaced_is_out_of_the_way_of_other_questions(
    mind: samemind.BlockingMind, question: str
) -> None:
    texts = [hit.text for hit in mind.recall(question, k=4, now=NOW).results]
    assert NEW in texts
    assert OLD not in texts[: texts.index(NEW)]


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("where did I work in October", True),
        ("what happened in 2024", True),
        ("what do we do next week", False),
        ("what is on Saturday", False),  # the latest, or the coming one
        ("what did I do on Saturday", True),
        ("wo wohnte ich im März", True),
        ("who was my employer in March", True),
        ("was ist im März", False),
        ("where do I work in March", False),
        ("what did I say of next week", False),
        ("what did I do between 2001 and 2003", True),
        ("where did I live from 3 May 2019 to 9 June 2022", True),
        ("where did I work before", True),
        ("where did I work before Globex", True),
        ("what do we run before a release", False),
        ("which database is used", False),
        ("which database did we use to store things", False),
        ("which database used to run", True),
        ("which of them is the one we used to run", True),
        ("used to work where?", True),
        ("what is used to deploy the app", False),
        ("what can be commonly used to open doors", False),
        ("is Ann used to the noise", False),
        ("how old is Ann", False),
        ("who owns billing before?", True),
        ("wo wohnte ich", True),
        ("wo habe ich früher gewohnt", True),
        ("¿dónde trabajaba antes?", True),
        ("¿qué hago antes de salir?", False),
        ("", False),
    ],
)
def test_whether_the_past_is_asked_for(question: str, past: bool) -> None:
    assert (asked_then(question, NOW_MS) is not None) is past


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("where did I work in October?", "I work at Initech"),
        ("who was my employer in October?", "I work at Initech"),
        ("where did I work in November?", "I work at Globex"),
        ("where did I work in February?", "I work at Hooli"),
        ("where do I work?", "I work at Globex"),
        ("what did I do at work in October?", "Work was hard, I worked until midnight at work"),
    ],
)
def test_what_held_then_comes_before_what_was_told_then(tmp_path: Path, question: str, first: str) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        for text, day in (
            ("I work at Hooli", "2026-01-03"),
            ("I work at Initech", "2026-03-03"),
            ("Work was hard, I worked until midnight at work", "2026-10-12"),
            ("I work at Globex", "2026-11-03"),
        ):
            mind.remember(text, at=f"{day}T09:00:00Z", wait=True)
        found = mind.recall(question, k=4, now=NOW).results
        assert found[0].text == first


def test_what_held_for_a_part_of_a_time_held_then() -> None:
    value = KnownValue("Initech", MemoryId(bytes(16)), 100, 200)
    still = replace(value, until_ms=None)
    for window, held in (((0, 99), False), ((0, 100), True), ((150, 300), True), ((200, 300), False)):
        assert _held(value, (Window(*window),)) is held
    assert _held(value, (Window(0, 9), Window(150, 160)))
    assert _held(still, (Window(200, 300),))
    assert _held(value, ())
    assert not _held(still, ()), "what holds now is not what was before"
