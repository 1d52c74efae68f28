"""Look at what lies around a device: its clock, the network, its daemon and peers, the agents that use it.

What is found is told apart from what it means: each check is a plain function of facts, so that every one of them can
be made to fail in a test without a broken machine.
"""

import os
import shutil
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio

from replica import salt_of
from samemind.agents.connecting import connected_commands
from samemind.commands.device._parts import Check
from samemind.commands.group._parts import PeerView, clock_off
from samemind.config import CLOCK_MS_MIN, LOG, Home, beside
from samemind.device import Device
from samemind.formats.rendering import counted
from samemind.home.calendar_feed import FeedPlace
from samemind.home.recoding import leftovers, stores
from samemind.platform import system
from samemind.starting import COMMAND

_MULTICAST: Final = ("224.0.0.251", 5353)
_MULTICAST_IPV6: Final = ("ff02::fb", 5353)


async def surroundings(device: Device, peers: Sequence[PeerView]) -> list[Check]:
    """Return every check."""
    running = device.syncer is not None
    listens = device.syncer is not None and device.syncer.address is not None
    living = [peer for peer in peers if peer.state != "revoked"]
    checks = [
        clock(device.now_ms(), living),
        pairing(living),
        daemon(running=running, listens=listens, paired=bool(living)),
        *(each for peer in living if (each := reach(peer)) is not None),
        encryption(device.home.original.store),
        writing(device.home),
        *feed(FeedPlace.kept(device.home), running=running, panel_at=_panel_at(device)),
        path(shutil.which(COMMAND)),
        *agents(await trio.to_thread.run_sync(connected_commands)),
    ]
    if device.settings.mdns:
        checks.append(multicast(await trio.to_thread.run_sync(why_no_multicast), living))
    return checks


def clock(now_ms: int, peers: Sequence[PeerView]) -> Check:
    """Compare this clock with those of the peers, and with common sense."""
    if now_ms < CLOCK_MS_MIN:
        return _bad("clock", "this device's clock was never set", "set the clock by the network")
    off = [f"the clock of {peer.name} is {off}" for peer in peers if (off := clock_off(peer.offset_ms))]
    if off:
        return _bad("clock", "; ".join(off), "set both clocks by the network")
    known = sum(peer.offset_ms is not None for peer in peers)
    others = counted(known, "other device")
    return _good("clock", f"agrees with {others}" if known else "nothing to compare it with yet")


def pairing(peers: Sequence[PeerView]) -> Check:
    """Say who else there is."""
    if not peers:
        return Check(
            name="pairing",
            ok=True,
            detail="this is the only device of the group",
            fix="samemind pair, to add one",
        )
    return _good("pairing", f"paired with {', '.join(peer.name for peer in peers)}")


def daemon(*, running: bool, listens: bool, paired: bool) -> Check:
    """Say whether changes go to the others by themselves."""
    if running and listens:
        return _good("daemon", "running")
    if running:
        return _bad(
            "daemon", "running, but listens nowhere", "samemind down, then samemind up --listen HOST:PORT"
        )
    detail = "not running: what is written here reaches the others only with `samemind sync`"
    fix = "samemind up, or samemind service install to have it always"
    return Check(name="daemon", ok=not paired, detail=detail, fix=fix)


def feed(kept: FeedPlace | None, *, running: bool, panel_at: tuple[str, int] | None) -> list[Check]:
    """Say whether programs that subscribed to the calendar find it; nothing where none is served."""
    if kept is None:
        return []
    if not running:
        detail = "no daemon runs: programs that subscribed show the calendar as they fetched it last"
        return [_bad("calendar", detail, "samemind up --background")]
    if panel_at == (kept.host, kept.port):
        return [_good("calendar", f"served at {kept.where}")]
    return [
        _bad(
            "calendar",
            f"programs that subscribed look for it at {kept.where}, and it is not served there",
            "end what else listens there, then: samemind down, samemind up --background. Or, for another address, at "
            "which programs have to subscribe anew: samemind calendar --feed --off, then samemind calendar --feed",
        )
    ]


def _panel_at(device: Device) -> tuple[str, int] | None:
    panel = None if device.panels is None else device.panels.panel
    return None if panel is None else (panel.host, panel.port)


def reach(peer: PeerView) -> Check | None:
    """Say why a peer is not reached, if it should be."""
    name = "peer"
    if peer.error is None:
        return None
    where = f" at {peer.address}" if peer.address else ""
    said = peer.error.lower()
    if "refused" in said:
        fix = f"on {peer.name}: samemind up; if it runs, it listens elsewhere: samemind peers add"
    elif "timed out" in said or "timeout" in said or "no route" in said or "unreachable" in said:
        fix = f"see that {peer.name} is on and in this network, and that no firewall blocks its port"
    elif "version" in said:
        fix = "upgrade samemind on the older of the two devices"
    elif "another device answers" in said:
        fix = f"see where {peer.name} is now: samemind status there; then samemind peers add"
    elif "not paired" in said or "untrusted" in said or "revoked" in said:
        fix = f"pair the two again: samemind pair, here and on {peer.name}"
    else:
        fix = f"samemind sync {peer.name}, to see it again"
    return _bad(name, f"{peer.name}{where}: {peer.error}", fix)


def encryption(store: Path) -> Check:
    """Say whether somebody who takes the disk can read the memory."""
    try:
        with store.open("rb") as file:
            plain = file.read(16) == b"SQLite format 3\0"
    except OSError:
        plain = True
    if plain:
        return Check(
            name="encryption",
            ok=True,
            detail="the store is not encrypted by itself",
            fix="encrypt the disk it is on, or the store: samemind encrypt",
        )
    others = [path for path in stores(store) if salt_of(path) is None]
    found = others + [log for path in others if (log := beside(path, LOG)).exists()] + leftovers(store)
    if found:
        return _bad(
            "encryption",
            f"the store is encrypted, but what lies beside it may not be: {', '.join(map(str, found))}",
            "encrypt that too: samemind down, then samemind encrypt",
        )
    return _good("encryption", "the store is encrypted")


def writing(home: Home) -> Check:
    """Say whether the home can be written, and only by its owner."""
    folder = home.original.folder
    if home.refused is not None:
        return _bad(
            "home",
            f"{folder} takes no writes ({home.refused.message}): this was read from a copy in memory, and nothing "
            "can be saved",
            home.refused.hint
            or f"make room on its disk, and the folder and its files writable: chmod -R u+rwX {folder}",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return _bad("home", f"{folder} cannot be written", f"chmod u+rwx {folder}")
    if system.open_to_others(folder.stat()) & 0o022:
        return _bad("home", f"others can write into {folder}", f"chmod go-w {folder}")
    return _good("home", f"{folder} is its owner's")


def path(found: str | None) -> Check:
    """Say whether a shell finds the command."""
    if found is None:
        detail = f"no {COMMAND} on the PATH of this program"
        return Check(
            name="path", ok=True, detail=detail, fix="agents are connected by its full path, so they find it"
        )
    return _good("path", found)


def agents(commands: Sequence[tuple[str, str]]) -> list[Check]:
    """Say which programs start us, and whether what they start is there."""
    checks = []
    for program, command in commands:
        if shutil.which(command) is None:
            detail = f"{program} starts {command}, which is not there"
            checks.append(_bad("agent", detail, f"samemind connect {program}"))
        else:
            checks.append(_good("agent", f"{program} is connected"))
    return checks


def multicast(trouble: str | None, peers: Sequence[PeerView]) -> Check:
    """Say whether devices can find each other by themselves."""
    if trouble is None:
        return _good("multicast", "this device can announce itself to those of its network")
    if peers and all(peer.address for peer in peers):
        return _good("multicast", f"none here ({trouble}); every peer is known by its address")
    return _bad(
        "multicast",
        f"none here ({trouble}): devices do not find each other",
        "samemind peers add ID --address HOST:PORT",
    )


def why_no_multicast() -> str | None:
    """Try to hear and to send what mDNS does, over IPv4 or else over IPv6, and return why neither goes."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            member = struct.pack("=4sl", socket.inet_aton(_MULTICAST[0]), socket.INADDR_ANY)
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 0)  # it stays on this machine
            probe.sendto(b"", _MULTICAST)
    except OSError as error:
        if any(_multicast_by_ipv6(index) for index, _ in socket.if_nameindex()):
            return None
        return error.strerror or str(error)
    return None


def _multicast_by_ipv6(interface: int) -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            member = socket.inet_pton(socket.AF_INET6, _MULTICAST_IPV6[0]) + struct.pack("=I", interface)
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, member)
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 0)
            probe.sendto(b"", (*_MULTICAST_IPV6, 0, interface))
    except OSError:
        return False
    return True


def _good(name: str, detail: str) -> Check:
    return Check(name=name, ok=True, detail=detail)


def _bad(name: str, detail: str, fix: str) -> Check:
    return Check(name=name, ok=False, detail=detail, fix=fix)
