"""The verbs about what contradicts itself: seeing it, settling it, and correcting a memory."""

from dataclasses import dataclass
from typing import Final

from samemind.results.contradictions import (
    Contradictions,
    ContradictionView,
    Corrected,
    Resolved,
    Review,
    Settled,
)
from samemind.surface.declare import Verb, argument, option

_TIME: Final = "YYYY-MM-DD[THH:MM[:SS][Z|+HH:MM]]; without a zone it is this machine's"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListContradictions:
    """List what was told that cannot all be true, open questions first."""

    status: str | None = option("--status", "only these", choices=("open", "settled"))
    attention: str | None = option(
        "--attention",
        "only these: asked about, mentioned beside what is recalled, or only listed",
        choices=("ask", "mention", "quiet"),
    )
    workspace: str | None = option("--workspace", "only those of this space")
    as_of: str | None = option("--as-of", f"as they stood then: {_TIME}", metavar="TIME")
    limit: int = option("--limit", "how many at most", default=50, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowContradiction:
    """Show one contradiction: who said what and when, what holds, and what was decided."""

    id: str = argument("its id, or 6 and more characters of it", metavar="ID")
    as_of: str | None = option("--as-of", f"as it stood then: {_TIME}", metavar="TIME")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveContradiction:
    """Decide a contradiction; what is not kept is hidden, and nothing is lost."""

    id: str = argument("its id, or 6 and more characters of it", metavar="ID")
    keep_a: bool = option("--keep-a", "what was told first is true", default=False)
    keep_b: bool = option("--keep-b", "the other is", default=False)
    keep_both: bool = option("--keep-both", "all of it is", default=False)
    keep: str | None = option(
        "--keep", "what this memory says is true, where there are more than two", metavar="RID"
    )
    since: str | None = option(
        "--since",
        "it changed: what is kept holds from then on, and the other held until then: a day, or words such as "
        "'last March' or 'gestern'",
        metavar="TIME",
    )
    merge: str | None = option("--merge", "none is as it was told: this is how it is", metavar="TEXT")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContradictions:
    """List pairs of memories that may contradict or repeat each other and that nobody judged, the likeliest first."""

    workspace: str | None = option("--workspace", "only those of this space", metavar="W")
    limit: int = option("--limit", "how many at most", default=20, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Say what two memories are to each other, once you have read both; it can be said otherwise later."""

    a: str = argument("the id of one", metavar="A")
    b: str = argument("the id of the other", metavar="B")
    verdict: str = argument(
        "same (both hold, of one thing), changed (the later one holds now), disagree (not both can be true), "
        "two_things (never ask again) or repeats (one thing in other words)",
        metavar="VERDICT",
        choices=("same", "changed", "disagree", "two_things", "repeats"),
    )
    since: str | None = option(
        "--since", "when it changed: a day, or words such as 'last March' or 'gestern'", metavar="TIME"
    )
    by: str = option(
        "--by", "who judged it; a person outranks an agent", default="person", choices=("person", "agent")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """Say what a memory should have said; what it said before holds no more, and is kept in its history."""

    rid: str = argument("its id", metavar="RID")
    text: str = argument("what is right; - reads it from standard input", metavar="TEXT")


_MODULE: Final = "samemind.verbs.contradictions"
_MODULE_SETTLING: Final = "samemind.verbs.nominees"

CONTRADICTIONS: Final = Verb(
    "contradictions list", ListContradictions, Contradictions, _MODULE, rows="contradictions"
)
SHOW: Final = Verb("contradictions show", ShowContradiction, ContradictionView, _MODULE)
REVIEW: Final = Verb("contradictions review", ReviewContradictions, Review, _MODULE_SETTLING, rows="nominees")
SETTLE: Final = Verb("settle", Settle, Settled, _MODULE_SETTLING)
RESOLVE: Final = Verb("contradictions resolve", ResolveContradiction, Resolved, _MODULE)
CORRECT: Final = Verb("correct", Correct, Corrected, "samemind.verbs.changes")
