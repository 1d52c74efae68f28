"""What a language model promises: messages in, one answer out.

No model is needed for anything. Where one is configured it reads talk in the background; it is asked in a
thread, never while somebody waits for a write or an answer of memory.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cognition.errors import CognitionError


class ModelFailed(CognitionError):
    """The model is there and did not answer this time: it was too slow, too busy, or broke. Try again later."""


class ChatMessage(NamedTuple):
    """One message to a model; `role` is system, user or assistant."""

    role: str
    content: str


class ChatModel(Protocol):
    """Answers messages. May be called from several threads at once."""

    @property
    def name(self) -> str:
        """The model's name, for people."""
        ...

    @property
    def remote(self) -> bool:
        """Whether what it is asked leaves this machine and its network."""
        ...

    def complete(self, messages: Sequence[ChatMessage], *, temperature: float, max_tokens: int) -> str:
        """Return the answer.

        `ModelUnavailable` where there is nobody to ask; `ModelFailed` where the next try may succeed.
        """
        ...
