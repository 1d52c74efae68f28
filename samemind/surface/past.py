"""The verbs about the past."""

from dataclasses import dataclass
from typing import Final

from samemind.results.past import Difference
from samemind.surface.declare import Verb, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Show what became of memories between two moments."""

    since: str = option("--since", "from this moment on", default="", metavar="TIME")
    until: str | None = option("--until", "up to this moment; without it, up to now", metavar="TIME")
    seen_by: str | None = option("--seen-by", "as that device knew it", metavar="DEVICE")


DIFF: Final = Verb("diff", Diff, Difference, "samemind.verbs.past")
