"""The verbs about other devices: joining them, knowing them, syncing with them."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, ByHand, Command, Effects, Method, Takes, argument, option
from samemind.results.group import (
    GroupView,
    Paired,
    PairingOffer,
    Peers,
    PeerView,
    Rebuilt,
    Recovery,
    Rejoined,
    Synced,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Join two devices: without a code, show one and wait; with the code, join the device that shows it."""

    code: str | None = argument("the code that the other device shows", metavar="CODE", optional=True)
    address: str | None = option(
        "--address", "where it waits, needed only where mDNS does not reach", metavar="HOST:PORT"
    )
    mailbox: str | None = option(
        "--mailbox", "through this mailbox, for devices that are never on one network", metavar="NAME"
    )
    wait: str | None = option(
        "--wait",
        "with --mailbox: for so long, as 24h or 90m, with a code of three words",
        hidden_from=("agents",),
        metavar="TIME",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPeers:
    """List the other devices of the group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamePeer:
    """Call a device by another name here."""

    device: str = argument("its id or name", metavar="ID")
    name: str = argument("the new name", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPeer:
    """Say where a device can always be reached."""

    device: str = argument("its id or name", metavar="ID")
    address: str = option("--address", "where it listens", metavar="HOST:PORT", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokePeer:
    """Put a device out of the group for good."""

    device: str = argument("its id or name", metavar="ID")
    undo: bool = option(
        "--undo", "and take back what it did: whom it introduced goes, whom it revoked returns", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """Sync now, with one device or with all that can be reached."""

    peer: str | None = argument("its id or name; without it, all", metavar="PEER", optional=True)
    address: str | None = option("--address", "where it listens", metavar="HOST:PORT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowGroup:
    """Show who belongs to the group, who prevails over whom, and who was put out by whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeRecovery:
    """Print a code by which any device can put the group right, whatever was stolen: once, on the oldest device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreGroup:
    """Put the group right with its recovery code: revoke devices, and take back whom those revoked."""

    code: tuple[str, ...] = argument(
        (
            "the words of the recovery code; the command line asks for them instead, or reads its "
            "standard input"
        ),
        metavar="WORD",
        many=True,
        optional=True,
    )
    without: tuple[str, ...] = option(
        "--without",
        "the id or name of a device to revoke; may be given several times",
        metavar="ID",
        default=(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildGroup:
    """Make a new group without the ops of a device that turned bad; the daemon must not run."""

    without: tuple[str, ...] = option(
        "--without",
        "the id or name of a device to leave out, with what it wrote; may be given several times",
        metavar="ID",
        default=(),
    )
    staying: tuple[str, ...] = option(
        "--with",
        "the id or name of a device that stays although one that is left out introduced it",
        metavar="ID",
        default=(),
    )
    since: str | None = option(
        "--since",
        "keep what they wrote before this time, as far as a device that stays had seen it by then",
        takes=Takes.TIME,
    )
    keep: tuple[str, ...] = option(
        "--keep",
        (
            "the id of a memory that only they told and that is kept, in this device's name; may be "
            "given several times"
        ),
        metavar="ID",
        default=(),
    )
    dry_run: bool = option("--dry-run", "only say what would go and what would stay", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinGroup:
    """Move into a group that another device rebuilt, with the code that `samemind pair` shows there."""

    code: str = argument("the code that a device of the rebuilt group shows", metavar="CODE")
    address: str | None = option(
        "--address", "where it waits, needed only where mDNS does not reach", metavar="HOST:PORT"
    )


_MODULE: Final = "samemind.verbs.group"
_REBUILDING: Final = "samemind.rebuilding"
_SENIORITY: Final = "samemind.verbs.seniority"

PAIR: Final = Command(
    "pair",
    Pair,
    Paired,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=ByHand("pair"),
    says=PairingOffer,
    news=True,
    streams=True,
    place=1,
    daily=True,
)
PEERS: Final = Command(
    "peers list",
    ListPeers,
    Peers,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("peers", "Return the other devices of the group."),
    rows="peers",
    place=2,
    short=True,
    elsewhere=("devices",),
)
PEERS_RENAME: Final = Command(
    "peers rename",
    RenamePeer,
    PeerView,
    _MODULE,
    effects=Effects.CHANGE,
    agents=Agents.NEVER,
    panel=True,
    library=Method("rename_peer", "Call a device by another name here."),
    place=3,
)
PEERS_ADD: Final = Command(
    "peers add",
    AddPeer,
    PeerView,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=Method("add_peer", "Say where a device can always be reached."),
    place=4,
)
PEERS_REVOKE: Final = Command(
    "peers revoke",
    RevokePeer,
    PeerView,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=Method(
        "revoke_peer",
        "Put a device out of the group for good; `undo` takes back whom it introduced and whom it revoked.",
    ),
    place=5,
)
GROUP_SHOW: Final = Command(
    "group show",
    ShowGroup,
    GroupView,
    _SENIORITY,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel="shows a secret or asks for one, and has no page yet",
    library=Method(
        "group", "Return who belongs to the group, who prevails over whom, and who was put out by whom."
    ),
    rows="members",
    place=6,
)
GROUP_RECOVERY: Final = Command(
    "group recovery",
    MakeRecovery,
    Recovery,
    _SENIORITY,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="shows a secret or asks for one, and has no page yet",
    library=Method(
        "make_recovery",
        "Make the code by which any device can put the group right: once, on the oldest device.",
    ),
    place=7,
)
GROUP_RESTORE: Final = Command(
    "group restore",
    RestoreGroup,
    GroupView,
    _SENIORITY,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="shows a secret or asks for one, and has no page yet",
    library=ByHand("restore_group"),
    rows="members",
    place=8,
)
GROUP_REBUILD: Final = Command(
    "group rebuild",
    RebuildGroup,
    Rebuilt,
    _REBUILDING,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="needs the store for itself, and the daemon holds it",
    library=None,
    alone=True,
    place=9,
)
GROUP_REJOIN: Final = Command(
    "group rejoin",
    RejoinGroup,
    Rejoined,
    _REBUILDING,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="needs the store for itself, and the daemon holds it",
    library=None,
    alone=True,
    place=10,
)
SYNC: Final = Command(
    "sync",
    Sync,
    Synced,
    _MODULE,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("sync", "Sync now, with one device or with all that can be reached."),
    kept="what came in so far is kept; the next sync goes on from there",
    place=11,
    daily=True,
)
