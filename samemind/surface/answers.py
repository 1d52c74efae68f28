"""The verbs that make something of memories: a block for a prompt, and reasons."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.results.answers import ContextBlock, Why, WhyNot
from samemind.surface.memories import Filters, Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeContext(Filters):
    """Make the block to put in a prompt: what memory holds about a question, fenced as data."""

    query: str | None = argument("what is asked; without it, an overview", metavar="QUERY", optional=True)
    max_tokens: int | None = option("--max-tokens", "at most how many tokens the block takes", metavar="N")
    window: int | None = option("--window", "the model's window, of which memory gets its share", metavar="N")
    conversation: tuple[str, ...] = option(
        "--conversation",
        "the talk so far, JSON lines of role and content; with --window: the messages to send, "
        "memory put in; "
        "- reads standard input",
        default=(),
        takes=Takes.MESSAGES,
    )
    compact_at: float = option(
        "--compact-at", "how full the window may be before the talk is cut", default=0.8, metavar="SHARE"
    )
    overview: bool = option("--overview", "what is pinned, recent, often used and stale, too", default=False)
    now: str | None = option("--now", 'when "yesterday" is the day before', takes=Takes.TIME)
    min_confidence: float = option(
        "--min-confidence", "only what is this likely to be about it, 0 to 1", default=0.1, metavar="X"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhy(Moment):
    """Show where a memory comes from: who told it, which device wrote it, and whether its signature holds."""

    rid: str = argument("its id", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhyNot(Filters):
    """Show why a memory does not come up for a question: the stage that dropped it, and what it lacked."""

    rid: str = argument("its id", takes=Takes.RID)
    query: str = argument("the question", metavar="QUERY")
    k: int = option("-k", "how many answers were asked for", default=10, metavar="N")


_MODULE: Final = "samemind.verbs.answers"

CONTEXT: Final = Command(
    "context",
    MakeContext,
    ContextBlock,
    _MODULE,
    effects=Effects.READ,
    agents=CoreTool(
        place=3,
        name="context",
        title="Context",
        description=(
            "Get one block for the prompt within a budget of tokens: what memory holds about a "
            "question. Without a query, an overview for the start of a session: pinned, recent, "
            "often used, stale."
        ),
        offered=(
            "query",
            "max_tokens",
            "overview",
            "project",
            "workspace",
        ),
    ),
    panel=True,
    library=Method(
        "context",
        (
            "Make the block to put in a prompt: what memory holds about a question, fenced as data.\n\n"
            "With the `conversation` so far (messages of role and content, the last of the user the "
            "question where there is no other) and the `window` of the model, the `messages` to "
            "send: memory put in, and room made for it."
        ),
    ),
    workspace=Workspace.FILTERED,
    place=1,
)
WHY: Final = Command(
    "why",
    ExplainWhy,
    Why,
    _MODULE,
    effects=Effects.READ,
    agents=CoreTool(
        place=6,
        name="why",
        title="Why",
        description=(
            "Show where a memory comes from: who told it, which device wrote it, from what it was "
            "taken, and whether its signature holds."
        ),
    ),
    panel=True,
    library=Method(
        "why",
        (
            "Return where a memory comes from: who told it, which device wrote it, and whether its "
            "signature holds."
        ),
    ),
    workspace=Workspace.READ_BY_ID,
    place=2,
)
WHY_NOT: Final = Command(
    "why-not",
    ExplainWhyNot,
    WhyNot,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("why_not", "Return why a memory does not come up for a question."),
    workspace=Workspace.FILTERED | Workspace.READ_BY_ID,
    place=3,
)
