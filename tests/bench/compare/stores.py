"""What one would put together instead: a store of vectors, with the same embedder as ours and nothing around it.

Neither merges, syncs or thinks. They say what finding costs when finding is all that is done.
"""

import sqlite3
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cognition import StaticEmbedder
from tests.bench.compare.contestant import NotOffered, Synced

_ROWS_A_CALL = 5_000


class _Store:
    """What the two share: they hold texts with vectors."""

    package: str

    def __init__(self) -> None:
        self.version = version(self.package)
        self._embedder = StaticEmbedder()
        self._count = 0

    def remember(self, text: str) -> None:
        self._keep([text])

    def fill(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _ROWS_A_CALL):
            self._keep(texts[start : start + _ROWS_A_CALL])

    def settle(self) -> None:
        """What is stored is found at once."""

    def embed(self, query: str) -> None:
        self._embedder.embed([query])

    def think(self) -> None:
        raise NotOffered

    def sync(self, texts: Sequence[str], folder: Path) -> Synced:
        raise NotOffered

    def _keep(self, texts: Sequence[str]) -> None:
        raise NotOffered


class SqliteVec(_Store):
    """sqlite-vec: vectors in a virtual table of SQLite, every commit fsynced."""

    name = package = "sqlite-vec"

    def open(self, folder: Path) -> None:
        sqlite_vec: Any = import_module("sqlite_vec")
        connection = self._connection = _sqlite().connect(folder / "store.db", isolation_level=None)
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS memory (id INTEGER PRIMARY KEY, text TEXT)")
        width = self._embedder.width
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS near USING vec0(vector float[{width}] distance_metric=cosine)"
        )

    def close(self) -> None:
        self._connection.close()

    def recall(self, query: str) -> int:
        vector = self._embedder.embed([query])[0].astype("float32").tobytes()
        found = self._connection.execute(
            "SELECT rowid FROM near WHERE vector MATCH ? AND k = 10 ORDER BY distance", (vector,)
        ).fetchall()
        return len(found)

    def _keep(self, texts: Sequence[str]) -> None:
        vectors = self._embedder.embed(list(texts)).astype("float32")
        self._connection.execute("BEGIN IMMEDIATE")
        for text, vector in zip(texts, vectors, strict=True):
            row = self._connection.execute("INSERT INTO memory (text) VALUES (?)", (text,)).lastrowid
            self._connection.execute(
                "INSERT INTO near (rowid, vector) VALUES (?, ?)", (row, vector.tobytes())
            )
        self._connection.execute("COMMIT")


def _sqlite() -> Any:
    """The SQLite of this Python, or, where that one loads no extensions, the one that SQLCipher's wheel brings."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    return import_module("sqlcipher3.dbapi2")


class Chroma(_Store):
    """Chroma: a collection on disk, its index HNSW."""

    name = "chroma"
    package = "chromadb"

    def open(self, folder: Path) -> None:
        chromadb: Any = import_module("chromadb")
        settings = chromadb.Settings(anonymized_telemetry=False)
        client: Any = chromadb.PersistentClient(str(folder), settings=settings)
        self._client = client
        self._collection: Any = client.get_or_create_collection("memory", embedding_function=None)

    def close(self) -> None:
        self._client.clear_system_cache()  # else a second client is the first one again

    def recall(self, query: str) -> int:
        found = self._collection.query(query_embeddings=self._embedder.embed([query]).tolist(), n_results=10)
        return len(found["ids"][0])

    def _keep(self, texts: Sequence[str]) -> None:
        self._collection.add(
            ids=[str(self._count + n) for n in range(len(texts))],
            documents=list(texts),
            embeddings=self._embedder.embed(list(texts)).tolist(),
        )
        self._count += len(texts)
