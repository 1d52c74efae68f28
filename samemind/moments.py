"""Read the store as it was: any read may be asked of another moment, or of what another device knew by then.

The past is made anew for each question, in a database in memory (`replica.past`): of a hundred thousand memories it
costs a fifth of a second, and at most twice as much again where it is to be searched by words, and leaves nothing
behind. It is read on a connection of its own, in a thread, so neither writers nor other readers wait for it. Facts that
were found in texts later are not in it, and what was erased never is.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar

from cognition.entities import EntityTables
from cognition.tables import WordTables
from replica import DeviceId, SqliteStore, connect, connect_beside
from replica.fields import MS_MAX
from replica.peer_notes import copy_nicknames
from replica.reads.memories import first_made_ms, has_memories
from replica.values import dataclass
from samemind.device import Device, derived_tables
from samemind.errors import NotFound
from samemind.formats.ids import find_device
from samemind.formats.times import at_ms, read_end_of

if TYPE_CHECKING:
    from cognition import Cognition, PastMind
    from replica.storage.picture import CopiedTables

Result = TypeVar("Result")
# Some eight thousand texts. After an upgrade that reads more in them all are unread, and a million take a quarter of an
# hour.
NAMES_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class Past:
    """The store as it was at a moment; `seen_by` where it is what one device knew."""

    device: Device
    connection: sqlite3.Connection
    until_ms: int
    seen_by: DeviceId | None

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` beside whatever else the device does."""
        return await self.device.apart(function, self.connection)


@asynccontextmanager
async def opened_past(
    device: Device,
    until_ms: int,
    seen_by: str | None,
    *,
    words: bool = True,
    names: bool = False,
) -> AsyncIterator[Past]:
    """Make the store as it was at a moment for the block; without `words` it cannot be searched by these.

    With `names` it has what is known of the names in its texts, and a queue of the texts that are still to be read.
    """
    async with _opened(device, (until_ms,), seen_by, words=words, names=names, changed_since_ms=None) as (
        past,
    ):
        yield past


@asynccontextmanager
async def opened_pasts(
    device: Device, since_ms: int, until_ms: int, seen_by: str | None
) -> AsyncIterator[tuple[Past, Past]]:
    """Make the store as it was at two moments for the block, of those memories that something happened to in between.

    Both are of what is here at one time, whatever is written or arrives meanwhile. They cannot be searched by words.
    """
    moments = since_ms, until_ms
    async with _opened(device, moments, seen_by, words=False, names=False, changed_since_ms=since_ms) as (
        before,
        after,
    ):
        yield before, after


@asynccontextmanager
async def _opened(
    device: Device,
    moments: Sequence[int],
    seen_by: str | None,
    *,
    words: bool,
    names: bool,
    changed_since_ms: int | None,
) -> AsyncIterator[list[Past]]:
    who = None
    if seen_by is not None:
        named = seen_by
        who = (
            device.device_id
            if named == device.name
            else await device.replica.read(lambda connection: find_device(connection, named))
        )
    pasts = await device.apart(_make, device, moments, who, words, names, changed_since_ms)
    try:
        yield pasts
    finally:
        for past in pasts:
            past.connection.close()


def moment_of(device: Device, as_of: str | None, *, name: str = "as_of") -> int:
    """Return the moment that is meant, in ms: a date alone is the end of that day, no time at all is now.

    Words such as "last March" mean the end of it. Stamps begin in 1970 and end some time after
    6000: nothing was told before, nor will be after.
    """
    now_ms = device.now_ms()
    if as_of is None:
        return now_ms
    return min(MS_MAX, max(0, read_end_of(as_of, name=name, now_ms=now_ms) - 1))


@asynccontextmanager
async def at_moment(
    device: Device, as_of: str | None, seen_by: str | None
) -> "AsyncIterator[Cognition | PastMind]":
    """Use the device's mind for the block, or the mind of the moment or device that is named."""
    if as_of is None and seen_by is None:
        yield device.mind
        return
    from cognition import PastMind

    async with opened_past(device, moment_of(device, as_of), seen_by) as past:
        yield PastMind(device.mind, past.connection, past.until_ms)


@asynccontextmanager
async def names_at_moment(
    device: Device, as_of: str | None, seen_by: str | None
) -> "AsyncIterator[Cognition | PastMind]":
    """Use the device's mind for the block, or that of a moment or device, to ask for names and what is said of them.

    What is new here is read first, so that each text is read once, however often one asks for the past. After
    `NAMES_S` what is left of it waits for the next who asks, or for the mind's own reader. What only the past says is
    read in what is left of that time.
    """
    import trio  # here: what only shows a memory is started without it

    ends_s = trio.current_time() + NAMES_S
    with trio.move_on_at(ends_s):
        await device.mind.read_entities()
    if as_of is None and seen_by is None:
        yield device.mind
        return
    from cognition import PastMind

    until_ms = moment_of(device, as_of)
    async with opened_past(device, until_ms, seen_by, words=False, names=True) as past:
        mind = PastMind(device.mind, past.connection, until_ms)
        await mind.read_entities(max(0.0, ends_s - trio.current_time()))
        yield mind


async def read_at(
    device: Device,
    as_of: str | None,
    seen_by: str | None,
    function: Callable[[sqlite3.Connection], Result],
) -> Result:
    """Read what is, or what was where a moment or a device is named; `function` searches for no words."""
    if as_of is None and seen_by is None:
        return await device.replica.read(function)
    async with opened_past(device, moment_of(device, as_of), seen_by, words=False) as past:
        return await past.read(function)


def nothing_told(connection: sqlite3.Connection) -> bool:
    """Say whether nothing at all is remembered."""
    return not has_memories(connection)


async def begins_after(device: Device, as_of: str | None) -> datetime | None:
    """Return when the memory begins, where that is after the moment that is asked about; else None."""
    if as_of is None:
        return None
    first = await device.replica.read(first_made_ms)
    return at_ms(first) if first is not None and moment_of(device, as_of) < first else None


def _make(
    device: Device,
    moments: Sequence[int],
    seen_by: DeviceId | None,
    words: bool,
    names: bool,
    changed_since_ms: int | None,
) -> list[Past]:
    # Here: nearly all questions are of now.
    from replica.past import BeyondHorizon, rebuild

    path = str(device.home.store)
    derived: list[CopiedTables] = []
    if words:
        derived.append(WordTables(embeds=False))
    if names:
        derived.append(EntityTables(reads=False))
    migrations = [each.migrate for each in derived]
    with ExitStack() as failed, closing(connect(path, read_only=True, key=device.key)) as source:
        made = [
            failed.enter_context(closing(connect_beside(path, key=device.key, migrations=migrations)))
            for _ in moments
        ]
        source.execute("PRAGMA temp_store = MEMORY")  # the disk may be full, and is to hold nothing of this
        try:
            rebuild(
                SqliteStore(source),
                [*zip(made, moments, strict=True)],
                seen_by=seen_by,
                changed_since_ms=changed_since_ms,
                derived=derived,
            )
        except BeyondHorizon as error:
            begins = at_ms(error.horizon_ms) or datetime.max.replace(tzinfo=UTC)
            raise NotFound(
                f"the log no longer covers that time: it begins at {begins.isoformat(timespec='seconds')}",
                code="beyond_horizon",
                hint="ops that every device has were compacted since",
            ) from None
        for each in made:
            copy_nicknames(source, each)
            # What was not copied fills itself from what shows.
            SqliteStore(each, derived_tables(device.settings, words=words, reads=False))
        failed.pop_all()
    return [Past(device, each, until_ms, seen_by) for each, until_ms in zip(made, moments, strict=True)]
