"""Complete what a person types into a prompt or an address: names that memories hold, and ids by how they begin."""

from typing import Final

from samemind.mcp.prompts import RECAP
from samemind.mcp.resources import MEMORY, PERSON
from samemind.mcp.scope import Ask

# As many as the protocol lets a server answer with.
COMPLETIONS_MAX: Final = 100
# Among so many of the commonest names one is looked for.
NAMES_MAX: Final = 10_000


async def completions(of: str, argument: str, typed: str, ask: Ask) -> list[str]:
    """Return what an argument of a prompt, or a variable of an address, may be, of all that begins as `typed`."""
    if (of, argument) in ((RECAP.name, "about"), (PERSON.uri, "name")):
        named = (await ask("entities", {"limit": NAMES_MAX}))["entities"]
        begun = typed.casefold().lstrip()
        return [each["name"] for each in named if each["name"].casefold().startswith(begun)]
    if (of, argument) == (MEMORY.uri, "id"):
        found = (await ask("ids", {"beginnings": [typed], "limit": COMPLETIONS_MAX + 1}))["ids"]
        return [each["id"] for each in found if each["kind"] == "memory"]
    return []
