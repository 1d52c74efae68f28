"""A session of the OpenAI Agents SDK, kept as a chat in the memory: it goes on on another device, and can be searched.

Each item is one memory of the chat. What somebody said is its text; the rest of the item is beside it in the metadata.
Calls of tools, their answers and what else nobody said are kept out of the way, for the session alone.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings, coerce_session_settings, resolve_session_limit

from replica.limits import FIELD_STRING_BYTES_MAX, META_ENTRIES_MAX, TEXT_BYTES_MAX
from samemind.commands.memories.list import LIST_MAX
from samemind.errors import Usage
from samemind.formats.memory_view import MemoryView
from samemind.library.blocking import BlockingMind

Item = dict[str, Any]
Found = TypeVar("Found")

_ITEM, _TEXT_AT = "openai_item", "openai_text_at"
# ASCII, so characters are bytes. The entries for pieces leave some for others.
_PIECE_CHARACTERS: Final = FIELD_STRING_BYTES_MAX
PIECES_MAX: Final = META_ENTRIES_MAX // 2


class SamemindSession(SessionABC):
    """The history of one conversation; `workspace` keeps it apart from everything else in the memory.

    An item that looks secret is not stored: it waits in `samemind held`, and stays in the history of this object alone.
    """

    def __init__(
        self,
        session_id: str,
        mind: BlockingMind,
        *,
        workspace: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or {})
        self._mind = mind
        self._workspace = workspace
        self._unstored: dict[int, Item] = {}  # by their places
        self._writing = threading.Lock()  # of threads: `run_sync` has a loop of its own each time

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """Return the latest items, as many as asked for, the oldest first."""
        wanted = resolve_session_limit(limit, self.session_settings)
        read = await asyncio.to_thread(self._read, None if wanted is None or wanted < 0 else wanted)
        return [one.item for one in read]

    async def add_items(self, items: list[Item]) -> None:
        """Add items at the end; all of them are stored, or none."""
        if items:
            await _done(self._add, items)

    async def pop_item(self) -> Item | None:
        """Take the latest item away, and return it."""
        return await _done(self._pop)

    async def clear_session(self) -> None:
        """Forget every item, on all devices."""
        await _done(self._clear)

    def _read(self, wanted: int | None = None) -> list["_HistoryItem"]:
        """Return the latest items, at most as many as wanted, the oldest first; without a number all of them."""
        unstored = sorted(self._unstored.items())
        read: list[_HistoryItem] = []
        for one in self._stored(LIST_MAX if wanted is None else min(wanted, LIST_MAX)):
            while unstored and unstored[-1][0] > one.place:
                place, item = unstored.pop()
                read.append(_HistoryItem(place, None, item))
            read.append(one)
        read += [_HistoryItem(place, None, item) for place, item in reversed(unstored)]
        return read[:wanted][::-1]

    def _stored(self, wanted: int) -> list["_HistoryItem"]:
        """Return the latest items that are stored, as many as wanted if there are, the latest first.

        They are in the order in which they were told: two devices that add at once give the same places.
        """
        found: list[_HistoryItem] = []
        # All, where others that the filters let through were among them.
        for limit in dict.fromkeys((wanted, LIST_MAX)):
            listed = self._mind.list(
                session=self.session_id,
                workspace=self._workspace,
                include_cold=True,
                each=True,
                limit=limit,
            )
            found = [
                _HistoryItem(memory.position or 0, memory.rid, item)
                for memory in listed.memories
                if self._is_own(memory) and (item := _item(memory)) is not None
            ]
            if len(found) >= wanted or listed.total <= limit:
                break
        return found

    def _is_own(self, memory: MemoryView) -> bool:
        """Say whether it is an item of this session to the letter, since filters pass over case."""
        return (
            _ITEM in memory.meta and memory.session == self.session_id and memory.workspace == self._workspace
        )

    def _add(self, items: list[Item]) -> None:
        with self._writing:
            before = self._read(1)
            first = before[-1].place + 1 if before else 0
            records = [self._record(item, first + number) for number, item in enumerate(items)]
            told = self._mind.remember_many(records, workspace=self._workspace)
            held = set(told.held)
            for number, (rid, item) in enumerate(zip(told.rids, items, strict=True)):
                if rid in held:
                    self._unstored[first + number] = item

    def _record(self, item: Item, place: int) -> dict[str, Any]:
        """Return an item as a memory to be."""
        left = json.loads(json.dumps(item))
        path, text = _said(left)
        archived = path is None
        if (whole := text.encode(errors="replace").decode()) != text:
            # Half a letter, as of an emoji that was cut: a text has no bytes for it, so the item keeps what was said.
            left, path, text = item, None, whole
        meta = {} if path is None else {_TEXT_AT: json.dumps(path)}
        written = json.dumps(left)
        pieces = [written[at : at + _PIECE_CHARACTERS] for at in range(0, len(written), _PIECE_CHARACTERS)]
        if len(pieces) > PIECES_MAX or len(text.encode()) > TEXT_BYTES_MAX:
            raise Usage(
                f"expected an item of at most {PIECES_MAX * _PIECE_CHARACTERS} characters of JSON",
                code="too_large",
                hint="keep large tool results in files, and the files' names in the session",
            )
        meta |= {_piece(number): piece for number, piece in enumerate(pieces)}
        return {
            "text": text,
            "speaker": item.get("role") or None,
            "session": self.session_id,
            "position": place,
            "source": "openai-agents",
            "archived": archived,
            "apart": True,  # a summary would not be part of what was said
            "meta": meta,
        }

    def _pop(self) -> Item | None:
        with self._writing:
            kept = self._read(1)
            self._forget(kept)
        return kept[0].item if kept else None

    def _clear(self) -> None:
        with self._writing:
            self._forget(self._read())

    def _forget(self, kept: list["_HistoryItem"]) -> None:
        if stored := [one.rid for one in kept if one.rid is not None]:
            self._mind.forget(*stored, only=True)
        for one in kept:
            if one.rid is None:
                del self._unstored[one.place]


async def _done(work: Callable[..., Found], *arguments: Any) -> Found:
    """Do in a thread what changes the history, and return when it is done: also where the caller is cancelled."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class _HistoryItem(NamedTuple):
    """An item of the history: where it stands, and its memory where it has one."""

    place: int
    rid: str | None
    item: Item


def _said(item: Item) -> tuple[list[str | int] | None, str]:
    """Take out of an item the text that somebody said, and return where it was; or words for what nobody said."""
    content = item.get("content")
    if item.get("role") and isinstance(content, str) and content.strip():
        item["content"] = None
        return ["content"], content
    if item.get("role") and isinstance(content, list):
        texts = [
            (number, part["text"])
            for number, part in enumerate(content)
            if isinstance(part, dict) and isinstance(part.get("text"), str) and part["text"].strip()
        ]
        if len(texts) == 1:
            number, text = texts[0]
            content[number]["text"] = None
            return ["content", number, "text"], text
    return None, " ".join(str(item[name]) for name in ("type", "role", "name") if item.get(name)) or "item"


def _item(memory: MemoryView) -> Item | None:
    """Return the item that a memory is; None for a memory that is none, as any device of the group may write one."""
    pieces: list[str] = []
    while (piece := memory.meta.get(_piece(len(pieces)))) is not None:
        pieces.append(str(piece))
    try:
        item: Any = json.loads("".join(pieces))
        if path := memory.meta.get(_TEXT_AT):
            *way, last = json.loads(str(path))
            inner: Any = item
            for step in way:
                inner = inner[step]
            inner[last] = memory.text
    except (LookupError, TypeError, ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def _piece(number: int) -> str:
    return f"{_ITEM}_{number}" if number else _ITEM
