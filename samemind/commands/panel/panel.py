"""Let a browser into the web panel."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.group._parts import peer_line
from samemind.declaring import Agents, Command, Effects
from samemind.errors import Locked
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPanel:
    """Open the web panel in a browser; where no daemon runs, this command is one until it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOpened:
    """Where the panel is. `url` lets one browser in, once, within ten minutes, and so do `urls` in its place.

    `fingerprint` is the SHA-256 of the certificate that a browser on another machine is shown; null on loopback.
    """

    url: str
    urls: list[str]
    fingerprint: str | None = None


async def run(device: "Device", options: OpenPanel) -> PanelOpened:
    """Open the panel, if it is not open yet, and return an address that lets one browser in."""
    if device.panels is None:
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}, which is no daemon",
            hint="end that program, or start the daemon: samemind up",
        )
    opened = await device.panels.open()
    urls = opened.launch()
    return PanelOpened(url=urls[0], urls=urls, fingerprint=opened.fingerprint)


def render(document: Document) -> list[str]:
    return [document["url"]] if "url" in document else ["ended"]


def render_said(document: Document) -> list[str]:
    return [peer_line(document["peer"])] if "peer" in document else render(document)


COMMAND: Final = Command(
    "panel",
    OpenPanel,
    PanelOpened,
    run=run,
    render=render,
    render_said=render_said,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    news=True,
    starts_daemon=False,
    place=1,
    elsewhere=("browse", "gui", "open", "ui", "web"),
    daily=True,
)
