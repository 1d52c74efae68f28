"""Offer what a person asks of memory from a menu of the agent's host: a recap, what changed, what to decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from samemind.commands.past.diff import DIFF_MAX
from samemind.mcp.scope import Ask
from samemind.mcp.telling import change_lines, contradiction_line, fenced, merged_words

# What a person reads of a stretch of time; whoever wants more asks about a part of it.
CHANGES_MAX: Final = 60
CORRECTIONS_MAX: Final = 20
# As many questions as anybody answers at a sitting.
QUESTIONS_MAX: Final = 20
# Since when things have changed, where nobody says: a week is what people look back on.
_LOOKS_BACK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """One prompt: what it is called, the verb that it reads by, and what may be said with it, each with its meaning."""

    name: str
    verb: str
    title: str
    description: str
    arguments: Mapping[str, str]


RECAP: Final = PromptTemplate(
    "recap",
    "context",
    "Recap",
    "What memory holds of somebody or something; without a name, what to know at the start.",
    {"about": "a person, a project or a subject"},
)
WHAT_CHANGED: Final = PromptTemplate(
    "what_changed",
    "diff",
    "What changed",
    "What was told, corrected and forgotten since a moment.",
    {"since": "a day, as YYYY-MM-DD, or an ISO 8601 time; a week ago where it is left out"},
)
REVIEW: Final = PromptTemplate(
    "review_questions",
    "contradictions list",
    "Review questions",
    "Go through what memory holds that cannot all be true, and decide it.",
    {},
)
PROMPTS: Final = (RECAP, WHAT_CHANGED, REVIEW)


async def prompt_text(prompt: PromptTemplate, arguments: Mapping[str, str], ask: Ask, now: datetime) -> str:
    """Return what the person says to the agent by choosing a prompt: what to do, and what memory holds for it.

    `arguments` are as the host sent them, and may be wrong: the verb says so.
    """
    if prompt is RECAP:
        about = arguments.get("about", "").strip()
        return await _recap(about, ask)
    if prompt is WHAT_CHANGED:
        since = arguments.get("since", "").strip()
        return await _changed(since or (now.astimezone(UTC) - _LOOKS_BACK).isoformat(timespec="seconds"), ask)
    return await _questions(ask)


async def _recap(about: str, ask: Ask) -> str:
    found = await ask("context", {"query": about, "overview": True, "ids": True} if about else {"ids": True})
    whom = f"of {' '.join(about.split())}" if about else "of me and of what I am doing"
    asked = (
        f"Tell me in a few sentences what you remember {whom}. Say who told it and when where that matters, and what "
        "may be out of date."
    )
    return "\n\n".join(filter(None, (asked, found["text"] or "Nothing is remembered.", merged_words(found))))


async def _changed(since: str, ask: Ask) -> str:
    found = await ask("diff", {"since": since, "limit": DIFF_MAX})
    changed, forgotten, told = change_lines(found)
    # Corrections are few beside what is told, and say more; of each the latest.
    few = [*changed[-CORRECTIONS_MAX:], *forgotten[-CORRECTIONS_MAX:]]
    shown = [*few, *told[-(CHANGES_MAX - len(few)) :]]
    left = len(changed) + len(forgotten) + len(told) - len(shown)
    more = f"\n\n{left} older ones are not shown." if left else ""
    if found["more"]:
        more += f" Nor is what came after the first {DIFF_MAX} of a kind."
    return f"Sum up for me what changed in memory since {since}.\n\n{fenced(chr(10).join(shown))}{more}"


async def _questions(ask: Ask) -> str:
    found: Mapping[str, Any] = await ask(
        "contradictions list", {"status": "open", "limit": QUESTIONS_MAX + 1}
    )
    questions = found["contradictions"]
    if not questions:
        return "Tell me that memory holds no open questions."
    shown = "\n".join(" ".join(contradiction_line(each).split()) for each in questions[:QUESTIONS_MAX])
    more = "\n\nThere are more after these." if len(questions) > QUESTIONS_MAX else ""
    return (
        "Ask me these questions one by one, in plain words with who told what and when, and `resolve` each as I "
        f"answer. Leave what I do not know.\n\n{fenced(shown)}{more}"
    )
