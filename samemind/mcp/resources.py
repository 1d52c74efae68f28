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


async def read_page(uri: str, ask: Ask) -> str | None:
    """Return what a resource holds at this moment; None where there is no such resource."""
    if uri == PROFILE.uri:
        return str((await ask("context", {}))["text"]) or "nothing is known"
    if uri == CONTRADICTIONS.uri:
        listed = (await ask("contradictions list", {"status": "open"}))["contradictions"]
        return fenced("\n".join(map(contradiction_line, listed))) if listed else "none"
    return None
