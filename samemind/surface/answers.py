"""The verbs that make something of memories: a block for a prompt, and reasons."""

from dataclasses import dataclass
from typing import Final

from samemind.results.answers import ContextBlock, Why, WhyNot
from samemind.surface.declare import Verb, argument, option
from samemind.surface.memories import Filters, Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeContext(Filters):
    """Make the block to put in a prompt: what memory holds about a question, fenced as data."""

    query: str | None = argument("what is asked; without it, an overview", metavar="QUERY", optional=True)
    max_tokens: int | None = option("--max-tokens", "at most how many tokens the block takes", metavar="N")
    window: int | None = option("--window", "the model's window, of which memory gets its share", metavar="N")
    conversation: tuple[str, ...] = option(
        "--conversation",
        "the talk so far, JSON lines of role and content; with --window: the messages to send, memory put in; "
        "- reads standard input",
        default=(),
        metavar="FILE",
    )
    compact_at: float = option(
        "--compact-at", "how full the window may be before the talk is cut", default=0.8, metavar="SHARE"
    )
    overview: bool = option("--overview", "what is pinned, recent, often used and stale, too", default=False)
    now: str | None = option("--now", 'when "yesterday" is the day before', metavar="TIME")
    min_confidence: float = option(
        "--min-confidence", "only what is this likely to be about it, 0 to 1", default=0.1, metavar="X"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhy(Moment):
    """Show where a memory comes from: who told it, which device wrote it, and whether its signature holds."""

    rid: str = argument("its id", metavar="RID")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhyNot(Filters):
    """Show why a memory does not come up for a question: the stage that dropped it, and what it lacked."""

    rid: str = argument("its id", metavar="RID")
    query: str = argument("the question", metavar="QUERY")
    k: int = option("-k", "how many answers were asked for", default=10, metavar="N")


_MODULE: Final = "samemind.verbs.answers"

CONTEXT: Final = Verb("context", MakeContext, ContextBlock, _MODULE)
WHY: Final = Verb("why", ExplainWhy, Why, _MODULE)
WHY_NOT: Final = Verb("why-not", ExplainWhyNot, WhyNot, _MODULE)
