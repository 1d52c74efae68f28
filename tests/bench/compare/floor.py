"""The floor: what the work costs when nothing but the unavoidable is done.

One table, its words and its vector, one fsynced commit a memory; exact search in numpy; a sync that signs nothing,
checks nothing and merges nothing. No rule of ours holds here, and nobody should use it: it says how far there is to go.
"""

import socket
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cognition import StaticEmbedder
from tests.bench.compare.contestant import NotOffered

_ROWS_A_MESSAGE = 1_000


class Floor:
    """SQLite, its full text, and numpy."""

    name = "floor"

    def __init__(self) -> None:
        self.version = f"SQLite {sqlite3.sqlite_version}, numpy {np.__version__}"
        self._embedder = StaticEmbedder()
        self._connection = sqlite3.connect(":memory:")
        self._vectors = np.empty((0, self._embedder.width), np.float32)

    def open(self, folder: Path) -> None:
        connection = self._connection = sqlite3.connect(folder / "store.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS memory (id INTEGER PRIMARY KEY, text TEXT, vector BLOB)"
        )
        connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5(text, content='')")
        blobs = [blob for (blob,) in connection.execute("SELECT vector FROM memory WHERE vector IS NOT NULL")]
        self._vectors = np.frombuffer(b"".join(blobs), np.float32).reshape(-1, self._embedder.width)

    def close(self) -> None:
        self._connection.close()

    def remember(self, text: str) -> None:
        self._store([text])

    def fill(self, texts: Sequence[str]) -> None:
        self._store(texts)

    def settle(self) -> None:
        rows = self._connection.execute("SELECT id, text FROM memory WHERE vector IS NULL").fetchall()
        fresh = self._embedder.embed([text for _, text in rows]).astype(np.float32)
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "UPDATE memory SET vector = ? WHERE id = ?",
            [(vector.tobytes(), number) for (number, _), vector in zip(rows, fresh, strict=True)],
        )
        self._connection.execute("COMMIT")
        self._vectors = np.concatenate([self._vectors, fresh])

    def recall(self, query: str) -> int:
        scores = self._vectors @ self._embedder.embed([query])[0]
        best = np.argpartition(-scores, min(10, len(scores) - 1))[:10]
        either = " OR ".join(query.split())
        self._connection.execute(
            "SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT 10", (either,)
        ).fetchall()
        return len(best)

    def think(self) -> None:
        raise NotOffered

    def receive(self, folder: Path) -> int:
        """Send the rows over a bare loopback socket and store them, one transaction for each message."""
        ours, theirs = socket.socketpair()
        texts = [text for (text,) in self._connection.execute("SELECT text FROM memory")]

        def send() -> None:
            with ours:
                for start in range(0, len(texts), _ROWS_A_MESSAGE):
                    ours.sendall("\n".join(texts[start : start + _ROWS_A_MESSAGE]).encode() + b"\0")

        thread = threading.Thread(target=send)
        thread.start()
        other = Floor()
        other.open(folder)
        with theirs, theirs.makefile("rb") as stream:
            waiting = b""
            while chunk := stream.read1(1 << 16):
                *whole, waiting = (waiting + chunk).split(b"\0")
                for message in whole:
                    other.fill(message.decode().split("\n"))
        thread.join()
        other.close()
        return len(texts)

    def _store(self, texts: Sequence[str]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for text in texts:
            number = self._connection.execute("INSERT INTO memory (text) VALUES (?)", (text,)).lastrowid
            self._connection.execute("INSERT INTO word (rowid, text) VALUES (?, ?)", (number, text))
        self._connection.execute("COMMIT")
