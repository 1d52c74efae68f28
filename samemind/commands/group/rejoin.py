"""Join a group that another device rebuilt, with the code that `samemind pair` shows there."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import some_lines
from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.errors import NeedsDecision, Unreachable, translated
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from replica import Core, DeviceId
    from replica.asyncio_host import AsyncioHost
    from replica.replica import Replica
    from samemind.commands.group._rebuilding import RebuildSite
    from samemind.config import Home
    from sync import Address
    from sync.syncer import Syncer


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinGroup:
    """Join a group that another device rebuilt, with the code that `samemind pair` shows there."""

    code: str = argument("the code that a device of the rebuilt group shows", metavar="CODE")
    address: str | None = option(
        "--address", "the other device's address, if mDNS does not reach it", metavar="HOST:PORT"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoined:
    """What came of moving into a rebuilt group. `ops`: those of this device, or of others, that it had not yet.

    `memories_told_again`: of this device's own, where the op that told them could not be taken over.
    """

    name: str
    words: str
    ops: int
    memories: int
    memories_told_again: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    before: str | None = None


# The first sync brings everything, some 100,000 memories in half a minute.
SYNC_SECONDS_MAX: Final = 600.0
_RETRY_SECONDS: Final = (0.0, 0.2, 0.5, 1.0, 2.0)


def run(home: "Home", options: RejoinGroup) -> Rejoined:
    """Get all that the rebuilt group has, and give it what this device wrote meanwhile."""
    import trio

    from cognition.ingest import local
    from replica import peer_notes, show_memory_id
    from replica.rebuilding import carry_over, joined_holds, tell_again, told_by
    from replica.replica import wall_clock_ms
    from samemind.commands.group._rebuilding import held_alone
    from sync import Address

    address = None if options.address is None else Address.parse(options.address)
    with held_alone(home, "samemind group rejoin") as place:
        with place.open(home.store) as (old, connection):
            name = old.membership.members[old.device].name
            partner, words = trio.run(_get, place, name, options.code, address, old)
            with place.open(place.fresh) as (new, target):
                holds, now_ms = joined_holds(new), wall_clock_ms()
                carried = carry_over(old, new, holds, now_ms)
                tell_again(old, new, told_by(old, old.device), carried, now_ms)
                local.carry_over(connection, target)
                peer_notes.copy_notes(connection, target, sorted(new.membership.standing - {new.device}))
                result = Rejoined(
                    name=new.membership.members[partner].name,
                    words=words,
                    ops=carried.ops,
                    memories=len(new.store.all_memories()),
                    memories_told_again=[show_memory_id(rid) for rid in carried.told],
                    refused=carried.refused,
                )
        trio.run(_give, place, name, partner)
        # Nobody has the old store open any more: some systems move no file that somebody has.
        kept = place.put(home.store)
    return replace(result, before=str(kept))


async def _get(
    place: "RebuildSite", name: str, code: str, address: "Address | None", old: "Core"
) -> "tuple[DeviceId, str]":
    """Pair with a device of the rebuilt group, and take all that it has."""
    from replica.asyncio_host import AsyncioHost
    from sync import SyncError
    from sync.syncer import open_syncer

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


async def _give(place: "RebuildSite", name: str, partner: "DeviceId") -> None:
    """Hand over what this device wrote; what does not get there now goes with the next sync."""
    import trio

    from replica.asyncio_host import AsyncioHost
    from sync.syncer import open_syncer

    async with AsyncioHost.open() as host, _opened(place, host) as replica:
        async with open_syncer(
            replica, place.identity, host, name=name, mdns=place.settings.mdns, dials=False
        ) as syncer:
            with trio.move_on_after(SYNC_SECONDS_MAX):
                await syncer.sync_now(partner)


async def _sync(syncer: "Syncer", partner: "DeviceId", address: "Address | None") -> None:
    import trio

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


def _authors(core: "Core") -> set[bytes]:
    """Return the statements by which the root of a rebuilt group names its authors; none in any other group."""
    from replica.membership import names_author

    root = core.membership.root
    every = (*core.membership.members.values(), *core.membership.further)
    return {each.signature for each in every if names_author(each) and each.introduced_by == root}


def _opened(place: "RebuildSite", host: "AsyncioHost") -> "AbstractAsyncContextManager[Replica]":
    from replica import open_replica
    from samemind.device import derived_tables

    return open_replica(
        place.fresh,
        host=host,
        device=place.identity.device_id,
        sign=place.identity.sign,
        derived=derived_tables(place.settings),
        key=place.key,
    )


def render(document: Document) -> list[str]:
    memories, writes = counted(document["memories"], "memory", "memories"), counted(document["ops"], "write")
    lines = [
        f"in the group of {one_line(document['name'])}; both show: {document['words']}",
        f"{memories}; {writes} of here are new there",
    ]
    lines += some_lines(document["memories_told_again"], lambda rid: f"{rid}  told again")
    lines += [f"not taken over: {reason}" for reason in document["refused"]]
    return [*lines, f"what was there is kept in {document['before']}; to take it back: samemind restore FILE"]


COMMAND: Final = Command(
    "group rejoin",
    RejoinGroup,
    Rejoined,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="needs the store for itself, and the daemon holds it",
    library=None,
    alone=True,
    place=10,
)
