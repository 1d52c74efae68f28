"""The block for a prompt, as a program gets it: from all that memory holds, and put into a conversation."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.context.block import FLAT_CHARACTERS_MAX
from samemind.config import Home, Settings
from samemind.library.blocking import BlockingMind
from tests.bench.recall_locomo import SIZES
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


@published("ML-06")
def test_a_block_is_assembled_from_six_sources_each_once(mind: BlockingMind) -> None:
    """Keyword-matched facts, ranked evidence, session summaries, graph triples, profile, and what is due."""
    mind.remember("The harvest festival is held on the old square", type="factual")
    mind.remember("Zoe is the daughter of Ann", type="social", speaker="Ann")
    mind.remember_many(
        [
            {"text": text, "session": "chat 1", "position": place, "speaker": "Ann"}
            for place, text in enumerate(("Both of us went to the harvest festival", "We danced till dawn"))
        ]
    )
    mind.remember_many([f"The harvest of both fields in year {n} was good" for n in range(20)])
    mind.relate("Ann", "mother_of", "Zoe")
    mind.set_profile(city="Porto")
    mind.remember("buy lamp oil", type="prospective", event_start=datetime(2020, 1, 1, tzinfo=UTC), wait=True)
    block = mind.context("when did both Ann and Zoe go to the harvest festival?", max_tokens=2_000)
    assert block.kind == "MultiHop"
    other = {section.title: section.lines for section in block.sections}
    summaries = other.pop("SESSION CONTEXT")
    for line in (
        "The harvest festival is held on the old square",
        "Both of us went to the harvest festival",
        "Zoe is the daughter of Ann",
        "- city: Porto",
        "buy lamp oil",
    ):
        assert sum(line in each for lines in other.values() for each in lines) == 1, line
    assert [*other] == ["PROFILE", "REMINDERS", "KEY FACTS", "TOP EVIDENCE"]
    assert len(summaries) == 1
    assert summaries[0].startswith("- chat 1: ")


@published("ML-39")
def test_a_paraphrase_of_what_a_talk_was_about_brings_its_summary(mind: BlockingMind) -> None:
    """Summaries are made when they are shown, so it is their turns that are searched, by words and vectors."""
    talks = {
        "trip": (
            "We rode our bikes along the coast for three days",
            "The coast road has no cars, so riding bikes there is easy",
            "Next summer we ride bikes along the northern coast",
        ),
        "kitchen": (
            "The oven in the kitchen is broken again",
            "A new oven would not fit the kitchen",
            "So the kitchen gets a smaller oven",
        ),
    }
    for session, texts in talks.items():
        for text in texts:
            mind.remember(text, session=session, wait=True)
    block = mind.context("what could be said of cycling by the sea?")
    assert block.kind == "OpenEnded"
    (section,) = [section for section in block.sections if section.title == "SESSION CONTEXT"]
    assert section.lines[0].startswith("- trip: ")


@published("ML-87")
def test_the_size_of_a_simple_questions_block_is_a_setting_and_the_bench_sweeps_it(
    tmp_path: Path,
) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    assert Settings.load(home).flat_characters == FLAT_CHARACTERS_MAX == 1_500
    assert {1_000, 1_500, 8_000} <= {*SIZES}
    sizes = {}
    for characters in (300, 1_500):
        Settings(name="laptop", flat_characters=characters).save(home)
        with samemind.open_blocking(home.folder) as mind:
            if not mind.list().total:
                mind.remember_many(
                    [f"Note {n}: {'the harbour was full of boats ' * 4}" for n in range(20)], wait=True
                )
            sizes[characters] = len(mind.context("what was in the harbour?", max_tokens=4_000).text)
    assert sizes[300] < 300 + 120 < sizes[1_500] < 1_500 + 120


@published("LO-21")
def test_a_conversation_comes_back_with_memory_after_its_persona(mind: BlockingMind) -> None:
    mind.remember("Ann moved to Lisbon", wait=True)
    talk = [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Where does Ann live?"},
    ]
    block = mind.context(window=4_096, conversation=talk)
    assert [message.role for message in block.messages] == ["system", "user", "assistant", "user"]
    assert block.messages[0].content.startswith("You are terse.\n\n<recalled-memories")
    assert "Ann moved to Lisbon" in block.messages[0].content, "what the user said last is what is asked"
    assert block.compacted == []
    long = [*talk[:1], *({"role": "user", "content": f"m{n} " + "word " * 200} for n in range(20)), talk[-1]]
    cut = mind.context(window=4_096, conversation=long)
    assert cut.compacted == ["trimmed"]
    assert [message.content.split()[0] for message in cut.messages[1:]] == [
        "m0", "m1", "m15", "m16", "m17", "m18", "m19", "Where",
    ]  # fmt: skip
    assert mind.context(window=4_096, conversation=long, compact_at=0.99).compacted == ["trimmed"]
    assert mind.context(window=9_096, conversation=long).compacted == []
    mind.remember_many(
        [f"Ann lives near the {n}th bridge of Lisbon, by the river" for n in range(60)], wait=True
    )
    sizes = [mind.context(window=20_000, conversation=talk, max_tokens=most) for most in (None, 1_500, 60)]
    default, many, few = (each.tokens for each in sizes)
    assert few <= 60 < default <= 500 < many <= 1_500
    for wrong in (
        {"conversation": talk},
        {"conversation": talk, "window": 4_096, "compact_at": 0.0},
        {"conversation": [{"role": "user"}], "window": 4_096},
    ):
        with pytest.raises(samemind.Usage):
            mind.context(**wrong)


class Dumped:
    """A message as the libraries of providers give it back."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, *, exclude_none: bool) -> dict[str, Any]:
        return {name: each for name, each in self.fields.items() if each is not None or not exclude_none}


def test_calls_of_tools_come_back_as_they_were_given(mind: BlockingMind) -> None:
    mind.remember("Ann moved to Lisbon", wait=True)
    call = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}
    part = {"type": "text", "text": "Where does Ann live?"}
    result = {"role": "tool", "tool_call_id": "1", "content": "22 degrees"}
    untyped: Any = [
        {"role": "user", "content": [Dumped(**part)]},
        Dumped(**call, content=None),
        result,
    ]
    block = mind.context(window=4_096, conversation=untyped)
    assert "Ann moved to Lisbon" in block.messages[0].content, (
        "the text of what the user said is what is asked"
    )
    assert block.to_send == [
        {"role": "system", "content": block.text},
        {"role": "user", "content": [part]},
        call,
        result,
    ]


def test_the_work_does_not_keep_the_answer_out_of_a_prompt(mind: BlockingMind) -> None:
    mind.remember_many(
        [
            *(
                {"text": f"The job in hall {n} needs its report sent", "meta": {"category": "project"}}
                for n in range(10)
            ),
            *(f"Person{n} lives in town {n}" for n in range(75)),
            "Ann moved to Lisbon in the spring",
        ],
        no_dedup=True,
        wait=True,
    )
    asked = "Where does Ann live?"
    talk = [{"role": "user", "content": asked}]
    for block in (
        mind.context(asked, max_tokens=150),
        mind.context(asked, max_tokens=300),
        mind.context(window=1_200, conversation=talk),
    ):
        assert "Ann moved to Lisbon" in block.text
        assert "The job in hall" in block.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"conversation": ["abc"]}, "message 1: expected a mapping with role and content, got 'abc'"),
        ({"conversation": [{"role": "user", "content": b"x"}]}, "message 1: expected JSON"),
        ({"conversation": [{"role": "system", "content": "x"}]}, "expected a question, or a message"),
        ({"query": "tea", "window": 0}, "expected a window of 1 token or more, got 0"),
        ({"query": "tea", "window": -5}, "expected a window of 1 token or more, got -5"),
    ],
)
def test_what_is_no_conversation_and_no_window_is_a_usage_error(
    mind: BlockingMind, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(samemind.Usage, match=message):
        mind.context(**{"window": 4_096, **wrong})
