"""Think, decide what cannot all be true, and take back what should not have been learned."""

from samemind.arguments import Rid, When, rid_of, when_of
from samemind.methods.asking import Asking
from samemind.results.contradictions import (
    Contradictions,
    ContradictionView,
    Corrected,
    Resolved,
    Review,
    Settled,
)
from samemind.results.thinking import Retracted, Thought, Unconsolidated, Unlinked
from samemind.surface import contradictions, thinking


class Thinking(Asking):
    """The methods of `Mind` for that."""

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

    async def unlink(self, rid: Rid) -> Unlinked:
        """Show a telling apart from others that say it in other words."""
        return await self._ask(thinking.UNLINK, rid=rid_of(rid))

    async def contradictions(
        self,
        *,
        status: str | None = None,
        attention: str | None = None,
        workspace: str | None = None,
        as_of: When | None = None,
        limit: int = 50,
    ) -> Contradictions:
        """List what was told that cannot all be true, open questions first."""
        return await self._ask(
            contradictions.CONTRADICTIONS,
            status=status,
            attention=attention,
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
        since: When | None = None,
        merge: str | None = None,
    ) -> Resolved:
        """Decide a contradiction; what is not kept is hidden, and nothing is lost.

        With `since` it changed: what is kept holds from then on, and the others held until then.
        """
        return await self._ask(
            contradictions.RESOLVE,
            id=id,
            keep_a=keep_a,
            keep_b=keep_b,
            keep_both=keep_both,
            keep=None if keep is None else rid_of(keep),
            since=when_of(since),
            merge=merge,
        )

    async def review(self, *, workspace: str | None = None, limit: int = 20) -> Review:
        """List pairs of memories that may contradict or repeat each other, and that nobody judged."""
        return await self._ask(contradictions.REVIEW, workspace=workspace, limit=limit)

    async def settle(
        self, a: Rid, b: Rid, verdict: str, *, since: When | None = None, by: str = "person"
    ) -> Settled:
        """Say what two memories are to each other: same, changed, disagree, two_things or repeats."""
        return await self._ask(
            contradictions.SETTLE, a=rid_of(a), b=rid_of(b), verdict=verdict, since=when_of(since), by=by
        )

    async def correct(self, rid: Rid, text: str) -> Corrected:
        """Say what a memory should have said; what it said before holds no more."""
        return await self._ask(contradictions.CORRECT, rid=rid_of(rid), text=text)
