"""Language models that may read talk: one protocol, and models behind an address.

The latter are in `cognition.models.http` alone: HTTP takes a megabyte that nobody without a model needs.
"""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.models.chat import ChatMessage, ChatModel, ModelFailed

__all__ = ["ChatMessage", "ChatModel", "ModelFailed"]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "chat": ("ChatMessage", "ChatModel", "ModelFailed"),
        },
    )
