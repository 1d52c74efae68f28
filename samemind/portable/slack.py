"""Read an export of Slack, zipped as it comes or unpacked: a folder for each channel, with a file for each day.

Lists beside them say who everybody is, and whose the direct messages are; where one is missing, a message may say by
itself who wrote it. No file says who brought it in: everybody is named, and the profile says which name is the owner's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from replica.json_text import parse_json
from samemind.errors import SamemindError
from samemind.portable.records import FAULTS, Reads, Record, Unreadable, chat_turn
from samemind.portable.texts import Source, whole_text

SOURCE: Final = "slack"
# An export of a whole organisation calls them otherwise.
_USERS: Final = ("users.json", "org_users.json")
# Chats of two and of several, whose folders say the id of the one and the user names of the other.
_DIRECT: Final = ("dms.json", "mpims.json")
_LISTS: Final = (*_USERS, *_DIRECT, "channels.json", "groups.json")
_DAYS: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json"
_DAY: Final = re.compile(r"[^/]+/\d{4}-\d\d-\d\d\.json", re.ASCII)
# Somebody or a channel that a text names by its id, with the name beside it or without.
_NAMES: Final = re.compile(r"<[@#]([A-Z0-9]+)(?:\|([^<>]*))?>")
# What people say: all other kinds are of programs, or tell who came and went.
_SPOKEN: Final = (None, "thread_broadcast", "me_message", "file_share")


class SlackExport(NamedTuple):
    """The files of an export by their places in it: lists of who and what there is, and what was said on days."""

    lists: Mapping[str, Source]
    days: Mapping[str, Source]


def files_in(folder: Path) -> dict[str, Source]:
    """Return the files of a folder that may be of an export, by their places in it."""
    found = [*map(folder.joinpath, _LISTS), *folder.glob(f"*/{_DAYS}")]
    return {path.relative_to(folder).as_posix(): path for path in found if path.is_file()}


def export_in(files: Mapping[str, Source]) -> SlackExport | None:
    """Return the export that files are, given by their places, alone or in a folder; None: they are none."""
    lists = [place for place in files if place.rpartition("/")[2] in _LISTS]
    if not lists:
        return None
    above, mark, _ = min(lists, key=len).rpartition("/")
    root = above + mark
    within = {
        place.removeprefix(root): file for place, file in sorted(files.items()) if place.startswith(root)
    }
    days = {place: file for place, file in within.items() if _DAY.fullmatch(place)}
    return SlackExport({name: within[name] for name in _LISTS if name in within}, days) if days else None


def read(export: SlackExport) -> Iterator[Record]:
    """Return every message, a channel and a day at a time."""
    listed: dict[str, list[Any]] = {}
    for name, file in export.lists.items():
        try:
            listed[name] = [*_parsed(file)]
        except FAULTS as error:
            yield Unreadable(line=1, reason=f"{name}: expected a list of a Slack export, {error!r}"[:500])
    people = _by_id(each for name in _USERS for each in listed.get(name, ()))
    topics = _topics((each for name in _DIRECT for each in listed.get(name, ())), people)
    for place, file in export.days.items():
        channel = place.partition("/")[0]
        try:
            messages = _parsed(file)
        except (ValueError, SamemindError) as error:
            yield Unreadable(line=1, reason=f"{place}: expected a JSON document, {error}"[:500])
            continue
        for number, message in enumerate(messages if isinstance(messages, list) else (), start=1):
            try:
                yield from _turn(number, message, channel, topics.get(channel, channel), people)
            except FAULTS as error:
                yield Unreadable(line=number, reason=f"{place}: expected a message of Slack, {error!r}"[:500])


def _parsed(file: Source) -> Any:
    return parse_json(whole_text(file))


def _by_id(users: Iterable[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for user in users:
        with suppress(*FAULTS):  # whoever is not well described stays an id
            found[str(user["id"])] = _name(user)
    return found


def _topics(chats: Iterable[Any], people: Mapping[str, str]) -> dict[str, str]:
    """Return whose chats folders are that are named by an id, or by user names."""
    found: dict[str, str] = {}
    for chat in chats:
        with suppress(*FAULTS):
            members = ", ".join(people.get(str(each), str(each)) for each in chat["members"])
            found[str(chat.get("name") or chat["id"])] = members
    return found


def _name(user: Mapping[str, Any]) -> str:
    profile = user.get("profile") or {}
    return str(profile.get("real_name") or user.get("real_name") or user["name"])


def _signed(message: Mapping[str, Any]) -> str:
    profile = message.get("user_profile") or {}
    return str(profile.get("real_name") or profile.get("name") or "")


def _turn(
    number: int, message: Mapping[str, Any], channel: str, topic: str, people: Mapping[str, str]
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
            speaker=people.get(str(user)) or _signed(message) or str(user),
            topic=topic,
            told_at=int(float(message["ts"]) * 1_000),
            reads=Reads.YES,
        )
