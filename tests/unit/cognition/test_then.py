"""What held at a time in the past is found where that time is asked for, and nowhere else."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import samemind
from cognition.known import asked_then

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
        ("what did I do between 2001 and 2003", True),
        ("where did I work before", True),
        ("where did I work before Globex", True),
        ("what do we run before a release", False),
        ("which database is used", False),
        ("which database did we use to store things", False),
        ("which database used to run", True),
        ("how old is Ann", False),
        ("wo wohnte ich", True),
        ("wo habe ich früher gewohnt", True),
        ("¿dónde trabajaba antes?", True),
        ("¿qué hago antes de salir?", False),
        ("", False),
    ],
)
def test_whether_the_past_is_asked_for(question: str, past: bool) -> None:
    assert (asked_then(question, NOW_MS) is not None) is past
