"""Whatever is asked, there is an answer or a clear error: never a crash, and never another question's answer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samemind
from cognition import HashedEmbedder
from cognition.embedding.index import VectorIndex
from cognition.errors import IndexStale
from samemind.library.blocking import BlockingMind
from tests.support.published import published

TEXTS = (
    "Ann moved to Lisbon last spring",
    'She said "AND" OR (NOT) NEAR/2 * ^ {quotes} and more',
    "The emoji 🎉🧑‍🚀 stands here",
    "ירושלים היא עיר יפה",
    "who are you",
)

ODD = [
        "", " ", "\n\t", "?!…—", "the of and", "🎉", "\u200f\u202e\u0000", "a" * 100_000, "word " * 20_000,
        "'; DROP TABLE memory; --",
        "NEAR(a b, 5)", "text:lisbon", "* OR *", '"unbalanced', "(((((", "speaker : ann", "a AND NOT b", "\ud83c",
    ]  # fmt: skip

TIMES = (
    "2999-01-01", "9999-12-31", "0001-01-01", "1969-12-31", "2024-02-30", "10000-01-01", "yesterday",
    "9999-12-31T23:59:59.999999-14:00", "0001-01-01T00:00:00+14:00",
)  # fmt: skip


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("odd") / "home") as opened:
        for text in TEXTS:
            opened.remember(text)
        opened.remember("The last of them", wait=True)
        yield opened


@pytest.mark.parametrize("query", ODD)
def test_an_odd_question_has_an_answer(mind: BlockingMind, query: str) -> None:
    try:
        found = mind.recall(query)
    except samemind.Usage:
        return
    assert len(found) <= 10
    assert mind.list().total == len(TEXTS) + 1


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ('what was said with "AND" OR (NOT) NEAR quotes', 1),
        ("emoji 🎉 where", 2),
        ("ירושלים", 3),
        ("who are you", 4),
        ("ANN'S LISBON!!!", 0),
    ],
)
def test_marks_scripts_and_stop_words_find_what_they_stand_in(
    mind: BlockingMind, query: str, wanted: int
) -> None:
    assert mind.recall(query)[0].text == TEXTS[wanted]


def test_a_picture_finds_the_texts_that_it_stands_in(tmp_path: Path) -> None:
    """Full text files no symbols, and an embedder of words knows none."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        pizza = mind.remember("pizza night 🍕")
        for text in ("from 🇵🇹 to 🇵🇱", "we both went to 🇵🇱", "you ❤ cats", "it costs 5 €"):
            mind.remember(text, wait=True)
        assert [hit.rid for hit in mind.recall("🍕")] == [pizza.rid]
        assert mind.recall("🍕 🎉")[0].rid == pizza.rid
        assert mind.recall("🇵🇹")[0].text == "from 🇵🇹 to 🇵🇱", "both of its letters before one of them"
        assert mind.recall("\u2764\ufe0f")[0].text == "you ❤ cats", "how it is drawn does not count"
        assert mind.recall("€")[0].text == "it costs 5 €"
        assert mind.recall("?!…—").results == []
        assert mind.recall("🍕", as_of="2020-01-01").results == []
        assert "for 🎉 it is not" in mind.why_not(pizza.rid, "🎉").stages[-1].detail
        mind.forget(pizza)
        assert mind.recall("🍕").results == []


def test_no_answers_and_ten_thousand_may_be_wished_for_and_no_more(mind: BlockingMind) -> None:
    assert mind.recall("Lisbon", k=0).results == []
    assert len(mind.recall("Lisbon moved said stands", k=10_000)) <= len(TEXTS) + 1
    for wanted in (-1, 10_001, 10**6):
        with pytest.raises(samemind.Usage, match="expected 0 to 10000 for k"):
            mind.recall("Lisbon", k=wanted)


def test_what_cannot_be_meant_is_refused_by_name(mind: BlockingMind) -> None:
    with pytest.raises(samemind.Usage, match="expected"):
        mind.recall("Lisbon", type="gossip")
    with pytest.raises(samemind.Usage, match="before until"):
        mind.recall("Lisbon", since="2024-05-01", until="2023-05-01")
    with pytest.raises(samemind.Usage, match="as_of"):
        mind.recall("Lisbon", as_of="when pigs fly")
    assert mind.recall("Lisbon", k=1, as_of="2999-01-01")[0].text == TEXTS[0]
    assert (
        mind.recall("Lisbon", as_of="1960-01-01").results == []
    )  # not "the log tells nothing of it any more"


@published("ML-14")
def test_vectors_of_another_width_are_refused_by_the_index() -> None:
    index = VectorIndex(HashedEmbedder().width)
    for shape in ((1, 7), (2, HashedEmbedder().width)):
        with pytest.raises(IndexStale, match="expected"):
            index.add([1], np.zeros(shape, np.float32))
    with pytest.raises(IndexStale, match="expected a vector of width"):
        index.search(np.zeros(7, np.float32), 1)


@pytest.mark.parametrize("query", ODD)
def test_an_odd_question_has_a_prompt_and_reasons(mind: BlockingMind, query: str) -> None:
    """The same of what is made of answers: a block, a block of the past, and why something is not in it."""
    rid = mind.list().memories[0].rid
    asks: tuple[Callable[[], bool], ...] = (
        lambda: mind.context(query, max_tokens=200).tokens <= 200,
        lambda: mind.context(query, as_of="2999-01-01", max_tokens=200).tokens <= 200,
        lambda: bool(mind.why_not(rid, query).stages),
        lambda: mind.recall(query, as_of="2999-01-01", k=3, explain=True).query == query,
    )
    for ask in asks:
        try:
            assert ask()
        except samemind.Usage:
            continue


@given(
    query=st.text(max_size=40) | st.sampled_from(ODD),
    k=st.integers() | st.sampled_from([0, 1, 10**6, 2**63, 2**64]),
    kind=st.none() | st.sampled_from(["episodic", "nonsense", "", "\x00"]),
    as_of=st.none() | st.text(max_size=10) | st.sampled_from(TIMES),
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_of_whatever_time_is_answered_or_refused(
    mind: BlockingMind, query: str, k: int, kind: str | None, as_of: str | None
) -> None:
    try:
        found = mind.recall(query, k=k, type=kind, as_of=as_of)
    except samemind.SamemindError:
        return
    assert len(found) <= k
