"""Run the device in the foreground: hold the store, answer other programs, and stay in step with the peers.

A signal or `samemind down` ends it within two seconds: what is being written is finished, links are closed, and the
store is let go of.
"""

import logging
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final

import trio

from replica.supervision import Supervisor
from samemind.agents.sdk import sdk_missing
from samemind.catalog import verb_named
from samemind.commands.device._parts import Stopped
from samemind.commands.device.status import daemon_status
from samemind.commands.device.up import Up
from samemind.commands.group._parts import PeerView
from samemind.commands.group._peers import peer_views
from samemind.commands.panel.panel import OpenPanel
from samemind.commands.panel.panel import run as open_the_panel
from samemind.config import Home
from samemind.control.server import Say
from samemind.daemon.logs import logged
from samemind.daemon.notifying import NotifyLoop
from samemind.daemon.taking_over import take_over
from samemind.daemon.tending import thinker
from samemind.declaring import read_options
from samemind.device import Device
from samemind.errors import Failed, Usage
from samemind.formats.arguments import read_place
from samemind.formats.plain import to_json
from samemind.home.calendar_feed import FeedPlace
from samemind.home.lock import DAEMON
from samemind.home.mailboxes import Mailboxes, SavedMailbox, keeper_of, read_mailboxes, unusable_mailboxes
from samemind.home.phone_place import EVERYWHERE, PhonePlace
from samemind.housekeeping import keep_house
from samemind.memory_trim import share_one_heap
from samemind.panel.access import is_loopback
from samemind.panel.demand import LOOPBACK, PanelOnDemand, panel_on_demand
from samemind.performing import perform
from samemind.platform import system
from sync.mailbox.keeping import Keeper
from sync.syncer import Syncer, open_syncer

# Peers call the address at which a device answered last, so a device should come back to it. Where two devices share a
# machine, the second takes any port that is free.
PORT_DEFAULT: Final = 7411
# A link that is busy stirs a thousand times a second; whether it stands is for people, and worth a look now and then.
LOOK_SECONDS: Final = 0.1


async def run_daemon(
    home: Home, options: Up, say: Say, *, launches: bool = False
) -> Mapping[str, Any] | None:
    """Be the daemon of a home until somebody ends it; says its address, what changes, and at last that it ended.

    `launches`: it runs for the panel's sake, and says where a browser is let in.
    """
    share_one_heap()
    place = None if options.panel is None else read_place(options.panel, "--panel")
    listen = None if options.listen is None else read_place(options.listen, "--listen")
    agents = None if options.mcp_http is None else read_place(options.mcp_http, "--mcp-http")
    if agents is None and options.mcp_url is not None:
        raise Usage("expected --mcp-http beside --mcp-url")

    def linking(device: Device) -> AbstractAsyncContextManager[Syncer]:
        return _linked(device, listen, mdns=device.settings.mdns and not options.no_mdns)

    with trio.open_signal_receiver(*system.ending_signals()) as signals:  # before anybody hears that it is up
        async with take_over(home, program=DAEMON, linking=linking) as device:
            with logged(home) as log:
                async with _serving_agents(device, agents, options.mcp_url):
                    await _serve(device, log, signals, say, panel=place, launches=launches)
            stopped = Stopped(device_id=device.device_id.hex(), pid=os.getpid())
    return to_json(stopped)  # type: ignore[no-any-return]


async def _serve(
    device: Device,
    log: logging.Logger,
    signals: AsyncIterator[int],
    say: Say,
    *,
    panel: tuple[str, int] | None,
    launches: bool,
) -> None:
    """Do everything that a daemon does, until somebody ends it."""
    device.replica.finder = partial(_find, device)
    async with panel_on_demand(device) as panels:
        await _open_panel(device.home, panels, log, panel, launches=launches)
        if launches:
            await say(to_json(await open_the_panel(device, OpenPanel())))
        else:
            await say(to_json(await daemon_status(device)))
        log.info("up at %s, process %d", device.syncer and device.syncer.address, os.getpid())
        async with trio.open_nursery() as nursery:
            device.thinker = thinker(device)
            device.tasks = Supervisor(nursery)
            device.tasks.keep("thinking", device.thinker.run)
            device.tasks.keep("compacting the log", keep_house, device)
            device.tasks.keep("bringing up what is due", NotifyLoop(device).run)
            device.mailboxes = _mailboxes(device, device.tasks, log)
            device.tasks.keep("saying who is linked", _say_changes, device, log, None if launches else say)
            nursery.start_soon(_until_signalled, signals, device)
            await device.stop.wait()
            for name in await device.mailboxes.flush():
                log.warning("mailbox %s: what was put off is written when the daemon is up again", name)
            nursery.cancel_scope.cancel()
        device.thinker = device.tasks = device.mailboxes = None
    log.info("ended")


async def _open_panel(
    home: Home,
    panels: PanelOnDemand,
    log: logging.Logger,
    asked: tuple[str, int] | None,
    *,
    launches: bool,
) -> None:
    """Open the panel where that is asked for, else where phones or calendar programs find it after a restart too.

    One that is opened for a browser here is opened to no other machine for that.
    """
    if asked is None and (kept := _kept_place(home, launches=launches)) is not None:
        try:
            await panels.open(kept)
            return
        except Failed as error:
            log.warning("phones and calendar programs do not find this device: %s", error)
    if asked is not None or launches:
        await panels.open(asked or LOOPBACK)


def _kept_place(home: Home, *, launches: bool) -> tuple[str, int] | None:
    if (feed := FeedPlace.kept(home)) is not None and launches and not is_loopback(feed.host):
        feed = None
    if launches or (phones := PhonePlace.kept(home)) is None:
        return None if feed is None else (feed.host, feed.port)
    return EVERYWHERE, phones.port


def _mailboxes(device: Device, tasks: Supervisor, log: logging.Logger) -> Mailboxes:
    """Keep the device's mailboxes, those that are saved now and those that come."""

    async def took() -> None:
        if device.syncer is not None:
            await device.syncer.refresh()

    def make(settled: SavedMailbox) -> Keeper:
        folder = device.home.store.parent
        return keeper_of(settled, device.replica, device.identity, device.host, device.random, took, folder)

    mailboxes = Mailboxes(make, tasks)
    for unusable in unusable_mailboxes(device.home):
        log.warning("the mailbox %s cannot be used: %s", unusable.name, unusable.why)
    for settled in read_mailboxes(device.home):
        mailboxes.keep(settled)
    return mailboxes


@asynccontextmanager
async def _serving_agents(
    device: Device, place: tuple[str, int] | None, public_url: str | None
) -> AsyncIterator[None]:
    """Serve remote agents for the block, where they are wanted."""
    if place is None:
        yield
        return
    try:
        from samemind.mcp.http import open_remote  # an extra, and heavy
    except ModuleNotFoundError as error:
        raise sdk_missing() from error
    async with open_remote(device.home, _Own(device), place, public_url, device.stop) as remote:
        device.mcp_url = remote.url
        yield


class _Own:
    """The daemon's own device, as remote agents ask it."""

    def __init__(self, device: Device) -> None:
        self._device = device

    async def ask(
        self, verb: str, options: Mapping[str, Any], *, again: bool, hear: Say | None = None
    ) -> Mapping[str, Any]:
        asked = verb_named(verb)

        async def unheard(said: Mapping[str, Any]) -> None:
            """Take what a verb says meanwhile, where only its result is wanted."""

        return await perform(self._device, asked, read_options(asked, options), hear or unheard)


async def _find(device: Device, question: str, limit: int) -> Sequence[bytes]:
    """Find what another device of the group asks for, as its owner would find it here.

    What is hardly about the question is left out: the words of whoever asked may know better. And no rehearsal, since
    whoever types asks much that nobody reads.
    """
    from cognition.ranking.confidence import FLOOR  # numpy, which the mind has loaded by then

    hits = await device.mind.recall(question, k=limit)
    return [bytes(hit.rid) for hit in hits if hit.confidence >= FLOOR]


@asynccontextmanager
async def _linked(device: Device, listen: tuple[str, int] | None, *, mdns: bool) -> AsyncIterator[Syncer]:
    if listen is None and device.settings.listen is not None:
        listen = read_place(device.settings.listen, "listen")
    # Whether the usual port is free is only known by taking it: two devices of one machine may start at once.
    places = [("", PORT_DEFAULT), ("", 0)] if listen is None else [listen]
    async with AsyncExitStack() as stack:
        syncer, refusal = None, ""
        for place in places:
            try:
                syncer = await stack.enter_async_context(
                    open_syncer(
                        device.replica,
                        device.identity,
                        device.host,
                        name=device.name,
                        listen_on=place,
                        mdns=mdns,
                    )
                )
                break
            except OSError as error:
                where = f"{place[0] or 'every address'}, port {place[1]}"
                refusal = f"expected to listen on {where}, but {error.strerror or error}"
        if syncer is None:
            raise Failed(
                refusal,
                code="cannot_listen",
                hint="choose another with --listen HOST:PORT; port 0 is any that is free",
            )
        yield syncer


async def _until_signalled(signals: AsyncIterator[int], device: Device) -> None:
    await anext(signals)
    device.stop.set()


async def _say_changes(device: Device, log: logging.Logger, say: Say | None) -> None:
    """Log whose link came up or went down, and say so where that is wanted."""
    before: dict[str, PeerView] = {}
    while device.syncer is not None:
        news = device.syncer.news.count  # from before the look: what changes while it is told is news, too
        for view in await peer_views(device):
            known = before.get(view.device_id)
            if view.state in ("linked", "away", "revoked") and (known is None or known.state != view.state):
                if known is not None or view.state == "linked":
                    log.info("%s is %s%s", view.name, view.state, f": {view.error}" if view.error else "")
                    if say is not None:
                        await say({"peer": to_json(view)})
                before[view.device_id] = view
        await device.syncer.news.after(news)
        await trio.sleep(LOOK_SECONDS)
