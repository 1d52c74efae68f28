"""YantrikDB, as its users have it: the published wheel, with the embedder that is inside it."""

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

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

    def think(self) -> None:
        self._db.think()

    def receive(self, folder: Path) -> int:
        other = Yantrik()
        other.open(folder)
        hlc, op_id, count = None, None, 0
        while ops := self._db.extract_ops_since(hlc, op_id, None, _OPS_A_PAGE):
            other._db.apply_ops(ops)
            count += len(ops)
            hlc, op_id = ops[-1]["hlc"], ops[-1]["op_id"]
        other.close()
        return count

    def _retrying(self, text: str) -> None:
        from yantrikdb import Backpressure

        while True:
            try:
                self._db.record(text)
                return
            except Backpressure:
                time.sleep(_RETRY_SECONDS)
