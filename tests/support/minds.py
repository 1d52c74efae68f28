"""Replicas and minds for tests: a core over SQLite in memory, or a whole device's memory under trio."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from cognition import Cognition, CognitionTables, Embedder, HashedEmbedder, open_mind
from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.tables import ClaimTables
from cognition.embedding.embedder import Vectors
from cognition.ingest.local import LocalTables
from cognition.patterns.tables import PatternTables
from cognition.reranking.reranker import Reranker
from cognition.triggers.tables import TriggerTables
from replica import (
    AsyncioHost,
    Core,
    DerivedTables,
    MemoryId,
    Op,
    Remember,
    Replica,
    SqliteStore,
    Value,
    Write,
    connect,
    derived_memory_id,
    introduce,
    new_memory_id,
    open_replica,
)
from sync.exchange import Exchange
from sync.identity import Identity

NOW_MS = 1_700_000_000_000
LOCOMO = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev.json"


class Home:
    """A core and its connection, with cognition's tables, no trio and a seeded random."""

    def __init__(self, seed: int = 1, path: str = ":memory:") -> None:
        self.identity = Identity.create()
        self.random = Random(seed)
        self.now_ms = NOW_MS
        self.connection: sqlite3.Connection = connect(path)
        self.core = Core(
            SqliteStore(self.connection, derived_tables()),
            device=self.identity.device_id,
            sign=self.identity.sign,
            random=self.random,
        )
        self.core.found(introduction(self.identity))

    def remember(self, text: str, **fields: Value) -> MemoryId:
        """Write one memory."""
        rid = new_memory_id(self.now_ms, self.random)
        self.commit(Write(Remember(text, fields), rid))
        return rid

    def commit(self, *writes: Write) -> list[Op]:
        """Write changes as one commit."""
        return self.core.commit(writes, self.now_ms)

    def number(self, rid: MemoryId) -> int:
        """Return the number of a memory's row."""
        ((number,),) = self.connection.execute("SELECT id FROM memory WHERE rid = ?", (rid,))
        return int(number)


def derived_tables() -> list[DerivedTables]:
    """Return the tables that thinking reads, in the order in which they follow a change."""
    return [
        CognitionTables(),
        LocalTables(),
        ClaimTables(),
        SummaryTables(),
        PatternTables(),
        TriggerTables(),
    ]


def introduction(identity: Identity) -> Any:
    """Return how a device introduces itself."""
    return introduce(
        identity.sign,
        identity.device_id,
        public_key=identity.public_key,
        certificate=identity.certificate,
        name="laptop",
    )


@asynccontextmanager
async def open_memory(
    path: Path,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    clock: Callable[[], int] | None = None,
    identity: Identity | None = None,
    index: str = "auto",
    graph: Path | None = None,
) -> AsyncIterator[tuple[Replica, Cognition]]:
    """Open a replica at `path` and a mind over it; with the `identity` that it was made with, one that is there."""
    identity = identity or Identity.create()
    options: dict[str, Any] = {} if clock is None else {"clock": clock}
    async with AsyncioHost.open() as host:
        async with open_replica(
            path,
            host=host,
            device=identity.device_id,
            sign=identity.sign,
            derived=derived_tables(),
            random=Random(1),
            **options,
        ) as replica:
            if await replica.run(lambda core, _: core.device not in core.membership.members):
                await replica.run(lambda core, connection: core.found(introduction(identity)))
            async with open_mind(
                replica,
                embedder=embedder or HashedEmbedder(),
                reranker=reranker,
                index=index,
                graph=graph,
            ) as mind:
                yield replica, mind


async def remember(replica: Replica, *texts: str, **fields: Value) -> list[MemoryId]:
    """Write memories in one commit."""
    random = Random(str(texts))
    rids = [new_memory_id(replica.now_ms(), random) for _ in texts]
    writes = [Write(Remember(text, fields), rid) for text, rid in zip(texts, rids, strict=True)]
    await replica.run(lambda core, connection: core.commit(writes, replica.now_ms()))
    return rids


class FaultyEmbedder(HashedEmbedder):
    """A hashed embedder that refuses chosen texts and counts its calls."""

    def __init__(self, refuse: str = "poison", *, error: Exception | None = None) -> None:
        super().__init__()
        self.refuse = refuse
        self.error = error or RuntimeError("cannot embed this")
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, unless a text holds the word that is refused."""
        self.calls.append(list(texts))
        if any(self.refuse in text for text in texts):
            raise self.error
        return super().embed(texts)


class Turn(NamedTuple):
    """One turn of a LoCoMo conversation, as a memory to be."""

    rid: MemoryId
    text: str
    fields: dict[str, Value]


def locomo() -> list[dict[str, Any]]:
    """Return the conversations, or skip the test with the reason."""
    if not LOCOMO.exists():
        pytest.skip(
            "LoCoMo is not here (shared/data/locomo-dev.json beside the repository); it may not be copied in"
        )
    conversations: list[dict[str, Any]] = json.loads(LOCOMO.read_text())
    return conversations


def turns_of(conversation: dict[str, Any]) -> list[Turn]:
    """Return every turn of a conversation with its session, speaker and date."""
    sample, held = conversation["sample_id"], conversation["conversation"]
    turns = []
    for session in sorted(
        (key for key in held if key.endswith("_date_time")), key=lambda key: int(key.split("_")[1])
    ):
        name = session.removesuffix("_date_time")
        told = datetime.strptime(held[session], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for position, turn in enumerate(held.get(name, ())):
            fields: dict[str, Value] = {
                "conversation": f"{sample}:{name}",
                "turn": turn["dia_id"],
                "position": position,
                "speaker": turn["speaker"],
                "told_at": int(told.timestamp() * 1_000),
            }
            if turn.get("blip_caption"):
                fields["meta"] = {"caption": turn["blip_caption"]}
            turns.append(
                Turn(derived_memory_id("locomo", f"{sample}:{turn['dia_id']}"), turn["text"], fields)
            )
    return turns


def unit_rows(count: int, width: int, seed: int) -> Vectors:
    """Return seeded random vectors of length 1."""
    rows = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def acquaint(one: Home, other: Home) -> None:
    """Let one device know another."""
    who = other.identity
    known = introduce(
        one.identity.sign,
        one.core.device,
        public_key=who.public_key,
        certificate=who.certificate,
        name="other",
    )
    one.core.learn([known], [])


def converse(one: Home, other: Home) -> None:
    """Let two devices agree."""
    ours = Exchange(one.core, other.core.device, NOW_MS)
    theirs = Exchange(other.core, one.core.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    while to_them or to_us:
        if to_them:
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            to_them += ours.receive(to_us.pop(0), NOW_MS)
