"""What a member writes among a memory's metadata: it ends no reading of it, and of nothing beside it."""

from pathlib import Path

import pytest

import samemind
from samemind.adapters.langgraph import SamemindStore
from samemind.adapters.openai_agents import SamemindSession
from tests.support.loops import run_awaited
from tests.unit.cognition.test_relating import Read

NESTED = "[" * 15_000
TRIPLES = [NESTED, '["\\ud800", "b", "c"]', '[["a"], "b", "c"]', f'[{"9" * 400}, "b", "c"]', '{"a": 1}']
NO_ITEMS = [NESTED, "{", "5", '"text"', "null", "[1]", 7]


@pytest.mark.parametrize("told", TRIPLES, ids=range(len(TRIPLES)))
def test_a_triple_that_is_none_ends_no_reading_of_names(told: str) -> None:
    """One of them, and no text behind it was read for names any more; nor was anything related to another."""
    home = Read()
    home.remember("She went there.", meta={"triple": told})
    rid = home.remember("Alice lives in Berlin, and she likes it there. Nobody else does.")
    assert home.found("berlin") == [home.number(rid)]


@pytest.mark.parametrize("written", NO_ITEMS, ids=range(len(NO_ITEMS)))
def test_an_item_that_is_none_ends_no_conversation_of_an_agent(tmp_path: Path, written: object) -> None:
    async def main() -> None:
        with samemind.open_blocking(tmp_path / "home") as mind:
            session = SamemindSession("chat", mind)
            item = {"role": "user", "content": "I am Ann"}
            await session.add_items([item])
            mind.remember("odd", session="chat", meta={"openai_item": written})
            told = {"openai_item": "{}", "openai_text_at": '["content", 5, "text"]'}
            mind.remember("odd too", session="chat", meta=told)
            assert await session.get_items() == [item]
            assert await session.pop_item() == item
            await session.clear_session()

    run_awaited(main())


@pytest.mark.parametrize("written", NO_ITEMS, ids=range(len(NO_ITEMS)))
def test_an_item_that_is_none_ends_no_search_of_a_graph(tmp_path: Path, written: object) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        store = SamemindStore(mind)
        store.put(("people",), "ann", {"text": "likes pears"})
        (kept,) = mind.list().memories
        mind.remember("odd", meta={**kept.meta, "langgraph_value": written}, no_dedup=True)
        mind.remember("odd too", meta={**kept.meta, "langgraph_key": written}, no_dedup=True)
        bare = {key: each for key, each in kept.meta.items() if key != "langgraph"}
        mind.remember("odd as well", meta=bare, no_dedup=True)
        for query in (None, "odd pears"):
            assert {each.key for each in store.search(("people",), query=query)} - {"text"} == {"ann"}
        assert store.list_namespaces() == [("people",)]
        mind.set(kept.rid, **{"meta.langgraph_value": written})
        assert store.get(("people",), "ann") is None
        store.put(("people",), "ann", {"text": "likes plums"})
        found = store.get(("people",), "ann")
        assert found is not None
        assert found.value == {"text": "likes plums"}
