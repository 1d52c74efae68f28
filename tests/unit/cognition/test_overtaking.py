"""What was changed later comes before what it changed."""

import numpy as np
import pytest

from cognition.grammar import lexicon
from cognition.grammar.lexicon import LANGUAGES, lists_of
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.recall import overtaking
from cognition.recall.known import Then
from cognition.recall.overtaking import NAME, tells_change
from cognition.times import Window
from tests.support.minds import NOW_MS
from tests.support.recalling import Memory

DAY_MS = 86_400_000


def asked(question: str, *told: str) -> list[str]:
    """Tell the older first, a day apart, and return what is found, the best first."""
    memory = Memory()
    for day, text in enumerate(told):
        memory.home.remember(text, told_at=NOW_MS - (len(told) - day) * DAY_MS)
    memory.embed()
    return [hit.memory.text for hit in memory.recall(question)]


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        (
            "On which weekday is the bread delivered?",
            "The bread is delivered on Thursday, every week",
            "The bread is no longer delivered on Thursday: every week on Monday",
        ),
    ],
)
def test_a_later_change_comes_first(question: str, before: str, after: str) -> None:
    assert asked(question, before, "The bread was good", after)[0] == after
    assert asked(question, after, "The bread was good", before)[0] == before, (
        "told earlier, it changes nothing"
    )


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("who owns billing", "Maria owns billing", "Lena took over billing from Maria"),
        ("which port does the API run on", "The API runs on port 8080", "The API moved to port 9090"),
        (
            "where are secrets stored",
            "Secrets are stored in Vault",
            "We no longer use Vault, secrets moved to AWS Secrets Manager",
        ),
    ],
)
def test_who_names_what_was_changed_may_fit_worse(question: str, before: str, after: str) -> None:
    assert asked(question, before, "Lunch was good", after)[0] == after
    assert asked(question, after, "Lunch was good", before)[0] == before


def test_a_change_of_something_else_that_shares_a_word_or_two_comes_after() -> None:
    for question, first, other in (
        ("who owns billing", "Maria owns billing", "Lena took over the lunch orders"),
        (
            "who owns billing",
            "Maria owns billing",
            "Maria moved to Bremen with her cat, her boots and her piano",
        ),
        ("which port does the API run on", "The API runs on port 8080", "The ferry moved to another port"),
    ):
        assert asked(question, first, other)[0] == first


def test_who_asks_for_the_past_gets_it() -> None:
    before = "The bread is delivered on Thursday, every week"
    after = "The bread is no longer delivered on Thursday: every week on Monday"
    found = asked("On which weekday was the bread previously delivered, every week?", before, after)
    assert found[0] == before


@pytest.mark.parametrize(
    ("question", "before", "after"),
    [
        ("who owned billing before?", "Maria owns billing", "Lena took over billing from Maria"),
        (
            "who was in charge of billing before Lena?",
            "Maria owns billing",
            "Lena took over billing from Maria",
        ),
        (
            "wer kümmerte sich früher um Rechnungen",
            "Maria macht Rechnungen",
            "Rechnungen macht nicht mehr Maria",
        ),
    ],
)
def test_what_a_change_changed_comes_first_where_it_is_asked_for(
    question: str, before: str, after: str
) -> None:
    for told in ((before, "Lunch was good", after), ("Lunch was good", before, after)):
        assert asked(question, *told)[0] == before


def test_what_was_changed_behind_the_time_that_is_asked_for_changes_nothing_then() -> None:
    rows = [
        CandidateRow(i, bytes([i]), i, text, None, None, None, NOW_MS + i * DAY_MS, None, 0, 0)
        for i, text in enumerate(["Maria owns billing", "Lena took over billing from Maria"])
    ]
    zero = np.zeros(2)
    pool = Pool(Query("who owns billing"), rows, zero, zero, NOW_MS, None)
    scores = np.array([5.0, 4.5])

    def moved(then: Then | None) -> list[bool] | None:
        found = overtaking.overtaking(
            pool, scores, lambda numbers: dict.fromkeys(numbers, np.ones(1, np.float32)), then
        )
        return None if found is None else [bool(each) for each in found]

    day = Window(NOW_MS, NOW_MS + DAY_MS // 2)
    assert moved(None) == [False, True]
    assert moved((day,)) is None
    assert moved((day, Window(NOW_MS, NOW_MS + DAY_MS))) == [False, True]
    assert moved((Window(NOW_MS, NOW_MS + DAY_MS * 4 // 5),)) == [False, True], (
        "a day ends hours later elsewhere"
    )
    assert moved(()) is None
    scores = scores[::-1]
    assert moved(()) == [True, False]
    assert moved(None) is None
    rows[1] = rows[1]._replace(text="Lena owns billing")
    assert moved(()) is None, "of two that tell no change neither was before"


def test_no_change_overtakes_a_turn_of_talk() -> None:
    texts = ["Maria owns billing", "Lena took over billing from Maria"]
    positions = [3, None]
    rows = [
        CandidateRow(i, bytes([i]), i, text, None, None, position, NOW_MS + i * DAY_MS, None, 0, 0)
        for i, (text, position) in enumerate(zip(texts, positions, strict=True))
    ]
    zero = np.zeros(2)
    pool = Pool(Query("who owns billing"), rows, zero, zero, NOW_MS, None)
    one = np.ones(1, np.float32)
    found = overtaking.overtaking(
        pool, np.array([5.0, 4.5]), lambda numbers: dict.fromkeys(numbers, one), None
    )
    assert found is None


def test_what_says_no_change_and_what_is_about_something_else_comes_after() -> None:
    first = "The bread is delivered on Thursday, every week"
    for other in ("The bread is on the table on Thursday", "I no longer play chess on Thursday"):
        assert asked("On which weekday is the bread delivered?", first, other)[0] == first


def test_why_it_came_first_is_told() -> None:
    memory = Memory()
    memory.home.remember("The bread is delivered on Thursday, every week", told_at=NOW_MS - DAY_MS)
    memory.home.remember("The bread is no longer delivered on Thursday: every week on Monday", told_at=NOW_MS)
    memory.embed()
    best, other = memory.recall("On which weekday is the bread delivered?")
    assert best.signals.get(NAME, 0.0) > 0
    assert NAME not in other.signals


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("From now on we meet on Fridays", True),
        ("Wir treffen uns nicht mehr am Freitag", True),
        ("Від завтра працюю в аптеці, більше не в школі", True),
        ("We meet on Fridays", False),
        ("Wir treffen uns am Freitag", False),
    ],
)
def test_a_change_is_read_in_the_words_of_its_language(text: str, told: bool) -> None:
    assert tells_change(text) is told


def test_a_list_that_no_language_has_is_none() -> None:
    lists = lists_of(LANGUAGES)
    assert lists["change"].search("we no longer meet") is not None
    for name in ("small", "half_past", "kin", "unheard of"):
        with pytest.raises(KeyError):
            lists[name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_searched_for_phrases_only_where_it_holds_the_beginning_of_one(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recall looks at a hundred texts, and of most nothing begins like a change."""
    plain = "qwert yxcvb nmlkj"
    tried: list[str] = []

    def guess(text: str) -> tuple[str, ...]:
        tried.append(text)
        return (language,)

    monkeypatch.setattr(lexicon, "languages_of", guess)
    assert not tells_change(plain)
    assert tried == []
    for phrase in lexicon._told()[language]["change"].splitlines():
        spoken = phrase.replace("*", "en").replace("N", "5")
        assert tells_change(f"{plain} {spoken} {plain}"), phrase
