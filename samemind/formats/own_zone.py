"""Find the name of this machine's time zone: what repeats is counted by the clock of a place, and not by an offset."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from samemind.platform import system

_LINK: Final = Path("/etc/localtime")
_WRITTEN: Final = Path("/etc/timezone")
# A name, its end of line, and room for a comment.
_WRITTEN_BYTES_MAX: Final = 200
_FOLDER: Final = "zoneinfo/"


def own_zone_name() -> str | None:
    """Return the name of this machine's zone, as "Europe/Berlin"; None where it says none.

    Whoever uses the name has to look whether there is such a zone, and whether its clock is this machine's.
    """
    link = written = None
    with suppress(OSError):
        link = os.readlink(_LINK)
    with suppress(OSError), _WRITTEN.open("rb") as file:
        written = file.read(_WRITTEN_BYTES_MAX).decode(errors="replace")
    variable = os.environ.get("TZ")
    found = zone_name(variable, link, written)
    return system.set_zone() if found is None and variable is None else found


def zone_name(variable: str | None, link: str | None, written: str | None) -> str | None:
    """Return the zone that a machine's settings name: the variable TZ where there is one, before the system's.

    `link` is where /etc/localtime leads, `written` what /etc/timezone says. Of a path the name is what stands behind
    the folder of zones; a rule for when clocks are changed is no name.
    """
    if variable is not None:
        name = variable.removeprefix(":").rpartition(_FOLDER)[2]
    elif link is not None and _FOLDER in link:
        name = link.rpartition(_FOLDER)[2]
    else:
        name = (written or "").strip()
    return name or None
