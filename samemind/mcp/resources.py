"""What an agent's host can read without a call: the core profile, and the contradictions that are open."""

from dataclasses import dataclass
from typing import Final

from samemind.mcp.scope import Ask
from samemind.mcp.telling import contradiction_line, fenced

MIME_TYPE: Final = "text/markdown"


@dataclass(frozen=True, slots=True)
class Page:
    """One resource: where it is, and what it holds."""

    uri: str
    name: str
    title: str
    description: str


PROFILE: Final = Page(
    "samemind://profile",
    "profile",
    "Core profile",
    "What to know when a session begins: what is pinned, recent, often used, and perhaps out of date.",
)
CONTRADICTIONS: Final = Page(
    "samemind://contradictions",
    "contradictions",
    "Open contradictions",
    "What memory holds that cannot all be true, for the user to settle.",
)


async def read_page(uri: str, ask: Ask, *, whole: bool) -> str | None:
    """Return what a resource holds at this moment; None where there is no such resource.

    `whole`: the reader sees all of its owner's memory, and so who that is.
    """
    if uri == PROFILE.uri:
        parts = [await _owner(ask)] if whole else []
        parts.append(str((await ask("context", {}))["text"]))
        return "\n\n".join(filter(None, parts)) or "nothing is known"
    if uri == CONTRADICTIONS.uri:
        listed = (await ask("contradictions list", {"status": "open"}))["contradictions"]
        return fenced("\n".join(map(contradiction_line, listed))) if listed else "none"
    return None


async def _owner(ask: Ask) -> str:
    """Return what is known of the owner by itself, and the blocks that every prompt gets."""
    profile, blocks = await ask("profile show", {}), (await ask("blocks list", {}))["blocks"]
    lines = [f"- {key}: {value}" for key, value in profile["static"].items()]
    lines += [f"- {' '.join(fact['text'].split())} [{fact['rid']}]" for fact in profile["dynamic"]]
    lines += [f"## {block['label']}\n{block['text']}" for block in blocks]
    return fenced("\n".join(lines)) if lines else ""
