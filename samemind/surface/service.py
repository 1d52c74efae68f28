"""The verbs that have the machine start the daemon."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, option
from samemind.results.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallService:
    """Have the machine start the daemon now and at every login, and show the file that says so."""

    listen: str | None = option("--listen", "where the daemon listens for peers", metavar="HOST:PORT")
    no_start: bool = option("--no-start", "only write the file", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstallService:
    """Stop the service, and take its file away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowService:
    """Show whether the service is installed, what its file says, and whether it runs."""


_MODULE: Final = "samemind.service.installing"

INSTALL: Final = Command(
    "service install",
    InstallService,
    Service,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=1,
)
UNINSTALL: Final = Command(
    "service uninstall",
    UninstallService,
    Service,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=2,
)
STATUS: Final = Command(
    "service status",
    ShowService,
    Service,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    alone=True,
    place=3,
)
