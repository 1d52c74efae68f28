"""Embed what was written or merged, in the background, and keep the index of the vectors in step.

The worker watches the log. It takes due texts from the queue, embeds them in a thread and keeps the vectors: reading,
embedding and writing are three steps, so the store's writer is never held up by a model.

The index is touched on the store's reading thread only, by recalls and by the worker alike: confined to one thread, it
needs no lock.
"""

import math
import sqlite3
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import numpy as np
import trio

from cognition.background import queue
from cognition.background.alongside import VectorsAlongside
from cognition.embedding.embedder import Embedder, Vectors
from cognition.embedding.index import ALL_MAX, Halves, VectorIndex
from cognition.errors import ModelUnavailable
from replica import Core, MemoryId, Replica, ReplicaError

# New texts are left to gather for this long: who writes many, one after the other, would otherwise share the store and
# the interpreter with the worker at each of them. They are found by their words meanwhile.
LINGER_S: Final = 0.1
# A device that has the vectors answers a question for a hundred in far less than this; after it, it may be gone.
ANSWER_S_MAX: Final = 30.0
# A backlog that takes no longer than this is embedded by the recall that meets it: an answer should not depend on when
# it is asked for. A quarter of a second, once after a hundred memories, is noticed less than answers that are missing.
CATCH_UP_MS_MAX: Final = 250
# A batch under way ends in far less than this, also where it loads the model on a busy machine; else its model hangs.
BATCH_S_MAX: Final = 5.0
# What a text takes until that was measured, by an embedder that is cheap or costly.
_EACH_MS: Final = {False: 0.2, True: 2.5}
# Beside a costly embedder, who asked may ask again: for so long after a question no batch is begun; but no batch waits
# for longer than this.
ASKS_AGAIN_S: Final = 0.2
ASKED_S_MAX: Final = 1.0
# Likewise who tells one thing after the other: a batch is begun when nothing came for `LINGER_S`, or after so long.
# What gathers meanwhile is embedded by the recall that meets it, or counted in its answer.
TELLS_S_MAX: Final = 2.0
_LOOK_S: Final = 0.05
# Of a large index, room for a sixteenth more: it takes no memory before they come.
_ROOM_SHARE: Final = 16
# Vectors that were made for whoever told a text, before its turn came: they are kept until then.
_MADE_MAX: Final = 256
# Whoever waits for a backlog hears so often how much is left: counting a million takes as long as several batches.
TOLD_EVERY_S: Final = 1.0
# A missing model, or a full disk, is tried again after this long: somebody may be mending it.
TROUBLE_RETRY_S: Final = 60


class EmbeddingWorker:
    """The queue, the embedder and the index of one replica; `watch` and `work` have to be running."""

    def __init__(self, replica: Replica, embedder: Embedder, space: int) -> None:
        """`space`: the number under which this embedder's vectors are kept."""
        self.embedder = embedder
        self.space = space
        self.trouble: ModelUnavailable | ReplicaError | None = None
        """Why nothing is embedded at present, if that is so."""
        self._replica = replica
        self._index: VectorIndex | None = None  # loaded by the first recall; the reading thread's own
        self._connection: sqlite3.Connection | None = None  # that of the reading thread
        # Whose vectors changed since the index was read; None: it was not read, and will find them in the table.
        self._came: deque[int] | None = None
        if embedder.costly:
            replica.alongside = lambda connection: VectorsAlongside(
                connection, embedder, space, self._told, self._awaiting(), replica.now_ms
            )
        # For each conversation in which vectors were asked for: until when they are waited for.
        self._awaited: dict[object, float] = {}
        self._asked_s = -math.inf
        self._wake = trio.Event()
        self._begun = trio.Event()
        self._hurry = trio.Event()
        self._progress = trio.Event()
        self._batch = queue.BATCH_MIN
        self._batching = trio.Lock()
        self._each_ms: float | None = None
        """What a text took lately; None before the second batch, since the first loads the model."""
        self._loaded_model = False
        self.ready = False
        """Whether a text was embedded since this was opened: the model is loaded, and answers."""
        self._made: OrderedDict[queue.Job, Vectors] = OrderedDict()
        # Nothing waited when the log stood here; None: not known.
        self._none_waited: int | None = None
        # Where the log stood when it was last looked whether more comes.
        self._quiet_at = replica.position

    def loaded(self, connection: sqlite3.Connection) -> VectorIndex:
        """Return the index of all vectors there are; on the store's reading thread."""
        self._connection = connection
        if self._index is None or self._came is None:
            self._came = deque()  # before anything is read: what is kept from here on may be read, or not
            room = queue.room_for_vectors(connection)
            if room > ALL_MAX:  # or the next memory would have all of it copied, while somebody waits
                room += room // _ROOM_SHARE
            index = VectorIndex(self.embedder.width, room=room, kept=self._kept)
            for ids, vectors in queue.read_vectors(connection, self.space, self.embedder.width):
                index.add(ids, vectors)
            self._index = index
        while self._came:
            some = [self._came.popleft() for _ in range(min(len(self._came), queue.BATCH_MAX))]
            self._index.add(*queue.vectors_of(connection, self.space, self.embedder.width, some))
        return self._index

    def _kept(self, ids: Sequence[int]) -> tuple[list[int], Halves]:
        """Return the vectors of some memories as they were stored; on the store's reading thread."""
        assert self._connection is not None  # the index was loaded by it
        return queue.vectors_of(self._connection, self.space, self.embedder.width, ids)

    def _told(self, ids: Sequence[int]) -> None:
        """Note that vectors of these memories were committed. Read from the table they cannot be older than it says."""
        if self._came is not None:
            self._came.extend(ids)

    def _awaiting(self) -> Callable[[bool], None]:
        """Return what a conversation says, on the store's thread, of vectors that are on their way to us."""
        conversation = object()

        def awaits(more: bool) -> None:
            now_s = time.monotonic()
            others = {
                each: until_s
                for each, until_s in self._awaited.items()
                if until_s > now_s and each is not conversation
            }
            # Another dictionary: the worker may be looking at this one.
            self._awaited = others | ({conversation: now_s + ANSWER_S_MAX} if more else {})

        return awaits

    def asked(self) -> None:
        """Note that somebody asks: what waits in the queue is embedded a little later."""
        self._asked_s = time.monotonic()

    @property
    def index(self) -> VectorIndex | None:
        """The index of all vectors, where a recall has loaded it; the reading thread's own."""
        return self._index

    @property
    def is_caught_up(self) -> bool:
        """Whether the model and the index are loaded, and nothing waits to be embedded; asked by any thread."""
        return self.ready and self._index is not None and self._replica.position == self._none_waited

    async def catch_up(self) -> int:
        """Embed what waits, where that takes a moment; return how many memories cannot be found by meaning yet.

        A damaged queue counts nothing: what else there is still answers.
        """
        position = self._replica.position
        if position == self._none_waited:
            return 0
        try:
            waiting = await self._catch_up()
        except ReplicaError as error:
            self.trouble = error
            return 0
        if not waiting:
            self._none_waited = position
        return waiting

    async def _catch_up(self) -> int:
        waiting = await self._replica.read(queue.unembedded)
        each_ms = _EACH_MS[self.embedder.costly] if self._each_ms is None else self._each_ms
        if (
            waiting
            and waiting * each_ms <= CATCH_UP_MS_MAX
            and self.trouble is None
            and not self._vectors_come()
        ):
            await self._embed_meanwhile()
            waiting = await self._replica.read(queue.unembedded)
        return waiting

    async def _embed_meanwhile(self) -> None:
        """Embed all that is due while somebody waits.

        A batch under way is waited for: it is part of a small backlog, and the model that it may be loading is the one
        that the question needs too.
        """
        with trio.move_on_after(BATCH_S_MAX) as waited:
            await self._batching.acquire()
        if waited.cancelled_caught:
            return
        try:
            while await self._embed_due():
                pass
        except (ModelUnavailable, ReplicaError) as error:
            self.trouble = error
        finally:
            self._batching.release()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in a thread; `ModelUnavailable` when no model answers, or one of another width."""
        return await trio.to_thread.run_sync(self.embed_here, texts)

    def embed_here(self, texts: Sequence[str]) -> Vectors:
        """Embed texts on the thread of the caller, likewise."""
        vectors = self.embedder.embed(texts)
        wanted = len(texts), self.embedder.width
        if vectors.shape != wanted:
            raise ModelUnavailable(
                f"expected vectors of shape {wanted} from {self.embedder.name}, got {vectors.shape}"
            )
        if not np.isfinite(vectors).all():
            raise ValueError(f"expected numbers from {self.embedder.name}, got NaN or infinity")
        self.ready = True
        return vectors

    async def vector_of_new(self, rid: MemoryId) -> Vectors | None:
        """Return the vector of a memory that was just stored, for whoever told it; None where that would take long.

        It is made ahead of its turn, and not again when that comes. Nothing is loaded for it.
        """
        if not self.ready or self.trouble is not None:
            return None
        job = await self._replica.read(lambda connection: queue.job_of(connection, rid))
        if job is None:
            return None
        try:
            vector: Vectors = (await self.embed([job.text]))[0]
        except Exception:  # its turn comes, and then it is noted
            return None
        self._made[job] = vector
        while len(self._made) > _MADE_MAX:
            self._made.popitem(last=False)
        return vector

    def waiting(self) -> dict[int, Vectors]:
        """Return the vectors that were made ahead of their turn, by the numbers of their memories."""
        return {job.id: vector for job, vector in list(self._made.items())}

    async def settle(self, told: Callable[[int], Awaitable[None]] | None = None) -> None:
        """Wait until nothing waits to be embedded: all has its vector, or was given up.

        `told` hears how many still wait, before the first wait and every second or so. Raises `ModelUnavailable` or
        `ReplicaError` rather than wait for a model or a disk.
        """
        told_s = -math.inf
        while True:
            progress = self._progress
            # On the thread that keeps them: whoever sees the last one kept there sees it told to the index, too.
            if not await self._replica.run(lambda core, connection: queue.has_pending(connection)):
                await self.state()
                return
            if told is not None and time.monotonic() - told_s >= TOLD_EVERY_S:
                await told((await self.state()).pending)
                told_s = time.monotonic()
            self._hurry.set()
            if self.trouble is not None:
                raise self.trouble
            await progress.wait()

    async def until_ready(self) -> None:
        """Wait until the model has answered, where anything waits for it and nothing is known to be wrong with it."""
        while not self.ready and self.trouble is None:
            progress = self._progress
            if not await self._replica.read(queue.has_pending):
                return
            self._hurry.set()
            await progress.wait()

    async def state(self) -> queue.QueueState:
        """Return how the embed queue stands."""
        position = self._replica.position
        found = await self._replica.read(queue.state)
        if not found.pending + found.failed:
            self._none_waited = position
        return found

    async def entries(self, *, status: str | None = None, limit: int = 100) -> list[queue.QueueRow]:
        """Return rows of the embed queue, oldest first."""
        return await self._replica.read(
            lambda connection: queue.entries(connection, status=status, limit=limit)
        )

    async def requeue(self, rids: Sequence[MemoryId] | None = None) -> int:
        """Try these memories again, or all that were given up; return how many that are."""
        count = await self._replica.run(lambda core, connection: queue.requeue(connection, rids))
        self._none_waited = None
        self._wake.set()
        return count

    async def watch(self, position: int) -> None:
        """Wake the worker when there is more news than `position`; once for all that comes until it begins."""
        while True:
            position = await self._replica.stirred(position)
            begun = self._begun
            self._wake.set()
            await begun.wait()

    async def work(self) -> None:
        """Embed what is due, for ever."""
        while True:
            self._wake = wake = trio.Event()
            begun, self._begun = self._begun, trio.Event()
            begun.set()
            before = self.trouble
            try:
                await self._give_way()
                while await self._embed_batch():
                    await self._give_way()
                wait_s = await self._until_due_s()
                if self.trouble is before:  # or a question met with it meanwhile, when nothing was due here
                    self.trouble = None
            except (ModelUnavailable, ReplicaError) as error:
                self.trouble, wait_s = error, TROUBLE_RETRY_S
            self._tell()
            self._hurry = trio.Event()
            await self._replica.rest()
            with trio.move_on_after(wait_s):
                await wake.wait()
            await self._linger()

    async def _linger(self) -> None:
        """Let what comes now gather."""
        self._quiet_at = self._replica.position
        with trio.move_on_after(LINGER_S):
            await self._hurry.wait()

    async def _give_way(self) -> None:
        """Wait while another device sends what would be made here again; a costly embedder also for who asks or tells.

        It shares the interpreter with them, and can wait; but not for ever. A cheap one never waits: the whole backlog
        takes less than the wait.
        """
        while self._vectors_come():  # noqa: ASYNC110 -- told on the store's thread
            await trio.sleep(_LOOK_S)
        if not self.embedder.costly:
            return
        with trio.move_on_after(ASKED_S_MAX):
            while self._somebody_asks():  # noqa: ASYNC110 -- until nothing has happened
                await trio.sleep(_LOOK_S)
        with trio.move_on_after(TELLS_S_MAX):
            while self._somebody_tells():
                await self._linger()

    def _vectors_come(self) -> bool:
        return any(until_s > time.monotonic() for until_s in self._awaited.values())

    def _somebody_asks(self) -> bool:
        return time.monotonic() - self._asked_s < ASKS_AGAIN_S and not self._hurry.is_set()

    def _somebody_tells(self) -> bool:
        return self._replica.position != self._quiet_at and not self._hurry.is_set()

    async def _embed_batch(self) -> bool:
        """Embed what is due, up to a batch; say whether there may be more. One batch at a time."""
        async with self._batching:
            return await self._embed_due()

    async def _embed_due(self) -> bool:
        now_ms, size = self._replica.now_ms(), self._batch
        jobs = await self._replica.read(lambda connection: queue.due(connection, now_ms=now_ms, limit=size))
        if not jobs:
            return False
        more = len(jobs) == size
        began = time.perf_counter()
        errors: dict[int, str] = {}
        try:
            vectors = await self._embed_jobs(jobs)
        except ModelUnavailable:
            raise
        except Exception:
            jobs, vectors, errors = await self._embed_singly(jobs)
        else:
            took_ms = (time.perf_counter() - began) * 1_000
            self._batch = queue.next_batch(len(jobs), took_ms)
            self._note_pace(took_ms / len(jobs))
        if errors:
            await self._replica.run(lambda core, connection: queue.failed(connection, errors, now_ms=now_ms))
        if jobs:
            await self._keep(jobs, vectors)
        self._tell()
        return more

    async def _embed_jobs(self, jobs: Sequence[queue.Job]) -> Vectors:
        """Embed texts, but for those that were embedded ahead of their turn."""
        made = {job: vector for job in jobs if (vector := self._made.pop(job, None)) is not None}
        if not made:
            return await self.embed([job.text for job in jobs])
        fresh = [job for job in jobs if job not in made]
        made |= zip(fresh, await self.embed([job.text for job in fresh]) if fresh else (), strict=True)
        return np.stack([made[job] for job in jobs])

    def _note_pace(self, each_ms: float) -> None:
        """Note what a text took, by halves with what it took before; what the first batch took is mostly loading."""
        if self._loaded_model:
            self._each_ms = each_ms if self._each_ms is None else (self._each_ms + each_ms) / 2
        self._loaded_model = True

    async def _embed_singly(
        self, jobs: Sequence[queue.Job]
    ) -> tuple[list[queue.Job], Vectors, dict[int, str]]:
        """Find out which texts of a batch the embedder cannot take, so that one does not spoil the rest."""
        vectors, errors = {}, {}
        for job in jobs:
            try:
                vectors[job] = (await self.embed([job.text]))[0]
            except ModelUnavailable:
                raise
            except Exception as error:
                errors[job.id] = f"{type(error).__name__}: {error}"
        rows = np.array(list(vectors.values()), np.float32).reshape(-1, self.embedder.width)
        return list(vectors), rows, errors

    async def _keep(self, jobs: Sequence[queue.Job], vectors: Vectors) -> None:
        def keep(core: Core, connection: sqlite3.Connection) -> None:
            self._told([jobs[i].id for i in queue.done(connection, self.space, jobs, vectors)])

        await self._replica.run(keep)
        if self._came is not None:  # else nobody has asked for the index yet
            await self._replica.read(lambda connection: len(self.loaded(connection)))

    async def _until_due_s(self) -> float:
        due_at = (await self.state()).due_at
        return math.inf if due_at is None else max(0.0, (due_at - self._replica.now_ms()) / 1_000)

    def _tell(self) -> None:
        progress, self._progress = self._progress, trio.Event()
        progress.set()
