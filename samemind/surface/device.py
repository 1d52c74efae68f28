"""The verbs about this device: what it is, how it is, and its daemon."""

from dataclasses import dataclass
from typing import Final

from samemind.results.device import (
    Compacted,
    DaemonStatus,
    Digest,
    Doctored,
    Initialised,
    Log,
    Stats,
    Stopped,
    Verified,
    Warmed,
)
from samemind.surface.declare import Verb, option


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
    follow: bool = option("--follow", "go on with every op that comes", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Check every chain and signature, and compute the state anew from the log."""

    accept_loss: bool = option(
        "--accept-loss", "first take as lost what is missing of this device's own writes", default=False
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


_RECORD: Final = "samemind.verbs.record"
_DEVICE: Final = "samemind.verbs.device"

INIT: Final = Verb("init", Init, Initialised, _DEVICE)
UP: Final = Verb("up", Up, Stopped, _DEVICE, streams=True)
DOWN: Final = Verb("down", Down, Stopped, _DEVICE)
STATUS: Final = Verb("status", ShowStatus, DaemonStatus, _DEVICE, opens_mind=False)
DIGEST: Final = Verb("digest", ShowDigest, Digest, _RECORD)
LOG: Final = Verb("log", ShowLog, Log, _RECORD, streams=True)
VERIFY: Final = Verb("verify", Verify, Verified, _RECORD)
DOCTOR: Final = Verb("doctor", Doctor, Doctored, "samemind.verbs.doctor", rows="checks")
COMPACT: Final = Verb("compact", Compact, Compacted, _RECORD)
STATS: Final = Verb("stats", ShowStats, Stats, _DEVICE)
WARMUP: Final = Verb("warmup", Warmup, Warmed, _DEVICE)
