"""Show whether the service is installed, what its file says, and whether it runs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.service._parts import Service, service_lines
from samemind.declaring import Agents, Command, Effects

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowService:
    """Show whether the service is installed, what its file says, and whether it runs."""


def run(home: "Home", options: ShowService) -> Service:
    """Say whether the file is there and up to date, and whether its daemon runs."""
    from samemind.commands.service._work import manager_of, told

    return told(home, manager_of(home, None), changed=False, left=())


COMMAND: Final = Command(
    "service status",
    ShowService,
    Service,
    run=run,
    render=service_lines,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=3,
)
