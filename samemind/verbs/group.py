"""Join other devices, know them, and sync with them."""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import trio

from replica import DeviceId, NotFound, revoking
from replica.core import Core
from replica.meta import Meta
from replica.quotas import Quotas
from samemind.config import check_name
from samemind.control.server import Say
from samemind.device import Device, quota_limits
from samemind.errors import Unreachable, Usage, translated
from samemind.results.group import Paired, PairingOffer, Peers, PeerSync, PeerView, Synced, UnreachedPeer
from samemind.results.plain import to_json
from samemind.surface.group import AddPeer, ListPeers, Pair, RenamePeer, RevokePeer, Sync
from samemind.times import at_ms
from samemind.verbs.ids import find_device
from samemind.verbs.pairing_by_mailbox import pair_by_mailbox
from samemind.verbs.seniority import name_of
from sync import Address, peers

if TYPE_CHECKING:
    from sync.meeting import CodeOffered
    from sync.reports import SyncReport
    from sync.syncer import Syncer

# The other may still be writing down who we are, and a call of its syncer or ours may take the place of this one.
FIRST_SYNC_WAITS_S: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
# The two are paired whatever comes of it: enough for some 100,000 memories, and the rest comes with the next sync.
FIRST_SYNC_SECONDS_MAX: Final = 30.0


async def pair(device: Device, options: Pair, say: Say) -> Paired:
    """Show a code and wait for the device that proves it; or prove the code that another device shows."""
    address = None if options.address is None else Address.parse(options.address)
    async with device.linked() as syncer:
        if options.wait is not None and options.mailbox is None:
            raise Usage("expected --mailbox beside --wait: on a network, both devices are up")
        if options.mailbox is not None:
            if address is not None:
                raise Usage("expected --address or --mailbox, got both")
            partner = await pair_by_mailbox(
                device, syncer, options.mailbox, options.code, wait=options.wait, say=say
            )
        elif options.code is None:
            if address is not None:
                raise Usage("expected a code beside --address: it says where the code is shown")
            partner = await offer_code(syncer, say, _shown)
        else:
            partner = await syncer.join_pairing(options.code, address=address)
            if device.syncer is None and partner.address is not None:
                await _first_sync(syncer, partner.device_id, partner.address)
    return Paired(device_id=partner.device_id.hex(), name=partner.name, words=" ".join(partner.words))


async def sync(device: Device, options: Sync) -> Synced:
    """Sync with one device, or with all; it is no failure that some are away, unless all are."""
    address = None if options.address is None else Address.parse(options.address)
    peer: DeviceId | None = None
    if options.peer is not None:
        name = options.peer
        peer = await device.replica.read(lambda connection: find_device(connection, name))
        if peer == device.device_id:
            raise Usage("expected another device, got this one")
    async with device.linked() as syncer:
        reports = await syncer.sync_now(peer, address=address)
        names = {state.device_id: state.name for state in syncer.peers()}
    failures = [report for report in reports if report.error is not None]
    if failures and len(failures) == len(reports):
        if len(failures) == 1 and failures[0].error is not None:
            raise translated(failures[0].error)
        told = "; ".join(f"{_name(names, report)}: {report.error}" for report in failures)
        raise Unreachable(f"no device could be reached: {told}")
    return Synced(
        peers=[_synced(names, report) for report in reports if report.error is None],
        unreached=[
            UnreachedPeer(device_id=_id(report), name=_name(names, report), reason=str(report.error))
            for report in failures
        ],
    )


async def peers_list(device: Device, options: ListPeers) -> Peers:
    """List them."""
    return Peers(peers=await peer_views(device))


async def peers_rename(device: Device, options: RenamePeer) -> PeerView:
    """Call a device by another name, here only."""
    name = check_name(options.name)
    peer = await _other(device, options.device)
    await device.replica.run(lambda _, connection: peers.rename(connection, peer, name))
    return await _refreshed(device, peer)


async def peers_add(device: Device, options: AddPeer) -> PeerView:
    """Note where a device can always be reached."""
    address = Address.parse(options.address)
    peer = await _other(device, options.device)
    await device.replica.run(lambda _, connection: peers.fix_address(connection, peer, address))
    return await _refreshed(device, peer)


async def peers_revoke(device: Device, options: RevokePeer) -> PeerView:
    """Put a device out of the group: links to it close here at once, and elsewhere as others hear of it."""
    peer = await _other(device, options.device)
    await device.replica.run(
        lambda core, _: core.learn(
            *revoking(core.membership, device.identity.sign, device.device_id, [peer], undo=options.undo),
            now_ms=device.now_ms(),
        )
    )
    return await _refreshed(device, peer)


async def peer_views(device: Device) -> list[PeerView]:
    """Return all other devices, those that were put out last."""
    views = await device.replica.run(lambda core, connection: _views(connection, device, core))
    if device.syncer is None:
        return views
    states = {state.device_id.hex(): state for state in device.syncer.peers()}
    return [
        PeerView(
            device_id=view.device_id,
            name=view.name,
            state=state.state,
            last_sync=None if state.last_sync_ms is None else at_ms(state.last_sync_ms),
            offset_ms=state.offset_ms,
            behind=state.behind,
            address=None if state.address is None else str(state.address),
            error=state.error,
            quota=view.quota,
            quota_of=view.quota_of,
            revoked_by=view.revoked_by,
            revoked_at=view.revoked_at,
        )
        if (state := states.get(view.device_id)) is not None
        else view
        for view in views
    ]


async def _first_sync(syncer: "Syncer", peer: DeviceId, address: Address) -> None:
    """Sync before this program ends, while the other is known to be there, and learn where that is."""
    with trio.move_on_after(FIRST_SYNC_SECONDS_MAX):
        for wait_s in FIRST_SYNC_WAITS_S:
            await trio.sleep(wait_s)
            (report,) = await syncer.sync_now(peer, address=address)
            if report.error is None:
                return


async def offer_code(syncer: "Syncer", say: Say, shown: Callable[["CodeOffered"], Any]) -> Any:
    """Have a code shown, say what `shown` makes of it and whatever becomes of it, and return who proved it."""
    from sync.meeting import CodeOffered, Refusal  # here: whoever lists devices loads no links

    telling, told = trio.open_memory_channel[CodeOffered | Refusal](16)

    async def pass_on() -> None:
        async for news in told:
            if isinstance(news, Refusal):
                await say({"refused": str(news.error)})
            else:
                await say(to_json(shown(news)))

    def tell(news: CodeOffered | Refusal) -> None:
        try:
            telling.send_nowait(news)
        except trio.WouldBlock:
            pass  # nobody reads; a code comes after at most two refusals, so none of those is lost

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on)
        with telling:
            return await syncer.offer_pairing(tell)


def _shown(offer: "CodeOffered") -> PairingOffer:
    return PairingOffer(
        code=offer.code,
        address=str(offer.addresses[0]),
        expires_at=at_ms(offer.expires_ms),  # type: ignore[arg-type]
        invitation=offer.invitation,
    )


async def _other(device: Device, text: str) -> DeviceId:
    peer = await device.replica.read(lambda connection: find_device(connection, text))
    if peer == device.device_id:
        raise Usage("expected another device, got this one")
    return peer


async def _refreshed(device: Device, peer: DeviceId) -> PeerView:
    if device.syncer is not None:
        await device.syncer.refresh()
    for view in await peer_views(device):
        if view.device_id == peer.hex():
            return view
    raise NotFound(f"no device has the id {peer.hex()}")


def _views(connection: sqlite3.Connection, device: Device, core: Core) -> list[PeerView]:
    standing, judged, since = core.membership.standing, core.membership.judgment, core.out_since
    quotas = Quotas(quota_limits(device.settings))
    quotas.restore(Meta.read(dict(connection.execute("SELECT name, value FROM meta"))).quotas)
    rows = connection.execute(
        """SELECT n.device, ifnull(p.nickname, n.name), p.last_sync, p.offset_ms,
                  ifnull(p.last_address, p.fixed_address)
           FROM member n LEFT JOIN peer p ON p.device = n.device WHERE n.device != ? ORDER BY 2, 1""",
        (device.device_id,),
    )
    views = [
        PeerView(
            device_id=peer.hex(),
            name=name,
            state="away" if DeviceId(peer) in standing else "revoked",
            last_sync=None if last_sync is None else at_ms(last_sync),
            offset_ms=offset_ms,
            address=address,
            quota=round(share, 3),
            quota_of=what.name.lower().replace("_", " "),
            revoked_by=name_of(core, judged.revoked_by[peer][0]) if peer in judged.revoked_by else None,
            revoked_at=at_ms(since[peer]) if peer in since else None,
        )
        for peer, name, last_sync, offset_ms, address in rows
        for what, share in [quotas.fullest(DeviceId(peer), device.now_ms())]
    ]
    return sorted(views, key=lambda view: view.state == "revoked")


def _synced(names: dict[DeviceId, str], report: "SyncReport") -> PeerSync:
    return PeerSync(
        device_id=_id(report),
        name=_name(names, report),
        sent=report.sent,
        received=report.received,
        bytes_out=report.bytes_out,
        bytes_in=report.bytes_in,
        took_ms=round(report.took_ms, 3),
        round_trips=report.round_trips,
        refused=list(report.refused),
    )


def _id(report: "SyncReport") -> str:
    return "" if report.device_id is None else report.device_id.hex()


def _name(names: dict[DeviceId, str], report: "SyncReport") -> str:
    return (
        "somebody" if report.device_id is None else names.get(report.device_id, report.device_id.hex()[:12])
    )
