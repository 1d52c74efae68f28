"""LangGraph's store over a memory: held to the store that comes with LangGraph, and used by a graph of its own."""

import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import samemind
from samemind.adapters.langgraph import DEPTH_MAX, VALUE_BYTES_MAX, SamemindStore
from samemind.library.blocking import BlockingMind
from tests.support.loops import run_awaited

LABELS = st.sampled_from(["a", "b", "A", "käse", "x y", "a/b"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
WORDS = st.text(string.ascii_letters + " äß\n\"'%_*", max_size=12)
PLAIN = st.one_of(WORDS, st.integers(-99, 99), st.booleans(), st.none())
VALUES = st.dictionaries(
    st.sampled_from(["text", "kind", "n", ""]), PLAIN | st.lists(PLAIN, max_size=2), max_size=3
)
KEYS = st.sampled_from(["k", "K", "", "a key"])
PUTS = st.builds(PutOp, NAMESPACES, KEYS, VALUES, st.sampled_from([None, False, ["text"]]))
DELETES = st.builds(PutOp, NAMESPACES, KEYS, st.none())
GETS = st.builds(GetOp, NAMESPACES, KEYS)
FILTERS: st.SearchStrategy[Any] = st.none() | st.dictionaries(
    st.sampled_from(["kind", "n"]), PLAIN | st.builds(dict, **{"$ne": PLAIN}), max_size=2
)
PREFIXES = st.lists(LABELS, max_size=2).map(tuple)
SEARCHES = st.tuples(PREFIXES, FILTERS).map(lambda drawn: SearchOp(*drawn, limit=1_000))
PATTERNS = st.lists(LABELS | st.just("*"), min_size=1, max_size=2).map(tuple)
CONDITION = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), PATTERNS)
LISTS = st.builds(
    ListNamespacesOp,
    st.lists(CONDITION, max_size=2).map(tuple),
    st.none() | st.integers(1, 3),
    st.integers(1, 9),
    st.integers(0, 2),
)
OPS = st.one_of(PUTS, PUTS, DELETES, GETS, SEARCHES)
EVERYTHING = SearchOp((), None, 1_000)
SPACES = (f"space {number}" for number in range(10**6))
held_to = settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("home")) as opened:
        yield opened


def shown(result: Any, op: Any) -> Any:
    """A result without its times; a search that asks nothing promises no order."""
    if isinstance(op, SearchOp):
        return sorted(repr((item.namespace, item.key, sorted(item.value.items()))) for item in result)
    if result is None or isinstance(op, ListNamespacesOp):
        return result
    return result.namespace, result.key, result.value


@given(batches=st.lists(st.lists(OPS, max_size=5), max_size=6))
@held_to
def test_it_answers_as_the_store_that_comes_with_langgraph(
    mind: BlockingMind, batches: list[list[Any]]
) -> None:
    """The same operations in any batches: the same answers, and the same for another object over the same memory."""
    space = next(SPACES)
    ours, theirs = SamemindStore(mind, workspace=space), InMemoryStore()
    for ops in batches:
        mine, other = ours.batch(ops), theirs.batch(ops)
        assert list(map(shown, mine, ops)) == list(map(shown, other, ops))
    (mine,), (other,) = SamemindStore(mind, workspace=space).batch([EVERYTHING]), theirs.batch([EVERYTHING])
    assert shown(mine, EVERYTHING) == shown(other, EVERYTHING)


@given(puts=st.lists(st.builds(PutOp, NAMESPACES, KEYS, st.just({"n": 1})), max_size=6), asked=LISTS)
@held_to
def test_namespaces_are_listed_as_that_store_does(
    mind: BlockingMind, puts: list[PutOp], asked: ListNamespacesOp
) -> None:
    ours, theirs = SamemindStore(mind, workspace=next(SPACES)), InMemoryStore()
    ours.batch(puts)
    theirs.batch(puts)
    assert ours.batch([asked]) == theirs.batch([asked])


def test_a_search_is_by_meaning_within_a_namespace(mind: BlockingMind) -> None:
    store = SamemindStore(mind, workspace=next(SPACES))
    store.put(("users", "ann"), "1", {"memory": "Ann works as a physician in Lisbon"})
    store.put(("users", "ann"), "2", {"memory": "The bicycle is in the cellar"})
    store.put(("users", "ben"), "1", {"memory": "Ben is a doctor in Porto"})
    store.put(("users", "ann"), "3", {"memory": "Ann is a doctor, and nobody may find it"}, index=False)
    found = store.search(("users", "ann"), query="who is a doctor?", limit=5)
    assert found[0].key == "1"
    assert found[0].score is not None
    assert {(item.namespace, item.key) for item in found} <= {
        (("users", "ann"), "1"),
        (("users", "ann"), "2"),
    }
    store.put(("docs",), "nested", {"user": {"access-level": "guest", "1st": "Ann"}, "a.b": "dotted"})
    for wanted, keys in (
        ({"user.access-level": "guest"}, ["nested"]),
        ({"user.1st": {"$eq": "Ann"}}, ["nested"]),
        ({"a.b": "dotted"}, ["nested"]),
        ({"user.access-level": "owner"}, []),
        ({"a.b.c": "dotted"}, []),
    ):
        assert [item.key for item in store.search(("docs",), filter=wanted)] == keys
    assert [item.key for item in store.search(("users",), query="doctor", filter={"memory": {"$ne": ""}})]


def test_items_that_say_the_same_are_items_of_their_own(mind: BlockingMind) -> None:
    """A person's telling is shown once with those that say the same; a store's items are each deleted alone."""
    store = SamemindStore(mind, workspace=next(SPACES))
    for user in ("ann", "ben"):
        store.put(("users", user), "tea", {"memory": "likes green tea in the morning"})
    both = store.search(("users",), query="green tea")
    assert {item.namespace for item in both} == {("users", "ann"), ("users", "ben")}
    store.delete(("users", "ann"), "tea")
    assert [item.namespace for item in store.search(("users",))] == [("users", "ben")]
    assert store.get(("users", "ben"), "tea") is not None


def test_what_a_person_corrects_is_what_the_agent_reads(mind: BlockingMind) -> None:
    space = next(SPACES)
    store = SamemindStore(mind, workspace=space, fields=["text"])
    store.put(("facts",), "home", {"text": "Ann lives in Rome", "sure": True})
    (memory,) = mind.list(workspace=space)
    assert memory.text == "Ann lives in Rome"
    mind.edit(memory, "Ann lives in Paris")
    item = store.get(("facts",), "home")
    assert item is not None
    assert item.value == {"text": "Ann lives in Paris", "sure": True}


def test_an_item_that_was_deleted_often_is_found_at_once(mind: BlockingMind) -> None:
    store = SamemindStore(mind, workspace=next(SPACES))
    for number in range(12):
        store.put(("a",), "k", {"n": number})
        store.delete(("a",), "k")
        assert store.get(("a",), "k") is None
    store.put(("a",), "k", {"n": 99})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"n": 99}


def test_what_cannot_be_stored_is_refused_and_not_lost_silently(mind: BlockingMind) -> None:
    store = SamemindStore(mind, workspace=next(SPACES))
    with pytest.raises(samemind.NeedsDecision, match="looks secret"):
        store.put(("a",), "k", {"memory": "the token is ghp_" + "a1B2" * 9})
    assert store.get(("a",), "k") is None
    store.put(("a",), "k", {"memory": "harmless"})
    with pytest.raises(samemind.NeedsDecision, match="looks secret"):
        store.put(("a",), "k", {"memory": "the token is ghp_" + "z9Y8" * 9})
    item = store.get(("a",), "k")
    assert item is not None
    assert item.value == {"memory": "harmless"}
    with pytest.raises(samemind.Usage, match="bytes of JSON"):
        store.put(("a",), "large", {"one": "x" * VALUE_BYTES_MAX, "two": "y"})
    with pytest.raises(samemind.Usage, match="labels"):
        store.put(("a",) * (DEPTH_MAX + 1), "k", {"n": 1})
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("a",), "k", {"n": 1}, ttl=5)


def test_a_graph_keeps_what_it_learns_and_another_thread_of_it_knows(tmp_path: Path) -> None:
    """A compiled StateGraph with this store, run and awaited; what one run puts, the next finds, from disk."""

    def learn(state: dict[str, Any], *, store: BaseStore) -> dict[str, Any]:
        store.put(("users", state["user"]), "told", {"memory": state["said"]})
        return state

    async def recall(state: dict[str, Any], *, store: BaseStore) -> dict[str, Any]:
        found = await store.asearch(("users", state["user"]), query=state["said"])
        return {**state, "known": [item.value["memory"] for item in found]}

    def graph(store: SamemindStore, node: Any) -> Any:
        built = StateGraph(dict)
        built.add_node("work", node)
        built.add_edge(START, "work")
        built.add_edge("work", END)
        return built.compile(store=store)

    with samemind.open_blocking(tmp_path / "home") as mind:
        graph(SamemindStore(mind), learn).invoke({"user": "ann", "said": "I am allergic to peanuts"})
    with samemind.open_blocking(tmp_path / "home") as mind:
        asked = {"user": "ann", "said": "what am I allergic to?"}
        answer = run_awaited(graph(SamemindStore(mind), recall).ainvoke(asked))
        other = run_awaited(graph(SamemindStore(mind), recall).ainvoke({**asked, "user": "ben"}))
    assert answer["known"] == ["I am allergic to peanuts"]
    assert other["known"] == []
