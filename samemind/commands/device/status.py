"""Show whether the daemon runs, where it listens, and how its peers are."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.device._parts import Clone, IncidentView, status_lines
from samemind.commands.group._parts import PeerView
from samemind.commands.mailbox._parts import MailboxView
from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStatus:
    """Show whether the daemon runs, where it listens, and how its peers are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkStatus:
    """How the daemon thinks: whether it does now, who does for all that are linked, when it will at the latest.

    `found` counts what the last cycle raised, by step; `trouble` says why it did not come to its end.
    """

    thinking: bool
    runner: str
    next_at: datetime | None
    last_at: datetime | None = None
    took_ms: float | None = None
    found: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStatus:
    """Whether the daemon runs here, where it listens, and how its peers are.

    `revoked_by` is the name of the device that put this one out of the group, if one did.
    """

    running: bool
    device_id: str
    name: str
    home: str
    pid: int | None = None
    address: str | None = None
    panel_url: str | None = None
    mcp_url: str | None = None
    peers: list[PeerView] = field(default_factory=list)
    mailboxes: list[MailboxView] = field(default_factory=list)
    incidents: list[IncidentView] = field(default_factory=list)
    clone: Clone | None = None
    think: ThinkStatus | None = None
    revoked_by: str | None = None


async def run(device: "Device", options: ShowStatus) -> DaemonStatus:
    """Show how the daemon is; without one, what is known of the peers."""
    return await daemon_status(device)


async def daemon_status(device: "Device") -> DaemonStatus:
    """Return what `status` shows, and what the daemon says when it is up."""
    import os

    from samemind.commands.device._clones import clone_of, incidents, revoked_by_name
    from samemind.commands.group._peers import peer_views

    syncer = device.syncer
    return DaemonStatus(
        running=syncer is not None and not device.stop.is_set(),  # not where it is ending
        device_id=device.device_id.hex(),
        name=device.name,
        home=device.home.shown(),
        pid=None if syncer is None else os.getpid(),
        address=None if syncer is None or syncer.address is None else str(syncer.address),
        mcp_url=device.mcp_url,
        panel_url=None if device.panels is None or device.panels.panel is None else device.panels.panel.url,
        peers=await peer_views(device),
        mailboxes=await _mailboxes(device),
        incidents=await incidents(device),
        clone=await clone_of(device),
        think=_think_status(device),
        revoked_by=await revoked_by_name(device),
    )


async def _mailboxes(device: "Device") -> list[MailboxView]:
    """Return how it stands with the mailboxes; a device that has none loads nothing of them."""
    if not device.home.mailboxes.exists():
        return []
    from samemind.commands.mailbox._views import mailbox_views

    return await mailbox_views(device)


def _think_status(device: "Device") -> ThinkStatus | None:
    from samemind.formats.times import at_ms

    if device.thinker is None:
        return None
    ahead, last = device.thinker.outlook(), device.mind.last_cycle
    return ThinkStatus(
        thinking=device.mind.is_thinking,
        runner=ahead.runner.hex(),
        next_at=at_ms(device.now_ms() + ahead.next_ms),
        last_at=None if last is None else at_ms(last.began_ms),
        took_ms=None if last is None else last.took_ms,
        found={} if last is None else {name: len(ids) for name, ids in last.ids.items()},
        trouble=device.thinker.trouble,
    )


COMMAND: Final = Command(
    "status",
    ShowStatus,
    DaemonStatus,
    run=run,
    render=status_lines,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("status", "Return what this device is, whether its daemon runs, and how its peers are."),
    starts_daemon=False,
    opens_mind=False,
    place=4,
)
