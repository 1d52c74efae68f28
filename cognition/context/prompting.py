"""Put memory into the prompt of a conversation, and make room where it has outgrown its model. Pure.

Memory stands in the system prompt, after what the agent is and before what was said (LO-21), and is counted before it
is put in (LO-28): a conversation that fits its window still fits with its memory. Where both come near the window, the
conversation first loses its middle, and then memory what it knows of who its owner is, and half of their tastes; the
work at hand stays (LO-24 to LO-26). What is still too long loses its oldest messages, but never the last. The call of
a tool and its result count as one message: models refuse the one without the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from cognition.context.block import Context
from cognition.context.budget import COMPACT_AT, memory_budget, middle_out, must_compact, tokens
from cognition.context.composing import Gathered
from cognition.errors import InvalidQuery

SYSTEM: Final = "system"
# What was done to make room, in this order.
TRIMMED: Final = "trimmed"
REDUCED: Final = "reduced"


# What providers call the parts that are no text; each takes about as much as the largest picture. And the parts that
# answer a call, where no role says so.
_PICTURES: Final = frozenset(
    {"image", "image_url", "input_image", "document", "file", "input_file", "input_audio"}
)
PICTURE_TOKENS: Final = 1_600
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_RESULT_ROLES: Final = frozenset({"tool", "function", ""})
_RESULT_PART: Final = "tool_result"


class Said(NamedTuple):
    """A message of a conversation: its text, and, where it is more than a role and a text, all of it."""

    role: str
    content: str
    whole: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> "Said":
        """Take a message as OpenAI and Anthropic have them. Raises `ValueError` where it is none."""
        role, content = message.get("role", ""), message.get("content")
        if not isinstance(role, str) or not (role or isinstance(message.get("type"), str)):
            raise ValueError("expected a role, or the type of an item without one")
        if isinstance(content, str) and message.keys() == {"role", "content"}:
            return cls(role, content)
        if content is None and message.keys() <= {"role", "content"}:
            raise ValueError("expected a content")
        if not isinstance(content, str | list | None):
            raise ValueError("expected a text, a list of parts or nothing as content")
        return cls(role, _text_of(content), message)

    @property
    def goes_with_the_last(self) -> bool:
        """Whether it is sent with the message before it or not at all."""
        parts = self.whole.get("content") if self.whole is not None else None
        return self.role in _RESULT_ROLES or (
            isinstance(parts, list)
            and any(isinstance(part, Mapping) and part.get("type") == _RESULT_PART for part in parts)
        )

    @property
    def to_send(self) -> Mapping[str, Any]:
        """The message as a model's provider takes it."""
        return self.whole or {"role": self.role, "content": self.content}

    @property
    def tokens(self) -> int:
        """How many tokens it may take."""
        return tokens(self.content) if self.whole is None else _tokens_in(self.whole)


def _text_of(content: object) -> str:
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") in _TEXTS]
        return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _tokens_in(value: object) -> int:
    match value:
        case str():
            return tokens(value)
        case {"type": str(kind)} if kind in _PICTURES:
            return PICTURE_TOKENS
        case Mapping():
            return sum(map(_tokens_in, chain(value.keys(), value.values())))
        case list():
            return sum(map(_tokens_in, value))
        case _:
            return 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """What to send to a model: messages, the block of memory in the first of them, and what was done to make room."""

    messages: tuple[Said, ...]
    context: Context
    compacted: tuple[str, ...] = ()


def prompt(
    gathered: Gathered,
    talk: Sequence[Said],
    *,
    window: int,
    at: float = COMPACT_AT,
    most: int | None = None,
) -> Prompt:
    """Return a conversation with what memory holds for it: never more than a window of tokens, `most` of them memory.

    Raises `InvalidQuery` where not even the system prompt and the last message fit.
    """
    persona = tuple(message for message in talk if message.role == SYSTEM)
    history = _exchanges(message for message in talk if message.role != SYSTEM)
    compacted: list[str] = []

    def block() -> Context:
        used = _tokens(persona, *history)
        return gathered.within(min(memory_budget(window, used, most), max(0, window - used)))

    def is_full() -> bool:
        return must_compact(_tokens(persona, *history) + context.tokens, window, at)

    context = block()
    if is_full() and len(trimmed := tuple(middle_out(history))) < len(history):
        compacted.append(TRIMMED)
        history = trimmed
        context = block()
    if is_full() and (reduced := gathered.around.reduced()) != gathered.around:
        compacted.append(REDUCED)
        gathered = replace(gathered, around=reduced)
        context = block()
    while _tokens(persona, *history) > window and len(history) > 1:
        history = history[1:]
        if TRIMMED not in compacted:
            compacted.append(TRIMMED)
        context = block()
    least = _tokens(persona, *history)
    if least > window:
        raise InvalidQuery(
            f"expected a window of at least {least} tokens, for the system prompt and the last message; got {window}"
        )
    told = "\n\n".join([*(message.content for message in persona), *([context.text] if context.text else [])])
    first = (Said(SYSTEM, told),) if told else ()
    return Prompt((*first, *chain.from_iterable(history)), context, tuple(compacted))


def _exchanges(messages: Iterable[Said]) -> tuple[tuple[Said, ...], ...]:
    """Return messages, each with those that go with it."""
    found: list[tuple[Said, ...]] = []
    for message in messages:
        if found and message.goes_with_the_last:
            found[-1] = (*found[-1], message)
        else:
            found.append((message,))
    return tuple(found)


def _tokens(*exchanges: Sequence[Said]) -> int:
    return sum(message.tokens for message in chain.from_iterable(exchanges))
