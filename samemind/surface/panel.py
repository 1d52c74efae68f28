"""The verb of the web panel."""

from dataclasses import dataclass
from typing import Final

from samemind.results.panel import PanelOpened
from samemind.surface.declare import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPanel:
    """Open the memory panel in a browser; without a daemon, be one for as long as it is open."""


PANEL: Final = Verb("panel", OpenPanel, PanelOpened, "samemind.verbs.panel")
