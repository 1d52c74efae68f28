"""Read a ChatGPT export: `conversations.json`, a list of chats that are trees of messages.

Only the branch that the chat ended on is read: answers that were regenerated and edited questions lie on
others. What tools and the system said is left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from samemind.portable.records import Record, chat_turn, read_chats

SOURCE: Final = "chatgpt"
# What the person says is the owner's own: who brings their chats in is who wrote in them.
_SPEAKERS: Final = {"user": None, "assistant": "ChatGPT"}


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return isinstance(document, list) and any(
        isinstance(each, dict) and isinstance(each.get("mapping"), dict) for each in document
    )


def read(document: object) -> Iterator[Record]:
    """Return every message of every chat, in the order in which they were said."""
    return read_chats(document, _chat, product="ChatGPT")


def _chat(number: int, chat: Mapping[str, Any]) -> Iterator[Record]:
    mapping: Mapping[str, Any] = chat["mapping"]
    name = str(chat.get("conversation_id") or chat.get("id") or chat["create_time"])
    branch: dict[str, Any] = {}
    at = chat.get("current_node") or next(
        (key for key, node in mapping.items() if not node.get("children")), None
    )
    while isinstance(at, str) and at not in branch and at in mapping:  # a circle ends the branch
        branch[at] = mapping[at]
        at = mapping[at].get("parent")
    for position, (key, node) in enumerate(reversed(branch.items())):
        message = node.get("message") or {}
        role = str((message.get("author") or {}).get("role"))
        text = "\n".join(_said(message.get("content") or {})).strip()
        if role not in _SPEAKERS or not text:
            continue
        told_at = message.get("create_time") or chat.get("create_time")
        yield chat_turn(
            number,
            text,
            source=SOURCE,
            chat=name,
            turn=str(message.get("id") or key),
            position=position,
            speaker=_SPEAKERS[role],
            topic=chat.get("title"),
            told_at=None if told_at is None else int(float(told_at) * 1_000),
        )


def _said(content: Mapping[str, Any]) -> Iterator[str]:
    """Return what a message says: its texts, what was spoken, and what somebody wrote of themselves for all chats."""
    for part in content.get("parts") or ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            yield str(part.get("text") or "")
    if content.get("content_type") == "user_editable_context":
        yield str(content.get("user_profile") or "")
