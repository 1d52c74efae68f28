"""Sync now, with one device or with all that can be reached."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.errors import SamemindError, Unreachable, Usage, translated
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from replica import DeviceId
    from samemind.device import Device
    from sync.reports import SyncReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """Sync now, with one device or with all that can be reached."""

    peer: str | None = argument("its id or name; without it, all", metavar="PEER", optional=True)
    address: str | None = option("--address", "where it listens", metavar="HOST:PORT")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerSync:
    """One sync with one peer: ops each way, bytes on the wire, time and round trips."""

    device_id: str
    name: str
    sent: int
    received: int
    bytes_out: int
    bytes_in: int
    took_ms: float
    round_trips: int
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachedPeer:
    """A peer that could not be synced with, and why."""

    device_id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What was synced with whom."""

    peers: list[PeerSync]
    unreached: list[UnreachedPeer] = field(default_factory=list)


async def run(device: "Device", options: Sync) -> Synced:
    """Sync with one device, or with all; it is no failure that some are away, unless all are."""
    from samemind.formats.ids import find_device
    from sync import Address

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
            raise _named(_name(names, failures[0]), translated(failures[0].error))
        told = "; ".join(f"{_name(names, report)}: {report.error}" for report in failures)
        raise Unreachable(f"no device could be reached: {told}")
    return Synced(
        peers=[_synced(names, report) for report in reports if report.error is None],
        unreached=[
            UnreachedPeer(device_id=_id(report), name=_name(names, report), reason=str(report.error))
            for report in failures
        ],
    )


def _named(name: str, error: Exception) -> Exception:
    """Return an error of one device with its name, where its words may leave open whose it is."""
    if isinstance(error, SamemindError):
        error.message = f"{name}: {error.message}"
        error.args = (error.message,)
    return error


def _synced(names: "dict[DeviceId, str]", report: "SyncReport") -> PeerSync:
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


def _name(names: "dict[DeviceId, str]", report: "SyncReport") -> str:
    return (
        "somebody" if report.device_id is None else names.get(report.device_id, report.device_id.hex()[:12])
    )


def render(document: Document) -> list[str]:
    lines = [
        f"{one_line(peer['name'])}: {peer['sent']} sent, {peer['received']} received "
        f"({peer['bytes_out']} bytes out, {peer['bytes_in']} in, {peer['took_ms']:.0f} ms)"
        for peer in document["peers"]
    ]
    lines += [f"{one_line(peer['name'])}: not reached, {peer['reason']}" for peer in document["unreached"]]
    return lines or ["no other devices: samemind pair"]


COMMAND: Final = Command(
    "sync",
    Sync,
    Synced,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("sync"),
    kept="what came in so far is kept; the next sync goes on from there",
    place=11,
    daily=True,
)
