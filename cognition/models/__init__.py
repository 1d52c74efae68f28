"""Language models that may read talk: one protocol, and models behind an address."""

from cognition.models.chat import ChatMessage, ChatModel, ModelFailed
from cognition.models.http import HttpChatModel

__all__ = ["ChatMessage", "ChatModel", "HttpChatModel", "ModelFailed"]
