"""Read what Telegram Desktop exports as JSON, `result.json`: one chat, or all of an account.

The export of an account says whose it is, and what they wrote is the owner's own. That of one chat does not: everybody
is named, and the profile says which name is the owner's. What was forwarded is somebody else's, and says nothing of
whoever sent it on.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from samemind.portable.records import Reads, Record, chat_turn, read_chats

SOURCE: Final = "telegram"


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return any(_is_chat(chat) for chat in _chats(document))


def read(document: object) -> Iterator[Record]:
    """Return every message of every chat, in the order in which they were said."""
    owner = ""
    if isinstance(document, dict) and isinstance(about := document.get("personal_information"), dict):
        owner = f"user{about.get('user_id')}"

    return read_chats(_chats(document), partial(_chat, owner=owner), product="Telegram")


def _chats(document: object) -> list[Any]:
    if not isinstance(document, dict):
        return []
    if _is_chat(document):
        return [document]
    parts = (document.get("chats"), document.get("left_chats"))
    return [each for part in parts if isinstance(part, dict) for each in part.get("list") or ()]


def _is_chat(chat: object) -> bool:
    return (
        isinstance(chat, dict)
        and isinstance(chat.get("messages"), list)
        and "type" in chat
        and "id" in chat
        and all(isinstance(each, dict) and "date" in each for each in chat["messages"][:1])
    )


def _chat(number: int, chat: Mapping[str, Any], owner: str) -> Iterator[Record]:
    is_saved = chat.get("type") == "saved_messages"  # notes to oneself, in an export of one chat too
    for position, message in enumerate(chat["messages"]):
        text = _text(message.get("text")).strip()
        if message.get("type") != "message" or not text:
            continue
        sender, forwarded = message.get("from"), message.get("forwarded_from")
        is_owner = is_saved or (bool(owner) and message.get("from_id") == owner)
        speaker = None if is_owner else str(sender or message.get("from_id"))
        yield chat_turn(
            number,
            text,
            source=SOURCE,
            chat=str(chat["id"]),
            turn=str(message["id"]),
            position=position,
            speaker=str(forwarded) if forwarded else speaker,
            topic=chat.get("name") or None,
            told_at=int(message["date_unixtime"]) * 1_000 if "date_unixtime" in message else None,
            reads=Reads.YES,
        )


def _text(text: object) -> str:
    """Return a text that may be in parts, some of which are links or in bold."""
    parts = text if isinstance(text, list) else [text]
    said = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(part for part in said if isinstance(part, str))
