"""Gather what goes into a prompt for a question, from a mind or from a mind as it was.

One round of recall, and a second one for what the first left open (`cognition.context.rounds`). There is no third.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, TypeVar

import trio

from cognition.context.around import read_around
from cognition.context.block import FLAT_CHARACTERS_MAX, Around, Context, assemble
from cognition.context.rounds import (
    MODEL_SECONDS_MAX,
    MODEL_TOKENS_MAX,
    TAKEN_FOR_MODEL,
    ask_model,
    fills,
    gap,
    read_answer,
)
from cognition.errors import CognitionError
from cognition.filters import Filters
from cognition.models.chat import ChatModel
from cognition.ranking.classes import SINGLE_HOP, QueryClass, classify
from cognition.ranking.vocabulary import Tables
from cognition.recall.stages import Hits, RankedMemory, fuse_hits
from replica import MemoryId, short_memory_ids

Result = TypeVar("Result")

# So many memories are looked at for what the owner is and works on, of which an answer may need to know.
LOOKED_AT: Final = 40


class PromptSource(Protocol):
    """What is asked: a mind."""

    @property
    def model(self) -> ChatModel | None:
        """The language model that is configured."""
        ...

    @property
    def tables(self) -> Tables:
        """The words that stand for one another."""
        ...

    @property
    def now_ms(self) -> int:
        """The moment for which it answers."""
        ...

    async def recall(self, query: str, *, k: int, filters: Filters, now_ms: int | None = None) -> Hits:
        """Return up to `k` memories, the best first."""
        ...

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` where the store can be read."""
        ...


@dataclass(frozen=True, slots=True)
class Gathered:
    """What answers a question, and what stands around it, however much of it will fit."""

    kind: QueryClass
    hits: tuple[RankedMemory, ...] = ()
    around: Around = field(default_factory=Around)
    flat_characters: int = FLAT_CHARACTERS_MAX
    unembedded: int = 0
    """How many memories only their words could find."""
    names: Mapping[MemoryId, str] = field(default_factory=dict)
    """What the lines of these memories end with."""

    def within(self, max_tokens: int) -> Context:
        """Return the block of the best that fits."""
        return assemble(
            self.hits,
            self.kind,
            max_tokens=max_tokens,
            around=self.around,
            flat_characters=self.flat_characters,
            names=self.names,
        )


async def gather(
    source: PromptSource,
    query: str,
    filters: Filters,
    *,
    now_ms: int | None = None,
    confidence_min: float = 0.0,
    ids: bool = False,
) -> Gathered:
    """Return what memory holds about a question, as far as it is sure enough to be about that.

    With `ids`, each line of a memory ends with its name.
    """
    kind = classify(query)
    found, more = await _recall_twice(source, query, kind.context, filters, now_ms)
    hits = [hit for hit in found if hit.confidence >= confidence_min]
    about = {
        rid for hit in (*found, *more) if hit.confidence >= confidence_min for rid in (hit.rid, *hit.same)
    }
    now_ms = source.now_ms if now_ms is None else now_ms
    around = await source.read(
        lambda connection: read_around(
            connection,
            query,
            hits,
            filters=filters,
            now_ms=now_ms,
            sessions=kind is not SINGLE_HOP,
            about=about if confidence_min else None,
            ids=ids,
        )
    )
    names = await source.read(partial(short_memory_ids, rids=[hit.rid for hit in hits])) if ids else {}
    return Gathered(kind, tuple(hits), around, unembedded=found.unembedded, names=names)


async def _recall_twice(
    source: PromptSource, query: str, k: int, filters: Filters, now_ms: int | None
) -> tuple[Hits, list[RankedMemory]]:
    """Return the answers of both rounds, fused by rank, and what the first found beyond them."""
    found = await source.recall(query, k=max(k, LOOKED_AT), filters=filters, now_ms=now_ms)
    hits, more = Hits(found[:k], unembedded=found.unembedded), found[k:]
    wished = None if source.model is None or not hits else await _ask(source.model, query, hits)
    left = gap(query, hits, source.tables)
    parts: list[Sequence[RankedMemory]] = [hits]
    for follow_up in left.queries if wished is None else wished:
        again = await source.recall(follow_up, k=k, filters=filters, now_ms=now_ms)
        parts.append(
            [hit for hit in again if fills(hit, left.missing, source.tables)]
            if wished is None
            else again[:TAKEN_FOR_MODEL]
        )
    if len(parts) > 1:
        hits = Hits(fuse_hits(parts, k), unembedded=found.unembedded)
    return hits, more


async def _ask(model: ChatModel, query: str, hits: Sequence[RankedMemory]) -> tuple[str, ...] | None:
    """Return what a model wishes to search for; None where it is not there, too slow, or says something else."""
    answer = None
    with trio.move_on_after(MODEL_SECONDS_MAX):
        try:
            answer = await trio.to_thread.run_sync(
                lambda: model.complete(ask_model(query, hits), temperature=0.0, max_tokens=MODEL_TOKENS_MAX),
                abandon_on_cancel=True,
            )
        except CognitionError:
            return None
    return None if answer is None else read_answer(answer)
