"""The verbs about this device: what it is, how it is, and its daemon."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.results.device import (
    Compacted,
    DaemonStatus,
    Digest,
    Doctored,
    Ids,
    Initialised,
    Log,
    Stats,
    Stopped,
    Verified,
    Warmed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Init:
    """Make this home a device; any other verb does so on first use."""

    name: str | None = option("--name", "what the device is called; without it, as the machine is")
    divorce: bool = option(
        "--divorce", "after a clone: become a device of its own, under a new key", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Up:
    """Run the device in the foreground: find peers, sync with them, answer other programs."""

    background: bool = option("--background", "return when it is up, and let it go on", default=False)

    listen: str | None = option(
        "--listen", "where to listen for peers; without it, anywhere free", metavar="HOST:PORT"
    )
    no_mdns: bool = option("--no-mdns", "do not announce the device or look for others", default=False)
    panel: str | None = option(
        "--panel", "serve the web panel there; to other machines by HTTPS only", metavar="HOST:PORT"
    )
    mcp_http: str | None = option(
        "--mcp-http",
        "serve remote agents over MCP there; to other machines by HTTPS only",
        metavar="HOST:PORT",
    )
    mcp_url: str | None = option(
        "--mcp-url", "the address that agents know it by, where a proxy or a tunnel stands before it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Down:
    """Stop the daemon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStatus:
    """Show whether the daemon runs, where it listens, and how its peers are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowDigest:
    """Show what is equal on devices that agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowLog:
    """Show the log of ops, one a line."""

    limit: int = option("--limit", "how many of the last ops", default=20, metavar="N", short="-n")
    follow: bool = option(
        "--follow", "go on with every op that comes", hidden_from=("agents", "library"), default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Check every chain and signature, and compute the state anew from the log."""

    accept_loss: bool = option(
        "--accept-loss",
        "first take as lost what is missing of this device's own writes",
        hidden_from=("agents", "panel"),
        default=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """Look for what is wrong, and say what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Fold ops that every device has into the base; their history is no longer told afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStats:
    """Count what there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmup:
    """Load the model and the vectors now rather than at the first recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListIds:
    """List ids of memories and devices by how they begin, and how short each may be typed: for shells that complete."""

    beginnings: tuple[str, ...] = argument(
        "how they begin, or whole ids; without any, the newest", takes=Takes.ID, optional=True, many=True
    )
    limit: int = option("--limit", "how many for each", default=20, metavar="N", short="-n")


_RECORD: Final = "samemind.verbs.record"


def _is_ok(result: Mapping[str, Any]) -> bool:
    return bool(result["ok"])


_DEVICE: Final = "samemind.verbs.device"

INIT: Final = Command(
    "init",
    Init,
    Initialised,
    _DEVICE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    starts_daemon=False,
    place=1,
)
UP: Final = Command(
    "up",
    Up,
    Stopped,
    _DEVICE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    news=True,
    starts_daemon=False,
    streams=True,
    place=2,
    elsewhere=("start",),
    daily=True,
)
DOWN: Final = Command(
    "down",
    Down,
    Stopped,
    _DEVICE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    starts_daemon=False,
    place=3,
    elsewhere=("stop",),
)
STATUS: Final = Command(
    "status",
    ShowStatus,
    DaemonStatus,
    _DEVICE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("status", "Return what this device is, whether its daemon runs, and how its peers are."),
    starts_daemon=False,
    opens_mind=False,
    place=4,
)
DIGEST: Final = Command(
    "digest",
    ShowDigest,
    Digest,
    _RECORD,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("digest", "Return what is equal on devices that agree."),
    place=5,
)
LOG: Final = Command(
    "log",
    ShowLog,
    Log,
    _RECORD,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("log", "Return the last ops of the log."),
    news=True,
    streams=True,
    place=6,
)
VERIFY: Final = Command(
    "verify",
    Verify,
    Verified,
    _RECORD,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("verify", "Check every chain and signature, and compute the state anew from the log."),
    went_well=_is_ok,
    place=7,
)
DOCTOR: Final = Command(
    "doctor",
    Doctor,
    Doctored,
    "samemind.verbs.doctor",
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("doctor", "Look for what is wrong, and say what to do about it."),
    went_well=_is_ok,
    rows="checks",
    place=9,
    elsewhere=("config",),
    daily=True,
)
COMPACT: Final = Command(
    "compact",
    Compact,
    Compacted,
    _RECORD,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="undoes or folds much at once: asked for where its result can be read",
    library=Method(
        "compact", "Fold ops that every device has into the base; their history is no longer told afterwards."
    ),
    place=8,
)
STATS: Final = Command(
    "stats",
    ShowStats,
    Stats,
    _DEVICE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("stats", "Count what there is."),
    place=10,
)
WARMUP: Final = Command(
    "warmup",
    Warmup,
    Warmed,
    _DEVICE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("warmup", "Load the model and the vectors now rather than at the first recall."),
    place=12,
)
IDS: Final = Command(
    "ids",
    ListIds,
    Ids,
    "samemind.verbs.short_ids",
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="is for shells that complete",
    library=Method(
        "ids", "List ids of memories and devices by how they begin, and how short each may be typed."
    ),
    opens_mind=False,
    rows="ids",
    place=11,
)
