"""Run the daemon in the foreground: find peers, sync with them, answer other programs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import Stopped, status_lines
from samemind.commands.group._parts import peer_line
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Locked
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Up:
    """Run the daemon in the foreground: find peers, sync with them, answer other programs."""

    background: bool = option("--background", "return once it is up; it keeps running", default=False)

    listen: str | None = option(
        "--listen", "where to listen for peers; without it, on any free port", metavar="HOST:PORT"
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
    mcp_url: str | None = option("--mcp-url", "its public address, if it is behind a proxy or a tunnel")


async def run(device: "Device", options: Up, say: "Say") -> Stopped:
    """Let a daemon have the store that this program holds only because there was none, or lets go of anyway."""
    import os

    if not (device.lets_go or device.stop.is_set()):
        raise Locked(f"{device.home.shown()} is in use by {device.program}", hint="end that program")
    device.stop.set()
    return Stopped(device_id=device.device_id.hex(), pid=os.getpid())


def render(document: Document) -> list[str]:
    return status_lines(document) if "running" in document else ["ended"]


def render_said(document: Document) -> list[str]:
    return [peer_line(document["peer"])] if "peer" in document else status_lines(document)


COMMAND: Final = Command(
    "up",
    Up,
    Stopped,
    run=run,
    render=render,
    render_said=render_said,
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
