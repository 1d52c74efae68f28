"""The floor: what the work costs when nothing but the unavoidable is done.

One table, its words and its vector, one fsynced commit a memory; exact search in numpy; a sync that signs nothing,
checks nothing and merges nothing. No rule of ours holds here, and nobody should use it: it says how far there is to go.
"""

import multiprocessing
import socket
import sqlite3
import ssl
import time
from collections.abc import Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import zstandard
from cryptography.hazmat.primitives import serialization

from cognition import StaticEmbedder
from tests.bench.compare.contestant import NotOffered, Synced
from tests.support.links import identity

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

    def embed(self, query: str) -> None:
        self._embedder.embed([query])

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

    def sync(self, texts: Sequence[str], folder: Path) -> Synced:
        """Send a store's rows over a fresh TLS 1.3 link and store them, a fsynced transaction for each message."""
        source, size = folder / "source", 0
        source.mkdir()
        one, other = Floor(), Floor()
        one.open(source)
        one.fill(texts)
        one.close()
        other.open(folder)
        asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # as cheap as it gets: nobody checks a certificate
        asking.check_hostname, asking.verify_mode = False, ssl.CERT_NONE
        apart = multiprocessing.get_context("spawn")
        up, up_there = apart.Pipe()
        server = apart.Process(target=_serve, args=(source, up_there))
        server.start()
        up_there.close()  # or nobody would notice that the other end is gone
        port = up.recv()
        began = time.perf_counter()
        with asking.wrap_socket(socket.create_connection(("127.0.0.1", port))) as link:
            stream = link.makefile("rb")
            while head := stream.read(4):
                packed = stream.read(int.from_bytes(head))
                other.fill(zstandard.decompress(packed).decode().split("\n"))
                size += len(head) + len(packed)
        seconds = time.perf_counter() - began
        server.join()
        other.close()
        return Synced(seconds, size)

    def _store(self, texts: Sequence[str]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for text in texts:
            number = self._connection.execute("INSERT INTO memory (text) VALUES (?)", (text,)).lastrowid
            self._connection.execute("INSERT INTO word (rowid, text) VALUES (?, ?)", (number, text))
        self._connection.execute("COMMIT")


def _message(texts: Sequence[str]) -> bytes:
    packed = zstandard.compress("\n".join(texts).encode())
    return len(packed).to_bytes(4) + packed


def _serve(folder: Path, up: Connection) -> None:
    """In a process of its own: say by which port a store's rows are sent, and send them once."""
    with (
        closing(sqlite3.connect(folder / "store.db")) as store,
        socket.create_server(("127.0.0.1", 0)) as here,
    ):
        served = _context(folder)
        up.send(here.getsockname()[1])
        connection, _ = here.accept()
        with served.wrap_socket(connection, server_side=True) as link:
            rows = store.execute("SELECT text FROM memory ORDER BY id")
            while some := rows.fetchmany(_ROWS_A_MESSAGE):
                link.sendall(_message([text for (text,) in some]))


def _context(folder: Path) -> ssl.SSLContext:
    who = identity("ann")
    pem = folder / "key.pem"
    pem.write_bytes(
        who.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + ssl.DER_cert_to_PEM_cert(who.certificate).encode()
    )
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(pem)
    return served
