"""A program of somebody who uses the library, as strict type checkers are to see it: no `Any` where a name is known."""

from datetime import datetime
from typing import TypedDict, assert_type

import trio

import samemind


def told(mind: samemind.BlockingMind, text: str, at: samemind.When, meta: samemind.Meta) -> samemind.Rid:
    """Whoever wraps a method can name what it takes."""
    return mind.remember(text, at=at, meta=meta)


class Message(TypedDict):
    """A message as the libraries of model providers type it."""

    role: str
    content: str


async def under_trio() -> None:
    """Every result has its type, and every type of a result can be named."""
    async with samemind.open("~/notes.db", name="laptop") as mind:
        assert_type(mind, samemind.Mind)
        remembered = await mind.remember("Ann moved to Lisbon", speaker="Ann", tag=["home"], pin=True)
        assert_type(remembered, samemind.Remembered)
        assert_type(remembered.rid, str)
        found = await mind.recall("where does Ann live?", k=5)
        assert_type(found, samemind.Recalled)
        for hit in found:
            assert_type(hit, samemind.Hit)
            assert_type(hit.created_at, datetime)
            assert_type(hit.score, float)
        listed = await mind.list(limit=10)
        assert_type(listed, samemind.Listed)
        assert_type(listed.memories, list[samemind.MemoryView])
        contradictions: samemind.Contradictions = await mind.contradictions()
        for each in contradictions.contradictions:
            view: samemind.ContradictionView = each
            assert_type(view.status, str)
        goals: samemind.Goals = await mind.goals()
        triggers: samemind.Triggers = await mind.triggers()
        entities: samemind.Entities = await mind.entities()
        print(goals, triggers, entities)
        try:
            await mind.get("01890a5d-ac96-774b-bcce-b302099a8057")
        except samemind.NotFound as error:
            assert_type(error.code, str)


async def under_asyncio() -> None:
    """The same, open until it is closed."""
    mind = await samemind.open("~/notes.db")
    assert_type(mind, samemind.AsyncioMind)
    assert_type(await mind.recall("tea"), samemind.Recalled)
    await mind.aclose()


def blocking() -> None:
    """The same, from any thread."""
    with samemind.open_blocking("~/notes.db") as mind:
        assert_type(mind, samemind.BlockingMind)
        assert_type(mind.recall("tea"), samemind.Recalled)
        assert_type(mind.list().total, int)
        talk: list[Message] = [{"role": "user", "content": "Where does Ann live?"}]
        assert_type(mind.context(window=8192, conversation=talk), samemind.ContextBlock)


if __name__ == "__main__":
    trio.run(under_trio)
    blocking()
