"""YantrikDB, as its users have it: the published wheel, with the embedder that is inside it."""

import json
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.bench.compare.contestant import Synced

# Its queue takes 256 texts and then refuses; it says itself when to come again.
_RETRY_SECONDS = 0.05
_OPS_A_PAGE = 1_000


class Yantrik:
    """The engine behind its Python wrapper."""

    name = "yantrikdb"

    def __init__(self) -> None:
        self.version = version("yantrikdb")
        self._db: Any = None

    def open(self, folder: Path) -> None:
        from yantrikdb import YantrikDB

        self._db = YantrikDB.with_default(str(folder / "store.db"))

    def close(self) -> None:
        self._db.close()

    def remember(self, text: str) -> None:
        self._retrying(text)

    def fill(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._retrying(text)

    def settle(self) -> None:
        """Its writes are found at once."""

    def recall(self, query: str) -> int:
        return len(self._db.recall(query, top_k=10))

    def embed(self, query: str) -> None:
        self._db.embed(query)

    def think(self) -> None:
        self._db.think()

    def sync(self, texts: Sequence[str], folder: Path) -> Synced:
        """Its ops, taken out of one store and applied to another; its link would come on top."""
        one, other = Yantrik(), Yantrik()
        for store, name in ((one, "one"), (other, "other")):
            (folder / name).mkdir()
            store.open(folder / name)
        one.fill(texts)
        size = 0
        seconds = 0.0
        hlc, op_id = None, None
        while True:
            began = time.perf_counter()
            ops = one._db.extract_ops_since(hlc, op_id, None, _OPS_A_PAGE)
            if ops:
                other._db.apply_ops(ops)
            seconds += time.perf_counter() - began
            if not ops:
                break
            size += len(json.dumps(ops, default=str))  # as its own link writes them
            hlc, op_id = ops[-1]["hlc"], ops[-1]["op_id"]
        one.close()
        other.close()
        return Synced(seconds, size)

    def _retrying(self, text: str) -> None:
        from yantrikdb import Backpressure

        while True:
            try:
                self._db.record(text)
                return
            except Backpressure:
                time.sleep(_RETRY_SECONDS)
