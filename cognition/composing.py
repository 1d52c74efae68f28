"""Gather what goes into a prompt for a question, from a mind or from a mind as it was."""

import sqlite3
from collections.abc import Callable
from typing import Protocol, TypeVar

from cognition.around import read_around
from cognition.context import Context, assemble
from cognition.filters import Filters
from cognition.ranking.classes import SINGLE_HOP, classify
from cognition.recall import Hit

Result = TypeVar("Result")


class Source(Protocol):
    """What is asked: a mind."""

    @property
    def now_ms(self) -> int:
        """The moment for which it answers."""
        ...

    async def recall(self, query: str, *, k: int, filters: Filters) -> list[Hit]:
        """Return up to `k` memories, the best first."""
        ...

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` where the store can be read."""
        ...


async def compose(source: Source, query: str, *, max_tokens: int, filters: Filters) -> Context:
    """Return the block for a question: the best memories that fit, and what stands around them."""
    kind = classify(query)
    hits = await source.recall(query, k=kind.context, filters=filters)
    now_ms = source.now_ms
    around = await source.read(
        lambda connection: read_around(
            connection, query, hits, filters=filters, now_ms=now_ms, sessions=kind is not SINGLE_HOP
        )
    )
    return assemble(hits, kind, max_tokens=max_tokens, around=around)
