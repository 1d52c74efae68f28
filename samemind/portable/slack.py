"""Read an unpacked export of Slack: a folder for each channel, with a file for each day, and who everybody is.

No file says who brought it in: everybody is named, and the profile says which name is the owner's.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from samemind.portable.records import FAULTS, Reads, Record, Unreadable, chat_turn

SOURCE: Final = "slack"
_USERS: Final = "users.json"
_DAYS: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json"
# Somebody or a channel that a text names by its id, with the name beside it or without.
_NAMES: Final = re.compile(r"<[@#]([A-Z0-9]+)(?:\|([^<>]*))?>")
# What people say: all other kinds are of programs, or tell who came and went.
_SPOKEN: Final = (None, "thread_broadcast", "me_message", "file_share")


def days_in(folder: Path) -> list[Path]:
    """Return the files of an unpacked export, a day and a channel each; none where it is no such folder."""
    return sorted(folder.glob(f"*/{_DAYS}")) if (folder / _USERS).is_file() else []


def read(folder: Path, days: list[Path]) -> Iterator[Record]:
    """Return every message, a channel and a day at a time."""
    try:
        users = json.loads((folder / _USERS).read_text("utf-8"))
        people = {str(each["id"]): _name(each) for each in users}
    except (*FAULTS, RecursionError) as error:
        yield Unreadable(line=1, reason=f"{_USERS}: expected the people of a Slack export, {error!r}"[:500])
        return
    for day in days:
        place = day.relative_to(folder).as_posix()
        try:
            messages = json.loads(day.read_text("utf-8"))
        except (ValueError, RecursionError) as error:
            yield Unreadable(line=1, reason=f"{place}: expected a JSON document, {error}"[:500])
            continue
        for number, message in enumerate(messages if isinstance(messages, list) else (), start=1):
            try:
                yield from _turn(number, message, day.parent.name, people)
            except FAULTS as error:
                yield Unreadable(line=number, reason=f"{place}: expected a message of Slack, {error!r}"[:500])


def _name(user: Mapping[str, Any]) -> str:
    profile = user.get("profile") or {}
    return str(profile.get("real_name") or user.get("real_name") or user["name"])


def _turn(
    number: int, message: Mapping[str, Any], channel: str, people: Mapping[str, str]
) -> Iterator[Record]:
    user, text = message.get("user"), str(message.get("text") or "")
    if message.get("type") != "message" or message.get("subtype") not in _SPOKEN or user is None:
        return
    said = _NAMES.sub(lambda named: named[2] or people.get(named[1], named[1]), text).strip()
    said = said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    if said:
        yield chat_turn(
            number,
            said,
            source=SOURCE,
            chat=channel,
            turn=str(message["ts"]),
            position=number - 1,
            speaker=people.get(str(user), str(user)),
            topic=channel,
            told_at=int(float(message["ts"]) * 1_000),
            reads=Reads.YES,
        )
