"""The verbs about the past."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, option
from samemind.results.past import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Show what became of memories between two moments."""

    since: str = option("--since", "from this moment on", default="", takes=Takes.TIME)
    until: str | None = option("--until", "up to this moment; without it, up to now", takes=Takes.TIME)
    seen_by: str | None = option("--seen-by", "as that device knew it", metavar="DEVICE")


DIFF: Final = Command(
    "diff",
    Diff,
    Difference,
    "samemind.verbs.past",
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "diff",
        (
            "Return what became of memories between two moments: what is new, what changed, what "
            "was forgotten."
        ),
        by_place=("since",),
    ),
    place=1,
)
