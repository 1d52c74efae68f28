"""What an agent's host can read without a call: the core profile, open contradictions, people, and each memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Any, Final
from urllib.parse import quote, unquote

from cognition.context.fences import harmless, quoted
from samemind.errors import Usage
from samemind.mcp.scope import Ask
from samemind.mcp.structured import EDGES_MAX
from samemind.mcp.telling import (
    contradiction_line,
    edge_words,
    fenced,
    merged_words,
    told_why,
)

MIME_TYPE: Final = "text/markdown"
# Memories that a list of resources names at a time: a screen of a picker.
PER_PAGE: Final = 50
# As long as a title in a picker may be.
TITLE_CHARACTERS: Final = 60
# What a picker of people shows; whoever is not among them can be asked for by name.
PEOPLE_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class ResourcePage:
    """One resource: where it is, what it holds, and the verb that it is read by."""

    uri: str
    name: str
    title: str
    description: str
    verb: str


PROFILE: Final = ResourcePage(
    "samemind://profile",
    "profile",
    "Core profile",
    "What to know when a session begins: what is pinned, recent, often used, and perhaps out of date.",
    "context",
)
CONTRADICTIONS: Final = ResourcePage(
    "samemind://contradictions",
    "contradictions",
    "Open contradictions",
    "What memory holds that cannot all be true, for the user to settle.",
    "contradictions list",
)
PEOPLE: Final = ResourcePage(
    "samemind://people",
    "people",
    "People and things",
    "Whom and what memories name, the commonest first.",
    "entities",
)
PAGES: Final = (PROFILE, CONTRADICTIONS, PEOPLE)
MEMORY: Final = ResourcePage(
    "samemind://memory/{id}",
    "memory",
    "Memory",
    "What one memory says, who told it and when, which device wrote it, and from what it was taken.",
    "why",
)
PERSON: Final = ResourcePage(
    "samemind://people/{name}",
    "person",
    "Person or thing",
    "What somebody or something is related to, and how.",
    "graph",
)
TEMPLATES: Final = (MEMORY, PERSON)


def memory_uri(rid: str) -> str:
    """Return where a memory can be read."""
    return MEMORY.uri.replace("{id}", rid)


def title_of(memory: Mapping[str, Any]) -> str:
    """Return a memory's title for a list: how it begins, on one line."""
    text = harmless(" ".join((memory.get("text") or "").split()))
    return text if len(text) <= TITLE_CHARACTERS else f"{text[: TITLE_CHARACTERS - 1]}…"


def page_of(uri: str) -> tuple[ResourcePage, str] | None:
    """Return which resource an address names, and what stands in the place of a template's variable."""
    for page in PAGES:
        if page.uri == uri:
            return page, ""
    for page in TEMPLATES:
        head = page.uri.partition("{")[0]
        if uri.startswith(head) and len(uri) > len(head):
            return page, unquote(uri[len(head) :])
    return None


async def read_page(page: ResourcePage, variable: str, ask: Ask, *, whole: bool) -> str:
    """Return what a resource holds at this moment.

    `whole`: the reader sees all of its owner's memory, and so who that is.
    """
    if page is PROFILE:
        parts = [await _owner(ask)] if whole else []
        block = await ask("context", {"ids": True})
        parts += [str(block["text"]), merged_words(block)]
        return "\n\n".join(filter(None, parts)) or "nothing is known"
    if page is CONTRADICTIONS:
        listed = (await ask("contradictions list", {"status": "open"}))["contradictions"]
        return fenced("\n".join(map(contradiction_line, listed))) if listed else "none"
    if page is PEOPLE:
        named = (await ask("entities", {"limit": PEOPLE_MAX}))["entities"]
        return fenced("\n".join(map(_named, named))) if named else "none"
    if page is PERSON:
        edges = (await ask("graph", {"entity": variable}))["edges"]
        return fenced("\n".join(map(edge_words, edges[:EDGES_MAX])))
    return told_why(await ask("why", {"rid": variable}))


async def listed_memories(ask: Ask, cursor: str | None) -> tuple[list[Mapping[str, Any]], str | None]:
    """Return the memories that stand on one page of the list, newest first, and the cursor of the next page.

    A cursor is how many were listed before; what is told meanwhile moves the rest down.
    """
    offset = 0
    if cursor is not None:
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise Usage(f"expected a cursor of this list, got {cursor!r:.60}", code="invalid")
        offset = int(cursor)
    found = await ask("list", {"limit": PER_PAGE, "offset": offset})
    after = offset + len(found["memories"])
    return list(found["memories"]), str(after) if found["memories"] and after < found["total"] else None


async def _owner(ask: Ask) -> str:
    """Return what is known of the owner by itself, and the blocks that every prompt gets."""
    profile, blocks = await ask("profile show", {}), (await ask("blocks list", {}))["blocks"]
    lines = [f"- {quoted(value, speaker=key)}" for key, value in profile["static"].items()]
    lines += [f"- {quoted(fact['text'])} [{fact['rid']}]" for fact in profile["dynamic"]]
    # A line of a block is none of ours: it begins with blanks.
    lines += [f"## {quoted(block['label'])}\n{indent(block['text'], '  ')}" for block in blocks]
    return fenced("\n".join(lines)) if lines else ""


def _named(each: Mapping[str, Any]) -> str:
    return f"- {quoted(each['name'])} ({each['memories']}) {PERSON.uri.replace('{name}', quote(each['name'], safe=''))}"
