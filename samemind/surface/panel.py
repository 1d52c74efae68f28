"""The verb of the web panel."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects
from samemind.results.panel import PanelOpened


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPanel:
    """Open the memory panel in a browser; without a daemon, be one for as long as it is open."""


PANEL: Final = Command(
    "panel",
    OpenPanel,
    PanelOpened,
    "samemind.verbs.panel",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    news=True,
    starts_daemon=False,
    place=1,
    elsewhere=("ui", "web"),
    daily=True,
)
