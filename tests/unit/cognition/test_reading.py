"""Memories read word by word: what a text names, which words tell, and that labels say no times."""

import pytest

from cognition.ranking import reading
from cognition.ranking.reading import NUMBER, SELF, TIME, Glossary, TextWords, stems_of, telling
from cognition.ranking.vocabulary import TABLES, with_own


def said(*texts: str, labels: tuple[str, ...] | None = None, glossary: Glossary | None = None) -> TextWords:
    return TextWords(glossary or Glossary(), texts, labels or ("",) * len(texts))


def test_a_text_holds_every_form_of_its_words_and_those_of_its_labels() -> None:
    some = said("Ann deployed it", "", "the walrus", labels=("", "deployments Berlin", ""))
    assert some.with_stem("deploys").tolist() == [True, False, False]
    assert some.with_stem("berlin").tolist() == [False, True, False]
    assert some.with_any(["walruses", "ann", "nobody"]).tolist() == [True, False, True]
    assert not some.with_any(["nobody"]).any()


def test_texts_share_words_that_tell_in_any_form_and_no_labels() -> None:
    some = said(
        "the walrus lives in Berlin",
        "walruses and lives",
        "the cat in the hat",
        "",
        labels=("berlin cat", "", "berlin", "walrus"),
    )
    shared, own = some.shared_with(0)
    assert (shared.tolist(), own) == ([3, 2, 0, 0], 3)
    shared, own = some.shared_with(3)
    assert (shared.tolist(), own) == ([0, 0, 0, 0], 0)


def test_what_says_nothing_is_held_by_no_text() -> None:
    some = said("the walrus and I")
    assert not some.with_stem("the").any()
    assert not some.with_any(["the", "i"]).any()
    assert some.telling(0) == telling("the walrus and I") == ["walrus"]


def test_a_small_word_of_another_language_tells_in_an_english_text_and_in_no_other() -> None:
    some = said("I saw Los Angeles and the MIT", "las casas de mit", "I went to Las Vegas and to the MIT")
    assert some.telling(0) == ["saw", "los", "angeles", "mit"]
    assert some.with_stem("mit").tolist() == [True, False, True]


def test_texts_that_were_read_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_READINGS_KEPT", 3)
    glossary = Glossary()
    texts = ["a walrus", "tea", "a boat", "tea", "the sea"]
    first = said(*texts, labels=("", "", "", "cake", ""), glossary=glossary)
    again = said(*texts, labels=("", "", "", "cake", ""), glossary=glossary)
    assert [again.telling(text) for text in range(5)] == [
        ["walrus"],
        ["tea"],
        ["boat"],
        ["tea", "cake"],
        ["sea"],
    ]
    assert first.words.tolist() == again.words.tolist()
    said("an otter", glossary=glossary)
    assert len(glossary._readings) == 4  # three, and what was asked for


@pytest.mark.parametrize(
    ("text", "time", "number", "self"),
    [
        ("in May", True, False, False),
        ("in 2023", True, True, False),
        ("room 12", False, True, False),
        ("two of them", False, True, False),
        ("my tea", False, False, True),
        ("tea", False, False, False),
        ("", False, False, False),
    ],
)
def test_a_text_names_a_time_a_number_or_oneself(text: str, time: bool, number: bool, self: bool) -> None:
    some = said("a cup", text, "a cup")
    for what, names in ((TIME, time), (NUMBER, number), (SELF, self)):
        assert some.naming(what).tolist() == [False, names, False]


def test_labels_name_no_time_and_no_number() -> None:
    some = said("tea", labels=("may 2023 my two",))
    assert not any(some.naming(what).any() for what in (TIME, NUMBER, SELF))
    assert some.with_stem("2023").all()


def test_groups_are_those_of_the_table_that_is_asked_also_for_words_that_came_later() -> None:
    glossary, own = Glossary(), with_own({"finances": ["kohle"]}).bridges
    assert said("moved to Porto", glossary=glossary).meeting(TABLES.verbs, frozenset({"live"})).all()
    later = said("er wohnt dort", "keine Kohle", "have", glossary=glossary)
    assert later.meeting(TABLES.verbs, frozenset({"live"})).tolist() == [True, False, False]
    assert later.meeting(own, frozenset({"finances", "plan"})).tolist() == [False, True, False]
    assert not later.meeting(TABLES.bridges, frozenset({"finances"})).any()
    assert not later.meeting(TABLES.verbs, frozenset({"own"})).any()  # "have" says nothing here


def test_no_texts_and_texts_without_words_hold_nothing() -> None:
    for texts in ((), ("", "...", "the")):
        some = said(*texts)
        for held in (some.with_stem("tea"), some.with_any([]), some.naming(TIME)):
            assert held.tolist() == [False] * len(texts)


def test_the_stems_of_a_text_are_those_of_its_telling_words() -> None:
    assert stems_of("She was deploying boats") == {"deploi", "boat"}
