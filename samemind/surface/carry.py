"""The verbs that carry ops by hand: in a file, on a stick, through a folder that some service copies."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.results.carry import CarriedIn, CarriedOut


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryExport:
    """Write what other devices may lack into a file, sealed for them; into a folder: what it does not hold yet."""

    file: str = argument("the file to write, or a folder that exists", takes=Takes.PATH)
    since_peer: str | None = option(
        "--since-peer", "only what this device lacks, as far as is known here", metavar="ID"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryImport:
    """Take in what another device wrote: a file, or every file of a folder."""

    file: str = argument("the file, or the folder", takes=Takes.PATH)


_MODULE: Final = "samemind.verbs.carry"

EXPORT: Final = Command(
    "carry export",
    CarryExport,
    CarriedOut,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method(
        "carry_export",
        "Write what other devices may lack into a sealed file; into a folder: what it does not hold yet.",
    ),
    place=1,
)
IMPORT: Final = Command(
    "carry import",
    CarryImport,
    CarriedIn,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method("carry_import", "Take in what another device wrote: a file, or every file of a folder."),
    place=2,
)
