"""Take in what is told: the telling at once, and what follows from its words behind it.

`tell` commits a telling, and it is noted that it is to be read: in the same transaction, or when it shows. Reading
finds what says the same, and takes out facts and claims. That takes longer than storing, and few who tell something
wait for it; who does (`tell_and_read`) gets all of it in one commit. Whoever asks for anything else has the rest read
first (`ingest_worker`), so an answer does not depend on when it is asked for.

What is brought in (`bringing`) is read likewise, after what is told, and in the order in which it was once told. Nobody
waits for it but where little is left: twenty thousand lines take a minute.

The note is durable as the telling is: after a crash the reading goes on where it was. It may begin one anew, to no
effect: a fact has its id from its telling, and a claim or a link that stands is not written again.

What reads beside others lives in `ingest_worker`: a phone has no threads, and reads a slice while nobody asks.

Elsewhere a telling may be forgotten before its facts have come there. They follow it: this device forgets the facts
that it wrote itself, once their telling is gone.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, tzinfo
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cognition.contradictions.tables import need_no_comparing
from cognition.extraction.values import Extraction
from cognition.ingest.local import LocalTables
from cognition.memories import Shown
from replica import (
    Core,
    Erase,
    Forget,
    MemoryId,
    Op,
    Remember,
    Value,
    Write,
    derived_transaction,
    is_known,
    memories_called,
    orphans_of,
)
from replica.values import dataclass

# What one visit to the store's thread may take, beside those who write, and for somebody who waits.
SLICE_S: Final = 0.008
WAITED_FOR_SLICE_S: Final = 0.05
# Tellings that are looked at in one visit; no visit gets through more.
READ_AT_ONCE: Final = 32
# A quarter of a second of reading, which the next question waits for. Whoever tells more without a pause reads as much
# as they tell: several at once and then none for some tellings, since one by one takes half as long again.
BACKLOG_MAX: Final = 256

if TYPE_CHECKING:
    from cognition.contradictions.telling import ClaimWriter
    from cognition.ingest.linking import Linker

_log = logging.getLogger(__name__)


class NewTelling(NamedTuple):
    """Something that was told, as it is to be stored."""

    rid: MemoryId
    text: str
    fields: Mapping[str, Value]
    now_ms: int
    is_fresh: bool = False
    """Whether the id was made by chance a moment ago."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was found in a telling when it was read: its op, its facts, what says the same, and where it claims."""

    op: Op
    facts: tuple[MemoryId, ...]
    dropped: int
    says_same: tuple[MemoryId, ...]
    slots: tuple[bytes, ...]


class TellingReader:
    """Commits tellings, and reads them; used on the store's writing thread only."""

    def __init__(
        self, local: LocalTables | None, now_ms: Callable[[], int], *, newer: bool, links: bool = True
    ) -> None:
        """`local` are the tables with which the replica was opened; `newer`: a later word stands without asking.

        Without `links`, for who has no numpy and never thinks, nothing is linked to what it says again.
        """
        self._links = links
        self._local = LocalTables() if local is None else local
        self._now_ms = now_ms
        self._newer = newer
        self._told_s = -inf
        self.backlog = 0
        """How many tellings wait to be read, as far as this was told."""
        self.brought = 0
        """How many memories that were brought in wait to be read, likewise."""
        self._gathering = 0

    # What reads is loaded when there is something to read: whoever only asks does without.

    @cached_property
    def _linker(self) -> "Linker":
        from cognition.ingest.linking import Linker

        return Linker()

    def open(self, connection: sqlite3.Connection) -> None:
        """Find what an earlier program left unread."""
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'told_unread'").fetchone():
            ((self.backlog,),) = connection.execute("SELECT count(*) FROM told_unread")
            ((self.brought,),) = connection.execute("SELECT count(*) FROM brought_unread")
            self._local.has_left = connection.execute("SELECT 1 FROM fact_left").fetchone() is not None

    def tell(
        self,
        core: Core,
        connection: sqlite3.Connection,
        told: NewTelling,
        *,
        facts: bool,
        may_follow: bool = False,
    ) -> Op:
        """Commit a telling, which is read later; `facts` says whether what it states is to be taken out of it.

        With `may_follow` it shows and is filed later too, if it is read for `facts` as nearly all is: whoever asks for
        anything has that done first (`Replica.read`).
        """
        if self.backlog >= BACKLOG_MAX:
            core.store.follow()
            self.read_some(core, connection, SLICE_S)
        self._local.telling[told.rid] = facts
        self.backlog += 1  # before it waits: one too many is found out by the next look, one too few by none
        try:
            fresh = {told.rid} if told.is_fresh else frozenset[MemoryId]()
            write = Write(Remember(told.text, told.fields), told.rid)
            (op,) = core.commit([write], told.now_ms, fresh=fresh, may_follow=may_follow and facts)
        finally:
            self._local.telling.clear()
        self._told_s = time.monotonic()
        return op

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """Read nothing of what is brought in before the block ends: what was told first may come last."""
        self._gathering += 1
        try:
            yield
        finally:
            self._gathering -= 1

    @contextmanager
    def bringing(self, rids: Mapping[MemoryId, str | None]) -> Iterator[None]:
        """Have those of these memories read later that are committed in the block; with the circle of their people."""
        self._local.bringing |= dict(rids.items())
        self._local.brought = 0
        try:
            yield
        finally:
            self._local.bringing.clear()
        self.brought += self._local.brought

    def tell_and_read(
        self, core: Core, connection: sqlite3.Connection, told: NewTelling, found: Extraction
    ) -> Read:
        """Commit a telling together with what was `found` in it, after all that was told before was read."""
        from cognition.contradictions.telling import ClaimWriter
        from cognition.ingest.linking import as_told
        from cognition.ingest.plan import stated, take_in

        self.read_all(core, connection)
        rid, text, fields, *_ = told
        now_ms = self._now_ms()  # not as it was before that: what it replaces was told earlier
        again = self._linker.find(connection, text, fields)
        taken = take_in(rid, text, fields, found)
        teller = ClaimWriter(core, connection, now_ms)
        writes = as_told(taken.writes, again, rid)
        teller.tell(writes, stated(connection, taken, fields, writes, now_ms, newer=self._newer))
        op, *_ = teller.commit()
        return Read(op, taken.facts, taken.dropped, again.rids, tuple(teller.slots))

    def read_all(self, core: Core, connection: sqlite3.Connection) -> None:
        """Read all that waits."""
        while self.read_some(core, connection, WAITED_FOR_SLICE_S):
            pass

    def read_some(
        self, core: Core, connection: sqlite3.Connection, budget_s: float, *, all_brought: bool = False
    ) -> bool:
        """Read some of what waits; say whether there may be more.

        Of what was brought in, only with `all_brought` where more is left than somebody may wait for.
        """
        ends_s = time.perf_counter() + budget_s
        if self._local.has_left:
            self._local.has_left = _forget_facts_left(core, connection, self._now_ms())
        rows = _unread(connection) if self.backlog else []
        if not rows:
            self.backlog = 0
            if self.brought if all_brought else self._few_brought:
                return self._read_brought(core, connection, ends_s) or self._local.has_left
            return self._local.has_left
        from cognition.own_zone import own_zone

        def read(teller: "ClaimWriter", it: Shown, facts: object) -> None:
            if self._links and (links := self._linker.find_before(connection, it).writes(it.rid)):
                core.commit(links, self._now_ms())  # by itself: the next telling may be linked to this one
            if facts:
                self._take(connection, teller, it, zone=own_zone())

        waiting = [((no,), rid, facts) for no, rid, facts in rows]
        count = self._read(core, connection, waiting, read, ends_s, "DELETE FROM told_unread WHERE no = ?")
        self.backlog = max(self.backlog - count, 1)  # whether none is left, the next look tells
        return True

    def _read_brought(self, core: Core, connection: sqlite3.Connection, ends_s: float) -> bool:
        """Read some of what was brought in, what was told first before the rest; say whether there is more.

        Its days are UTC's, so that every device finds the same; it is compared with the rest by thinking.
        """
        rows = connection.execute(
            "SELECT told_ms, rid, among FROM brought_unread ORDER BY told_ms, rid LIMIT ?", (READ_AT_ONCE,)
        ).fetchall()

        def read(teller: "ClaimWriter", it: Shown, among: str | None) -> None:
            self._take(connection, teller, it, zone=UTC, among=among)

        waiting = [((told_ms, rid), rid, among) for told_ms, rid, among in rows]
        done = "DELETE FROM brought_unread WHERE told_ms = ? AND rid = ?"
        count = self._read(core, connection, waiting, read, ends_s, done)
        self.brought = max(self.brought - count, 1) if rows else 0
        return self.brought > 0

    def _read(
        self,
        core: Core,
        connection: sqlite3.Connection,
        waiting: Sequence[tuple[tuple[Any, ...], bytes, Any]],
        read: Callable[["ClaimWriter", Shown, Any], None],
        ends_s: float,
        done: str,
    ) -> int:
        """Read tellings of a queue until the time is up, take them off it by `done`, and return how many.

        Each that `waiting` has is its key in the queue, its id, and what `read` is told beside the telling.
        """
        from cognition.contradictions.telling import ClaimWriter

        told = {it.rid: it for it in memories_called(connection, [rid for _, rid, _ in waiting])}
        teller = ClaimWriter(core, connection, self._now_ms())
        keys: list[tuple[Any, ...]] = []
        silent: list[int] = []
        for key, rid, beside in waiting:
            if (it := told.get(MemoryId(rid))) is not None:  # else it was forgotten meanwhile
                read(teller, it, beside)
                if self._links and _states_nothing(it):
                    silent.append(it.id)
            keys.append(key)
            if time.perf_counter() >= ends_s:
                break
        teller.commit()
        with derived_transaction(connection):
            connection.executemany(done, keys)
            need_no_comparing(connection, silent)
        return len(keys)

    def _take(
        self,
        connection: sqlite3.Connection,
        teller: "ClaimWriter",
        it: Shown,
        *,
        zone: tzinfo,
        among: str | None = None,
    ) -> None:
        """Take the facts and claims out of a telling, and have them written."""
        from cognition.ingest.plan import read_text, stated, take_in

        text, fields = it.memory.text, it.memory.fields
        try:
            _, found = read_text(text, fields, now_ms=it.memory.created >> 16, zone=zone, among=among)
        except Exception:  # a telling that cannot be read stays a telling, and holds no other up
            _log.exception("a telling could not be read")
            return
        taken = take_in(it.rid, text, fields, found)
        fresh = [write for write in taken.writes[1:] if write.rid and not is_known(connection, write.rid)]
        told_ms = it.memory.created >> 16  # what came since from another device was told after it
        teller.tell(fresh, stated(connection, taken, fields, fresh, told_ms, newer=self._newer))

    @property
    def waits(self) -> bool:
        """Whether there is something to read that others wait for."""
        return self.backlog > 0 or self._local.has_left or self._few_brought

    @property
    def _few_brought(self) -> bool:
        return not self._gathering and 0 < self.brought <= BACKLOG_MAX


def _states_nothing(it: Shown) -> bool:
    """Say whether a telling has nothing that older ones could say otherwise; who thinks looks at the rest."""
    from cognition.grammar.typed import states_nothing

    try:
        return states_nothing(it.memory.text)
    except Exception:  # as in `_take`; a cycle of thinking fails of it, and says so
        _log.exception("a telling could not be read")
        return False


def _unread(connection: sqlite3.Connection) -> list[tuple[int, MemoryId, int]]:
    return connection.execute(
        "SELECT no, rid, facts FROM told_unread ORDER BY no LIMIT ?", (READ_AT_ONCE,)
    ).fetchall()


def _forget_facts_left(core: Core, connection: sqlite3.Connection, now_ms: int) -> bool:
    """Forget facts that this device wrote of tellings that are gone, erased where those were; say whether more wait."""
    left = connection.execute("SELECT rid FROM fact_left LIMIT ?", (READ_AT_ONCE,)).fetchall()
    own: dict[bool, list[MemoryId]] = {False: [], True: []}
    for (rid,) in left:
        own[rid in core.erased] += orphans_of(connection, rid, core.device)
    writes = [Write(Erase(tuple(sorted(own[True])))) for _ in own[True][:1]]
    writes += [Write(Forget(tuple(sorted(own[False])))) for _ in own[False][:1]]
    core.commit(writes, now_ms)
    with derived_transaction(connection):
        connection.executemany("DELETE FROM fact_left WHERE rid = ?", left)
    return len(left) == READ_AT_ONCE
