"""Stop the service, and remove its file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.service._parts import Service, service_lines
from samemind.declaring import Agents, Command, Effects

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstallService:
    """Stop the service, and remove its file."""


def run(home: "Home", options: UninstallService) -> Service:
    """Stop the service and take its file away."""
    from samemind.commands.service._work import ask, manager_of, told

    manager = manager_of(home, None)
    there = manager.path.exists()
    left = ask(manager.uninstall) if there else ()
    manager.path.unlink(missing_ok=True)
    if manager.kind == "termux" and there:
        manager.path.parent.rmdir()
    return told(home, manager, changed=there, left=left)


COMMAND: Final = Command(
    "service uninstall",
    UninstallService,
    Service,
    run=run,
    render=service_lines,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=2,
)
