"""Decide whether a graph names near vectors, make it in the background, and keep its file in step with the store.

A file is used if it is of the generation that the store names: one that was left by an older state of the store, or by
another store, is removed. Each of its vectors is held against the store's, by a sum of its bytes; what differs is taken
in anew. Whatever is wrong with it, the graph is built again, and signatures answer meanwhile.

A vector that leaves the store leaves the file: `graph_gone` names it, in the transaction that took it away, until zeros
stand in its place in the file. Where the store is encrypted there is no file, since it would lie beside the store in
the open, and no graph: nobody wants ten minutes of building at each start.
"""

import secrets
import sqlite3
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import trio

from cognition.background.worker import EmbeddingWorker
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import ALL_MAX, BESIDE_MAX, VectorIndex
from cognition.errors import IndexStale
from cognition.near_graph import graph as graphs
from cognition.near_graph.graph import GraphStamp, HnswGraph, Numbers
from replica import Replica, derived_transaction

# From here on a graph is built where the library is. At 400,000 a recall gains less than a tenth by one; the time of
# signatures grows with the store, and is twice that of a graph here (docs/decisions/0043).
GRAPH_MIN: Final = 1_000_000
# Vectors that are taken into the graph at a time: a tenth of a second, after which whoever closes is let go.
_TOGETHER: Final = 512
# And by the thread that also answers, once the graph is in use: ten milliseconds or two.
_FOLLOWED: Final = 16
# Vectors that say in which directions all of them differ.
_SAMPLE: Final = 20_000
# Of a file that differs from the store by more than a third, less is to be gained than by building anew; of a graph in
# which more than a tenth was erased, likewise. It is written again when a twentieth of it changed.
_DIFFERS: Final = 3
_ERASED: Final = 10
_CHANGED: Final = 20


class GraphKeeper:
    """The graph of one replica's vectors; `keep` has to be running."""

    def __init__(
        self,
        replica: Replica,
        worker: EmbeddingWorker,
        *,
        path: Path | None,
        choice: str,
        least: int = GRAPH_MIN,
    ) -> None:
        """`path`: where the graph is kept; None: nowhere, and so there is none. `choice`: one of `INDEXES`."""
        self._replica = replica
        self._worker = worker
        self._path = path
        self._choice = choice
        self._least = ALL_MAX + 1 if choice == "hnsw" else least
        self._wake = trio.Event()
        self._generation: int | None = None
        self._graph: HnswGraph | None = None
        self._changes = 0
        self._made_of: tuple[int, int] | None = None
        self._gave_up = False
        self._erasing = trio.Lock()
        self.trouble: Exception | None = None
        """Why the graph could not be made, or kept, if that is so."""

    def says(self) -> str:
        """Return what finds near vectors, and why."""
        index = self._worker.index
        if index is None:
            return "no vectors were read yet: the first recall does that"
        count = len(index)
        if index.has_graph and index.beside > BESIDE_MAX:
            return f"signatures of {count} vectors: {index.beside} of them are still to come into the graph"
        if index.has_graph:
            return f"a graph of {count} vectors (hnswlib {graphs.version()})"
        if count <= ALL_MAX:
            return f"every vector is multiplied ({count}): below {ALL_MAX} nothing is quicker"
        return f"signatures of {count} vectors: {self._why_not(count)}"

    def _why_not(self, count: int) -> str:
        if self._choice == "signatures":
            return 'index = "signatures" is set'
        if count < self._least:
            return f"a graph is worth its memory from {self._least} on"
        if not self._is_installed:
            return f"a graph would be quicker; for that: pip install {graphs.PACKAGES}"
        if self._path is None:
            return "the store is encrypted, or in memory, and a graph would lie beside it in the open"
        if self.trouble is not None:
            return f"a graph could not be made: {self.trouble}"
        if self._made_of is not None:
            return f"a graph is being built, {self._made_of[0]} of {self._made_of[1]}"
        return "a graph is made when the next question is asked"

    def wanted(self) -> bool:
        """Say whether a graph is to name near vectors here, and can."""
        index = self._worker.index
        return (
            index is not None
            and self._path is not None
            and self._choice != "signatures"
            and len(index) >= self._least
            and self._is_installed
        )

    @cached_property
    def _is_installed(self) -> bool:
        return graphs.is_installed()

    def asked(self) -> None:
        """Note that somebody asks, which is when the index is loaded."""
        if self.is_due:
            self._wake.set()

    @property
    def is_due(self) -> bool:
        """Whether the graph is made when the next question is asked; asked by any thread."""
        return self._graph is None and not self._gave_up and self.wanted()

    async def watch(self, position: int) -> None:
        """Look again whenever there is news."""
        while True:
            position = await self._replica.stirred(position)
            if self._generation is not None or self._graph is not None:
                self._wake.set()

    async def keep(self) -> None:
        """Follow the store, for ever."""
        if self._path is None:
            return
        self._generation = await self._replica.read(generation_of)
        await self._check_file(self._path)
        while True:
            self._wake = wake = trio.Event()
            await self.erase()
            try:
                if self.wanted() and not self._gave_up:
                    await self._see_to_it(self._path)
            except (IndexStale, OSError, MemoryError, RuntimeError) as error:
                self.trouble, self._gave_up, self._graph = error, True, None
                if (index := self._worker.index) is not None:
                    await self._replica.read(lambda _: index.detach())
            await self._replica.rest()
            await wake.wait()

    async def erase(self) -> None:
        """Write zeros in the file over what left the store since that was last done."""
        if self._path is not None and self._generation is not None:
            async with self._erasing:  # whoever closes may ask for it too
                await self._erase(self._path)

    async def _erase(self, path: Path) -> None:
        gone = await self._replica.read(_gone)
        if not gone:
            return
        index = self._worker.index
        if index is not None:
            await self._replica.read(lambda connection: index.remove(_without_vector(connection)))
        try:
            if graphs.about_file(path).exists():
                await trio.to_thread.run_sync(graphs.erase_in_file, path, gone)
        except IndexStale:
            graphs.remove(path)
        await self._replica.run(lambda _, connection: _forget_gone(connection, gone))

    async def _check_file(self, path: Path) -> None:
        """Leave no file that is of another store, of another state of it, or of vectors that it has no more."""
        try:
            stamp = await trio.to_thread.run_sync(graphs.stamp_of, path)
        except IndexStale:
            stamp = None
        if stamp is None or stamp != self._stamp() or self._choice == "signatures":
            graphs.remove(path)

    def _stamp(self) -> GraphStamp:
        embedder = self._worker.embedder
        return GraphStamp(self._generation or 0, embedder.name, embedder.width)

    async def _see_to_it(self, path: Path) -> None:
        index = self._worker.index
        assert index is not None
        if self._graph is not None and self._graph.erased > len(self._graph) // _ERASED:
            self._drop(path)
        if self._graph is None or not index.has_graph:
            self._graph = await self._made(index, path)
            await self._replica.read(lambda _: index.attach(self._graph))  # type: ignore[arg-type]
        while waiting := await self._replica.read(lambda _: index.follow(_FOLLOWED)):
            self._changes += _FOLLOWED
            if waiting > len(index) // _DIFFERS:
                self._drop(path)
                return
        if self._changes > len(index) // _CHANGED:
            await self._save(path)

    def _drop(self, path: Path) -> None:
        """Have the graph built anew, when that is next looked at."""
        self._graph = None
        graphs.remove(path)
        self._wake.set()

    async def _made(self, index: VectorIndex, path: Path) -> HnswGraph:
        """Return the graph of what is in the index: the one that was saved, brought up to date, or a new one."""
        try:
            try:
                graph = await trio.to_thread.run_sync(HnswGraph.load, path, self._stamp())
                return await self._filled(index, graph)
            except IndexStale:
                graphs.remove(path)
            # What leaves the store from here on is to leave the graph.
            self._generation = await self._replica.run(lambda _, connection: _new_generation(connection))
            sample = await self._replica.read(_sampled(index))
            basis = await trio.to_thread.run_sync(graphs.basis_of, sample)
            graph = await self._filled(index, HnswGraph(basis, len(index)))
            gone = await self._replica.read(_gone)  # while it was built
            await trio.to_thread.run_sync(graph.erase, gone)
            await self._keep_file(graph, path)
            return graph
        finally:
            self._made_of = None

    async def _filled(self, index: VectorIndex, graph: HnswGraph) -> HnswGraph:
        """Take in what the graph lacks, or has otherwise; `IndexStale` where that is most of it."""
        numbers: Numbers = await self._replica.read(lambda _: index.begin())
        held, sums = graph.held()
        order = np.argsort(held)
        held, sums = held[order], sums[order]
        differ = 0
        for start in range(0, len(numbers), _TOGETHER):
            self._made_of = start, len(numbers)
            some = numbers[start : start + _TOGETHER].tolist()
            here, halves = await self._replica.read(lambda _: index.halves(some))  # noqa: B023 -- awaited here
            if len(held):
                at = np.minimum(np.searchsorted(held, here), len(held) - 1)
                other = (held[at] != here) | (sums[at] != graphs.sums_of(halves))
                here, halves = here[other], halves[other]
                differ += len(here)
                if differ > len(numbers) // _DIFFERS:
                    raise IndexStale(
                        f"expected most of {len(numbers)} vectors in the graph, {differ} are not"
                    )
            if len(here):
                await trio.to_thread.run_sync(graph.add, here, halves)
        self._changes += differ
        gone = held[~np.isin(held, numbers)].tolist()
        await trio.to_thread.run_sync(graph.erase, gone)
        return graph

    async def _save(self, path: Path) -> None:
        assert self._graph is not None
        self._generation = await self._replica.run(lambda _, connection: _new_generation(connection))
        await self._keep_file(self._graph, path)

    async def _keep_file(self, graph: HnswGraph, path: Path) -> None:
        """Write the graph; without a file it is built again at the next start, and answers meanwhile."""
        try:
            self._changes = 0
            await trio.to_thread.run_sync(graph.save, path, self._stamp())
        except OSError as error:
            graphs.remove(path)
            self.trouble = error


def generation_of(connection: sqlite3.Connection) -> int | None:
    """Return the generation of the graph that belongs to a store; None where none was ever made."""
    row = connection.execute("SELECT value FROM cognition WHERE name = 'graph'").fetchone()
    return None if row is None else int(row[0])


def _new_generation(connection: sqlite3.Connection) -> int:
    """Name another generation, of which no file is yet. No count: two copies of a store must not come to the same."""
    generation = secrets.randbits(62)
    with derived_transaction(connection):
        connection.execute("INSERT OR REPLACE INTO cognition VALUES ('graph', ?)", (generation,))
    return generation


def _gone(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT id FROM graph_gone")]


def _without_vector(connection: sqlite3.Connection) -> list[int]:
    """Return those that have no vector: what was embedded again since is not gone."""
    return [
        number
        for (number,) in connection.execute(
            "SELECT g.id FROM graph_gone g LEFT JOIN vector v ON v.id = g.id WHERE v.id IS NULL"
        )
    ]


def _forget_gone(connection: sqlite3.Connection, gone: list[int]) -> None:
    with derived_transaction(connection):
        connection.executemany("DELETE FROM graph_gone WHERE id = ?", [(number,) for number in gone])


def _sampled(index: VectorIndex) -> Callable[[sqlite3.Connection], Vectors]:
    def sample(connection: sqlite3.Connection) -> Vectors:
        numbers = index.begin()
        _, halves = index.halves(numbers[:: max(1, len(numbers) // _SAMPLE)].tolist())
        return halves.astype(np.float32)

    return sample
