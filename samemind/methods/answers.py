"""Ask for more than memories: a prompt's context, reasons, what changed, and what is related to what."""

from collections.abc import Iterable, Mapping

from samemind.arguments import Meta, Rid, Spaces, When, messages_of, pairs_of, rid_of, spaces_of, when_of
from samemind.methods.asking import Asking
from samemind.results.answers import ContextBlock, Why, WhyNot
from samemind.results.graph import EdgeView, Entities, Graph
from samemind.results.past import Difference
from samemind.surface import answers, graph, past


class Answers(Asking):
    """The methods of `Mind` for that."""

    async def diff(self, since: When, *, until: When | None = None, seen_by: str | None = None) -> Difference:
        """Return what became of memories between two moments: what is new, what changed, what was forgotten."""
        return await self._ask(past.DIFF, since=when_of(since), until=when_of(until), seen_by=seen_by)

    async def context(
        self,
        query: str | None = None,
        *,
        max_tokens: int | None = None,
        window: int | None = None,
        conversation: Iterable[Mapping[str, str]] = (),
        compact_at: float = 0.8,
        overview: bool = False,
        now: When | None = None,
        min_confidence: float = 0.1,
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
            now=when_of(now),
            min_confidence=min_confidence,
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
