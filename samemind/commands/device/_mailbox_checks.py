"""Look for what is wrong with mailboxes, and say what to do about it."""

import shlex
from datetime import UTC, datetime, timedelta
from typing import Final

from samemind.commands.device._parts import Check
from samemind.commands.mailbox._parts import MailboxPeer, MailboxView
from samemind.commands.mailbox._views import mailbox_views
from samemind.device import Device
from samemind.errors import Failed
from samemind.formats.rendering import counted, minute
from samemind.home.mailboxes import (
    FOLDER_RIGHTS,
    SavedMailbox,
    mend,
    read_mailboxes,
    room_in,
    unusable_mailboxes,
)
from sync.errors import Denied, Full, Gone, NoRoomHere

# A line that is down for a while is no fault of anybody's.
UNREACHED_MINUTES: Final = 15
# Once, somebody may have emptied it, or a listing was very late.
LOSSES_TOLERATED: Final = 1
# Whoever was not heard of for so long may never be again, and its files stay as they are.
QUIET_DAYS: Final = 40


async def mailbox_checks(device: Device) -> list[Check]:
    """Return a check for each mailbox, and one for each thing that is not as it should be."""
    try:
        mailboxes = read_mailboxes(device.home)
    except Failed as error:
        return [Check(name="mailbox", ok=False, detail=error.message, fix=error.hint)]
    views = {view.name: view for view in await mailbox_views(device)}
    members = await device.replica.run(lambda core, _: dict(core.membership.members))
    out = await device.replica.run(lambda core, _: core.membership.revoked)
    now = datetime.now(UTC)
    checks = [
        Check(
            name="mailbox",
            ok=False,
            detail=f"{one.name} cannot be used: {one.why}",
            fix=mend(device.home, one),
        )
        for one in unusable_mailboxes(device.home)
    ]
    for settled in mailboxes:
        trouble = None
        if device.mailboxes is not None and settled.name in device.mailboxes.keepers:
            trouble = device.mailboxes.keepers[settled.name].standing.trouble
        since = {each.hex(): members[each].name for each in out if each in members}
        still = [name for device_id, name in sorted(since.items()) if device_id not in settled.out]
        checks += look_at(settled, views[settled.name], trouble, still, now)
    return checks


def look_at(
    settled: SavedMailbox, view: MailboxView, trouble: Exception | None, still_know: list[str], now: datetime
) -> list[Check]:
    """Return what is to be said of one mailbox. `still_know`: who was revoked since its password was given."""

    def check(ok: bool, detail: str, fix: str = "") -> Check:
        return Check(name="mailbox", ok=ok, detail=f"{view.name}: {detail}", fix=fix)

    name = shlex.quote(view.name)  # to be pasted: an address of S3 has `?` and `&` in it
    again = f"samemind mailbox add {shlex.quote(view.url)} --name {name} --secret-file FILE"
    checks = [check(*_stands(settled, view, trouble, again, now))]
    if still_know and settled.secret is not None:
        names = ", ".join(still_know)
        change = "change the password or key there"
        if settled.place.rings:
            change = "put another key there (samemind mailbox serve-config HOST --new-key)"
        fix = f"{change}, then: {again}"
        checks.append(check(False, f"{names} was revoked and still knows its password", fix))
    if view.altered:
        names = ", ".join(view.altered)
        detail = f"it serves other bytes than were written under these names, so it altered or swapped files: {names}"
        fix = "they are written again within hours; if it goes on, move to another mailbox"
        checks.append(check(False, detail, fix))
    if view.lost > LOSSES_TOLERATED:
        detail = f"it lost files {view.lost} times that were there before; they are written again, ever more seldom"
        fix = "does something delete files there (an age limit, a clean-up)? If it goes on, move to another mailbox"
        checks.append(check(False, detail, fix))
    checks += [check(True, detail) for detail in _lying_there(view)]
    if view.bytes_max is not None and view.bytes > view.bytes_max:
        over = f"{view.bytes / 1e6:.1f} MB, over its bound of {view.bytes_max / 1e6:.0f}"
        checks.append(check(True, f"{over}: this device keeps one file there"))
    quiet = [peer for peer in view.peers if now - peer.heard_at >= timedelta(days=QUIET_DAYS)]
    return checks + [_quiet(view, peer, now) for peer in quiet]


def _stands(
    settled: SavedMailbox, view: MailboxView, trouble: Exception | None, again: str, now: datetime
) -> tuple[bool, str, str]:
    """Return whether a mailbox is as it should be, how it is, and what to do; `again` adds it again."""
    name = shlex.quote(view.name)
    match trouble:
        case Denied() if settled.is_folder:
            return False, f"this user may not read and write there ({trouble})", FOLDER_RIGHTS
        case Denied(fix=str() as fix):
            return False, f"it refuses what is asked ({trouble})", fix
        case Denied():
            return False, f"the key or password is refused ({trouble})", again
        case Full(fix=str() as fix) | NoRoomHere(fix=str() as fix):
            return False, str(trouble), fix
        case Full():
            return False, f"it is full ({trouble})", room_in(settled)
        case Gone():
            address = f"samemind mailbox remove {name}, then mailbox add with the right address"
            return False, f"it is not there ({trouble})", address
        case Exception():
            since = view.trouble_since or now
            long = now - since >= timedelta(minutes=UNREACHED_MINUTES)
            fix = (
                "it is tried again by itself; is the machine there up, and the address right?" if long else ""
            )
            return not long, f"not reached since {minute(since)}: {trouble}", fix
        case _ if view.looked_at is None and view.looking_since is not None:
            began = minute(view.looking_since)
            return True, f"it is looked into for the first time, since {began}", ""
        case _ if view.looked_at is None:
            fix = f"samemind mailbox look {name}, or samemind up to have it looked into always"
            return True, "no daemon looks into it: none runs, or not for long enough", fix
        case _:
            return True, f"{counted(view.files, 'file')}, {view.bytes / 1e6:.1f} MB", ""


def _lying_there(view: MailboxView) -> list[str]:
    """Say of files whose they are, where nobody expects them."""
    found = []
    if view.foreign:
        found.append(f"{counted(view.foreign, 'file')} of revoked devices, until what is inside is rewritten")
    if view.sealed:
        found.append(
            f"{counted(view.sealed, 'file')} sealed for others: of another group, or from before this device joined; "
            "they stay until somebody removes them there"
        )
    if view.stale:
        found.append(
            f"words that were erased may still be in {counted(view.stale, 'file')}, until that is rewritten"
        )
    return found


def _quiet(view: MailboxView, peer: MailboxPeer, now: datetime) -> Check:
    """Say that a device was not heard of for long; what was erased may still be in what it wrote."""
    long = f"was not heard of there for {(now - peer.heard_at).days} days"
    if not peer.stale:
        return Check(name="mailbox", ok=True, detail=f"{view.name}: {peer.name} {long}")
    return Check(
        name="mailbox",
        ok=False,
        detail=f"{view.name}: erased words may still be in {counted(peer.stale, 'file')} of {peer.name}, which {long}",
        fix=f"samemind mailbox look {shlex.quote(view.name)} rewrites what is inside; if it stays, revoke {peer.name}",
    )
