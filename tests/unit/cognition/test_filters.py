"""Which memories a recall may return: each filter, alone and together."""

from random import Random
from typing import Any

import pytest

from cognition import Filters
from cognition.errors import InvalidQuery
from cognition.filters import FILTERED_BY_MAX
from samemind.catalog import verb_named
from samemind.declaring import read_options
from samemind.formats.filtering import kept
from tests.support.minds import NOW_MS
from tests.support.published import published
from tests.support.recalling import Memory

DAY_MS = 86_400_000


@pytest.fixture
def memory() -> Memory:
    return Memory()


@published("ME-08")
def test_every_filter_keeps_what_it_names_and_combines_with_text(memory: Memory) -> None:
    remember = memory.home.remember
    remember(
        "walrus a", type="episodic", domain="work", project="Sea", topic="ice", speaker="Ann", told_at=1_000
    )
    remember(
        "walrus b", tags=["blue", "red"], meta={"page": 5, "verified": True, 'q"': "x"}, workspace="personal"
    )
    remember("walrus c", conversation="chat:1", source="agent desk", told_at=5 * DAY_MS, type="factual")
    remember("otter d", type="episodic")
    memory.embed()
    for filters, expected in (
        ({"type": "episodic"}, {"walrus a"}),
        ({"domain": "Work"}, {"walrus a"}),
        ({"project": "sea"}, {"walrus a"}),
        ({"topic": "ice", "speaker": "ann"}, {"walrus a"}),
        ({"topic": "ice", "speaker": "Bob"}, set()),
        ({"tags": ("red",)}, {"walrus b"}),
        ({"tags": ("red", "green")}, set()),
        ({"meta": {"page": "5"}}, {"walrus b"}),
        ({"meta": {'q"': "X"}}, {"walrus b"}),
        ({"meta": {"verified": "true"}}, {"walrus b"}),
        ({"workspace": "personal"}, {"walrus b"}),
        ({"conversation": "chat:1"}, {"walrus c"}),
        ({"source": "Agent desk"}, {"walrus c"}),
    ):
        found = {text for text in memory.texts("walrus", **filters) if text.startswith("walrus")}
        assert found == expected, filters


@pytest.mark.parametrize("wanted", ["елена Ügür", "ЕЛЕНА ÜGÜR", "Елена Ügür"])
def test_labels_are_compared_without_regard_to_case_in_every_script(memory: Memory, wanted: str) -> None:
    label = "Елена Ügür"
    fields = dict.fromkeys(("speaker", "topic", "project", "domain", "workspace", "conversation"), label)
    memory.home.remember("walrus a", **fields, tags=[label], meta={"who": label})
    memory.home.remember("walrus b", speaker="Борис", tags=["x"], meta={"who": 5}, workspace="home")
    memory.embed()
    asked: list[dict[str, Any]] = [{name: wanted} for name in fields]
    for filters in (*asked, {"tags": (wanted,)}, {"meta": {"who": wanted}}):
        assert memory.texts("walrus", **filters) == ["walrus a"], filters
    assert sorted(memory.texts("walrus", workspace=("HOME", wanted))) == ["walrus a", "walrus b"]


@published("YD-04")
def test_a_window_holds_its_beginning_and_not_its_end(memory: Memory) -> None:
    for day in range(5):
        memory.home.remember(f"walrus {day}", told_at=day * DAY_MS)
    memory.embed()
    found = memory.texts("walrus", since_ms=DAY_MS, until_ms=3 * DAY_MS)
    assert sorted(found) == ["walrus 1", "walrus 2"]
    assert memory.texts("walrus", since_ms=DAY_MS, until_ms=DAY_MS) == []


def test_a_memory_without_a_telling_has_the_time_of_its_storing(memory: Memory) -> None:
    memory.home.remember("walrus")
    assert memory.texts("walrus", since_ms=NOW_MS) == ["walrus"]
    assert memory.texts("walrus", until_ms=NOW_MS) == []


def test_what_is_archived_is_found_only_when_asked_for(memory: Memory) -> None:
    for n in range(200):
        memory.home.remember(f"walrus {n}", archived=True)
    memory.home.remember("the last walrus in a long sentence about very many other things")
    memory.embed()
    assert len(memory.texts("walrus")) == 1
    assert len(memory.texts("walrus", include_archived=True)) == 10


@pytest.mark.parametrize("share", [1, 150])
def test_a_filter_finds_its_rows_however_few_or_many_it_keeps(memory: Memory, share: int) -> None:
    random = Random(2)
    for n in range(200):
        words = " ".join(random.choices("abcdefgh", k=5))
        memory.home.remember(f"{words} {n}", project="kept" if n < share else "other")
    memory.embed()
    assert len(memory.texts("unrelated", k=200, by_words=False, project="kept")) == share


def test_a_recall_that_names_no_workspace_is_not_narrow() -> None:
    """A narrow one is searched row by row, which in a large memory takes many times as long."""
    assert Filters(workspace=()) == Filters()
    assert not Filters(workspace=(), include_archived=True).narrow
    assert not kept(read_options(verb_named("recall"), {"query": "tea"})).narrow
    assert Filters(workspace=("work",)).narrow


def test_more_conditions_than_anybody_has_are_refused_and_one_named_often_is_one() -> None:
    """SQLite refuses an expression a thousand deep, and called the store damaged."""
    names = tuple(f"w{number}" for number in range(FILTERED_BY_MAX + 1))
    for filters in (
        {"workspace": names},
        {"tags": names},
        {"meta": dict.fromkeys(names, "x")},
        {"workspace": names[:150], "tags": names[:100]},
    ):
        with pytest.raises(InvalidQuery, match="expected at most 200"):
            Filters(**filters)
    assert Filters(workspace=("home",) * 5_000).workspace == ("home",)
    assert Filters(workspace=()).workspace is None
    Filters(workspace=names[1:])
