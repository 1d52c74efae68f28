"""The verbs that have the machine start the daemon."""

from dataclasses import dataclass
from typing import Final

from samemind.results.service import Service
from samemind.surface.declare import Verb, option


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

INSTALL: Final = Verb("service install", InstallService, Service, _MODULE, alone=True)
UNINSTALL: Final = Verb("service uninstall", UninstallService, Service, _MODULE, alone=True)
STATUS: Final = Verb("service status", ShowService, Service, _MODULE, alone=True)
