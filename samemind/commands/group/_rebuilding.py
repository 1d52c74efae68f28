"""Make a new store beside the one that is there, for a group that is rebuilt and for a device that moves into one.

It takes that one's place once it is whole, so whoever is killed meanwhile has lost nothing and begins again. The
store that was there is kept beside it: to take all back, restore that. Nothing else may have the store open
meanwhile. What decides is `replica.rebuilding`.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from replica import Core
from replica.replica import open_core
from replica.rollback_guard import RollbackGuard
from samemind.config import JOURNAL, LOG, LOG_INDEX, Home, Settings, beside
from samemind.device import derived_tables
from samemind.errors import Failed, NotFound
from samemind.home.lock import hold
from samemind.home.passphrase import key_of
from samemind.home.recoding import REBUILT, check
from samemind.home.restoring import put_in_place
from sync import Identity


class RebuildSite:
    """A home that is held, and the store that is made beside its own."""

    def __init__(self, home: Home, identity: Identity) -> None:
        self.home = home
        self.identity = identity
        self.settings = Settings.load(home)
        self.key = key_of(home.store, identity.device_id)
        self.fresh = beside(home.store, REBUILT)

    def open(self, path: Path) -> AbstractContextManager[tuple[Core, sqlite3.Connection]]:
        """Open its store, or the new one."""
        return open_core(
            path,
            device=self.identity.device_id,
            sign=self.identity.sign,
            derived=derived_tables(self.settings),
            key=self.key,
        )

    def put(self, store: Path) -> Path | None:
        """Let the new store take the place of the other."""
        check(self.fresh, self.key)
        log = beside(self.fresh, LOG)
        if log.exists() and log.stat().st_size:
            raise Failed(f"expected the log beside {self.fresh} to be written back, but it is still there")
        with self.fresh.open("rb+") as file:
            os.fsync(file.fileno())
        # Whoever opens the old one once more notes this anew; the new one must not hear of the old group's revocations.
        RollbackGuard(self.home.outside, self.identity.device_id, store).forget_group()
        return put_in_place(store, self.fresh, self.key, why="rebuild")

    def clear(self) -> None:
        """Take away what was made and is not needed, also by somebody who was killed."""
        for suffix in ("", LOG, LOG_INDEX, JOURNAL):
            beside(self.fresh, suffix).unlink(missing_ok=True)


@contextmanager
def held_alone(home: Home, program: str) -> Iterator[RebuildSite]:
    if not home.store.is_file() or not home.identity.is_file():
        raise NotFound(f"expected a device in {home.shown()}, but there is none", code="no_device")
    with hold(home, program=program):
        place = RebuildSite(home, Identity.load(home.identity))
        place.clear()
        try:
            place.fresh.touch(mode=0o600)
            yield place
        finally:
            place.clear()
