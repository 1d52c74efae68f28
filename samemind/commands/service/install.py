"""Install a service that starts the daemon now and at every login, and show its file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.service._parts import Service, service_lines
from samemind.declaring import Agents, Command, Effects, option

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallService:
    """Install a service that starts the daemon now and at every login, and show its file."""

    listen: str | None = option("--listen", "where the daemon listens for peers", metavar="HOST:PORT")
    no_start: bool = option("--no-start", "write the file, but do not start the service", default=False)


def run(home: "Home", options: InstallService) -> Service:
    """Write the file, and have the machine start the daemon now and at every login."""
    from samemind.commands.service._work import ask, manager_of, succeeds, told
    from samemind.durable import whole_file

    manager = manager_of(home, options.listen)
    before = manager.path.read_text(manager.encoding, "replace") if manager.path.exists() else None
    if before != manager.text:
        manager.path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(manager.path) as scratch:
            scratch.write_text(manager.text, manager.encoding, newline="\n")
            scratch.chmod(manager.mode)
    # What runs was started by the file that was there, and no manager looks at another one before it has ended.
    commands = (*(manager.uninstall if succeeds(manager.running) else ()), *manager.install)
    left = commands if options.no_start else ask(commands)
    return told(home, manager, changed=before != manager.text, left=left)


COMMAND: Final = Command(
    "service install",
    InstallService,
    Service,
    run=run,
    render=service_lines,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=1,
)
