"""Store memories, find them, change them and let them go."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from samemind.arguments import Meta, Rid, Spaces, When, assignments_of, pairs_of, rid_of, spaces_of, when_of
from samemind.methods.asking import Asking
from samemind.results.memories import (
    Forgotten,
    History,
    Listed,
    MemoryView,
    Recalled,
    Remembered,
    RememberedMany,
)
from samemind.surface import memories


class Memories(Asking):
    """The methods of `Mind` for that."""

    async def remember(
        self,
        text: str,
        *,
        type: str | None = None,
        importance: float | None = None,
        valence: float | None = None,
        certainty: float | None = None,
        half_life: float | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        speaker: str | None = None,
        session: str | None = None,
        turn: str | None = None,
        event_start: When | None = None,
        event_end: When | None = None,
        at: When | None = None,
        source: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        pin: bool = False,
        workspace: str | None = None,
        wait: bool = False,
        no_dedup: bool = False,
        no_facts: bool = False,
        read: bool = True,
        nominees: bool = False,
        rid: str | None = None,
    ) -> Remembered:
        """Store a memory, durably.

        What follows from its words (`facts`, `says_same`, `contradictions`) takes longer than storing it. With
        `read=False` nobody waits for it: it is worked out behind that, before anything else is answered. With `wait` it
        is also waited for until the memory is found by meaning, and with `nominees` these are asked for too.
        """
        return await self._ask(
            memories.REMEMBER,
            text=text,
            type=type,
            importance=importance,
            valence=valence,
            certainty=certainty,
            half_life=half_life,
            domain=domain,
            project=project,
            topic=topic,
            speaker=speaker,
            session=session,
            turn=turn,
            event_start=when_of(event_start),
            event_end=when_of(event_end),
            at=when_of(at),
            source=source,
            tag=list(tag),
            meta=pairs_of(meta),
            pin=pin,
            workspace=workspace,
            wait=wait,
            no_dedup=no_dedup,
            no_facts=no_facts,
            read=read,
            nominees=nominees,
            rid=rid,
        )

    async def remember_many(
        self,
        items: Iterable[str | Mapping[str, Any]],
        *,
        workspace: str | None = None,
        wait: bool = False,
        no_dedup: bool = False,
        facts: bool = False,
    ) -> RememberedMany:
        """Store many memories in one commit: texts, or objects with a `text` and the options of `remember`."""
        lines = [json.dumps(item, ensure_ascii=False, default=when_of) for item in items]
        return await self._ask(
            memories.REMEMBER_MANY,
            lines=lines,
            workspace=workspace,
            wait=wait,
            no_dedup=no_dedup,
            facts=facts,
        )

    async def recall(
        self,
        query: str,
        *,
        k: int = 10,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        explain: bool = False,
        no_graph: bool = False,
        now: When | None = None,
        min_confidence: float = 0.0,
        as_of: When | None = None,
        seen_by: str | None = None,
    ) -> Recalled:
        """Find memories by their words and their meaning, the best first."""
        return await self._ask(
            memories.RECALL,
            query=query,
            k=k,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=list(tag),
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            workspace=spaces_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            explain=explain,
            no_graph=no_graph,
            now=when_of(now),
            min_confidence=min_confidence,
            as_of=when_of(as_of),
            seen_by=seen_by,
        )

    async def list(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        as_of: When | None = None,
        seen_by: str | None = None,
        fading: bool = False,
    ) -> Listed:
        """List memories, newest first; or, `fading`, those that are about to be forgotten, the faintest first."""
        return await self._ask(
            memories.LIST,
            fading=fading,
            limit=limit,
            offset=offset,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=[*tag],
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            workspace=spaces_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            as_of=when_of(as_of),
            seen_by=seen_by,
        )

    async def get(self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None) -> MemoryView:
        """Return one memory, as it is or as it was."""
        return await self._ask(memories.GET, rid=rid_of(rid), as_of=when_of(as_of), seen_by=seen_by)

    async def edit(self, rid: Rid, text: str, *, was: str | None = None) -> MemoryView:
        """Change the words of a memory; `NeedsDecision` if it says something else by now than it `was`."""
        return await self._ask(memories.EDIT, rid=rid_of(rid), text=text, was=was)

    async def set(self, /, rid: Rid, **values: Any) -> MemoryView:
        """Change fields of a memory; `None` clears one."""
        return await self._ask(memories.SET, rid=rid_of(rid), values=assignments_of(values))

    async def tag(self, rid: Rid, *tags: str, remove: bool = False) -> MemoryView:
        """Label a memory, or take labels off."""
        return await self._ask(memories.TAG, rid=rid_of(rid), tags=tags, remove=remove)

    async def pin(self, rid: Rid) -> MemoryView:
        """Keep a memory in the core profile."""
        return await self._ask(memories.PIN, rid=rid_of(rid))

    async def unpin(self, rid: Rid) -> MemoryView:
        """Let a pinned memory fade again."""
        return await self._ask(memories.UNPIN, rid=rid_of(rid))

    async def archive(self, rid: Rid) -> MemoryView:
        """Keep a memory, out of the way."""
        return await self._ask(memories.ARCHIVE, rid=rid_of(rid))

    async def unarchive(self, rid: Rid) -> MemoryView:
        """Bring an archived memory back."""
        return await self._ask(memories.UNARCHIVE, rid=rid_of(rid))

    async def forget(
        self, *rids: Rid, erase: bool = False, status: bool = False, workspace: str | None = None
    ) -> Forgotten:
        """Forget memories on every device, and those that say the same; or erase them from every file."""
        return await self._ask(
            memories.FORGET,
            rids=[rid_of(rid) for rid in rids],
            erase=erase,
            status=status,
            workspace=workspace,
        )

    async def history(self, rid: Rid) -> History:
        """Return everything that happened to a memory."""
        return await self._ask(memories.HISTORY, rid=rid_of(rid))
