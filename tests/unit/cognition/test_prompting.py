"""Memory in the prompt of a conversation: where it stands, what it may take, and what gives way for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.context.block import Around
from cognition.context.budget import tokens
from cognition.context.composing import Gathered
from cognition.context.fences import FENCE_OPENS
from cognition.context.prompting import PICTURE_TOKENS, REDUCED, TRIMMED, Prompt, Said, prompt
from cognition.errors import InvalidQuery
from cognition.ranking.classes import MULTI_HOP, SINGLE_HOP
from cognition.recall.stages import CandidateReason, RankedMemory
from replica import DeviceId, Memory, MemoryId
from tests.support.published import published

CORE = Around(
    project=("- project one", "- project two"),
    preference=("- taste one", "- taste two", "- taste three"),
    identity=("- lives in Lisbon",),
)


def hits(count: int) -> tuple[RankedMemory, ...]:
    return tuple(
        RankedMemory(
            (rid := MemoryId(n.to_bytes(16))), 0.5, (CandidateReason("words", 0, 1.0),), 0.0, {},
            Memory(rid, f"fact number {n} about tea", {}, 0, 0, 1, 0, 0), DeviceId(bytes(32)),
        )
        for n in range(count)
    )  # fmt: skip


def talk(*sizes: int, persona: str = "You are kind.") -> list[Said]:
    """A persona, and messages of so many tokens, less the margin: each says which it is."""
    said = [
        Said("assistant" if n % 2 else "user", " ".join([f"m{n}", *["word"] * size]))
        for n, size in enumerate(sizes)
    ]
    return [Said("system", persona), *said] if persona else said


def used(messages: tuple[Said, ...]) -> int:
    return sum(tokens(message.content) for message in messages)


def numbers(made: Prompt) -> list[str]:
    return [message.content.split()[0] for message in made.messages if message.role != "system"]


@published("LO-21")
def test_memory_stands_in_the_system_prompt_after_the_persona_and_before_the_history() -> None:
    made = prompt(Gathered(SINGLE_HOP, hits(3)), talk(5, 5), window=8_000)
    first, *others = made.messages
    assert first.role == "system"
    assert first.content.index("You are kind.") < first.content.index(FENCE_OPENS)
    assert first.content.endswith(made.context.text)
    assert [message.content.split()[0] for message in others] == ["m0", "m1"]
    assert made.compacted == ()
    assert prompt(Gathered(SINGLE_HOP), talk(5, persona=""), window=8_000).messages == tuple(
        talk(5, persona="")
    )


@published("LO-24")
def test_a_conversation_is_cut_at_four_fifths_of_its_window_and_not_before() -> None:
    made = prompt(Gathered(SINGLE_HOP), talk(*[100] * 12), window=10_000)
    total = used(made.messages)
    assert prompt(Gathered(SINGLE_HOP), talk(*[100] * 12), window=-(-total * 100 // 79)).compacted == ()
    assert prompt(Gathered(SINGLE_HOP), talk(*[100] * 12), window=total * 10 // 8).compacted == (TRIMMED,)
    assert prompt(Gathered(SINGLE_HOP), talk(*[100] * 12), window=10_000, at=0.1).compacted == (TRIMMED,)


@published("LO-25")
def test_the_first_exchange_and_the_last_six_messages_stay() -> None:
    made = prompt(Gathered(SINGLE_HOP), talk(*[100] * 12), window=1_500)
    assert numbers(made) == ["m0", "m1", "m6", "m7", "m8", "m9", "m10", "m11"]
    short = prompt(Gathered(SINGLE_HOP), talk(*[100] * 8), window=1_000)
    assert numbers(short) == [f"m{n}" for n in range(8)]
    assert TRIMMED not in short.compacted


@published("LO-26")
def test_still_too_long_it_loses_who_they_are_and_half_of_the_tastes_and_no_work() -> None:
    made = prompt(Gathered(MULTI_HOP, around=CORE), talk(*[100] * 12), window=1_200)
    assert made.compacted == (TRIMMED, REDUCED)
    (section,) = made.context.sections
    assert section.lines == ("- project one", "- project two", "- taste one", "- taste two")
    whole = prompt(Gathered(MULTI_HOP, around=CORE), talk(*[100] * 12), window=9_000)
    assert whole.context.sections[0].lines == CORE.owner


@published("LO-28")
@given(st.integers(20, 6_000), st.lists(st.integers(0, 300), max_size=20), st.floats(0.1, 1))
def test_what_goes_out_is_never_more_than_its_window(window: int, sizes: list[int], at: float) -> None:
    said = talk(*sizes)
    least = used(tuple(each for n, each in enumerate(said) if not n or n == len(said) - 1))
    if least > window:
        with pytest.raises(InvalidQuery, match=f"at least {least} tokens"):
            prompt(Gathered(MULTI_HOP, hits(30), CORE), said, window=window, at=at)
        return
    made = prompt(Gathered(MULTI_HOP, hits(30), CORE), said, window=window, at=at)
    assert used(made.messages) <= window
    assert numbers(made)[-1:] == [f"m{len(sizes) - 1}"] * bool(sizes)


@published("LO-28")
def test_a_window_that_the_talk_outgrew_loses_its_oldest_messages_and_says_so() -> None:
    made = prompt(Gathered(MULTI_HOP), talk(*[60] * 20), window=300)
    assert used(made.messages) <= 300
    assert numbers(made)[-1] == "m19"
    assert made.compacted == (TRIMMED,)
    with pytest.raises(InvalidQuery, match="for the system prompt and the last message; got 40"):
        prompt(Gathered(MULTI_HOP), talk(60), window=40)


CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
}
OPENAI = [CALL, {"role": "tool", "tool_call_id": "1", "content": "22 degrees"}]
ANTHROPIC = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "22 degrees"}]},
]
RESPONSES = [
    {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "1", "output": "22 degrees"},
]


@pytest.mark.parametrize("call", [OPENAI, ANTHROPIC, RESPONSES])
def test_a_call_stays_with_its_result_whatever_is_cut(call: list[dict[str, object]]) -> None:
    question: dict[str, object] = {
        "role": "user",
        "content": [{"type": "text", "text": "how warm is it? " * 9}],
    }
    conversation = [Said.of(one) for one in [*[question, *call] * 9, question]]
    for window in range(120, 900, 40):
        made = prompt(Gathered(SINGLE_HOP), conversation, window=window)
        assert made.compacted == (TRIMMED,)
        kept = [said.whole for said in made.messages]
        assert kept[-1] == question
        assert kept.count(call[0]) == kept.count(call[1]), window
    assert prompt(Gathered(SINGLE_HOP), conversation, window=9_000).messages == tuple(conversation)


def test_what_a_picture_weighs_is_not_its_letters() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 100_000}}
    assert PICTURE_TOKENS < Said.of({"role": "user", "content": [picture]}).tokens < PICTURE_TOKENS + 10


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": 1, "content": ""},
        {"role": "user", "content": 5},
    ],
)
def test_what_is_no_message_is_refused(message: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Said.of(message)
