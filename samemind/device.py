"""Put one device together: the only file that knows replica, sync and cognition at once.

Order matters: the lock before anything of the store, so that no two programs ever look at it; then a look at
the file that changes nothing, so that a damaged or newer store is refused as it is; then the key, the replica,
the mind; and for a device that goes on, the control socket (others may use the store through it) and the
syncer (`samemind.daemon.run` starts it).
"""

import os
import socket
import sqlite3
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

from cognition import CognitionTables
from cognition.consolidation.tables import SummaryTables
from cognition.contradictions.tables import ClaimTables
from cognition.decay import PROFILES, DecayProfile
from cognition.entities import EntityTables
from cognition.fading.rehearsal import Rehearsals, telling
from cognition.ingest.local import LocalTables
from cognition.patterns.tables import PatternTables
from cognition.triggers.kinds import Thresholds
from cognition.triggers.tables import TriggerTables
from replica import (
    Core,
    DerivedTables,
    DeviceId,
    IntroducedMember,
    Replica,
    StoreCorrupt,
    introduce,
    is_unchecked,
    open_replica,
    ops_noted_outside,
    wall_clock_ms,
)
from replica.collector import collector_paused
from replica.file_system import remove_file
from replica.quotas import Limits
from samemind.catalog import verb_named
from samemind.config import JOURNAL, RESTORED, Home, Settings, beside, check_name
from samemind.declaring import read_options
from samemind.errors import Failed
from samemind.home.lock import StoreLock, hold
from samemind.home.passphrase import key_of
from samemind.performing import perform
from samemind.platform import system
from sync import Identity, Untrusted

if TYPE_CHECKING:
    import trio

    from cognition import Cognition
    from cognition.models import ChatModel
    from replica import AsyncioHost
    from replica.supervision import Supervisor
    from samemind.control.server import Say
    from samemind.home.mailboxes import Mailboxes
    from samemind.panel.served import PanelOpener
    from samemind.thinking import ThinkLoop
    from sync.syncer import Syncer

# Whoever looks through a restored store itself is not told to have that done.
_CHECKING: Final = ("samemind restore", "samemind verify")
UNCHECKED: Final = "the backup that was restored was not checked to its end, or did not add up"

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


@dataclass(slots=True)
class Device:
    """One running device."""

    home: Home
    settings: Settings
    identity: Identity
    replica: Replica
    opened_mind: "Cognition | None"
    """Cognition over the replica, unless it was opened for a verb that needs none."""
    opened_host: "AsyncioHost | None"
    """Where asyncio runs; None for a device that is alone, which runs no loop and does at once what it is asked."""
    name: str
    program: str
    random: Random
    rehearsals: Rehearsals
    stop: "trio.Event" = field(init=False, repr=False)
    """Set when it is to end; a device that is alone has none."""
    syncer: "Syncer | None" = None
    """There while the daemon runs; other programs open one for as long as they need it."""
    thinker: "ThinkLoop | None" = None
    """Likewise: other programs think only when they are asked to."""
    lets_go: bool = False
    """It holds the store only because nobody else did, and lets a daemon have it."""
    tasks: "Supervisor | None" = None
    """Likewise: what goes on in the background of a daemon."""
    mailboxes: "Mailboxes | None" = None
    """Likewise: other programs look into them when they are asked to."""
    panels: "PanelOpener | None" = None
    """There while the daemon runs."""
    mcp_url: str | None = None
    """Where the daemon serves remote agents, if it does."""
    key: bytes | None = field(default=None, repr=False)
    """What opens the store, where it is encrypted."""
    former: DeviceId | None = None
    """Who this was, where a kill had broken off a divorce and this opening brought it to its end."""

    @property
    def device_id(self) -> DeviceId:
        """Who this is."""
        return self.identity.device_id

    @property
    def mind(self) -> "Cognition":
        """Cognition over the replica; only a verb declared with `opens_mind=False` must do without."""
        assert self.opened_mind is not None, "expected a verb that is declared with opens_mind"
        return self.opened_mind

    @property
    def host(self) -> "AsyncioHost":
        """Where asyncio runs; a device that is alone must do without."""
        assert self.opened_host is not None, "expected a device that is not alone"
        return self.opened_host

    @property
    def newer(self) -> bool:
        """Whether a later word stands without asking, where two things that were told cannot both be true."""
        return self.settings.contradictions == "newer"

    @property
    def profile(self) -> DecayProfile:
        """How memories fade on this device."""
        return PROFILES[self.settings.decay]

    @property
    def thresholds(self) -> Thresholds:
        """What it takes for memory to bring something up."""
        return thresholds_of(self.settings)

    def now_ms(self) -> int:
        """Return the time by which this device stamps."""
        return self.replica.now_ms()

    async def apart(self, function: Callable[[*Arguments], Result], *args: *Arguments) -> Result:
        """Run what takes long in a thread, so that nobody else waits for it; a device that is alone has nobody else."""
        if self.opened_host is None:
            return function(*args)
        import trio

        return await trio.to_thread.run_sync(function, *args)

    @asynccontextmanager
    async def linked(self) -> AsyncIterator["Syncer"]:
        """Use the daemon's links, or links of our own for the block; these dial and do not listen."""
        if self.syncer is not None:
            yield self.syncer
            return
        # Here: whoever only asks its own memory does not wait for links to load.
        from sync.syncer import open_syncer

        async with open_syncer(
            self.replica, self.identity, self.host, name=self.name, mdns=self.settings.mdns
        ) as syncer:
            yield syncer


@asynccontextmanager
async def open_device(
    home: Home,
    *,
    program: str,
    answers: bool,
    lets_go: bool = False,
    name: str | None = None,
    opens_mind: bool = True,
    alone: bool = False,
    linking: Callable[["Device"], AbstractAsyncContextManager["Syncer"]] | None = None,
    clock: Callable[[], int] = wall_clock_ms,
) -> AsyncIterator[Device]:
    """Open a home, making it a device if it is none yet; `Locked` when another program holds it.

    `answers` lets other programs use the store meanwhile; `lets_go` says that the caller watches `Device.stop`, and
    closes the device when a daemon wants the store. `name` is for a new device; without one it is the machine's.
    Without `opens_mind`, no cognition runs beside the store, and none of it is loaded. `alone`, for a program that does
    one thing and ends: then none of this waits, and it may be run without a loop.
    """
    assert not (alone and (opens_mind or answers or linking)), "expected nothing beside what is asked"
    home.create()
    if opens_mind:
        _load_what_thinks()
    raised: BaseException | None = None
    async with AsyncExitStack() as stack:
        lock = stack.enter_context(hold(home, program=program))
        settings = Settings.load(home)
        _refuse_gone(home)
        _keep_private(home)
        _sweep(home)
        local = LocalTables()
        host = None if alone else await stack.enter_async_context(_asyncio_host())
        with _key_of_no_store_taken_back(home, lock):
            identity, key, former = _identity_and_key(home)
            replica = await stack.enter_async_context(
                open_replica(
                    home.store,
                    host=host,
                    device=identity.device_id,
                    sign=identity.sign,
                    derived=derived_tables(settings, local),
                    outside=home.outside,
                    key=key,
                    clock=clock,
                )
            )
        chosen = check_name(name or settings.name or machine_name())
        own = await replica.run(partial(_introduce, identity, chosen, program))
        await replica.run(lambda core, _: setattr(core.quotas, "limits", quota_limits(settings)))
        mind = None
        if opens_mind:
            mind = await stack.enter_async_context(_mind(replica, home, settings, local, key))
        told = SystemRandom(), Rehearsals(replica.now_ms)
        device = Device(home, settings, identity, replica, mind, host, own, program, *told)
        device.lets_go, device.key, device.former = lets_go, key, former
        if not alone:
            await _go_on(device, stack, answers=answers, linking=linking)
        try:
            yield device
        except GeneratorExit:
            raise
        except BaseException as error:
            if alone or _is_cancelled(error):
                raise
            raised = error  # past the nurseries, which would wrap it in a group of one
    if raised is not None:
        raise raised


async def _go_on(
    device: Device,
    stack: AsyncExitStack,
    *,
    answers: bool,
    linking: Callable[[Device], AbstractAsyncContextManager["Syncer"]] | None,
) -> None:
    """Start what goes on beside what a device is asked."""
    import trio

    device.stop = trio.Event()
    if linking is not None:
        device.syncer = await stack.enter_async_context(linking(device))
        stack.callback(setattr, device, "syncer", None)
    if answers:
        from samemind.memory_trim import kept_small

        await stack.enter_async_context(_answering(device))
        await stack.enter_async_context(kept_small(device.replica))  # who answers stays
    await stack.enter_async_context(telling(device.replica, device.rehearsals))


def _is_cancelled(error: BaseException) -> bool:
    import trio

    return isinstance(error, trio.Cancelled)


def _asyncio_host() -> "AbstractAsyncContextManager[AsyncioHost]":
    from replica import AsyncioHost

    return AsyncioHost.open()


def _answering(device: Device) -> AbstractAsyncContextManager[None]:
    """Return what lets other programs use the store through this one."""
    from samemind.control.server import serve

    async def answer(verb: str, options: Mapping[str, Any], say: "Say") -> Mapping[str, Any]:
        asked = verb_named(verb)
        return await perform(device, asked, read_options(asked, options), say)

    return serve(device.home, answer)


def _load_what_thinks() -> None:
    """Load what ranks, reads and embeds: before the lock, so that whoever waits for it waits for work alone."""
    with collector_paused():
        for module in ("cognition.mind", "cognition.choosing", "samemind.home.added_models"):
            import_module(module)


def _mind(
    replica: Replica, home: Home, settings: Settings, local: LocalTables, key: bytes | None
) -> AbstractAsyncContextManager["Cognition"]:
    """Return what runs cognition over a replica, as the owner set it up."""
    from cognition import open_mind
    from cognition.choosing import reranker_called
    from cognition.own_zone import own_zone
    from samemind.home.added_models import embedder_of

    return open_mind(
        replica,
        embedder=embedder_of(home, settings.embedder),
        reranker=reranker_called(settings.reranker),
        model=_model(home, settings),
        comparisons=settings.model_comparisons,
        thresholds=thresholds_of(settings),
        profile=PROFILES[settings.decay],
        newer=settings.contradictions == "newer",
        words=settings.words,
        local=local,
        index=settings.index,
        # It would lie beside the store as it is: beside an encrypted one lies none.
        graph=home.graph if key is None else None,
        zone=own_zone(),
    )


def thresholds_of(settings: Settings) -> Thresholds:
    """Return what the owner chose, as cognition takes it."""
    return Thresholds(
        review_strength=settings.review_strength,
        consolidation_count=settings.consolidation_count,
        escalation_severity=settings.escalation_severity,
        trigger_hours=settings.trigger_hours,
    )


def quota_limits(settings: Settings) -> Limits:
    """Return how much one peer may send in an hour, as the owner chose."""
    return Limits(settings.quota_ops, settings.quota_mb << 20, settings.quota_packed_mb << 20)


def derived_tables(
    settings: Settings, local: LocalTables | None = None, *, words: bool = True, reads: bool = True
) -> list[DerivedTables]:
    """Return what a device keeps in its store beside the memories, each kept in step by every commit.

    Without `words` tables that are made now are for readers that neither search for words nor for vectors; without
    `reads` they are given nothing that a thinker or a model looks for in what is there: for a picture of a store.
    """
    return [
        CognitionTables(embeds=reads, fills=words),
        EntityTables(reads=reads),
        LocalTables() if local is None else local,
        ClaimTables(reads=reads),
        SummaryTables(),
        PatternTables(reads=reads),
        TriggerTables(thresholds_of(settings), fills=reads),
    ]


def machine_name() -> str:
    """Return what this machine is called: the name of a device whose owner chose none."""
    return " ".join(socket.gethostname().partition(".")[0].split()) or "device"


def _model(home: Home, settings: Settings) -> "ChatModel | None":
    """Return the language model that the settings name; None where they name none."""
    if settings.model_url is None or settings.model is None:
        return None
    from cognition.models.http import HttpChatModel

    variable = settings.model_key_variable
    try:
        return HttpChatModel(
            settings.model_url, settings.model, key=None if variable is None else os.environ.get(variable)
        )
    except ValueError as error:
        raise Failed(
            f"{home.settings}: {error}", code="bad_settings", hint="fix model_url in that file"
        ) from None


def _keep_private(home: Home) -> None:
    """Make a new store its owner's alone; SQLite gives the files beside it the same mode."""
    try:
        os.close(system.open_file(home.store, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        pass


def _sweep(home: Home) -> None:
    """Remove the copy of a backup that a killed `restore` left: nothing would ever be erased from it."""
    for left in (RESTORED, RESTORED + JOURNAL):
        if (path := beside(home.store, left)).exists():
            with suppress(OSError):  # of a home that takes no writes nothing can be removed
                remove_file(path)


@contextmanager
def _key_of_no_store_taken_back(home: Home, lock: StoreLock) -> Iterator[None]:
    """Leave no key and no lock beside somebody's file that was opened for a store in the block, and is none.

    The key was made for this, and has signed nothing.
    """
    foreign = not home.identity.exists() and home.store.is_file() and home.store.stat().st_size > 0
    try:
        yield
    except BaseException:
        if foreign:
            home.identity.unlink(missing_ok=True)
            lock.vanishes = True
        raise


def _refuse_gone(home: Home) -> None:
    """Refuse a key without a store: the file is made before the key, so it was there, and holds what is missing."""
    if home.identity.exists() and not home.store.exists():
        raise Failed(
            f"the store of this device is gone: its key is in {home.folder}, and {home.store.name} is not",
            code="store_gone",
            hint="put the file back, or restore a backup: samemind restore FILE. To begin anew, as a device "
            f"that gets the memories of those you pair it with, move {home.identity.name} away",
        )


def _refuse_emptied(home: Home, identity: Identity) -> None:
    """Refuse a store file that holds nothing any more: a new one in its place would hide that memories are missing."""
    if home.store.stat().st_size > 0:
        return
    lost = ops_noted_outside(home.outside, identity.device_id, home.store)
    if lost:
        raise StoreCorrupt(
            f"expected a store of at least {lost} writes of this device in {home.store}, found an empty file"
        )


def _identity_and_key(home: Home) -> tuple[Identity, bytes | None, DeviceId | None]:
    """Return who this is, what opens its store, and who it was until now, where a kill had broken off a divorce."""
    identity = _identity(home)
    _refuse_emptied(home, identity)
    key = key_of(home.store, identity.device_id)
    if home.next_identity.exists():
        from samemind.home.parting import resume  # here: hardly ever wanted

        if resume(home, key):
            return Identity.load(home.identity), key, identity.device_id
    return identity, key, None


def _identity(home: Home) -> Identity:
    Identity.sweep(home.identity)
    try:
        return Identity.load_or_create(home.identity)
    except (ValueError, Untrusted) as error:  # no PEM, or one whose certificate is not this key's any more
        raise Failed(
            f"expected this device's key in {home.identity}, but it cannot be read: {error}",
            code="identity_unreadable",
            hint="restore the file from a backup; without this key, the data directory cannot be the same device",
        ) from None


def introduction_of(identity: Identity, name: str) -> IntroducedMember:
    """Return how a device introduces itself."""
    return introduce(
        identity.sign,
        identity.device_id,
        public_key=identity.public_key,
        certificate=identity.certificate,
        name=name,
    )


def _introduce(
    identity: Identity, name: str, program: str, core: Core, connection: sqlite3.Connection
) -> str:
    """Make the device a member of its own group, and return the name by which the group knows it."""
    if is_unchecked(connection) and program not in _CHECKING:
        warnings.warn(f"{UNCHECKED}: samemind verify", stacklevel=2)
    own = core.membership.members.get(core.device)
    if own is None:
        own = introduction_of(identity, name)
        core.found(own)
    return own.name
