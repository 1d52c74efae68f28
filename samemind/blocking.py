"""The verbs as plain methods, for scripts, notebooks and threads of programs that do not run trio.

A thread of its own runs trio and the device, or the way to the program that holds the store. Any thread may call; calls
wait for their answer. `samemind.library` says what each method does; a test holds the two to the same signatures.
"""

import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import trio

from samemind.arguments import Id, Meta, Rid, Spaces, When
from samemind.errors import Unreachable
from samemind.library import Mind, open_mind
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
from samemind.results.portable import Exported, Imported
from samemind.results.taking import Dropped, Extracted, HeldList, Queue, Released, Requeued
from samemind.results.thinking import Retracted, Thought, Unconsolidated

if TYPE_CHECKING:
    from cognition.sensory import Kind as SensedKind

Result = TypeVar("Result")


class BlockingMind:
    """One device's memory. Made by `samemind.open_blocking`."""

    def __init__(self, mind: Mind, token: trio.lowlevel.TrioToken) -> None:
        self._mind: Final = mind
        self._token: Final = token

    def sense(self, text: str, *, kind: "SensedKind" = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        self._mind.sense(text, kind=kind, speaker=speaker)

    def absorb(self) -> RememberedMany:
        """Remember what was sensed and is still fresh, with the facts in it; what it was, is `source_kind`."""
        return self._run(lambda: self._mind.absorb())

    def remember(
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
        return self._run(
            lambda: self._mind.remember(
                text,
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
                event_start=event_start,
                event_end=event_end,
                at=at,
                source=source,
                tag=tag,
                meta=meta,
                pin=pin,
                workspace=workspace,
                wait=wait,
                no_dedup=no_dedup,
                no_facts=no_facts,
            )
        )

    def remember_many(
        self,
        items: Iterable[str | Mapping[str, Any]],
        *,
        workspace: str | None = None,
        wait: bool = False,
        no_dedup: bool = False,
        facts: bool = False,
    ) -> RememberedMany:
        """Store many memories in one commit: texts, or objects with a `text` and the options of `remember`."""
        return self._run(
            lambda: self._mind.remember_many(
                items, workspace=workspace, wait=wait, no_dedup=no_dedup, facts=facts
            )
        )

    def recall(
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
        return self._run(
            lambda: self._mind.recall(
                query,
                k=k,
                type=type,
                domain=domain,
                project=project,
                topic=topic,
                tag=tag,
                meta=meta,
                speaker=speaker,
                session=session,
                workspace=workspace,
                since=since,
                until=until,
                include_cold=include_cold,
                explain=explain,
                no_graph=no_graph,
                as_of=as_of,
                seen_by=seen_by,
            )
        )

    def list(
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
        return self._run(
            lambda: self._mind.list(
                limit=limit,
                offset=offset,
                type=type,
                domain=domain,
                project=project,
                topic=topic,
                tag=tag,
                meta=meta,
                speaker=speaker,
                session=session,
                workspace=workspace,
                since=since,
                until=until,
                include_cold=include_cold,
                as_of=as_of,
                seen_by=seen_by,
                fading=fading,
            )
        )

    def get(self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None) -> MemoryView:
        """Return one memory, as it is or as it was."""
        return self._run(lambda: self._mind.get(rid, as_of=as_of, seen_by=seen_by))

    def diff(self, since: When, *, until: When | None = None, seen_by: str | None = None) -> Difference:
        """Return what became of memories between two moments: what is new, what changed, what was forgotten."""
        return self._run(lambda: self._mind.diff(since, until=until, seen_by=seen_by))

    def edit(self, rid: Rid, text: str, *, was: str | None = None) -> MemoryView:
        """Change the words of a memory; `NeedsDecision` if it says something else by now than it `was`."""
        return self._run(lambda: self._mind.edit(rid, text, was=was))

    def set(self, rid: Rid, **values: Any) -> MemoryView:
        """Change fields of a memory; `None` clears one."""
        return self._run(lambda: self._mind.set(rid, **values))

    def tag(self, rid: Rid, *tags: str, remove: bool = False) -> MemoryView:
        """Label a memory, or take labels off."""
        return self._run(lambda: self._mind.tag(rid, *tags, remove=remove))

    def pin(self, rid: Rid) -> MemoryView:
        """Keep a memory in the core profile."""
        return self._run(lambda: self._mind.pin(rid))

    def unpin(self, rid: Rid) -> MemoryView:
        """Let a pinned memory fade again."""
        return self._run(lambda: self._mind.unpin(rid))

    def archive(self, rid: Rid) -> MemoryView:
        """Keep a memory, out of the way."""
        return self._run(lambda: self._mind.archive(rid))

    def unarchive(self, rid: Rid) -> MemoryView:
        """Bring an archived memory back."""
        return self._run(lambda: self._mind.unarchive(rid))

    def forget(
        self, *rids: Rid, erase: bool = False, status: bool = False, workspace: str | None = None
    ) -> Forgotten:
        """Forget memories on every device, and those that say the same; or erase them from every file."""
        return self._run(lambda: self._mind.forget(*rids, erase=erase, status=status, workspace=workspace))

    def history(self, rid: Rid) -> History:
        """Return everything that happened to a memory."""
        return self._run(lambda: self._mind.history(rid))

    def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int | None = None,
        window: int | None = None,
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
        """Make the block to put in a prompt: what memory holds about a question, fenced as data."""
        return self._run(
            lambda: self._mind.context(
                query,
                max_tokens=max_tokens,
                window=window,
                overview=overview,
                type=type,
                domain=domain,
                project=project,
                topic=topic,
                tag=tag,
                meta=meta,
                speaker=speaker,
                session=session,
                workspace=workspace,
                since=since,
                until=until,
                include_cold=include_cold,
                as_of=as_of,
                seen_by=seen_by,
            )
        )

    def why(self, rid: Rid, *, as_of: When | None = None, seen_by: str | None = None) -> Why:
        """Return where a memory comes from: who told it, which device wrote it, and whether its signature holds."""
        return self._run(lambda: self._mind.why(rid, as_of=as_of, seen_by=seen_by))

    def why_not(
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
        return self._run(
            lambda: self._mind.why_not(
                rid,
                query,
                k=k,
                type=type,
                domain=domain,
                project=project,
                topic=topic,
                tag=tag,
                meta=meta,
                speaker=speaker,
                session=session,
                workspace=workspace,
                since=since,
                until=until,
                include_cold=include_cold,
                as_of=as_of,
                seen_by=seen_by,
            )
        )

    def relate(self, source: str, relation: str, target: str, *, weight: float = 1.0) -> EdgeView:
        """Say how two things are related."""
        return self._run(lambda: self._mind.relate(source, relation, target, weight=weight))

    def unrelate(self, source: str, relation: str, target: str) -> EdgeView:
        """Take an edge away."""
        return self._run(lambda: self._mind.unrelate(source, relation, target))

    def graph(
        self, entity: str, *, hops: int = 1, as_of: When | None = None, seen_by: str | None = None
    ) -> Graph:
        """Return what an entity is related to."""
        return self._run(lambda: self._mind.graph(entity, hops=hops, as_of=as_of, seen_by=seen_by))

    def entities(self, *, limit: int = 50, as_of: When | None = None, seen_by: str | None = None) -> Entities:
        """List the people, places and things that memories name, the commonest first."""
        return self._run(lambda: self._mind.entities(limit=limit, as_of=as_of, seen_by=seen_by))

    def queue(self, *, status: str | None = None, limit: int = 50) -> Queue:
        """List what is still to be embedded or read by a model, and what was given up."""
        return self._run(lambda: self._mind.queue(status=status, limit=limit))

    def requeue(self, *ids: str) -> Requeued:
        """Try again what was given up: these entries, or all."""
        return self._run(lambda: self._mind.requeue(*ids))

    def wait_for_queue(self) -> Queue:
        """Wait until everything is embedded."""
        return self._run(lambda: self._mind.wait_for_queue())

    def held(self) -> HeldList:
        """List what looked secret and was therefore not remembered."""
        return self._run(lambda: self._mind.held())

    def release_held(self, id: str) -> Released:
        """Remember what was held back after all."""
        return self._run(lambda: self._mind.release_held(id))

    def drop_held(self, id: str) -> Dropped:
        """Throw away what was held back."""
        return self._run(lambda: self._mind.drop_held(id))

    def extract(self, session: str, *, workspace: str | None = None, wait: bool = False) -> Extracted:
        """Have the model read what is new in a chat, at its end."""
        return self._run(lambda: self._mind.extract(session, workspace=workspace, wait=wait))

    def import_(
        self,
        *files: str | os.PathLike[str],
        format: str = "auto",
        workspace: str | None = None,
        facts: bool = False,
    ) -> Imported:
        """Bring memories in; what came in before is passed over."""
        return self._run(lambda: self._mind.import_(*files, format=format, workspace=workspace, facts=facts))

    def export(self, output: str | os.PathLike[str], *, format: str = "jsonl") -> Exported:
        """Take every memory out, with everything that belongs to it, to a file."""
        return self._run(lambda: self._mind.export(output, format=format))

    def think(self) -> Thought:
        """Run one cycle of thinking now."""
        return self._run(lambda: self._mind.think())

    def retract(
        self,
        *,
        source: str | None = None,
        device: str | None = None,
        speaker: str | None = None,
        dry_run: bool = False,
        undo_s: float = 0.0,
    ) -> Retracted:
        """Take back everything learned from a source, a device or a speaker."""
        return self._run(
            lambda: self._mind.retract(
                source=source, device=device, speaker=speaker, dry_run=dry_run, undo_s=undo_s
            )
        )

    def unconsolidate(self, rid: Rid) -> Unconsolidated:
        """Take a summary apart; its memories stand for themselves again."""
        return self._run(lambda: self._mind.unconsolidate(rid))

    def contradictions(
        self,
        *,
        status: str | None = None,
        workspace: str | None = None,
        as_of: When | None = None,
        limit: int = 50,
    ) -> Contradictions:
        """List what was told that cannot all be true, open questions first."""
        return self._run(
            lambda: self._mind.contradictions(status=status, workspace=workspace, as_of=as_of, limit=limit)
        )

    def contradiction(self, id: str, *, as_of: When | None = None) -> ContradictionView:
        """Return one contradiction: who said what and when, what holds, and what was decided."""
        return self._run(lambda: self._mind.contradiction(id, as_of=as_of))

    def resolve(
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
        return self._run(
            lambda: self._mind.resolve(
                id, keep_a=keep_a, keep_b=keep_b, keep_both=keep_both, keep=keep, merge=merge
            )
        )

    def correct(self, rid: Rid, text: str) -> Corrected:
        """Say what a memory should have said; what it said before holds no more."""
        return self._run(lambda: self._mind.correct(rid, text))

    def triggers(self, *, all: bool = False) -> Triggers:
        """List what memory would bring up by itself, the most urgent first."""
        return self._run(lambda: self._mind.triggers(all=all))

    def deliver(self, id: Id) -> TriggerView:
        """Say that a trigger is shown now. Show it only if the result has `changed`: else some device did before."""
        return self._run(lambda: self._mind.deliver(id))

    def act(self, id: Id) -> TriggerView:
        """Say that a trigger was acted on; that holds on every device."""
        return self._run(lambda: self._mind.act(id))

    def dismiss(self, id: Id) -> TriggerView:
        """Say that nobody wants to hear of a trigger; that holds on every device."""
        return self._run(lambda: self._mind.dismiss(id))

    def goals(self, *, all: bool = False) -> Goals:
        """List goals, and how they go; with `all`, those that are done too."""
        return self._run(lambda: self._mind.goals(all=all))

    def add_goal(self, text: str) -> GoalView:
        """State a goal."""
        return self._run(lambda: self._mind.add_goal(text))

    def finish_goal(self, rid: Rid) -> GoalView:
        """Say that a goal is reached."""
        return self._run(lambda: self._mind.finish_goal(rid))

    def profile(self) -> Profile:
        """Show the profile of the owner."""
        return self._run(lambda: self._mind.profile())

    def set_profile(self, **values: str | None) -> Profile:
        """Set entries of the profile on every device; `None` clears one."""
        return self._run(lambda: self._mind.set_profile(**values))

    def blocks(self) -> Blocks:
        """List the editable blocks, which every prompt gets."""
        return self._run(lambda: self._mind.blocks())

    def block(self, label: str) -> BlockView:
        """Show one block."""
        return self._run(lambda: self._mind.block(label))

    def edit_block(self, label: str, text: str) -> BlockView:
        """Write a block, or make it; what others change in it at the same time is kept too."""
        return self._run(lambda: self._mind.edit_block(label, text))

    def sessions(self, *, limit: int = 20, session: str | None = None) -> Sessions:
        """List the conversations that memories came from, the latest first, each with a summary."""
        return self._run(lambda: self._mind.sessions(limit=limit, session=session))

    def feedback(self, rid: Rid, *, relevant: bool, query: str | None = None) -> Taught:
        """Teach the ranking by one memory that was recalled, on every device alike."""
        return self._run(lambda: self._mind.feedback(rid, relevant=relevant, query=query))

    def backup(self, file: str | os.PathLike[str]) -> BackedUp:
        """Copy the store to a file as it is at this moment."""
        return self._run(lambda: self._mind.backup(file))

    def digest(self) -> Digest:
        """Return what is equal on devices that agree."""
        return self._run(lambda: self._mind.digest())

    def log(self, *, limit: int = 20) -> Log:
        """Return the last ops of the log."""
        return self._run(lambda: self._mind.log(limit=limit))

    def verify(self) -> Verified:
        """Check every chain and signature, and compute the state anew from the log."""
        return self._run(lambda: self._mind.verify())

    def compact(self) -> Compacted:
        """Fold ops that every device has into the base; their history is no longer told afterwards."""
        return self._run(lambda: self._mind.compact())

    def doctor(self) -> Doctored:
        """Look for what is wrong, and say what to do about it."""
        return self._run(lambda: self._mind.doctor())

    def stats(self) -> Stats:
        """Count what there is."""
        return self._run(lambda: self._mind.stats())

    def warmup(self) -> Warmed:
        """Load the model and the vectors now rather than at the first recall."""
        return self._run(lambda: self._mind.warmup())

    def status(self) -> DaemonStatus:
        """Return what this device is, whether its daemon runs, and how its peers are."""
        return self._run(lambda: self._mind.status())

    def peers(self) -> Peers:
        """Return the other devices of the group."""
        return self._run(lambda: self._mind.peers())

    def sync(self, peer: str | None = None, *, address: str | None = None) -> Synced:
        """Sync now, with one device or with all that can be reached."""
        return self._run(lambda: self._mind.sync(peer, address=address))

    def carry_export(self, file: str | os.PathLike[str], *, since_peer: str | None = None) -> CarriedOut:
        """Write what other devices may lack into a sealed file; into a folder: what it does not hold yet."""
        return self._run(lambda: self._mind.carry_export(file, since_peer=since_peer))

    def carry_import(self, file: str | os.PathLike[str]) -> CarriedIn:
        """Take in what another device wrote: a file, or every file of a folder."""
        return self._run(lambda: self._mind.carry_import(file))

    def pair(
        self,
        code: str | None = None,
        *,
        address: str | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Paired:
        """Join the device that shows a code; without one, show a code through `tell` and wait."""
        return self._run(lambda: self._mind.pair(code, address=address, tell=tell))

    def revoke_peer(self, device: str) -> PeerView:
        """Put a device out of the group for good."""
        return self._run(lambda: self._mind.revoke_peer(device))

    def rename_peer(self, device: str, name: str) -> PeerView:
        """Call a device by another name here."""
        return self._run(lambda: self._mind.rename_peer(device, name))

    def add_peer(self, device: str, *, address: str) -> PeerView:
        """Say where a device can always be reached."""
        return self._run(lambda: self._mind.add_peer(device, address=address))

    def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return trio.from_thread.run(call, trio_token=self._token)
        except trio.RunFinishedError:
            raise Unreachable("this memory is closed", code="closed") from None


@contextmanager
def open_blocking_mind(path: str | os.PathLike[str], *, name: str | None = None) -> Iterator[BlockingMind]:
    """Open a home for the block, in a thread of its own."""
    worker = _Worker(path, name)
    worker.start()
    try:
        yield worker.mind()
    finally:
        worker.close()


class _Worker(threading.Thread):
    """The thread that runs trio for one open store."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        super().__init__(
            name="samemind", daemon=True
        )  # an interpreter that ends without closing is not held up
        self._path = path
        self._device_name = name
        self._opened = threading.Event()
        self._mind: BlockingMind | None = None
        self._ended: trio.Event | None = None
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            # Signals are the main thread's: a Ctrl-C reaches the caller, who closes us.
            trio.run(self._serve)
        except BaseException as error:
            self._failure = error
        finally:
            self._opened.set()

    def mind(self) -> BlockingMind:
        """Return what was opened, or raise what kept it from being opened."""
        self._opened.wait()
        if self._mind is None:
            assert self._failure is not None
            raise self._failure
        return self._mind

    def close(self) -> None:
        """End the thread; everything that was asked for is done then."""
        if self._mind is not None and self._ended is not None:
            try:
                self._mind._token.run_sync_soon(self._ended.set)
            except trio.RunFinishedError:
                pass  # it ended by itself; `_failure` says why, and every call since has said so
        self.join()

    async def _serve(self) -> None:
        async with open_mind(self._path, name=self._device_name) as mind:
            self._ended = trio.Event()
            self._mind = BlockingMind(mind, trio.lowlevel.current_trio_token())
            self._opened.set()
            await self._ended.wait()
