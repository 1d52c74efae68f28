"""Take vectors from another device that embeds with the same model, and hand ours over.

Only for a model that is slow: the default embeds in less time than a vector takes to travel. A model is the same if
its name is, and names hold what the vectors depend on (`cognition.embedding.embedder`). Asked for is what waits in the
queue, the newest first, while the worker takes the oldest: so they meet, and nothing has to be agreed between them.
What waits later on, on a link that lasts, is asked for again when something else is said, and at most once a minute,
for as long as answers bring anything: by then the other may have embedded what it had not.

What comes is believed like anything else that a member says of the memories it holds, if it can be a vector at all: as
wide as ours, of numbers, of length 1 or 0. It is kept as ours would be: if the memory still says those words. What
cannot be one is neither handed over nor kept: a model may fail on some text, and the link is healthy all the same.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cognition.background import queue
from cognition.embedding.embedder import Embedder, Vectors
from cognition.errors import ModelUnavailable
from cognition.memories import fields_of
from cognition.tables import INDEXED_FIELDS, indexed
from replica import InvalidOp
from replica.alongside import TEXT_HASH_BYTES, VECTOR_BYTES_MAX, Wish

_COLUMNS: Final = ", ".join(f'm."{name}"' for name in INDEXED_FIELDS)
# What rounding to 16 bits does to a length is a tenth of this.
LENGTH_TOLERANCE: Final = 0.01
_NUMBER_BYTES: Final = np.dtype("<f2").itemsize
# A round that follows another begins no earlier: a link on which much is said is not to carry questions mostly.
AGAIN_MS: Final = 60_000
# Beyond every row's number.
_NO_ROW: Final = 2**63 - 1

Told = Callable[[Sequence[int]], None]
Awaits = Callable[[bool], None]


class VectorsAlongside:
    """A `replica.alongside.Alongside`.

    On the store's thread, `told` hears which memories got vectors, and `awaits` whether some are on their way: yes with
    each question, no when the last answer of a round has come, or one that brought nothing, or when all is over.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        embedder: Embedder,
        space: int,
        told: Told,
        awaits: Awaits,
        clock: Callable[[], int],
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._space = space
        self._told = told
        self._awaits = awaits
        self._clock = clock
        self._below = _NO_ROW
        self._again_ms = 0  # when the round after this one may begin; 0: this is the first
        self._is_missing = False

    @property
    def space(self) -> bytes:
        """A hash of the model's name."""
        return hashlib.sha256(self._embedder.name.encode()).digest()

    def next_wishes(self, limit: int) -> list[Wish]:
        """Return the next of what waits to be embedded, from the newest to the oldest."""
        if not self._below:
            if self._is_missing or self._clock() < self._again_ms:
                return []
            self._below = _NO_ROW
        rows = self._connection.execute(
            f"""SELECT q.id, m.rid, m.text, {_COLUMNS} FROM embed_queue q JOIN shown_memory m ON m.id = q.id
                WHERE q.id < ? ORDER BY q.id DESC LIMIT ?""",
            (self._below, limit),
        ).fetchall()
        if len(rows) == limit:
            self._below = rows[-1][0]
        elif rows or self._below < _NO_ROW:  # else nothing waits, and no round has begun
            self._end_round()
        if not (rows and self._is_there()):
            self._awaits(False)
            return []
        self._awaits(True)
        return [Wish(rid, _hash(_whole(text, values))) for _, rid, text, *values in rows]

    def granted(self, wishes: Sequence[Wish]) -> list[bytes | None]:
        """Return the vectors that are held of exactly these words, and that another device would keep."""
        rows = self._rows("JOIN vector v ON v.id = m.id AND v.space = ?", "v.data", wishes, self._space)
        held = {
            rid: data
            for wish, (_, rid, text, data, *values) in rows
            if wish.text == _hash(_whole(text, values))
            and len(data) <= VECTOR_BYTES_MAX
            and _read(data, len(data) // _NUMBER_BYTES) is not None
        }
        return [held.get(wish.rid) for wish in wishes]

    def keep(self, wishes: Sequence[Wish], vectors: Sequence[bytes | None]) -> None:
        """Keep the vectors of those memories that still wait for one, and still say the same."""
        if len(vectors) != len(wishes):
            raise InvalidOp(f"expected {len(wishes)} vectors or gaps, got {len(vectors)}")
        read = {
            wish.rid: row
            for wish, data in zip(wishes, vectors, strict=True)
            if data is not None and (row := _read(data, self._embedder.width)) is not None
        }
        if not read:
            self._awaits(False)
            if self._again_ms:
                self._end_round()  # what is left of it is left to the next, or to the queue
            return
        jobs: list[queue.Job] = []
        kept: list[bytes] = []
        for wish, (number, rid, text, _, *values) in self._rows(
            "JOIN embed_queue q ON q.id = m.id", "q.id", [wish for wish in wishes if wish.rid in read]
        ):
            whole = _whole(text, values)
            if wish.text == _hash(whole):
                jobs.append(queue.Job(number, whole))
                kept.append(rid)
        if jobs:
            rows = np.array([read[rid] for rid in kept], np.float32)
            done = queue.done(self._connection, self._space, jobs, rows)
            self._told([jobs[i].id for i in done])
        if not self._below:
            self._awaits(False)

    def close(self) -> None:
        """Wait for nothing any more."""
        self._awaits(False)

    def _is_there(self) -> bool:
        """Say whether the model can be had here: where not, nothing could be found by its vectors."""
        try:
            return self._embedder.width > 0
        except ModelUnavailable:
            self._below, self._is_missing = 0, True
            return False

    def _end_round(self) -> None:
        self._below, self._again_ms = 0, self._clock() + AGAIN_MS

    def _rows(
        self, join: str, column: str, wishes: Sequence[Wish], *parameters: int
    ) -> list[tuple[Wish, Sequence[Any]]]:
        by_rid = {wish.rid: wish for wish in wishes}
        found = self._connection.execute(
            f"""SELECT m.id, m.rid, m.text, {column}, {_COLUMNS} FROM shown_memory m {join}
                WHERE m.rid IN ({",".join("?" * len(by_rid))})""",
            (*parameters, *by_rid),
        )
        return [(by_rid[row[1]], row) for row in found]


def _read(data: bytes, width: int) -> Vectors | None:
    """Return the vector that these bytes are; None where they are none of this width."""
    if len(data) != width * _NUMBER_BYTES:
        return None
    row = np.frombuffer(data, "<f2").astype(np.float32)
    length = float(np.sqrt(row @ row))  # NaN or infinity where a number is
    return row if length == 0 or abs(length - 1) <= LENGTH_TOLERANCE else None


def _whole(text: str, values: Sequence[Any]) -> str:
    return indexed(text, fields_of(INDEXED_FIELDS, values)).whole()


def _hash(whole: str) -> bytes:
    return hashlib.sha256(whole.encode(errors="surrogatepass")).digest()[:TEXT_HASH_BYTES]
