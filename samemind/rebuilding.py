"""Make a new group out of what this device holds, without devices that turned bad; and move a device into such a group.

Either makes a new store beside the one that is there, and puts it in its place once it is whole, so whoever is killed
meanwhile has lost nothing and begins again. The store that was there is kept beside it: to take all back, restore that.
Nothing else may have the store open meanwhile. What decides is `replica.rebuilding`.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import trio

from cognition import local
from replica import Core, DeviceId, MemoryId, open_replica, show_memory_id
from replica.asyncio_host import AsyncioHost
from replica.membership import names_author
from replica.outside import Outside
from replica.rebuilding import (
    Carried,
    authors_of,
    carry_over,
    found,
    holds_of,
    joined_holds,
    mend_texts,
    shown_of,
    tell_again,
    told_by,
)
from replica.replica import Replica, open_core, wall_clock_ms
from samemind.config import Home, Settings
from samemind.device import derived_tables
from samemind.errors import Failed, NeedsDecision, NotFound, Unreachable, Usage, translated
from samemind.lock import hold
from samemind.passphrase import key_of
from samemind.recoding import REBUILT, beside, check
from samemind.restoring import put_in_place
from samemind.results.group import LeftOut, Rebuilt, Rejoined
from samemind.surface.group import RebuildGroup, RejoinGroup
from samemind.times import read_time
from samemind.verbs.ids import find_device, find_memory
from sync import Address, Identity, SyncError, peers
from sync.syncer import Syncer, open_syncer

# The first sync brings everything, some 100,000 memories in half a minute.
SYNC_SECONDS_MAX: Final = 600.0
_RETRY_SECONDS: Final = (0.0, 0.2, 0.5, 1.0, 2.0)


def group_rebuild(home: Home, options: RebuildGroup) -> Rebuilt:
    """Rebuild it: with this device as its founder, and the others to move in one by one."""
    with _alone(home, "samemind group rebuild") as place, place.open(home.store) as (old, connection):
        stay, bad = _chosen(old, connection, options)
        keep = [find_memory(connection, each) for each in options.keep]
        until_ms = None if options.since is None else read_time(options.since, name="--since")
        reaches = authors_of(old, stay, bad, until_ms=until_ms)
        holds, now_ms = holds_of(reaches), wall_clock_ms()
        with place.open(place.fresh) as (new, target):
            found(old, new, place.identity.sign, reaches, bad)
            carried = carry_over(old, new, holds, now_ms)
            if carried.refused:
                raise Failed(
                    f"not all that is to stay could be taken over: {'; '.join(carried.refused)}",
                    code="not_rebuilt",
                    hint="samemind verify says what is wrong with the store; nothing was changed",
                )
            mend_texts(old, new, holds, carried, now_ms)
            tell_again(old, new, keep, carried, now_ms)
            local.carry_over(connection, target)
            peers.carry_over(connection, target, sorted(stay))
            result = _told(old, new, stay, bad, carried, dry_run=options.dry_run)
        if options.dry_run:
            return result
        kept = place.put(home.store)
    return replace(result, before=str(kept))


def group_rejoin(home: Home, options: RejoinGroup) -> Rejoined:
    """Get all that the rebuilt group has, and give it what this device wrote meanwhile."""
    address = None if options.address is None else Address.parse(options.address)
    with _alone(home, "samemind group rejoin") as place, place.open(home.store) as (old, connection):
        name = old.membership.members[old.device].name
        partner, words = trio.run(_get, place, name, options.code, address, old)
        with place.open(place.fresh) as (new, target):
            holds, now_ms = joined_holds(new), wall_clock_ms()
            carried = carry_over(old, new, holds, now_ms)
            tell_again(old, new, told_by(old, old.device), carried, now_ms)
            local.carry_over(connection, target)
            peers.carry_over(connection, target, sorted(new.membership.standing - {new.device}))
            result = Rejoined(
                name=new.membership.members[partner].name,
                words=words,
                ops=carried.ops,
                memories=len(new.store.all_memories()),
                memories_told_again=[show_memory_id(rid) for rid in carried.told],
                refused=carried.refused,
            )
        trio.run(_give, place, name, partner)
        kept = place.put(home.store)
    return replace(result, before=str(kept))


class _Place:
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
        log = beside(self.fresh, "-wal")
        if log.exists() and log.stat().st_size:
            raise Failed(f"expected the log beside {self.fresh} to be written back, but it is still there")
        with self.fresh.open("rb+") as file:
            os.fsync(file.fileno())
        # Whoever opens the old one once more notes this anew; the new one must not hear of the old group's revocations.
        Outside(Home.outside(), self.identity.device_id, store).forget_group()
        return put_in_place(store, self.fresh, self.key, why="rebuild")

    def clear(self) -> None:
        """Take away what was made and is not needed, also by somebody who was killed."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            beside(self.fresh, suffix).unlink(missing_ok=True)


@contextmanager
def _alone(home: Home, program: str) -> Iterator[_Place]:
    if not home.store.is_file() or not home.identity.is_file():
        raise NotFound(f"expected a device in {home.shown()}, but there is none", code="no_device")
    with hold(home, program=program):
        place = _Place(home, Identity.load(home.identity))
        place.clear()
        try:
            place.fresh.touch(mode=0o600)
            yield place
        finally:
            place.clear()


def _chosen(
    core: Core, connection: sqlite3.Connection, options: RebuildGroup
) -> tuple[set[DeviceId], set[DeviceId]]:
    """Return who stays beside this device, and who is left out with what it wrote."""
    bad = {find_device(connection, each) for each in options.without}
    staying = {find_device(connection, each) for each in options.staying}
    if not bad:
        raise Usage("expected --without and the device that turned bad, got none", code="invalid")
    if core.device in bad:
        raise NeedsDecision(
            "this device cannot leave itself out",
            code="own_device",
            hint="rebuild from a device that stays",
        )
    if both := bad & staying:
        raise Usage(f"expected either --with or --without for {_names(core, both)}, got both", code="invalid")
    group = core.membership
    doubtful = group.standing - group.without(bad).standing - bad - staying - {core.device}
    if doubtful:
        raise NeedsDecision(
            f"{_names(core, doubtful)} came into the group through a device that is left out",
            code="introduced_by_bad",
            hint="say of each whether it stays (--with) or goes (--without)",
        )
    return {*group.standing, *staying} - bad - {core.device}, bad


def _names(core: Core, devices: set[DeviceId] | frozenset[DeviceId]) -> str:
    return ", ".join(ascii(core.membership.members[each].name) for each in sorted(devices))


def _told(
    old: Core, new: Core, stay: set[DeviceId], bad: set[DeviceId], carried: Carried, *, dry_run: bool
) -> Rebuilt:
    """Say what came of it, by comparing what shows in both stores."""
    members = old.membership.members
    before, after = old.store.all_memories(), new.store.all_memories()
    gone = sorted(MemoryId(rid) for rid in before - after)
    earlier = members.keys() - stay - bad - {old.device}
    return Rebuilt(
        dry_run=dry_run,
        stays=sorted(members[each].name for each in stay),
        left_out=sorted(members[each].name for each in bad),
        known=sorted(members[each].name for each in earlier),
        ops=carried.ops,
        ops_left_out=carried.dropped,
        memories=len(after),
        memories_left_out=[_left_out(old, rid) for rid in gone],
        memories_back=[show_memory_id(rid) for rid in sorted(after - before)],
        memories_kept=[show_memory_id(rid) for rid in carried.told],
        texts_mended=[show_memory_id(rid) for rid in carried.texts],
        words_lost=[show_memory_id(rid) for rid in carried.erased],
    )


def _left_out(old: Core, rid: MemoryId) -> LeftOut:
    memory = shown_of(old, [rid])[rid]
    teller = old.feeds.origin_of(memory.feed).device
    others = {old.feeds.origin_of(row.feed).device for row in old.store.memory_rows(rid)} - {teller}
    return LeftOut(
        rid=show_memory_id(rid),
        text=memory.text,
        told_by=old.membership.members[teller].name,
        edited=bool(others),
    )


async def _get(
    place: _Place, name: str, code: str, address: Address | None, old: Core
) -> tuple[DeviceId, str]:
    """Pair with a device of the rebuilt group, and take all that it has."""
    known = _authors(old)
    async with AsyncioHost.open() as host, _opened(place, host) as replica:
        async with open_syncer(
            replica, place.identity, host, name=name, mdns=place.settings.mdns, dials=False
        ) as syncer:
            try:
                partner = await syncer.join_pairing(code, address=address)
            except SyncError as error:
                raise translated(error) from None
            await _sync(syncer, partner.device_id, partner.address)
        authors = await replica.run(lambda core, _: _authors(core))
        if not authors or authors == known:
            raise NeedsDecision(
                f"{partner.name} is in no group that was rebuilt since this device joined it",
                code="not_rebuilt",
                hint="run samemind group rebuild there first; a new device joins by samemind pair alone",
            )
    return partner.device_id, " ".join(partner.words)


async def _give(place: _Place, name: str, partner: DeviceId) -> None:
    """Hand over what this device wrote; what does not get there now goes with the next sync."""
    async with AsyncioHost.open() as host, _opened(place, host) as replica:
        async with open_syncer(
            replica, place.identity, host, name=name, mdns=place.settings.mdns, dials=False
        ) as syncer:
            with trio.move_on_after(SYNC_SECONDS_MAX):
                await syncer.sync_now(partner)


async def _sync(syncer: Syncer, partner: DeviceId, address: Address | None) -> None:
    if address is None:
        raise Unreachable(
            "the device that showed the code does not say where it syncs",
            hint="start its daemon with samemind up, and run samemind pair there once more",
        )
    error: Exception | None = None
    with trio.move_on_after(SYNC_SECONDS_MAX):
        for wait in _RETRY_SECONDS:  # it may still be writing down who this is
            await trio.sleep(wait)
            (report,) = await syncer.sync_now(partner, address=address)
            if report.error is None:
                return
            error = report.error
    if error is None:
        raise Unreachable(f"not all had come after {SYNC_SECONDS_MAX:.0f} seconds")
    raise translated(error)


def _authors(core: Core) -> set[bytes]:
    """Return the statements by which the root of a rebuilt group names its authors; none in any other group."""
    root = core.membership.root
    every = (*core.membership.members.values(), *core.membership.further)
    return {each.signature for each in every if names_author(each) and each.introduced_by == root}


def _opened(place: _Place, host: AsyncioHost) -> AbstractAsyncContextManager[Replica]:
    return open_replica(
        place.fresh,
        host=host,
        device=place.identity.device_id,
        sign=place.identity.sign,
        derived=derived_tables(place.settings),
        key=place.key,
    )
