"""Read a Claude export: `conversations.json`, a list of chats with their messages in order, and `memories.json`.

In the second Claude keeps what it made of the chats, in Markdown: a paragraph is a memory, told by Claude.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from samemind.formats.times import read_time
from samemind.portable.records import Item, Record, chat_turn, read_chats

SOURCE: Final = "claude"
# What a list in `memories.json` holds: of all chats, and of each project by its id.
_OF_CHATS: Final = "conversations_memory"
_OF_PROJECTS: Final = "project_memories"
_HEADING: Final = re.compile(r"(?:#+ +(.+?)|\*\*([^*]+)\*\*:?)")
# What the person says is the owner's own: who brings their chats in is who wrote in them.
_SPEAKERS: Final = {"human": None, "assistant": "Claude"}


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return isinstance(document, list) and any(
        isinstance(each, dict)
        and (isinstance(each.get("chat_messages"), list) or _OF_CHATS in each or _OF_PROJECTS in each)
        for each in document
    )


def read(document: object) -> Iterator[Record]:
    """Return every message of every chat, in the order in which they were said, and every paragraph of memories."""
    return read_chats(document, _chat, product="Claude")


def _chat(number: int, chat: Mapping[str, Any]) -> Iterator[Record]:
    if "chat_messages" not in chat and (_OF_CHATS in chat or _OF_PROJECTS in chat):
        yield from _memories(number, chat)
        return
    name = str(chat["uuid"])
    for position, message in enumerate(chat["chat_messages"]):
        sender = message.get("sender")
        said = [part.get("text") for part in message.get("content") or () if part.get("type") == "text"]
        text = (message.get("text") or "\n".join(part for part in said if isinstance(part, str))).strip()
        if sender not in _SPEAKERS or not text:
            continue
        told_at = message.get("created_at")
        yield chat_turn(
            number,
            text,
            source=SOURCE,
            chat=name,
            turn=str(message["uuid"]),
            position=position,
            speaker=_SPEAKERS[sender],
            topic=chat.get("name"),
            told_at=read_time(str(told_at), name="created_at") if told_at else None,
        )


def _memories(number: int, kept: Mapping[str, Any]) -> Iterator[Record]:
    texts = [kept.get(_OF_CHATS) or "", *(kept.get(_OF_PROJECTS) or {}).values()]
    for paragraph, topic in (each for text in texts for each in _paragraphs(text)):
        # The file names no paragraph: the same words are the same memory.
        name = hashlib.sha256(paragraph.encode()).hexdigest()
        fields: dict[str, Value] = {"speaker": "Claude", "source": SOURCE}
        if topic:
            fields["topic"] = topic
        yield Item(
            line=number, rid=derived_memory_id(SOURCE, f"memory:{name}"), text=paragraph, fields=fields
        )


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Return every paragraph of a Markdown text with the heading above it."""
    topic = ""
    for part in re.split(r"\n\s*\n", text):
        first, _, behind = part.strip().partition("\n")
        heading = _HEADING.fullmatch(first.strip())
        if heading is not None:
            topic = heading[1] or heading[2]
        words = (part if heading is None else behind).strip()
        if words:
            yield words, topic
