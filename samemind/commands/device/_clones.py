"""Tell what happened to this device's identity, find a clone of it, and make a clone a device of its own.

A copied disk carries the device's key. Its two stores write different chains (`replica.incarnations`), so nothing is
lost or mixed up, but two stores under one key can never be linked with each other, and a revocation puts out both.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replica import Core, DeviceId, Write, introduce
from replica.clone_detection import live_clone, parted_from, parting
from replica.missing import missing
from samemind.commands.device._parts import Check, Clone, IncidentView, Initialised
from samemind.config import Home, check_name
from samemind.device import Device
from samemind.errors import Locked, NeedsDecision
from samemind.formats.rendering import DEVICE_DIGITS, minute
from samemind.formats.times import at_stamp
from samemind.home.parting import begin, finish
from sync import Identity

if TYPE_CHECKING:
    from sync.reports import PeerState

_PART: Final = "on the other device: samemind down, then samemind init --divorce"
_PART_HERE: Final = "samemind down, then samemind init --divorce: this one becomes a device of its own"
_TOLD: Final = {
    "copied": "its store was copied or restored, so it goes on under a new incarnation; nothing is lost",
    "rolled back": "its store held less than before, so it goes on under a new incarnation",
    "heard of itself": "a peer held ops of it that it did not hold, since it was restored or cloned; it has them "
    "again, and goes on under a new incarnation",
    "clock": "its clock was set back by more than a day; it goes on under a new incarnation",
    "branch": "two of its ops claim one place (a cloned or rolled back disk); both are kept",
}


async def divorce(device: Device, name: str | None) -> Initialised:
    """Give this home a key of its own; what it knows stays, and who can be reached hears of the new device."""
    if device.program != "samemind init":
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}", hint="end that program: samemind down"
        )
    if device.former is not None:  # it was begun, and killed before its end
        return _parted(device, device.former, device.device_id, device.name, [])
    if name in (None, device.name):
        await _refuse_parted(device)
    called = check_name(name or f"{device.name} 2")
    old, now_ms = device.identity, device.now_ms()
    fresh = begin(device.home, old.device_id)
    introduction = introduce(
        old.sign, old.device_id, public_key=fresh.public_key, certificate=fresh.certificate, name=called
    )

    def say_so(core: Core, _: object) -> None:
        core.learn([introduction], [])
        core.commit([Write(parting(core.origin, fresh.device_id))], now_ms)

    await device.replica.run(say_so)
    told = await _tell(device, fresh.device_id)
    if (outside := device.replica.rollback_guard) is not None:
        await device.replica.run(lambda core, _: outside.part(core))
    finish(device.home)
    return _parted(device, old.device_id, fresh.device_id, called, told)


async def _refuse_parted(device: Device) -> None:
    """Ask before a device that parted is made another one: it may be asked again only because it was killed."""
    former = await device.replica.run(lambda core, _: parted_from(core))
    if former is not None and await clone_of(device) is None:
        raise NeedsDecision(
            f"{device.home.shown()} is a device of its own already, {device.name}; it parted from "
            f"{former.hex()[:DEVICE_DIGITS]}, and no other store is known to live under its key",
            code="parted_already",
            hint="if its disk was cloned again, name the new device: samemind init --divorce --name NAME",
        )


def _parted(device: Device, old: DeviceId, fresh: DeviceId, called: str, told: list[str]) -> Initialised:
    return Initialised(
        device_id=fresh.hex(), name=called, home=device.home.shown(), divorced_from=old.hex(), told=told
    )


async def incidents(device: Device) -> list[IncidentView]:
    """Return what made devices start anew, the last few times."""

    def read(core: Core, _: object) -> list[IncidentView]:
        # That this is read from a copy in memory happened to no device.
        since_ms = core.began_ms if device.home.copied_from is not None else None
        return [
            IncidentView(
                at=at_stamp(each.at_ms << 16),
                what=each.why.value,
                device_id=each.device.hex(),
                detail=f"{_called(core, each.device)}: {_TOLD[each.why.value]}",
            )
            for each in core.incidents
            if since_ms is None or each.at_ms < since_ms
        ]

    return await device.replica.run(read)


async def clone_of(device: Device) -> Clone | None:
    """Return the other store that lives under this device's key, if one is known of."""
    outside = device.replica.rollback_guard
    if outside is not None:
        for sibling in outside.siblings():
            if _has_key(sibling.store, device.device_id):
                later = await device.replica.run(lambda core, _: core.began_ms) > sibling.began_ms
                return Clone(where=str(sibling.store), last_wrote=None, must_part=later)
    found = await device.replica.run(lambda core, _: live_clone(core, device.now_ms()))
    if found is None:
        return None
    return Clone(where=None, last_wrote=at_stamp(found.at_ms << 16), must_part=found.is_original)


async def revoked_by_name(device: Device) -> str | None:
    """Return the name of the device that put this one out of the group; the eldest, where several did."""

    def read(core: Core, _: object) -> str | None:
        by = core.membership.judgment.revoked_by.get(core.device)
        return None if by is None else _called(core, by[0])

    return await device.replica.run(read)


async def clone_checks(device: Device) -> list[Check]:
    """Return what `doctor` has to say of all this."""
    checks = [
        Check(name="incarnation", ok=True, detail=f"{minute(each.at)}: {each.detail}")
        for each in (await incidents(device))[-3:]
    ]
    checks += await device.replica.run(_missing)
    by = await revoked_by_name(device)
    if by is not None:
        detail = f"{by} revoked this device: no other device talks to it"
        checks.append(
            Check(name="revoked", ok=False, detail=detail, fix="make a new data directory, and pair that")
        )
    elif not await device.replica.run(lambda core, _: core.device in core.membership.standing):
        detail = "this device is not a member of the group that it holds: no other device talks to it"
        fix = "samemind pair, with a device of that group; if none is left: samemind group rebuild"
        checks.append(Check(name="member", ok=False, detail=detail, fix=fix))
    clone = await clone_of(device)
    if clone is not None:
        seen = (
            "elsewhere"
            if clone.last_wrote is None
            else f"elsewhere; it wrote last at {minute(clone.last_wrote)}"
        )
        where = f"in {clone.where}" if clone.where is not None else seen
        detail = f"another store lives under this device's key, {where}"
        checks.append(
            Check(name="clone", ok=False, detail=detail, fix=_PART_HERE if clone.must_part else _PART)
        )
    return checks


def _missing(core: Core, _: object) -> list[Check]:
    return [
        Check(
            name="writes",
            ok=False,
            detail=f"this device misses {seq - held} of its {seq} writes since {minute(at_stamp(at_ms << 16))}, "
            "after a kill and a damaged log, or a disk that was rolled back",
            fix="sync with a device that was told of them; where there is none: samemind verify --accept-loss",
        )
        for at_ms, held, seq in missing(core)
    ]


async def _tell(device: Device, fresh: DeviceId) -> list[str]:
    """Have whoever can be reached hear of the new device while the old key still opens doors."""
    import trio  # here: `status` loads no loop for it

    told: list[str] = []
    async with device.linked() as syncer, trio.open_nursery() as nursery:

        async def tell(peer: "PeerState") -> None:
            (report,) = await syncer.sync_now(peer.device_id)
            if report.error is None:
                told.append(peer.name)

        for peer in syncer.peers():
            if peer.state != "revoked" and peer.device_id != fresh:
                nursery.start_soon(tell, peer)
    return sorted(told)


def _has_key(store: Path, device: DeviceId) -> bool:
    """Say whether the home of a store holds this device's key: a copy that parted has another one."""
    for home in (Home.at(store), Home.at(store.parent)):
        with suppress(OSError, ValueError):
            return Identity.load(home.identity).device_id == device
    return False


def _called(core: Core, device: bytes) -> str:
    member = core.membership.members.get(DeviceId(device))
    return "this device" if device == core.device else device.hex()[:12] if member is None else member.name
