"""The verbs about what contradicts itself: seeing it, settling it, and correcting a memory."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.results.contradictions import (
    Contradictions,
    ContradictionView,
    Corrected,
    Resolved,
    Review,
    Settled,
)

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
    as_of: str | None = option("--as-of", f"as they stood then: {_TIME}", takes=Takes.TIME)
    limit: int = option("--limit", "how many at most", default=50, metavar="N", short="-n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowContradiction:
    """Show one contradiction: who said what and when, what holds, and what was decided."""

    id: str = argument("its id, or 6 and more characters of it", metavar="ID")
    as_of: str | None = option("--as-of", f"as it stood then: {_TIME}", takes=Takes.TIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveContradiction:
    """Decide a contradiction; what is not kept is hidden, and nothing is lost."""

    id: str = argument("its id, or 6 and more characters of it", metavar="ID")
    keep_a: bool = option("--keep-a", "what was told first is true", default=False)
    keep_b: bool = option("--keep-b", "the other is", default=False)
    keep_both: bool = option("--keep-both", "all of it is", default=False)
    keep: str | None = option(
        "--keep", "what this memory says is true, where there are more than two", takes=Takes.RID
    )
    since: str | None = option(
        "--since",
        "it changed: what is kept holds from then on, and the other held until then: a day, or "
        "words such as "
        "'last March' or 'gestern'",
        takes=Takes.TIME,
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

    a: str = argument("the id of one", metavar="A", takes=Takes.RID)
    b: str = argument("the id of the other", metavar="B", takes=Takes.RID)
    verdict: str = argument(
        "same (both hold, of one thing), changed (the later one holds now), disagree (not both "
        "can be true), "
        "two_things (never ask again) or repeats (one thing in other words)",
        metavar="VERDICT",
        choices=("same", "changed", "disagree", "two_things", "repeats"),
    )
    since: str | None = option(
        "--since", "when it changed: a day, or words such as 'last March' or 'gestern'", takes=Takes.TIME
    )
    by: str = option(
        "--by", "who judged it; a person outranks an agent", default="person", choices=("person", "agent")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """Say what a memory should have said; what it said before holds no more, and is kept in its history."""

    rid: str = argument("its id", takes=Takes.RID)
    text: str = argument("what is right; - reads it from standard input", metavar="TEXT")


_MODULE: Final = "samemind.verbs.contradictions"
_MODULE_SETTLING: Final = "samemind.verbs.nominees"

CONTRADICTIONS: Final = Command(
    "contradictions list",
    ListContradictions,
    Contradictions,
    _MODULE,
    effects=Effects.READ,
    agents=CoreTool(
        place=7,
        name="contradictions",
        title="Contradictions",
        description=(
            "List what cannot all be true and nobody settled yet, the worst first. Ask the user before "
            "settling one."
        ),
        offered=(
            "status",
            "limit",
        ),
    ),
    panel=True,
    library=Method("contradictions", "List what was told that cannot all be true, open questions first."),
    workspace=Workspace.PUT,
    rows="contradictions",
    place=1,
    short=True,
    daily=True,
)
SHOW: Final = Command(
    "contradictions show",
    ShowContradiction,
    ContradictionView,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "contradiction", "Return one contradiction: who said what and when, what holds, and what was decided."
    ),
    workspace=Workspace.CONTRADICTION,
    place=2,
)
REVIEW: Final = Command(
    "contradictions review",
    ReviewContradictions,
    Review,
    _MODULE_SETTLING,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "review", "List pairs of memories that may contradict or repeat each other, and that nobody judged."
    ),
    workspace=Workspace.PUT,
    rows="nominees",
    place=3,
)
SETTLE: Final = Command(
    "settle",
    Settle,
    Settled,
    _MODULE_SETTLING,
    effects=Effects.CHANGE,
    agents=CoreTool(
        place=9,
        name="settle",
        title="Settle two memories",
        description=(
            "Say what a memory and a nominee of `remember` are to each other, once you have read "
            "both: repeats (one thing in other words), changed (the later one holds now), disagree "
            "(not both can be true; the user is asked), two_things (never named again) or same "
            "(both hold, of one thing). Leave it where you cannot tell."
        ),
        offered=(
            "a",
            "b",
            "verdict",
            "since",
        ),
    ),
    panel=True,
    library=Method(
        "settle", "Say what two memories are to each other: same, changed, disagree, two_things or repeats."
    ),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=5,
)
RESOLVE: Final = Command(
    "contradictions resolve",
    ResolveContradiction,
    Resolved,
    _MODULE,
    effects=Effects.DESTROY,
    agents=CoreTool(
        place=8,
        name="resolve",
        title="Resolve a contradiction",
        description=(
            "Settle a contradiction as the user decides: keep a, keep b, keep both, or merge them "
            "into new words."
        ),
        offered=(
            "id",
            "keep_a",
            "keep_b",
            "keep_both",
            "keep",
            "merge",
        ),
    ),
    panel=True,
    library=Method(
        "resolve",
        (
            "Decide a contradiction; what is not kept is hidden, and nothing is lost.\n\n"
            "With `since` it changed: what is kept holds from then on, and the others held until "
            "then."
        ),
    ),
    idempotent=True,
    workspace=Workspace.CONTRADICTION,
    place=4,
)
CORRECT: Final = Command(
    "correct",
    Correct,
    Corrected,
    "samemind.verbs.changes",
    effects=Effects.DESTROY,
    agents=CoreTool(
        place=5,
        name="correct",
        title="Correct",
        description=(
            "Replace what a memory says because it is wrong or no longer so. What it said before "
            "stays in its history."
        ),
    ),
    panel=True,
    library=Method("correct", "Say what a memory should have said; what it said before holds no more."),
    idempotent=True,
    workspace=Workspace.CHANGED_BY_ID,
    place=6,
)
