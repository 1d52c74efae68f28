"""Let a browser into the web panel."""

from samemind.device import Device
from samemind.errors import Locked
from samemind.results.panel import PanelOpened
from samemind.surface.panel import OpenPanel


async def panel(device: Device, options: OpenPanel) -> PanelOpened:
    """Open the panel, if it is not open yet, and return an address that lets one browser in."""
    if device.panels is None:
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}, which is no daemon",
            hint="end that program, or start the daemon: samemind up",
        )
    opened = await device.panels.open()
    urls = opened.launch()
    return PanelOpened(url=urls[0], urls=urls, fingerprint=opened.fingerprint)
