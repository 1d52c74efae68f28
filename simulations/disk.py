"""Keep one device's store on a disk that can fail, die inside a write, be copied and be rolled back.

SQLite runs for real, in memory: a write that fails or a process that dies inside one leaves what SQLite's own
transaction leaves. What is not simulated is SQLite itself tearing a page; it promises not to. A disk that
loses writes which it had acknowledged is simulated as a rollback to an older image, which is what it comes to.
"""

import copy
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from enum import Enum, auto
from functools import cache
from typing import Any, Final, Protocol

from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.tables import ClaimTables
from cognition.entities import EntityTables
from cognition.ingest.local import LocalTables
from cognition.patterns.tables import PatternTables
from cognition.tables import CognitionTables
from cognition.triggers.kinds import Thresholds
from cognition.triggers.tables import TriggerTables
from replica.codec import unpack
from replica.errors import StoreFailed
from replica.fields import FIELDS
from replica.oplog import Changes, Store
from replica.storage.memory_store import MemoryStore
from replica.storage.shown import DerivedTables
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from simulations.definition import Shown

# Worlds are small: what takes twenty memories and a tenth of their strength elsewhere shows here with a few.
THRESHOLDS: Final = Thresholds(review_strength=0.4, consolidation_count=4, escalation_severity="low")


class Crash(Exception):
    """The process died here."""


class Failure(Enum):
    """What happens to the next write."""

    FULL = auto()
    """The disk refuses, and the process lives."""
    TORN = auto()
    """The process dies after the last statement and before the commit."""


class Disk(Protocol):
    """A place that holds a store across crashes of the process that uses it."""

    failing: Failure | None
    rows: dict[str, bytes]
    """What the device remembers of a mailbox."""

    @property
    def store(self) -> Store:
        """The store on this disk."""
        ...

    def image(self) -> "Disk":
        """Return a copy of the whole disk, as it is now."""
        ...


class SqliteDisk:
    """A disk with a SQLite file on it."""

    def __init__(self, image: bytes | None = None, *, thinks: bool = False) -> None:
        self.rows: dict[str, bytes] = {}
        self.connection = connect(":memory:")
        self.connection.deserialize(_empty(thinks) if image is None else image)
        self.connection.execute("PRAGMA secure_delete = ON")  # is lost with what was there before
        self.failing: Failure | None = None
        self.thinks = thinks
        """Whether the tables of cognition are kept in step beside the memories."""
        self.store = _FailingSqlite(self.connection, self)

    def __del__(self) -> None:
        """Close what nobody else has; Python 3.13 speaks of each connection that is let go of open."""
        self.connection.close()

    def image(self) -> "SqliteDisk":
        """Return a copy of the whole disk, as it is now."""
        copied = SqliteDisk(self.connection.serialize(), thinks=self.thinks)
        copied.rows = dict(self.rows)
        return copied

    def raw(self) -> bytes:
        """Return every page, free ones too."""
        return self.connection.serialize()

    def shown(self) -> Iterator[tuple[bytes, Shown]]:
        """Return the rows of the memory table."""
        names = list(FIELDS)
        columns = ", ".join(f'"{name}"' for name in names)
        for rid, text, created, updated, accesses, last, more, *values in self.connection.execute(
            f"SELECT rid, text, created, updated, accesses, last_access, more, {columns} FROM memory ORDER BY rid"
        ):
            fields = {} if more is None else dict(unpack(more))
            for name, value in zip(names, values, strict=True):
                if value is not None:
                    fields[name] = _plain(name, value)
            yield rid, Shown(text, fields, created, updated, accesses, last)

    def edges(self) -> dict[tuple[str, str, str], tuple[float, int]]:
        """Return the rows of the edge table: weight and stamp."""
        rows = self.connection.execute("SELECT source, relation, target, weight, hlc FROM edge")
        return {(source, relation, target): (weight, hlc) for source, relation, target, weight, hlc in rows}


@cache
def _empty(thinks: bool) -> bytes:
    """Return a disk with a store that nothing was written to; to make its tables anew takes 12 ms."""
    with closing(connect(":memory:")) as connection:
        SqliteStore(connection, derived_tables(LocalTables()) if thinks else ())
        return connection.serialize()


def derived_tables(local: LocalTables) -> list[DerivedTables]:
    """Return what a device that thinks keeps beside its memories (as `samemind.device` does)."""
    return [
        CognitionTables(),
        EntityTables(),
        local,
        ClaimTables(),
        SummaryTables(),
        PatternTables(),
        TriggerTables(THRESHOLDS),
    ]


def _plain(name: str, value: Any) -> Any:
    if name in ("tags", "meta"):
        return json.loads(value)
    return bool(value) if name in ("pinned", "archived", "apart") else value


class MemoryDisk:
    """A disk with a `MemoryStore` on it: for worlds with hundreds of devices."""

    def __init__(self, store: "_FailingMemory | None" = None) -> None:
        self.rows: dict[str, bytes] = {}
        self.failing: Failure | None = None
        self.store = _FailingMemory() if store is None else store
        self.store.disk = self

    def image(self) -> "MemoryDisk":
        """Return a copy of the whole disk, as it is now."""
        self.store.disk = None
        copied = copy.deepcopy(self.store)
        self.store.disk = self
        disk = MemoryDisk(copied)
        disk.rows = dict(self.rows)
        return disk


class _FailingSqlite(SqliteStore):
    def __init__(self, connection: sqlite3.Connection, disk: SqliteDisk) -> None:
        self._disk = disk
        self.local = LocalTables()
        super().__init__(connection, derived_tables(self.local) if disk.thinks else ())

    def _write(self, changes: Changes, now_ms: int) -> None:
        super()._write(changes, now_ms)
        failing, self._disk.failing = self._disk.failing, None
        if failing is Failure.FULL:
            raise sqlite3.OperationalError("database or disk is full")
        if failing is Failure.TORN:
            raise Crash


class _FailingMemory(MemoryStore):
    disk: MemoryDisk | None = None

    def write(self, changes: Changes, now_ms: int) -> None:
        """Keep the changes, or fail before any of them is kept: the store is atomic by contract."""
        assert self.disk is not None
        failing, self.disk.failing = self.disk.failing, None
        if failing is Failure.FULL:
            raise StoreFailed("the simulated disk is full")
        if failing is Failure.TORN:
            raise Crash
        super().write(changes, now_ms)
