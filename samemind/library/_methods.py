"""The methods of `samemind.library.mind.Mind` whose parameters are the options of a command.

Written by `python -m samemind._tools.generate`; a change is made in the declaration of the command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samemind.formats.arguments import (
    full_path,
    id_of,
    messages_of,
    new_path,
    pairs_of,
    rid_of,
    texts_of,
    when_of,
)
from samemind.library.asking import Asking

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from samemind.commands.answers.context import ContextBlock
    from samemind.commands.answers.why import Why
    from samemind.commands.answers.why_not import WhyNot
    from samemind.commands.carry._parts import CarriedIn
    from samemind.commands.carry.export import CarriedOut
    from samemind.commands.contradictions._parts import ContradictionView, Corrected
    from samemind.commands.contradictions.list import Contradictions
    from samemind.commands.contradictions.reopen import Reopened
    from samemind.commands.contradictions.resolve import Resolved
    from samemind.commands.contradictions.review import Review
    from samemind.commands.contradictions.settle import Settled
    from samemind.commands.device.compact import Compacted
    from samemind.commands.device.digest import Digest
    from samemind.commands.device.doctor import Doctored
    from samemind.commands.device.ids import Ids
    from samemind.commands.device.log import Log
    from samemind.commands.device.stats import Stats
    from samemind.commands.device.status import DaemonStatus
    from samemind.commands.device.verify import Verified
    from samemind.commands.device.warmup import Warmed
    from samemind.commands.graph._parts import EdgeView
    from samemind.commands.graph.entities import Entities
    from samemind.commands.graph.graph import Graph
    from samemind.commands.group._parts import GroupView, PeerView
    from samemind.commands.group.peers_list import Peers
    from samemind.commands.group.recovery import Recovery
    from samemind.commands.group.sync import Synced
    from samemind.commands.ingest._parts import Queue
    from samemind.commands.ingest.extract import Extracted
    from samemind.commands.ingest.held_drop import Dropped
    from samemind.commands.ingest.held_list import HeldList
    from samemind.commands.ingest.held_release import Released
    from samemind.commands.ingest.queue_requeue import Requeued
    from samemind.commands.keeping._parts import BlockView, GoalView, Profile, Triggers, TriggerView
    from samemind.commands.keeping.blocks_list import Blocks
    from samemind.commands.keeping.calendar import Calendar
    from samemind.commands.keeping.goals_list import Goals
    from samemind.commands.keeping.sessions import Sessions
    from samemind.commands.keeping_safe.backup import BackedUp
    from samemind.commands.mailbox._parts import MailboxView
    from samemind.commands.mailbox.invite import MailboxInvitation
    from samemind.commands.mailbox.list import MailboxesListed
    from samemind.commands.mailbox.look import MailboxesLooked
    from samemind.commands.mailbox.phones import PhonesServed
    from samemind.commands.mailbox.remove import MailboxRemoved
    from samemind.commands.mailbox.serve_config import ServerConfig
    from samemind.commands.memories._forgotten import Forgotten
    from samemind.commands.memories._remembered import Remembered
    from samemind.commands.memories.history import History
    from samemind.commands.memories.recall import Recalled
    from samemind.commands.past.diff import Difference
    from samemind.commands.thinking._parts import Retracted
    from samemind.commands.thinking.think import Thought
    from samemind.commands.thinking.unconsolidate import Unconsolidated
    from samemind.commands.thinking.unlink import Unlinked
    from samemind.formats.arguments import Id, Meta, Rid, Spaces, When
    from samemind.formats.memory_view import Listed, MemoryView


class Methods(Asking):
    """A method for each command."""

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
        wordings: Iterable[str] = (),
        claims: Iterable[str] = (),
        rid: Rid | None = None,
    ) -> Remembered:
        """Store a memory, durably.

        What follows from its words (`facts`, `says_same`, `contradictions`) takes longer than storing it. With
        `read=False` nobody waits for it: it is worked out behind that, before anything else is answered. With `wait` it
        is also waited for until the memory is found by meaning, and with `nominees` these are asked for too.
        """
        answer: Remembered = await self._ask(
            "remember",
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
            tag=texts_of(tag),
            meta=pairs_of(meta),
            pin=pin,
            workspace=workspace,
            wait=wait,
            no_dedup=no_dedup,
            no_facts=no_facts,
            read=read,
            nominees=nominees,
            wordings=texts_of(wordings),
            claims=texts_of(claims),
            rid=None if rid is None else rid_of(rid),
        )
        return answer

    async def recall(
        self,
        query: str,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        source: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        k: int = 10,
        explain: bool = False,
        no_graph: bool = False,
        now: When | None = None,
        min_confidence: float = 0.0,
    ) -> Recalled:
        """Search memories by words and meaning, best first."""
        answer: Recalled = await self._ask(
            "recall",
            as_of=when_of(as_of),
            seen_by=seen_by,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=texts_of(tag),
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            source=source,
            workspace=texts_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            query=query,
            k=k,
            explain=explain,
            no_graph=no_graph,
            now=when_of(now),
            min_confidence=min_confidence,
        )
        return answer

    async def get(
        self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None, guess: bool = False
    ) -> MemoryView:
        """Return one memory, as it is or as it was."""
        answer: MemoryView = await self._ask(
            "get", as_of=when_of(as_of), seen_by=seen_by, rid=rid_of(rid), guess=guess
        )
        return answer

    async def list(
        self,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        source: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        fading: bool = False,
        each: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Listed:
        """List memories, newest first; or, `fading`, those that are about to be forgotten, the faintest first."""
        answer: Listed = await self._ask(
            "list",
            as_of=when_of(as_of),
            seen_by=seen_by,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=texts_of(tag),
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            source=source,
            workspace=texts_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            fading=fading,
            each=each,
            limit=limit,
            offset=offset,
        )
        return answer

    async def edit(self, rid: Rid, text: str, *, was: str | None = None) -> MemoryView:
        """Edit the text of a memory; `NeedsDecision` if it is no longer what it `was`."""
        answer: MemoryView = await self._ask("edit", rid=rid_of(rid), text=text, was=was)
        return answer

    async def tag(self, rid: Rid, *tags: str, remove: bool = False) -> MemoryView:
        """Add labels to a memory, or remove them."""
        answer: MemoryView = await self._ask("tag", rid=rid_of(rid), tags=texts_of(tags), remove=remove)
        return answer

    async def pin(self, rid: Rid) -> MemoryView:
        """Pin a memory: keep it in the core profile."""
        answer: MemoryView = await self._ask("pin", rid=rid_of(rid))
        return answer

    async def unpin(self, rid: Rid) -> MemoryView:
        """Let a pinned memory fade again."""
        answer: MemoryView = await self._ask("unpin", rid=rid_of(rid))
        return answer

    async def archive(self, rid: Rid) -> MemoryView:
        """Archive a memory: it is kept, and shown only on request."""
        answer: MemoryView = await self._ask("archive", rid=rid_of(rid))
        return answer

    async def unarchive(self, rid: Rid) -> MemoryView:
        """Bring back an archived memory."""
        answer: MemoryView = await self._ask("unarchive", rid=rid_of(rid))
        return answer

    async def forget(
        self,
        *rids: Rid,
        erase: bool = False,
        status: bool = False,
        only: bool = False,
        workspace: str | None = None,
    ) -> Forgotten:
        """Forget memories and others that say the same, on every device; or erase them from every file."""
        answer: Forgotten = await self._ask(
            "forget",
            rids=[rid_of(one) for one in rids],
            erase=erase,
            status=status,
            only=only,
            workspace=workspace,
        )
        return answer

    async def history(self, rid: Rid, *, limit: int | None = None, offset: int = 0) -> History:
        """Return every change to a memory."""
        answer: History = await self._ask("history", rid=rid_of(rid), limit=limit, offset=offset)
        return answer

    async def context(
        self,
        query: str | None = None,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        source: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        max_tokens: int | None = None,
        window: int | None = None,
        conversation: Iterable[Mapping[str, object]] = (),
        compact_at: float = 0.8,
        overview: bool = False,
        ids: bool = False,
        now: When | None = None,
        min_confidence: float = 0.1,
    ) -> ContextBlock:
        """Build a block for a prompt: what memory knows about a question, fenced as data.

        With the `conversation` so far (messages of role and content, the last of the user the question where there is
        no other) and the `window` of the model, the `messages` to send: memory put in, and room made for it.
        """
        answer: ContextBlock = await self._ask(
            "context",
            as_of=when_of(as_of),
            seen_by=seen_by,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=texts_of(tag),
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            source=source,
            workspace=texts_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            query=query,
            max_tokens=max_tokens,
            window=window,
            conversation=messages_of(conversation),
            compact_at=compact_at,
            overview=overview,
            ids=ids,
            now=when_of(now),
            min_confidence=min_confidence,
        )
        return answer

    async def why(self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None) -> Why:
        """Return where a memory comes from: who said it, which device wrote it, whether its signature is valid."""
        answer: Why = await self._ask("why", as_of=when_of(as_of), seen_by=seen_by, rid=rid_of(rid))
        return answer

    async def why_not(
        self,
        rid: Rid,
        query: str,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        type: str | None = None,
        domain: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        tag: Iterable[str] = (),
        meta: Meta | None = None,
        speaker: str | None = None,
        session: str | None = None,
        source: str | None = None,
        workspace: Spaces = None,
        since: When | None = None,
        until: When | None = None,
        include_cold: bool = False,
        k: int = 10,
    ) -> WhyNot:
        """Explain why a memory is not among the answers to a question."""
        answer: WhyNot = await self._ask(
            "why-not",
            as_of=when_of(as_of),
            seen_by=seen_by,
            type=type,
            domain=domain,
            project=project,
            topic=topic,
            tag=texts_of(tag),
            meta=pairs_of(meta),
            speaker=speaker,
            session=session,
            source=source,
            workspace=texts_of(workspace),
            since=when_of(since),
            until=when_of(until),
            include_cold=include_cold,
            rid=rid_of(rid),
            query=query,
            k=k,
        )
        return answer

    async def diff(
        self,
        since: When,
        *,
        until: When | None = None,
        seen_by: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Difference:
        """Return how memories changed between two times: what is new, what changed, what was forgotten."""
        answer: Difference = await self._ask(
            "diff", since=when_of(since), until=when_of(until), seen_by=seen_by, limit=limit, offset=offset
        )
        return answer

    async def relate(self, source: str, relation: str, target: str, *, weight: float = 1.0) -> EdgeView:
        """Relate two entities or memories by an edge."""
        answer: EdgeView = await self._ask(
            "relate", source=source, relation=relation, target=target, weight=weight
        )
        return answer

    async def unrelate(self, source: str, relation: str, target: str) -> EdgeView:
        """Remove an edge."""
        answer: EdgeView = await self._ask("unrelate", source=source, relation=relation, target=target)
        return answer

    async def graph(
        self, entity: str, *, as_of: When | None = None, seen_by: str | None = None, hops: int = 1
    ) -> Graph:
        """Return what an entity is related to."""
        answer: Graph = await self._ask(
            "graph", as_of=when_of(as_of), seen_by=seen_by, entity=entity, hops=hops
        )
        return answer

    async def entities(
        self, *, as_of: When | None = None, seen_by: str | None = None, limit: int = 50
    ) -> Entities:
        """List the people, places and things that memories and edges name, the most frequent first."""
        answer: Entities = await self._ask("entities", as_of=when_of(as_of), seen_by=seen_by, limit=limit)
        return answer

    async def contradictions(
        self,
        *,
        status: str | None = None,
        attention: str | None = None,
        workspace: str | None = None,
        as_of: When | None = None,
        limit: int = 50,
    ) -> Contradictions:
        """List contradictions (statements that cannot all be true), open ones first."""
        answer: Contradictions = await self._ask(
            "contradictions list",
            status=status,
            attention=attention,
            workspace=workspace,
            as_of=when_of(as_of),
            limit=limit,
        )
        return answer

    async def contradiction(self, id: Id, *, as_of: When | None = None) -> ContradictionView:
        """Return one contradiction: who said what and when, what holds, and what was decided."""
        answer: ContradictionView = await self._ask("contradictions show", id=id_of(id), as_of=when_of(as_of))
        return answer

    async def review(self, *, workspace: str | None = None, limit: int = 20) -> Review:
        """List pairs of memories that may contradict or repeat each other and nobody has judged."""
        answer: Review = await self._ask("contradictions review", workspace=workspace, limit=limit)
        return answer

    async def resolve(
        self,
        id: Id,
        *,
        keep_a: bool = False,
        keep_b: bool = False,
        keep_both: bool = False,
        keep: Rid | None = None,
        since: When | None = None,
        merge: str | None = None,
    ) -> Resolved:
        """Resolve a contradiction: choose what is kept; the rest is hidden, not deleted.

        With `since` it changed: what is kept holds from then on, and the others held until then.
        """
        answer: Resolved = await self._ask(
            "contradictions resolve",
            id=id_of(id),
            keep_a=keep_a,
            keep_b=keep_b,
            keep_both=keep_both,
            keep=None if keep is None else rid_of(keep),
            since=when_of(since),
            merge=merge,
        )
        return answer

    async def reopen(self, id: Id) -> Reopened:
        """Reopen a contradiction: undo the decision on it, on every device, and ask again.

        What the decision hid or replaced holds again; a memory that it made by `merge` is forgotten. What is open stays
        so.
        """
        answer: Reopened = await self._ask("contradictions reopen", id=id_of(id))
        return answer

    async def snooze_contradiction(self, id: Id, until: When) -> ContradictionView:
        """Postpone a contradiction on every device: nobody is asked until then, unless something new is told."""
        answer: ContradictionView = await self._ask(
            "contradictions snooze", id=id_of(id), until=when_of(until)
        )
        return answer

    async def settle(
        self, a: Rid, b: Rid, verdict: str, *, since: When | None = None, by: str = "person"
    ) -> Settled:
        """Judge how two memories relate: same, changed, disagree, two_things or repeats.

        `by` is `person` or `agent`: a person outranks an agent, so a program passes `agent`.
        """
        answer: Settled = await self._ask(
            "settle", a=rid_of(a), b=rid_of(b), verdict=verdict, since=when_of(since), by=by
        )
        return answer

    async def correct(self, rid: Rid, text: str) -> Corrected:
        """Correct a memory: replace a text that is wrong."""
        answer: Corrected = await self._ask("correct", rid=rid_of(rid), text=text)
        return answer

    async def queue(self, *, status: str | None = None, limit: int = 50) -> Queue:
        """List what still has to be embedded or read by a model, and what failed."""
        answer: Queue = await self._ask("queue list", status=status, limit=limit)
        return answer

    async def requeue(self, *ids: str) -> Requeued:
        """Retry entries of the queue that failed: those named, or all."""
        answer: Requeued = await self._ask("queue requeue", ids=texts_of(ids))
        return answer

    async def wait_for_queue(self) -> Queue:
        """Wait until everything is read and embedded."""
        answer: Queue = await self._ask("queue wait")
        return answer

    async def held(self) -> HeldList:
        """List quarantined texts: they look secret, so they were not stored as memories."""
        answer: HeldList = await self._ask("held list")
        return answer

    async def release_held(self, id: Id) -> Released:
        """Release a quarantined text: store it as a memory."""
        answer: Released = await self._ask("held release", id=id_of(id))
        return answer

    async def drop_held(self, id: Id) -> Dropped:
        """Delete a quarantined text."""
        answer: Dropped = await self._ask("held drop", id=id_of(id))
        return answer

    async def extract(self, session: str, *, workspace: str | None = None, wait: bool = False) -> Extracted:
        """Have the model read what is new in a conversation, as at its end."""
        answer: Extracted = await self._ask("extract", session=session, workspace=workspace, wait=wait)
        return answer

    async def think(self) -> Thought:
        """Run one cycle of thinking now: some seconds at most; call it again while its result has `more`."""
        answer: Thought = await self._ask("think")
        return answer

    async def unconsolidate(self, rid: Rid) -> Unconsolidated:
        """Take a summary apart: its memories are shown on their own again."""
        answer: Unconsolidated = await self._ask("unconsolidate", rid=rid_of(rid))
        return answer

    async def unlink(self, rid: Rid) -> Unlinked:
        """Unlink a memory from others that were taken to say the same."""
        answer: Unlinked = await self._ask("unlink", rid=rid_of(rid))
        return answer

    async def retract(
        self,
        *,
        source: str | None = None,
        device: str | None = None,
        speaker: str | None = None,
        since: When | None = None,
        ops: str | None = None,
        dry_run: bool = False,
        undo_s: float = 0.0,
    ) -> Retracted:
        """Retract everything learned from a source, a device or a speaker; cancelled in time, it changes nothing."""
        answer: Retracted = await self._ask(
            "retract",
            source=source,
            device=device,
            speaker=speaker,
            since=when_of(since),
            ops=ops,
            dry_run=dry_run,
            undo_s=undo_s,
        )
        return answer

    async def triggers(
        self, *, as_of: When | None = None, seen_by: str | None = None, all: bool = False
    ) -> Triggers:
        """List triggers (what memory brings up by itself), most urgent first."""
        answer: Triggers = await self._ask("triggers list", as_of=when_of(as_of), seen_by=seen_by, all=all)
        return answer

    async def deliver(self, id: Id) -> TriggerView:
        """Mark a trigger as shown. Show it only if the result has `changed`: if not, another device has shown it."""
        answer: TriggerView = await self._ask("triggers deliver", id=id_of(id))
        return answer

    async def act(self, id: Id) -> TriggerView:
        """Mark a trigger as acted on, on every device."""
        answer: TriggerView = await self._ask("triggers act", id=id_of(id))
        return answer

    async def dismiss(self, id: Id) -> TriggerView:
        """Dismiss a trigger, on every device."""
        answer: TriggerView = await self._ask("triggers dismiss", id=id_of(id))
        return answer

    async def snooze(self, id: Id, until: When) -> TriggerView:
        """Postpone a trigger on every device until that time, which may be in words: "2h"."""
        answer: TriggerView = await self._ask("triggers snooze", id=id_of(id), until=when_of(until))
        return answer

    async def calendar(
        self,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        output: str | os.PathLike[str] | None = None,
    ) -> Calendar:
        """Return reminders in the iCalendar format, or write them to a file."""
        answer: Calendar = await self._ask(
            "calendar",
            as_of=when_of(as_of),
            seen_by=seen_by,
            output=None if output is None else new_path(output),
        )
        return answer

    async def goals(
        self, *, as_of: When | None = None, seen_by: str | None = None, all: bool = False
    ) -> Goals:
        """List goals with their progress; with `all`, include those that are done."""
        answer: Goals = await self._ask("goals list", as_of=when_of(as_of), seen_by=seen_by, all=all)
        return answer

    async def add_goal(self, text: str, *, source: str | None = None) -> GoalView:
        """Add a goal."""
        answer: GoalView = await self._ask("goals add", text=text, source=source)
        return answer

    async def finish_goal(self, rid: Rid) -> GoalView:
        """Mark a goal as reached."""
        answer: GoalView = await self._ask("goals done", rid=rid_of(rid))
        return answer

    async def profile(
        self, *, as_of: When | None = None, seen_by: str | None = None, limit: int = 50
    ) -> Profile:
        """Show the profile of the owner."""
        answer: Profile = await self._ask("profile show", as_of=when_of(as_of), seen_by=seen_by, limit=limit)
        return answer

    async def blocks(self, *, as_of: When | None = None, seen_by: str | None = None) -> Blocks:
        """List the editable blocks, which are part of every prompt."""
        answer: Blocks = await self._ask("blocks list", as_of=when_of(as_of), seen_by=seen_by)
        return answer

    async def block(self, label: str, *, as_of: When | None = None, seen_by: str | None = None) -> BlockView:
        """Show one block."""
        answer: BlockView = await self._ask("blocks get", as_of=when_of(as_of), seen_by=seen_by, label=label)
        return answer

    async def edit_block(self, label: str, text: str) -> BlockView:
        """Write a block, or create it; edits made elsewhere at the same time are merged."""
        answer: BlockView = await self._ask("blocks edit", label=label, text=text)
        return answer

    async def sessions(
        self,
        *,
        as_of: When | None = None,
        seen_by: str | None = None,
        limit: int = 20,
        offset: int = 0,
        session: str | None = None,
    ) -> Sessions:
        """List the conversations that memories came from, latest first, each with a summary."""
        answer: Sessions = await self._ask(
            "sessions", as_of=when_of(as_of), seen_by=seen_by, limit=limit, offset=offset, session=session
        )
        return answer

    async def carry_export(
        self, file: str | os.PathLike[str], *, since_peer: str | None = None
    ) -> CarriedOut:
        """Write what other devices may lack to a sealed file; to a folder, only what is not in it yet."""
        answer: CarriedOut = await self._ask("carry export", file=full_path(file), since_peer=since_peer)
        return answer

    async def carry_import(self, file: str | os.PathLike[str]) -> CarriedIn:
        """Read what another device wrote with `carry export`: a file, or every file in a folder."""
        answer: CarriedIn = await self._ask("carry import", file=full_path(file))
        return answer

    async def add_mailbox(
        self,
        url: str | None = None,
        *,
        name: str | None = None,
        secret_file: str | os.PathLike[str] | None = None,
        invitation: str | os.PathLike[str] | None = None,
        certificate: str | os.PathLike[str] | None = None,
        megabytes: int | None = None,
    ) -> MailboxView:
        """Add a mailbox: a folder, WebDAV, a bucket, or a NATS server."""
        answer: MailboxView = await self._ask(
            "mailbox add",
            url=url,
            name=name,
            secret_file=None if secret_file is None else full_path(secret_file),
            invitation=None if invitation is None else full_path(invitation),
            certificate=None if certificate is None else full_path(certificate),
            megabytes=megabytes,
        )
        return answer

    async def mailboxes(self) -> MailboxesListed:
        """Return the mailboxes of this device, and the state of each."""
        answer: MailboxesListed = await self._ask("mailbox list")
        return answer

    async def remove_mailbox(self, name: str) -> MailboxRemoved:
        """Stop using a mailbox; its files stay there."""
        answer: MailboxRemoved = await self._ask("mailbox remove", name=name)
        return answer

    async def look_into_mailboxes(self, name: str | None = None) -> MailboxesLooked:
        """Sync with a mailbox now, or with all: fetch what is new, write what is lacking."""
        answer: MailboxesLooked = await self._ask("mailbox look", name=name)
        return answer

    async def invite_to_mailbox(self, name: str) -> MailboxInvitation:
        """Return an invitation to a mailbox, for another device; it holds the secret."""
        answer: MailboxInvitation = await self._ask("mailbox invite", name=name)
        return answer

    async def mailbox_server_config(
        self,
        host: str,
        *,
        key_file: str | os.PathLike[str] | None = None,
        new_key: bool = False,
        port: int = 4222,
        no_tls: bool = False,
    ) -> ServerConfig:
        """Return the configuration of a NATS server that is to be a mailbox for this group."""
        answer: ServerConfig = await self._ask(
            "mailbox serve-config",
            host=host,
            key_file=None if key_file is None else full_path(key_file),
            new_key=new_key,
            port=port,
            no_tls=no_tls,
        )
        return answer

    async def share_mailbox_with_phones(
        self, name: str, *, at: str | None = None, off: bool = False
    ) -> PhonesServed:
        """Let phones use a mailbox, too, or stop that."""
        answer: PhonesServed = await self._ask("mailbox phones", name=name, at=at, off=off)
        return answer

    async def peers(self) -> Peers:
        """Return the other devices of the group."""
        answer: Peers = await self._ask("peers list")
        return answer

    async def rename_peer(self, device: str, name: str) -> PeerView:
        """Give a device another name here."""
        answer: PeerView = await self._ask("peers rename", device=device, name=name)
        return answer

    async def add_peer(self, device: str, *, address: str) -> PeerView:
        """Save an address at which a device can always be reached."""
        answer: PeerView = await self._ask("peers add", device=device, address=address)
        return answer

    async def revoke_peer(self, device: str, *, undo: bool = False) -> PeerView:
        """Revoke a device for good; `undo` also undoes whom it introduced and whom it revoked."""
        answer: PeerView = await self._ask("peers revoke", device=device, undo=undo)
        return answer

    async def group(self) -> GroupView:
        """Return the members of the group, who outranks whom, and who was revoked by whom."""
        answer: GroupView = await self._ask("group show")
        return answer

    async def make_recovery(self) -> Recovery:
        """Make the recovery code, by which any device can repair the group: once, on the oldest device."""
        answer: Recovery = await self._ask("group recovery")
        return answer

    async def sync(self, peer: str | None = None, *, address: str | None = None) -> Synced:
        """Sync now, with one device or with all that can be reached."""
        answer: Synced = await self._ask("sync", peer=peer, address=address)
        return answer

    async def backup(self, file: str | os.PathLike[str]) -> BackedUp:
        """Copy the store to a file."""
        answer: BackedUp = await self._ask("backup", file=full_path(file))
        return answer

    async def status(self) -> DaemonStatus:
        """Return what this device is, whether its daemon runs, and how its peers are."""
        answer: DaemonStatus = await self._ask("status")
        return answer

    async def digest(self) -> Digest:
        """Return digests of the state, which are equal on devices that agree."""
        answer: Digest = await self._ask("digest")
        return answer

    async def log(self, *, limit: int = 20, after: int | None = None, wait: bool = False) -> Log:
        """Return the last ops of the log."""
        answer: Log = await self._ask("log", limit=limit, after=after, wait=wait)
        return answer

    async def verify(self, *, accept_loss: bool = False) -> Verified:
        """Check every chain and signature, and recompute the state from the log."""
        answer: Verified = await self._ask("verify", accept_loss=accept_loss)
        return answer

    async def compact(self) -> Compacted:
        """Compact the log: fold ops that every device has into the base, which drops their history."""
        answer: Compacted = await self._ask("compact")
        return answer

    async def doctor(self) -> Doctored:
        """Look for problems, and say how to solve them."""
        answer: Doctored = await self._ask("doctor")
        return answer

    async def stats(self) -> Stats:
        """Count memories, edges, ops and devices, and measure the store."""
        answer: Stats = await self._ask("stats")
        return answer

    async def ids(self, *beginnings: Id, limit: int = 20) -> Ids:
        """List ids of memories and devices by prefix, with the shortest form of each."""
        answer: Ids = await self._ask("ids", beginnings=[id_of(one) for one in beginnings], limit=limit)
        return answer

    async def warmup(self) -> Warmed:
        """Load the embedder and the vectors now, rather than at the first recall."""
        answer: Warmed = await self._ask("warmup")
        return answer
