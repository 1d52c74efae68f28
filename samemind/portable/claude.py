"""Read a Claude export: `conversations.json`, a list of chats with their messages in order."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from samemind.portable.records import Item, Record, read_chats
from samemind.times import read_time

SOURCE: Final = "claude"
_SPEAKERS: Final = {"human": "user", "assistant": "Claude"}


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return isinstance(document, list) and any(
        isinstance(each, dict) and isinstance(each.get("chat_messages"), list) for each in document
    )


def read(document: object) -> Iterator[Record]:
    """Return every message of every chat, in the order in which they were said."""
    return read_chats(document, _chat, product="Claude")


def _chat(number: int, chat: Mapping[str, Any]) -> Iterator[Record]:
    name = str(chat["uuid"])
    for position, message in enumerate(chat["chat_messages"]):
        speaker = _SPEAKERS.get(message.get("sender"))
        said = [part.get("text") for part in message.get("content") or () if part.get("type") == "text"]
        text = (message.get("text") or "\n".join(part for part in said if isinstance(part, str))).strip()
        if speaker is None or not text:
            continue
        turn = str(message["uuid"])
        fields: dict[str, Value] = {
            "speaker": speaker,
            "conversation": f"{SOURCE}:{name}",
            "turn": turn,
            "position": position,
            "source": SOURCE,
        }
        if chat.get("name"):
            fields["topic"] = str(chat["name"])
        if message.get("created_at"):
            fields["told_at"] = read_time(str(message["created_at"]), name="created_at")
        yield Item(line=number, rid=derived_memory_id(SOURCE, f"{name}:{turn}"), text=text, fields=fields)
