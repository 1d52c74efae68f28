"""Read what Discord gives out, and what DiscordChatExporter does.

In the package that one may ask Discord for, `messages.json` lists what the owner wrote, and nobody else. The other
names everybody, as a chat does.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from samemind.formats.times import read_time
from samemind.portable.records import FAULTS, Reads, Record, Unreadable, chat_turn

SOURCE: Final = "discord"


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return any(
        isinstance(each, dict) and ({"ID", "Timestamp", "Contents"} <= set(each) or _is_of_exporter(each))
        for each in _messages(document)
    )


def read(document: object) -> Iterator[Record]:
    """Return every message, in the order in which they were said."""
    channel: Mapping[str, Any] = {}
    if isinstance(document, dict) and isinstance(document.get("channel"), dict):
        channel = document["channel"]
    for number, message in enumerate(_messages(document), start=1):
        try:
            yield from _turn(number, message, channel)
        except FAULTS as error:
            yield Unreadable(line=number, reason=f"expected a message of Discord, {error!r}"[:500])


def _messages(document: object) -> Iterable[Any]:
    if isinstance(document, dict):
        document = document.get("messages") if "channel" in document else None
    return document if isinstance(document, list | Iterator) else []


def _is_of_exporter(message: Mapping[str, Any]) -> bool:
    return isinstance(message.get("author"), dict) and "content" in message and "timestamp" in message


def _turn(number: int, message: Mapping[str, Any], channel: Mapping[str, Any]) -> Iterator[Record]:
    speaker: str | None = None
    if "Contents" in message:
        turn, text = str(message["ID"]), str(message["Contents"])
        # It writes no zone; the times are those of Discord's servers, UTC.
        moment = datetime.fromisoformat(str(message["Timestamp"]))
        told_at = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000)
    else:
        author = message["author"]
        turn, text = str(message["id"]), str(message["content"])
        told_at = read_time(str(message["timestamp"]), name="timestamp")
        speaker = str(author.get("nickname") or author["name"])
    if text.strip():
        yield chat_turn(
            number,
            text.strip(),
            source=SOURCE,
            chat=str(channel.get("id") or "package"),
            turn=turn,
            position=number - 1,
            speaker=speaker,
            topic=channel.get("name"),
            told_at=told_at,
            reads=Reads.NO if speaker is not None and message["author"].get("isBot") else Reads.YES,
        )
