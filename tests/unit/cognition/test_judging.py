"""Which older memories are named for comparison with a new one, and what both state."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import trio
import trio.testing

from cognition.embedding.embedder import Vectors
from cognition.grammar.attributes import Attribute, attributes, differ
from cognition.judging import nominating
from cognition.judging.nominating import ByMeaning
from cognition.judging.nominees import (
    BESIDE_SHARE,
    CHANCE_MIN,
    LOOKED_AT,
    MET_WORDS_MAX,
    NOMINEES_MAX,
    WEIGHTS,
    MetWords,
    Near,
    compared,
    compared_words,
    evidence,
    nominees,
    rarity,
)
from tests.support.minds import FaultyEmbedder, open_memory, remember

WORDS = json.loads((Path(__file__).parents[2] / "data" / "attributes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("language", "text", "kind", "value"), [tuple(each) for each in WORDS])
def test_an_attribute_is_read_in_every_language(
    language: str, text: str, kind: str, value: float | str
) -> None:
    assert (kind, value) in [(each.kind, each.value) for each in attributes(text)], attributes(text)


def test_what_is_no_unit_is_no_attribute() -> None:
    assert attributes("the chip sits at 0x44, register 4e") == ()
    assert attributes("on 2026-11-23 and on 12/03/2026") == ()
    assert attributes("one of us ran a race") == ()


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [(320_000.0, 318_000.0, False), (62.0, 68.0, True), (9_150.0, 8_400.0, True), (10.0, 10.0, False)],
)
def test_amounts_are_compared_as_precisely_as_the_coarser_was_told(
    one: float, other: float, apart: bool
) -> None:
    assert differ(Attribute("money €", one, ""), Attribute("money €", other, "")) is apart
    assert differ(Attribute("money €", other, ""), Attribute("money €", one, "")) is apart


def test_times_of_day_are_compared_exactly() -> None:
    assert differ(Attribute("clock", 540.0, "9:00"), Attribute("clock", 543.0, "9:03"))


def test_what_states_another_value_of_the_same_kind_differs() -> None:
    one = compared("Amlodipine 10 mg once a day", Near(1, "I take amlodipine 5 mg each morning", 0.45))
    assert one.relation == "differs"
    assert [(value.before, value.now) for value in one.values] == [("5 mg", "10 mg")]


def test_a_value_that_both_state_is_no_difference_whatever_else_one_adds() -> None:
    one = compared("The room costs 430 € and 20 € for heating", Near(1, "Rent: 430 €", 0.5))
    assert one.relation == "differs"  # one price of it is new
    one = compared("The room costs 430 €", Near(1, "Rent is 430 €, heating 20 €", 0.5))
    assert one.relation == "repeats"


def test_nearness_alone_names_little_and_words_that_meet_count_beside_it() -> None:
    told = "Barbara now pays 68 € for the plot"
    assert nominees(told, [Near(1, "we had soup for dinner", 0.3)]) == []
    assert nominees(told, [Near(1, "we had soup for dinner", 0.45)]) == []
    (one,) = nominees(told, [Near(1, "a plot costs Barbara 62 €", 0.45)])
    assert one.names == ("barbara",)
    assert one.kinds == ("money €",)


def test_whether_any_is_named_is_up_to_the_first_and_others_need_be_half_as_likely() -> None:
    told, known = "The bins go out on Monday", "the boat was painted green"
    near = [Near(number, known, cosine / 100) for number, cosine in enumerate(range(100))]
    weights = {each.id: compared(told, each).weight for each in near}
    above = [number for number, weight in weights.items() if weight > CHANCE_MIN + 0.001]
    beside = [
        number
        for number, weight in weights.items()
        if BESIDE_SHARE * CHANCE_MIN + 0.001 < weight < CHANCE_MIN - 0.001
    ]
    below = [number for number, weight in weights.items() if weight < BESIDE_SHARE * CHANCE_MIN - 0.001]
    first, second, third = above[0], beside[0], below[-1]
    found = nominees(told, [near[third], near[second], near[first]])
    assert [each.id for each in found] == [first, second]
    assert nominees(told, [near[third], near[second]]) == []
    assert nominees(told, []) == []


def test_without_a_model_each_needs_its_share_of_words() -> None:
    near = [Near(1, "we had soup for dinner", None), Near(2, "a plot costs Barbara 62 €", None)]
    assert [each.id for each in nominees("Barbara now pays 68 € for the plot", near)] == [2]
    assert nominees("Barbara now pays 68 € for the plot", near[:1]) == []


def test_each_part_of_the_evidence_weighs_the_way_it_means() -> None:
    """A fit that says otherwise was made of data that are broken."""
    assert min(WEIGHTS._replace(size=1)) > 0
    assert WEIGHTS.size < 0


def test_in_a_larger_store_it_takes_more_to_be_named() -> None:
    """Of more memories, more lie near by chance."""
    told, known = "The bins go out on Monday", "the boat was painted green"
    cosines = [number / 100 for number in range(100)]
    alone, among_many = (
        next(cosine for cosine in cosines if nominees(told, [Near(1, known, cosine, among=among)]))
        for among in (100, 10_000)
    )
    assert among_many > alone


def test_words_meet_as_far_as_the_nearest_of_the_other_text_is_near() -> None:
    rows = {"cat": (1.0, 0.0), "kitten": (0.65, 0.76), "rain": (0.0, 1.0)}
    by_meaning = ByMeaning(lambda texts: np.array([rows[text] for text in texts], np.float32))
    whole, half, none, silent = by_meaning.met("the cat", ["Cat! Rain!", "kitten", "rain", "and so it was"])
    assert tuple(whole) == pytest.approx((rarity(1.5), 0.5), abs=1e-3)
    assert tuple(half) == pytest.approx((0.5 * rarity(1.5), 0.5), abs=1e-3)
    assert none == silent == MetWords(0.0, 0.0)
    assert by_meaning.met("and so", ["cat"]) == [MetWords(0.0, 0.0)]


def test_a_word_counts_the_less_the_more_of_those_that_are_near_meet_it() -> None:
    rows = {"cat": (1.0, 0.0), "rain": (0.0, 1.0)}
    by_meaning = ByMeaning(lambda texts: np.array([rows[text] for text in texts], np.float32))
    met = by_meaning.met("cat, rain", ["rain"] * (LOOKED_AT - 1) + ["cat"])
    assert met[0].met == pytest.approx(-math.log(1 - 1 / LOOKED_AT), abs=1e-3)
    assert met[-1].met == pytest.approx(math.log(LOOKED_AT), abs=1e-3)
    assert by_meaning.met("cat, rain", ["rain"] * LOOKED_AT)[0] == MetWords(0.0, 1.0)
    assert rarity(0) == rarity(LOOKED_AT / 1_000), (
        "what nobody meets counts no more than what nearly nobody does"
    )


def test_vectors_of_words_are_kept_up_to_a_number_and_those_in_use_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nominating, "WORDS_KEPT", 4)
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return np.array([[ord(text[0]), len(text)] for text in texts], np.float32)

    by_meaning = ByMeaning(embed)
    by_meaning.learn(["ant bee", "cow dog eel"])
    assert asked == ["ant", "bee", "cow", "dog"], "as many as are kept"
    rows = by_meaning.of_words(["ant", "fox", "ant"])
    assert rows[:, 0].tolist() == [ord("a"), ord("f"), ord("a")]
    assert asked[4:] == ["fox"], "in place of the oldest that is not asked for"
    assert by_meaning.of_words(["dog", "cow"])[:, 0].tolist() == [ord("d"), ord("c")]
    assert asked[5:] == []
    by_meaning.of_words(["bee"])
    assert asked[5:] == ["bee"]


def test_of_texts_without_a_word_nothing_is_learnt() -> None:
    """A review begins with this, and a store may hold nothing but emojis and marks."""

    def embed(texts: Sequence[str]) -> Vectors:
        raise AssertionError(f"expected nothing to embed, got {texts}")

    ByMeaning(embed).learn(["🙂", "?!", ""])


def test_words_without_vectors_meet_where_they_are_the_same() -> None:
    told = evidence("Barbara pays 68 €", Near(1, "68 € and soup for Barbara", 0.4))
    assert (told.met, told.covered) == pytest.approx((2 * rarity(1), 2 / 3))


def test_of_a_page_the_beginning_is_compared() -> None:
    page = " ".join(f"word{number}" for number in range(1_000))
    assert compared_words(page) == tuple(f"word{number}" for number in range(MET_WORDS_MAX))


def test_three_are_named_at_most_the_weightiest_first() -> None:
    near = [Near(number, "Lunch with Barbara at 12:30", 0.6 + number / 100) for number in range(1, 7)]
    found = nominees("Dinner with Barbara at 19:00", near)
    assert [each.id for each in found] == [6, 5, 4]
    assert len(found) == NOMINEES_MAX


def test_nobody_who_tells_something_waits_for_a_model_and_nothing_is_embedded_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.background.worker.LINGER_S", 60)
    old, new, newer = "Barbara pays 62 € a plot", "a plot costs Barbara 68 €", "Barbara: a plot is 70 €"

    async def main() -> None:
        embedder = FaultyEmbedder(refuse="nothing at all")
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            await trio.testing.wait_all_tasks_blocked(
                0.1
            )  # the worker has looked once, and lingers from now on
            (first,) = await remember(replica, old)
            (second,) = await remember(replica, new)
            assert [each.shown.rid for each in await mind.nominate(second)] == [first]
            assert embedder.calls == []  # by words, since no model was loaded yet
            await mind.settle()
            (third,) = await remember(replica, newer)
            assert first in [each.shown.rid for each in await mind.nominate(third)]
            await mind.settle()
            told = [text for call in embedder.calls for text in call]
            assert sorted(each for each in told if " " in each) == sorted([old, new, newer])
            alone = [each for each in told if " " not in each]  # the words that are compared
            assert sorted(alone) == sorted(set(alone))

    trio.run(main)


def test_values_that_cannot_both_hold_name_what_is_not_near() -> None:
    """Two homes of one person are rarely near each other in meaning: the words of two places part them."""
    older, newer = "Barbara Jukes lives at 5 Weir Cottages.", "Choir list: Barbara lives at 22 Corve View."
    silent = "Choir list: Barbara lives near Corve View."
    differs, alike = compared(newer, Near(1, older, 0.4)), compared(silent, Near(1, older, 0.4))
    assert differs.weight > alike.weight
    assert [each.id for each in nominees(newer, [Near(1, older, 0.2)])] == [1]
    assert nominees("Choir list: Barbara sings alto.", [Near(1, older, 0.2)]) == []
