"""Give pages the store to read: as it is, or as it was at a moment, each with the catalogue of its memories.

A catalogue is made again when the log has moved on. Of a large store that takes a second, so only the memories that
came, changed or left are read, where the ops since name them; else pages are shown the one before until the next is
ready, and told that it is `stale`. A moment of the past takes as long to make, and whoever scrubs through time asks of
each several times, so the last few are kept for a while.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import trio

from cognition.entities import numbers_unread
from cognition.listing import hidden_by_others, rows_beside
from replica import OpKind
from replica.reads.log import acts_between
from samemind.moments import Past, opened_past
from samemind.panel.catalogue import Catalogue, CatalogueReader, read_catalogue

if TYPE_CHECKING:
    from cognition import Cognition, PastMind
    from samemind.device import Device

Result = TypeVar("Result")
# A store of fewer memories is read while somebody waits.
AT_ONCE_MAX: Final = 20_000
# What these do shows in no list.
_LEAVE_ROWS: Final = frozenset(
    {OpKind.ACCESS, OpKind.CLAIM, OpKind.RELATE, OpKind.FEEDBACK, OpKind.TRIGGER, OpKind.RECEIPT}
)
# These change the rows of the memories that they name, and of those beside them. Any other kind may change others too.
_NAME_ROWS: Final = frozenset(
    {
        OpKind.REMEMBER,
        OpKind.EDIT,
        OpKind.SET,
        OpKind.TAG,
        OpKind.UNTAG,
        OpKind.FORGET,
        OpKind.ERASE,
    }
)
# So much is read while somebody waits; and once so much differs from what was read as a whole, that is read anew.
_LATER_OPS_MAX: Final = 4_000
_LATER_ROWS_MAX: Final = 1_000
# Each moment of a hundred thousand memories takes a hundred megabytes.
PASTS_MAX: Final = 2
# Whoever looks at a moment asks again within seconds; memory is given back a minute after the last question.
PAST_S: Final = 60.0
# Some five hundred texts. A larger store has its names read in the background (`cognition.background.naming`), with
# rests: here it would hold up whatever else is asked.
NAMES_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Standpoint:
    """What a page reads from. `moment_ms` is None for now; `stale`: a newer catalogue is being made."""

    mind: "Cognition | PastMind"
    catalogue: Catalogue
    moment_ms: int | None
    stale: bool

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` on a reader of this moment."""
        return await self.mind.read(function)


@dataclass(slots=True)
class _OpenMoment:
    """A moment that is open; `used` is the time of the last question on trio's clock."""

    past: Past
    mind: "PastMind"
    catalogue: Catalogue
    closing: AsyncExitStack
    used: float
    asking: trio.Lock


class Standing(NamedTuple):
    """How things stood before a catalogue was read as a whole.

    Where the log was, how many bases were merged, what others hid, and in which texts names were still to be read.
    """

    position: int
    merged: int
    hidden: tuple[int, ...]
    unread: frozenset[int]

    @property
    def many_unread(self) -> bool:
        """Whether more texts were unread than are noted."""
        return len(self.unread) > _LATER_OPS_MAX


class WholeCatalogue(NamedTuple):
    """The last catalogue that was read as a whole, and how things stood before that."""

    before: Standing
    catalogue: Catalogue


class ChangedRows(NamedTuple):
    """Which rows of a whole catalogue may be others by now, and those and all later ones as they are.

    `before`: how things stood before these were read. `outgrown`: so much differs that the whole is to be read anew
    beside that.
    """

    before: Standing
    changed: set[int]
    read: Catalogue
    outgrown: bool


class Moments:
    """The store as it is and as it was. `nursery` ends with the panel."""

    def __init__(self, device: "Device", nursery: trio.Nursery) -> None:
        self._device = device
        self._nursery = nursery
        self._now: tuple[int, Catalogue] | None = None
        self._whole: WholeCatalogue | None = None
        self._is_outgrown = False  # much differs from the whole, which is to be read anew
        self._making = trio.Lock()
        self._pasts: dict[tuple[int, str | None], _OpenMoment] = {}
        self._opening = trio.Lock()
        self._reads_names = False

    @asynccontextmanager
    async def at(self, moment_ms: int | None, seen_by: str | None) -> AsyncIterator[Standpoint]:
        """Hold the store as it was at a moment, or as it is, for the block."""
        if moment_ms is None and seen_by is None:
            catalogue, stale = await self._current()
            yield Standpoint(self._device.mind, catalogue, None, stale)
            return
        moment_ms = self._device.now_ms() if moment_ms is None else moment_ms
        kept = await self._past(moment_ms, seen_by)
        try:
            yield Standpoint(kept.mind, kept.catalogue, moment_ms, False)
        finally:
            kept.used = trio.current_time()
            kept.asking.release()

    async def warm(self) -> None:
        """Make the first catalogue before somebody asks for it."""
        await self._refresh()

    def read_names(self) -> None:
        """Have the names in what came last read beside everything else; the rest is the mind's own reader's."""
        if not self._reads_names and (self._now is None or len(self._now[1]) <= AT_ONCE_MAX):
            self._reads_names = True
            self._nursery.start_soon(self._read_names)

    async def names_read(self) -> None:
        """Wait until names were read, but not for long."""
        with trio.move_on_after(NAMES_S):
            await self._device.mind.read_entities()

    async def close(self) -> None:
        """Give the moments of the past back."""
        async with self._opening:
            for key in [*self._pasts]:
                await self._drop(key)

    async def _current(self) -> tuple[Catalogue, bool]:
        news = self._device.replica.news
        if self._now is not None and self._now[0] == news:
            return self._now[1], False
        if self._now is not None:
            if (later := await self._with_later(self._device.replica.position)) is not None:
                self._now = news, later
                return later, False
            if len(self._now[1]) > AT_ONCE_MAX:
                if not self._making.locked():
                    self._nursery.start_soon(self._refresh)
                return self._now[1], True
        await self._refresh()
        assert self._now is not None
        return self._now[1], False

    async def _refresh(self) -> None:
        async with self._making:
            replica = self._device.replica
            news, position = replica.news, replica.position
            if self._now is None or self._now[0] != news or self._is_outgrown:
                before = await replica.read(partial(standing_of, position, news - position))
                catalogue = await self._read()
                self._now = news, catalogue
                self._whole = WholeCatalogue(before, catalogue)
                self._is_outgrown = False

    async def _with_later(self, position: int) -> Catalogue | None:
        """Return the catalogue of a position, from the last whole one; None where that must be read anew."""
        whole, news = self._whole, self._device.replica.news
        if whole is None or news - position != whole.before.merged:
            return None
        since = await self._device.replica.read(partial(changed_since, whole, position))
        if since is None:
            return None
        if since.outgrown and not self._making.locked():
            self._is_outgrown = True
            self._nursery.start_soon(self._refresh)
        catalogue = whole.catalogue.with_changed(since.read, since.changed)
        if self._whole is whole:
            # What was read goes on from here: else each look would read it all again.
            self._whole = WholeCatalogue(since.before, catalogue)
        return catalogue

    async def _read(self) -> Catalogue:
        """Read the store in pages. Behind a catalogue that is still shown, rest as long as each takes."""
        reader, rests = CatalogueReader(), self._now is not None and len(self._now[1]) > AT_ONCE_MAX
        while True:
            began = trio.current_time()
            if not await self._device.replica.read(reader.read_page):
                return reader.catalogue()
            if rests:
                await trio.sleep(trio.current_time() - began)

    async def _read_names(self) -> None:
        try:
            news = self._device.replica.news
            await self.names_read()
            if self._now is not None and self._now[0] == news:
                self._now = -1, self._now[1]  # what is named is not in the log, and yet it is news
        finally:
            self._reads_names = False

    async def _past(self, moment_ms: int, seen_by: str | None) -> _OpenMoment:
        """Return a moment that the caller holds until it releases `asking`."""
        async with self._opening:
            key = (moment_ms, seen_by)
            for old in [each for each in self._pasts if each != key][
                : max(0, len(self._pasts) - PASTS_MAX + 1)
            ]:
                await self._drop(old)
            if key not in self._pasts:
                self._pasts[key] = await self._open(moment_ms, seen_by)
                self._nursery.start_soon(self._drop_when_idle, key, self._pasts[key])
            kept = self._pasts.pop(key)
            self._pasts[key] = kept  # the last to go
            await kept.asking.acquire()  # one connection is for one thread at a time
            return kept

    async def _open(self, moment_ms: int, seen_by: str | None) -> _OpenMoment:
        from cognition import PastMind  # here: most who open the panel never ask for another moment

        async with AsyncExitStack() as stack:
            past = await stack.enter_async_context(opened_past(self._device, moment_ms, seen_by))
            mind = PastMind(self._device.mind, past.connection, past.until_ms)
            catalogue = await mind.read(read_catalogue)
            return _OpenMoment(past, mind, catalogue, stack.pop_all(), trio.current_time(), trio.Lock())

    async def _drop_when_idle(self, key: tuple[int, str | None], kept: _OpenMoment) -> None:
        while self._pasts.get(key) is kept:
            left = kept.used + PAST_S - trio.current_time()
            if left > 0:
                await trio.sleep(left)
                continue
            async with self._opening:
                if self._pasts.get(key) is kept:
                    await self._drop(key)

    async def _drop(self, key: tuple[int, str | None]) -> None:
        kept = self._pasts.pop(key)
        async with kept.asking:
            await kept.closing.aclose()


def standing_of(position: int, merged: int, connection: sqlite3.Connection) -> Standing:
    """Return how things stand, before a catalogue is read."""
    unread = frozenset(numbers_unread(connection, _LATER_OPS_MAX + 1))
    return Standing(position, merged, hidden_by_others(connection), unread)


def changed_since(whole: WholeCatalogue, position: int, connection: sqlite3.Connection) -> ChangedRows | None:
    """Return what changed up to a position; None where what happened does not say which rows it changed."""
    before, last = whole.before, whole.catalogue.last
    now = standing_of(position, before.merged, connection)
    acts = acts_between(connection, before.position, position, _LATER_OPS_MAX + 1)
    # What was compacted meanwhile tells nobody what it did.
    if len(acts) > _LATER_OPS_MAX or len(acts) < position - before.position:
        return None
    if not (_LEAVE_ROWS | _NAME_ROWS).issuperset(act.kind for act in acts):
        return None
    if now.hidden != before.hidden:
        return None
    rids = [rid for act in acts if act.kind in _NAME_ROWS for rid in act.rids]
    changed = {number for number in rows_beside(connection, rids) if number <= last}
    changed.update(whole.catalogue.numbers_of(rids))
    outgrown = False
    if before.many_unread:
        outgrown = not now.many_unread  # the rest are noted from here on
    elif before.unread:  # what is named is not in the log
        changed.update(before.unread - now.unread)
    read = read_catalogue(connection, after=last, also=sorted(changed))
    return ChangedRows(now, changed, read, outgrown or len(read) > _LATER_ROWS_MAX)
