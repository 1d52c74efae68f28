"""Telling something names the older memories that it may repeat or contradict."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import samemind
from cognition.embedding.centring import EVERYDAY
from cognition.judging import nominating
from cognition.judging.nominees import LOOKED_AT, Near, Nominee
from samemind.commands.contradictions._parts import nominated
from samemind.library.blocking import BlockingMind

OLD = "The room costs 430 € a month, to be paid to Dona Lurdes"
NEW = "Rent for the room goes up with Dona Lurdes: 455 € each month"


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "m.db") as opened:
        opened.warmup()
        yield opened


def test_what_states_another_value_is_named_with_both_values_and_its_date(mind: BlockingMind) -> None:
    mind.remember("We had soup and bread for dinner")
    old = mind.remember(OLD, at="2025-09-02T10:00:00Z")
    (nominee,) = mind.remember(NEW, nominees=True).nominees
    assert (nominee.rid, nominee.text, nominee.relation) == (old.rid, OLD, "differs")
    assert nominee.told_at is not None
    assert nominee.told_at.isoformat().startswith("2025-09-02")
    assert [(value.kind, value.before, value.now) for value in nominee.values] == [
        ("money", "430 €", "455 €")
    ]
    assert "both name dona, lurdes" in nominee.why


def test_what_says_it_in_another_language_is_named_among_what_anybody_tells(mind: BlockingMind) -> None:
    mind.remember_many([{"text": text} for text in EVERYDAY])
    old = mind.remember("Double des clés de la voiture : dans la boîte à thé japonaise, derrière le riz.")
    new = mind.remember(
        "Zweiter Autoschlüssel liegt in der japanischen Teedose, hinter dem Reis.", nominees=True
    )
    assert [each.rid for each in new.nominees] == [old.rid]


def test_what_shares_a_rare_word_is_compared_though_much_is_nearer(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a large store so much lies near by chance that the other side is far behind it."""
    old = "Piotr Zawadzki keeps bees up at the quarry and has no dog."
    mind.remember(old)
    near = [f"The driver washed the car on {day} May" for day in range(2, 32)]
    near += [f"The driver washed a boat in {minutes} minutes" for minutes in range(40, 60)]
    mind.remember_many([{"text": text} for text in near])
    compared: list[Near] = []

    def record(_: str, near: Iterable[Near]) -> list[Nominee]:
        compared.extend(near)
        return []

    monkeypatch.setattr(nominating, "nominees", record)
    for text, is_compared in (
        ("The driver washed the dog of Zawadzki", True),
        ("The driver washed the cat of Eriksen", False),
    ):
        compared.clear()
        assert mind.remember(text, nominees=True).nominees == []
        assert len(compared) == LOOKED_AT
        assert (old in [each.text for each in compared]) is is_compared
        assert {each.among for each in compared} == {len(near) + (2 if is_compared else 3)}


def test_what_is_not_to_be_compared_is_not_named(mind: BlockingMind) -> None:
    elsewhere = mind.remember(OLD, workspace="work").rid
    archived = mind.remember(OLD + ".")
    mind.archive(archived.rid)
    new = mind.remember(NEW, nominees=True)
    assert new.nominees == []
    again = mind.remember(NEW, nominees=True)
    assert again.says_same == [new.rid]
    assert again.nominees == []
    assert [each.rid for each in mind.remember(NEW + "!", workspace="work", nominees=True).nominees] == [
        elsewhere
    ]


def test_what_is_told_in_a_batch_names_nothing_and_embeds_nothing_on_its_way(mind: BlockingMind) -> None:
    told = mind.remember_many([{"text": OLD}, {"text": NEW}])
    assert (told.count, hasattr(told, "nominees")) == (2, False)


def test_fractions_and_numerals_of_any_kind_break_nothing_that_is_done_with_them(
    mind: BlockingMind, tmp_path: Path
) -> None:
    """Once a text with "½" in it was one after which naming, recalls and thinking failed."""
    texts = [
        "Take ½ tablet of Thyrax at 8",
        "Ann is 2½ years old",
        "Flour: 1½ cups for the cake",
        "Meeting ❻ March in Berlin, step ① of ²",
    ]
    for text in texts:
        mind.remember(text, nominees=True)
    assert mind.recall("½ ❻ 2½ years ago").results
    mind.think()
    told = mind.remember("Take 1½ tablets of Thyrax at 8", nominees=True).nominees
    assert told[0].relation == "differs"
    assert ("dose", "0.5 tablet", "1.5 tablets") in [
        (value.kind, value.before, value.now) for value in told[0].values
    ]
    mind.review()
    notes = tmp_path / "notes.md"
    notes.write_text("\n\n".join(f"# {at}\n{text}!" for at, text in enumerate(texts)), encoding="utf-8")
    assert mind.import_(notes).imported == len(texts)


def test_values_that_agree_are_not_shown_as_a_change() -> None:
    """Whoever reads "Friday then, Friday now" is asked nothing."""
    friday = {"kind": "weekday", "before": "Friday", "now": "friday"}
    clock = {"kind": "clock", "before": "9", "now": "10"}
    seen = {"rid": "r", "text": "The vet comes on Friday", "told_at": None}
    differs = {**seen, "relation": "differs", "values": [friday, clock]}
    repeats = {**seen, "relation": "repeats", "values": [{"kind": "date", "before": "9 May", "now": "9 Mai"}]}
    first, second = nominated([differs, repeats])
    assert first.endswith("Friday  9 then, 10 now")
    assert second.endswith("The vet comes on Friday")
