"""Say how it stands with mailboxes, and through them with other devices."""

from collections.abc import Mapping
from typing import Any, Final

from replica import Core, DeviceId
from replica.reads.devices import device_names
from samemind.commands.mailbox._parts import MailboxPeer, MailboxView
from samemind.device import Device
from samemind.formats.times import at_ms
from samemind.home.mailboxes import SavedMailbox, read_mailboxes
from sync.carrier.shelf import FileState, Shelf
from sync.mailbox.keeping import MailboxStatus
from sync.mailbox.visiting import load_shelf

# The owner of a mailbox may put any number of files there.
_NAMED_MAX: Final = 10


async def mailbox_views(device: Device) -> list[MailboxView]:
    """Return how it stands with each mailbox."""
    return [await mailbox_view(device, settled) for settled in read_mailboxes(device.home)]


async def mailbox_view(device: Device, settled: SavedMailbox) -> MailboxView:
    keeper = None if device.mailboxes is None else device.mailboxes.keepers.get(settled.name)
    standing = MailboxStatus() if keeper is None else keeper.standing
    # Whoever has not looked, or cannot, knows what was seen before.
    shelf = keeper.shelf if standing.looks and keeper else await load_shelf(device.replica, settled.key)
    sizes = [kept.size for kept in list(shelf.kept.values())]
    found = await device.replica.run(lambda core, connection: _peers(core, device_names(connection), shelf))
    return MailboxView(
        name=settled.name,
        url=settled.url,
        looking_since=None if standing.looking_ms is None else at_ms(standing.looking_ms),
        looked_at=None if standing.looked_ms is None else at_ms(standing.looked_ms),
        wrote_at=None if standing.wrote_ms is None else at_ms(standing.wrote_ms),
        files=standing.files if standing.looks else len(sizes),
        bytes=standing.size if standing.looks else sum(sizes),
        bytes_max=settled.bytes_max,
        unread=sum(kept.state is not FileState.TAKEN for kept in list(shelf.kept.values())),
        altered=sorted(name for name, kept in list(shelf.kept.items()) if kept.is_altered)[:_NAMED_MAX],
        stale=found["stale"],
        foreign=found["foreign"],
        sealed=sum(kept.state is FileState.SEALED for kept in list(shelf.kept.values())),
        lost=standing.lost,
        putting_off=standing.putting_off,
        trouble=None if standing.trouble is None else str(standing.trouble),
        trouble_since=None if standing.trouble_ms is None else at_ms(standing.trouble_ms),
        peers=found["peers"],
    )


def _peers(core: Core, names: Mapping[bytes, str], shelf: Shelf) -> dict[str, Any]:
    """Return the devices that files tell of, and how many files should not be there for long."""
    membership, heard = core.membership, dict[DeviceId, int]()
    foreign = 0
    for kept in list(shelf.kept.values()):
        if kept.filed is None:
            continue
        maker = kept.filed.maker
        foreign += maker in membership.revoked
        if maker != core.device and maker in membership.members and maker not in membership.revoked:
            heard[maker] = max(heard.get(maker, 0), kept.filed.made_ms)
    held, stale = core.feeds.held(), shelf.stale(core)
    seen = {each: at for each, ms in heard.items() if (at := at_ms(ms)) is not None}
    peers = [
        MailboxPeer(
            device_id=each.hex(),
            name=names[each],
            heard_at=seen[each],
            in_step=each in core.contacts
            and all(core.contacts[each].folded.get(no, 0) >= seq for no, seq in held.items()),
            stale=stale[each],
        )
        for each in sorted(seen)
    ]
    return {"peers": peers, "foreign": foreign, "stale": stale.total()}
