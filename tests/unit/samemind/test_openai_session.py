"""A session of the OpenAI Agents SDK over a memory: held to the SDK's own, and driven by its runner."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import samemind
from samemind.adapters.openai_agents import SamemindSession
from samemind.library.blocking import BlockingMind
from tests.support.loops import run_awaited

# Half an emoji too: a model's answer, or a tool's, may be cut in the midst of one.
WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from("\0\ud83d"), max_size=12)
ROLES = st.sampled_from(["user", "assistant", "system"])
MESSAGES = st.fixed_dictionaries({"role": ROLES, "content": WORDS})
PARTS = st.lists(st.fixed_dictionaries({"type": st.just("output_text"), "text": WORDS}), max_size=2)
LONG_MESSAGES = st.fixed_dictionaries({"role": ROLES, "type": st.just("message"), "content": PARTS})
OUTPUTS = st.fixed_dictionaries(
    {"type": st.just("function_call_output"), "call_id": WORDS, "output": WORDS | st.just("x" * 40_000)}
)
ITEMS = st.one_of(MESSAGES, MESSAGES, LONG_MESSAGES, OUTPUTS)
STEPS = st.one_of(
    st.tuples(st.just("add_items"), st.lists(ITEMS, max_size=3)),
    st.tuples(st.just("pop_item")),
    st.tuples(st.just("get_items"), st.none() | st.integers(-1, 4)),
    st.tuples(st.just("clear_session")),
)

NAMES = (f"chat {number}" for number in range(10**6))
NO_TRACES = RunConfig(tracing_disabled=True)


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("home")) as opened:
        yield opened


@given(steps=st.lists(STEPS, max_size=12))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_answers_as_the_session_that_comes_with_the_sdk(
    mind: BlockingMind, steps: list[tuple[Any, ...]]
) -> None:
    """The same calls: the same answers, and the same history for another object; two that say the same stay two."""
    name = next(NAMES)

    async def main() -> None:
        ours, theirs = SamemindSession(name, mind), SQLiteSession(name)
        try:
            for step, *arguments in steps:
                mine = await getattr(ours, step)(*arguments)
                assert mine == await getattr(theirs, step)(*arguments), step
            assert await SamemindSession(name, mind).get_items() == await theirs.get_items()
        finally:
            theirs.close()

    run_awaited(main())


def said(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", content=[part], status="completed")


def test_a_runner_goes_on_with_the_conversation_on_the_next_day(tmp_path: Path) -> None:
    """A real agent with a tool, a scripted model and two openings of the store; people find what was said in it."""

    def weather(city: str) -> str:
        """Say how the weather is."""
        return f"rain in {city}"

    model = ScriptedModel()
    agent = Agent(name="guide", model=model, tools=[function_tool(weather)])
    call = ResponseFunctionToolCall(
        id="f", call_id="c", type="function_call", name="weather", arguments='{"city": "Lisbon"}'
    )
    with samemind.open_blocking(tmp_path / "home") as mind:
        model.enqueue([call])
        model.enqueue([said("Take an umbrella to Lisbon.")])
        session = SamemindSession("trip", mind, workspace="travel")
        first = run_awaited(
            Runner.run(agent, "I fly to Lisbon on Monday", session=session, run_config=NO_TRACES)
        )
        assert first.final_output == "Take an umbrella to Lisbon."
    with samemind.open_blocking(tmp_path / "home") as mind:
        model.enqueue([said("On Monday.")])
        session = SamemindSession("trip", mind, workspace="travel")
        second = run_awaited(Runner.run(agent, "When do I fly?", session=session, run_config=NO_TRACES))
        assert second.final_output == "On Monday."
        heard = [item.get("type") or item["role"] for item in model.calls[-1].input]
        assert heard == ["user", "function_call", "function_call_output", "message", "user"]
        (hit, *_) = mind.recall("when is the flight to Lisbon?", workspace="travel")
        assert (hit.text, hit.speaker, hit.session) == ("I fly to Lisbon on Monday", "user", "trip")
        found = {hit.text for hit in mind.recall("rain weather function call", workspace="travel", k=20)}
        assert not any("function_call" in text for text in found), "what nobody said is not recalled"


def test_what_looks_secret_is_kept_out_of_the_memory_and_in_this_conversation(mind: BlockingMind) -> None:
    async def main() -> None:
        name = next(NAMES)
        session = SamemindSession(name, mind)
        items = [
            {"role": "user", "content": "the token is ghp_" + "a1B2" * 9},
            {"role": "assistant", "content": "thank you"},
        ]
        await session.add_items(items)
        assert await session.get_items() == items
        assert await SamemindSession(name, mind).get_items() == items[1:]
        await session.add_items(
            items
        )  # what is kept here alone is in its place in whatever part is asked for
        for limit in range(5):
            assert await session.get_items(limit) == [*items, *items][4 - limit :]
        assert [await session.pop_item(), await session.pop_item()] == items[::-1]
        assert [await session.pop_item(), await session.pop_item(), await session.pop_item()] == [
            *items[::-1],
            None,
        ]

    run_awaited(main())


def test_a_few_items_are_read_without_the_rest_of_the_history(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the latest memories are of a session whose name differs by case, or are no items at all."""
    asked: list[int] = []
    plain = mind.list

    def counted(**options: Any) -> Any:
        listed = plain(**options)
        asked.append(len(listed.memories))
        return listed

    async def main() -> None:
        name = next(NAMES)
        session = SamemindSession(name, mind)
        items = [{"role": "user", "content": f"number {number}"} for number in range(30)]
        await session.add_items(items)
        monkeypatch.setattr(mind, "list", counted)
        assert await session.get_items(2) == items[-2:]
        await session.add_items([{"role": "user", "content": "one more"}])
        await session.pop_item()
        assert asked == [2, 1, 1]
        await SamemindSession(name.title(), mind).add_items([{"role": "user", "content": "hello"}])
        mind.remember("told beside it", session=name)
        asked.clear()
        assert await session.get_items(2) == items[-2:]
        assert asked == [2, 32]
        await session.clear_session()
        assert await session.get_items(2) == []

    run_awaited(main())


def test_a_message_with_half_an_emoji_is_kept_and_found_by_its_words(mind: BlockingMind) -> None:
    """It is said back to the letter; the memory beside it, which no store has bytes for, shows a question mark."""
    session = SamemindSession(next(NAMES), mind)
    cut = {"role": "user", "content": "the ferry leaves at noon \ud83d"}
    run_awaited(session.add_items([cut]))
    assert run_awaited(session.get_items()) == [cut]
    assert [hit.text for hit in mind.recall("when does the ferry leave?", session=session.session_id)] == [
        "the ferry leaves at noon ?"
    ]


def test_an_item_beyond_all_bounds_is_refused(mind: BlockingMind) -> None:
    session = SamemindSession(next(NAMES), mind)
    large = {"type": "function_call_output", "call_id": "c", "output": "x" * (3 << 20)}
    with pytest.raises(samemind.Usage, match="characters of JSON"):
        run_awaited(session.add_items([{"role": "user", "content": "hello"}, large]))
    assert run_awaited(session.get_items()) == []
