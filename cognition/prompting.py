"""Put memory into the prompt of a conversation, and make room where it has outgrown its model. Pure.

Memory stands in the system prompt, after what the agent is and before what was said (LO-21), and is counted before it
is put in (LO-28): a conversation that fits its window still fits with its memory. Where both come near the window, the
conversation first loses its middle, and then memory what it knows of who its owner is, and half of their tastes; the
work at hand stays (LO-24 to LO-26). What is still too long loses its oldest messages, but never the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cognition.budget import COMPACT_AT, memory_budget, middle_out, must_compact, tokens
from cognition.composing import Gathered
from cognition.context import Context
from cognition.errors import InvalidQuery
from cognition.models.chat import ChatMessage

SYSTEM: Final = "system"
# What was done to make room, in this order.
TRIMMED: Final = "trimmed"
REDUCED: Final = "reduced"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What to send to a model: messages, the block of memory in the first of them, and what was done to make room."""

    messages: tuple[ChatMessage, ...]
    context: Context
    compacted: tuple[str, ...] = ()


def prompt(gathered: Gathered, talk: Sequence[ChatMessage], *, window: int, at: float = COMPACT_AT) -> Prompt:
    """Return a conversation with what memory holds for it: never more than a window of tokens.

    Raises `InvalidQuery` where not even the system prompt and the last message fit.
    """
    persona = tuple(message for message in talk if message.role == SYSTEM)
    history = tuple(message for message in talk if message.role != SYSTEM)
    compacted: list[str] = []

    def block() -> Context:
        used = _tokens((*persona, *history))
        return gathered.within(min(memory_budget(window, used), max(0, window - used)))

    def is_full() -> bool:
        return must_compact(_tokens((*persona, *history)) + context.tokens, window, at)

    context = block()
    if is_full() and len(trimmed := tuple(middle_out(history))) < len(history):
        compacted.append(TRIMMED)
        history = trimmed
        context = block()
    if is_full() and (reduced := gathered.around.reduced()) != gathered.around:
        compacted.append(REDUCED)
        gathered = replace(gathered, around=reduced)
        context = block()
    while _tokens((*persona, *history)) > window and len(history) > 1:
        history = history[1:]
        if TRIMMED not in compacted:
            compacted.append(TRIMMED)
        context = block()
    least = _tokens((*persona, *history))
    if least > window:
        raise InvalidQuery(
            f"expected a window of at least {least} tokens, for the system prompt and the last message; got {window}"
        )
    told = "\n\n".join([*(message.content for message in persona), *([context.text] if context.text else [])])
    first = (ChatMessage(SYSTEM, told),) if told else ()
    return Prompt((*first, *history), context, tuple(compacted))


def _tokens(messages: Sequence[ChatMessage]) -> int:
    return sum(tokens(message.content) for message in messages)
