"""The verbs as methods, for programs that run trio.

Every method is the verb of the command line with the same name and options, and returns its result as a frozen
dataclass. Where a memory's id is expected, anything that has a `rid` will do; where a time is, a datetime or ISO text.
"""

import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import trio

from samemind.arguments import (
    Id,
    Meta,
    Rid,
    Spaces,
    When,
    assignments_of,
    full_path,
    id_of,
    messages_of,
    pairs_of,
    rid_of,
    spaces_of,
    when_of,
)
from samemind.config import Home
from samemind.control.pouring import draw, poured
from samemind.control.server import Say
from samemind.reach import Reached, reach
from samemind.results.answers import ContextBlock, Why, WhyNot
from samemind.results.carry import CarriedIn, CarriedOut
from samemind.results.contradictions import Contradictions, ContradictionView, Corrected, Resolved
from samemind.results.device import Compacted, DaemonStatus, Digest, Doctored, Log, Stats, Verified, Warmed
from samemind.results.graph import EdgeView, Entities, Graph
from samemind.results.group import Paired, Peers, PeerView, Synced
from samemind.results.keeping import (
    Blocks,
    BlockView,
    Goals,
    GoalView,
    Profile,
    Sessions,
    Taught,
    Triggers,
    TriggerView,
)
from samemind.results.keeping_safe import BackedUp
from samemind.results.memories import (
    Forgotten,
    History,
    Listed,
    MemoryView,
    Recalled,
    Remembered,
    RememberedMany,
)
from samemind.results.past import Difference
from samemind.results.plain import from_json
from samemind.results.portable import Exported, Imported
from samemind.results.taking import Dropped, Extracted, HeldList, Queue, Released, Requeued
from samemind.results.thinking import Retracted, Thought, Unconsolidated
from samemind.surface import (
    answers,
    carry,
    contradictions,
    device,
    graph,
    group,
    keeping,
    keeping_safe,
    memories,
    past,
    portable,
    taking,
    thinking,
)
from samemind.surface.declare import Verb

Result = TypeVar("Result")

if TYPE_CHECKING:
    from cognition.sensory import Kind as SensedKind
    from cognition.sensory import SensoryBuffer


class Mind:
    """One device's memory. Made by `samemind.open`."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._sensed: SensoryBuffer | None = None  # made by the first thing that is sensed

    def sense(self, text: str, *, kind: "SensedKind" = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        if self._sensed is None:
            from cognition.sensory import SensoryBuffer  # loads a mind, which most callers have no use for

            self._sensed = SensoryBuffer()
        self._sensed.push(text, kind=kind, now_ms=_monotonic_ms(), speaker=speaker)

    async def absorb(self) -> RememberedMany:
        """Remember what was sensed and is still fresh, with the facts in it; what it was, is `source_kind`."""
        fresh = [] if self._sensed is None else self._sensed.process(_monotonic_ms())
        items = [
            {"text": one.text, "meta": {"source_kind": one.kind}}
            | ({} if one.speaker is None else {"speaker": one.speaker})
            for one in fresh
        ]
        return await self.remember_many(items, facts=True)

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
    ) -> Remembered:
        """Store a memory."""
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

    async def diff(self, since: When, *, until: When | None = None, seen_by: str | None = None) -> Difference:
        """Return what became of memories between two moments: what is new, what changed, what was forgotten."""
        return await self._ask(past.DIFF, since=when_of(since), until=when_of(until), seen_by=seen_by)

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

    async def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int | None = None,
        window: int | None = None,
        conversation: Iterable[Mapping[str, str]] = (),
        compact_at: float = 0.8,
        overview: bool = False,
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
    ) -> ContextBlock:
        """Make the block to put in a prompt: what memory holds about a question, fenced as data.

        With the `conversation` so far (messages of role and content, the last of the user the question where there is
        no other) and the `window` of the model, the `messages` to send: memory put in, and room made for it.
        """
        return await self._ask(
            answers.CONTEXT,
            query=query,
            max_tokens=max_tokens,
            window=window,
            conversation=messages_of(conversation),
            compact_at=compact_at,
            overview=overview,
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

    async def why(self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None) -> Why:
        """Return where a memory comes from: who told it, which device wrote it, and whether its signature holds."""
        return await self._ask(answers.WHY, rid=rid_of(rid), as_of=when_of(as_of), seen_by=seen_by)

    async def why_not(
        self,
        rid: Rid,
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
        as_of: When | None = None,
        seen_by: str | None = None,
    ) -> WhyNot:
        """Return why a memory does not come up for a question."""
        return await self._ask(
            answers.WHY_NOT,
            rid=rid_of(rid),
            query=query,
            k=k,
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

    async def relate(self, source: str, relation: str, target: str, *, weight: float = 1.0) -> EdgeView:
        """Say how two things are related."""
        return await self._ask(graph.RELATE, source=source, relation=relation, target=target, weight=weight)

    async def unrelate(self, source: str, relation: str, target: str) -> EdgeView:
        """Take an edge away."""
        return await self._ask(graph.UNRELATE, source=source, relation=relation, target=target)

    async def graph(
        self, entity: str, *, hops: int = 1, as_of: When | None = None, seen_by: str | None = None
    ) -> Graph:
        """Return what an entity is related to."""
        return await self._ask(graph.GRAPH, entity=entity, hops=hops, as_of=when_of(as_of), seen_by=seen_by)

    async def entities(
        self, *, limit: int = 50, as_of: When | None = None, seen_by: str | None = None
    ) -> Entities:
        """List the people, places and things that memories name and edges join, the commonest first."""
        return await self._ask(graph.ENTITIES, limit=limit, as_of=when_of(as_of), seen_by=seen_by)

    async def queue(self, *, status: str | None = None, limit: int = 50) -> Queue:
        """List what is still to be embedded or read by a model, and what was given up."""
        return await self._ask(taking.QUEUE, status=status, limit=limit)

    async def requeue(self, *ids: str) -> Requeued:
        """Try again what was given up: these entries, or all."""
        return await self._ask(taking.REQUEUE, ids=list(ids))

    async def wait_for_queue(self) -> Queue:
        """Wait until everything is embedded."""
        return await self._ask(taking.QUEUE_WAIT)

    async def held(self) -> HeldList:
        """List what looked secret and was therefore not remembered."""
        return await self._ask(taking.HELD)

    async def release_held(self, id: str) -> Released:
        """Remember what was held back after all."""
        return await self._ask(taking.HELD_RELEASE, id=id)

    async def drop_held(self, id: str) -> Dropped:
        """Throw away what was held back."""
        return await self._ask(taking.HELD_DROP, id=id)

    async def extract(self, session: str, *, workspace: str | None = None, wait: bool = False) -> Extracted:
        """Have the model read what is new in a chat, at its end."""
        return await self._ask(taking.EXTRACT, session=session, workspace=workspace, wait=wait)

    async def import_(
        self,
        *files: str | os.PathLike[str],
        format: str = "auto",
        workspace: str | None = None,
        facts: bool = False,
    ) -> Imported:
        """Bring memories in; what came in before is passed over."""
        drawn = [
            await trio.to_thread.run_sync(draw, full_path(file), abandon_on_cancel=True) for file in files
        ]
        with poured(drawn) as paths:  # who holds the store cannot read our pipes
            return await self._ask(
                portable.IMPORT, files=paths, format=format, workspace=workspace, facts=facts
            )

    async def export(self, output: str | os.PathLike[str], *, format: str = "jsonl") -> Exported:
        """Take every memory out, with everything that belongs to it, to a file."""
        return await self._ask(portable.EXPORT, output=full_path(output), format=format)

    async def think(self) -> Thought:
        """Run one cycle of thinking now."""
        return await self._ask(thinking.THINK)

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
        """Take back everything learned from a source, a device or a speaker; cancelled in time, it changes nothing."""
        return await self._ask(
            thinking.RETRACT,
            source=source,
            device=device,
            speaker=speaker,
            since=when_of(since),
            ops=ops,
            dry_run=dry_run,
            undo_s=undo_s,
        )

    async def unconsolidate(self, rid: Rid) -> Unconsolidated:
        """Take a summary apart; its memories stand for themselves again."""
        return await self._ask(thinking.UNCONSOLIDATE, rid=rid_of(rid))

    async def contradictions(
        self,
        *,
        status: str | None = None,
        workspace: str | None = None,
        as_of: When | None = None,
        limit: int = 50,
    ) -> Contradictions:
        """List what was told that cannot all be true, open questions first."""
        return await self._ask(
            contradictions.CONTRADICTIONS,
            status=status,
            workspace=workspace,
            as_of=when_of(as_of),
            limit=limit,
        )

    async def contradiction(self, id: str, *, as_of: When | None = None) -> ContradictionView:
        """Return one contradiction: who said what and when, what holds, and what was decided."""
        return await self._ask(contradictions.SHOW, id=id, as_of=when_of(as_of))

    async def resolve(
        self,
        id: str,
        *,
        keep_a: bool = False,
        keep_b: bool = False,
        keep_both: bool = False,
        keep: Rid | None = None,
        merge: str | None = None,
    ) -> Resolved:
        """Decide a contradiction; what is not kept is hidden, and nothing is lost."""
        return await self._ask(
            contradictions.RESOLVE,
            id=id,
            keep_a=keep_a,
            keep_b=keep_b,
            keep_both=keep_both,
            keep=None if keep is None else rid_of(keep),
            merge=merge,
        )

    async def correct(self, rid: Rid, text: str) -> Corrected:
        """Say what a memory should have said; what it said before holds no more."""
        return await self._ask(contradictions.CORRECT, rid=rid_of(rid), text=text)

    async def triggers(
        self, *, all: bool = False, as_of: When | None = None, seen_by: str | None = None
    ) -> Triggers:
        """List what memory would bring up by itself, the most urgent first."""
        return await self._ask(keeping.TRIGGERS, all=all, as_of=when_of(as_of), seen_by=seen_by)

    async def deliver(self, id: Id) -> TriggerView:
        """Say that a trigger is shown now. Show it only if the result has `changed`: else some device did before."""
        return await self._ask(keeping.TRIGGERS_DELIVER, id=id_of(id))

    async def act(self, id: Id) -> TriggerView:
        """Say that a trigger was acted on; that holds on every device."""
        return await self._ask(keeping.TRIGGERS_ACT, id=id_of(id))

    async def dismiss(self, id: Id) -> TriggerView:
        """Say that nobody wants to hear of a trigger; that holds on every device."""
        return await self._ask(keeping.TRIGGERS_DISMISS, id=id_of(id))

    async def goals(
        self, *, all: bool = False, as_of: When | None = None, seen_by: str | None = None
    ) -> Goals:
        """List goals, and how they go; with `all`, those that are done too."""
        return await self._ask(keeping.GOALS, all=all, as_of=when_of(as_of), seen_by=seen_by)

    async def add_goal(self, text: str) -> GoalView:
        """State a goal."""
        return await self._ask(keeping.GOALS_ADD, text=text)

    async def finish_goal(self, rid: Rid) -> GoalView:
        """Say that a goal is reached."""
        return await self._ask(keeping.GOALS_DONE, rid=rid_of(rid))

    async def profile(self, *, as_of: When | None = None, seen_by: str | None = None) -> Profile:
        """Show the profile of the owner."""
        return await self._ask(keeping.PROFILE, as_of=when_of(as_of), seen_by=seen_by)

    async def set_profile(self, /, **values: str | None) -> Profile:
        """Set entries of the profile on every device; `None` clears one."""
        return await self._ask(
            keeping.PROFILE_SET, values=[f"{key}={value or ''}" for key, value in values.items()]
        )

    async def blocks(self, *, as_of: When | None = None, seen_by: str | None = None) -> Blocks:
        """List the editable blocks, which every prompt gets."""
        return await self._ask(keeping.BLOCKS, as_of=when_of(as_of), seen_by=seen_by)

    async def block(self, label: str, *, as_of: When | None = None, seen_by: str | None = None) -> BlockView:
        """Show one block."""
        return await self._ask(keeping.BLOCKS_GET, label=label, as_of=when_of(as_of), seen_by=seen_by)

    async def edit_block(self, label: str, text: str) -> BlockView:
        """Write a block, or make it; what others change in it at the same time is kept too."""
        return await self._ask(keeping.BLOCKS_EDIT, label=label, text=text)

    async def sessions(
        self,
        *,
        limit: int = 20,
        session: str | None = None,
        as_of: When | None = None,
        seen_by: str | None = None,
    ) -> Sessions:
        """List the conversations that memories came from, the latest first, each with a summary."""
        return await self._ask(
            keeping.SESSIONS, limit=limit, session=session, as_of=when_of(as_of), seen_by=seen_by
        )

    async def feedback(self, rid: Rid, *, relevant: bool, query: str | None = None) -> Taught:
        """Teach the ranking by one memory that was recalled, on every device alike."""
        return await self._ask(
            keeping.FEEDBACK, rid=rid_of(rid), relevant=relevant, irrelevant=not relevant, query=query
        )

    async def backup(self, file: str | os.PathLike[str]) -> BackedUp:
        """Copy the store to a file as it is at this moment."""
        return await self._ask(keeping_safe.BACKUP, file=full_path(file))

    async def digest(self) -> Digest:
        """Return what is equal on devices that agree."""
        return await self._ask(device.DIGEST)

    async def log(self, *, limit: int = 20) -> Log:
        """Return the last ops of the log."""
        return await self._ask(device.LOG, limit=limit)

    async def verify(self, *, accept_loss: bool = False) -> Verified:
        """Check every chain and signature, and compute the state anew from the log."""
        return await self._ask(device.VERIFY, accept_loss=accept_loss)

    async def compact(self) -> Compacted:
        """Fold ops that every device has into the base; their history is no longer told afterwards."""
        return await self._ask(device.COMPACT)

    async def doctor(self) -> Doctored:
        """Look for what is wrong, and say what to do about it."""
        return await self._ask(device.DOCTOR)

    async def stats(self) -> Stats:
        """Count what there is."""
        return await self._ask(device.STATS)

    async def warmup(self) -> Warmed:
        """Load the model and the vectors now rather than at the first recall."""
        return await self._ask(device.WARMUP)

    async def status(self) -> DaemonStatus:
        """Return what this device is, whether its daemon runs, and how its peers are."""
        return await self._ask(device.STATUS)

    async def peers(self) -> Peers:
        """Return the other devices of the group."""
        return await self._ask(group.PEERS)

    async def sync(self, peer: str | None = None, *, address: str | None = None) -> Synced:
        """Sync now, with one device or with all that can be reached."""
        return await self._ask(group.SYNC, peer=peer, address=address)

    async def carry_export(
        self, file: str | os.PathLike[str], *, since_peer: str | None = None
    ) -> CarriedOut:
        """Write what other devices may lack into a sealed file; into a folder: what it does not hold yet."""
        return await self._ask(carry.EXPORT, file=full_path(file), since_peer=since_peer)

    async def carry_import(self, file: str | os.PathLike[str]) -> CarriedIn:
        """Take in what another device wrote: a file, or every file of a folder."""
        return await self._ask(carry.IMPORT, file=full_path(file))

    async def pair(
        self,
        code: str | None = None,
        *,
        address: str | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Paired:
        """Join the device that shows a code; without one, show a code through `tell` and wait."""

        async def say(said: Mapping[str, Any]) -> None:
            if tell is not None:
                tell(said)

        return await self._ask(group.PAIR, code=code, address=address, _say=say)

    async def revoke_peer(self, device: str) -> PeerView:
        """Put a device out of the group for good."""
        return await self._ask(group.PEERS_REVOKE, device=device)

    async def rename_peer(self, device: str, name: str) -> PeerView:
        """Call a device by another name here."""
        return await self._ask(group.PEERS_RENAME, device=device, name=name)

    async def add_peer(self, device: str, *, address: str) -> PeerView:
        """Say where a device can always be reached."""
        return await self._ask(group.PEERS_ADD, device=device, address=address)

    async def _ask(self, verb: Verb[Any, Result], *, _say: Say | None = None, **options: Any) -> Result:
        given = {name: value for name, value in options.items() if value is not None}
        return from_json(verb.result, await self._reached.ask(verb.name, given, _say or _unheard))


@asynccontextmanager
async def open_mind(path: str | os.PathLike[str], *, name: str | None = None) -> AsyncIterator[Mind]:
    """Open a home for the block. While this program holds the store, it answers other programs that want it."""
    async with reach(Home.at(path), program="a program", answers=True, name=name) as reached:
        yield Mind(reached)


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile; its result is all that a method returns."""


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
