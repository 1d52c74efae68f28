"""Open the panel when somebody asks for it: at the daemon's start, or later by `samemind panel`.

Its libraries are an extra and take a moment to load, so nothing of them is imported before.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import trio

from samemind.errors import Failed

if TYPE_CHECKING:
    from samemind.device import Device
    from samemind.panel.opened import Panel

# Any port that is free: the address is told to whoever asks.
LOOPBACK: Final = ("127.0.0.1", 0)


class PanelOnDemand:
    """The daemon's panel, open or not yet; made by `panel_on_demand`."""

    def __init__(self, device: "Device", nursery: trio.Nursery) -> None:
        self._device = device
        self._nursery = nursery
        self._opening = trio.Lock()
        self.panel: Panel | None = None

    async def open(self, place: tuple[str, int] = LOOPBACK) -> "Panel":
        """Return the panel, opening it there if it is not open."""
        async with self._opening:
            if self.panel is None:
                try:
                    from samemind.panel.door import open_panel
                except ImportError as error:
                    raise Failed(
                        f"the panel needs libraries that are not installed ({error.name})",
                        code="extra_missing",
                        hint="pip install 'hypercorn>=0.18,<0.19' 'starlette>=0.47'",
                    ) from None

                async def hold(
                    task_status: "trio.TaskStatus[Panel]" = trio.TASK_STATUS_IGNORED,
                ) -> None:
                    async with open_panel(self._device, *place) as panel:
                        task_status.started(panel)
                        await self._device.stop.wait()

                self.panel = await self._nursery.start(hold)
            return self.panel


@asynccontextmanager
async def panel_on_demand(device: "Device") -> AsyncIterator[PanelOnDemand]:
    """Let the panel be opened during the block; it is closed at its end."""
    async with trio.open_nursery() as nursery:
        device.panels = PanelOnDemand(device, nursery)
        try:
            yield device.panels
        finally:
            device.panels = None
            device.stop.set()  # the panel ends by itself then, within a moment
