"""Keep an agent in its workspace: what it writes goes there, and nothing else is there for it.

A workspace is written into with every memory and read with every question, whatever the agent says. Memories that it
names by id are looked at first: one of another workspace is as absent as one that never was. Verbs that cannot be
held to a workspace are not offered at all. Spaces that are shared with the agent can be read and not changed.

This guards agents from each other's memories where tools are all they have. It is no wall against a program that runs
as the same user and opens the store by itself.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from samemind.arguments import check_share
from samemind.errors import Ambiguous, NotFound, Usage
from samemind.mcp.tools import Tool

Ask = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Have a verb performed with these options, and return the document of its result."""

_TOLD: Final = frozenset({"remember"})
_FILTERED: Final = frozenset({"recall", "list", "context", "why-not"})
_READ_BY_ID: Final = frozenset({"get", "history", "why", "why-not"})
_CHANGED_BY_ID: Final = frozenset(
    {"edit", "set", "tag", "pin", "unpin", "archive", "unarchive", "forget", "correct"}
)
_CONTRADICTIONS: Final = frozenset({"contradictions list", "contradictions show", "contradictions resolve"})
# Each names two memories, or lists pairs of them.
_JUDGED: Final = frozenset({"settle", "contradictions review"})
_HELD: Final = _JUDGED | _TOLD | _FILTERED | _READ_BY_ID | _CHANGED_BY_ID | _CONTRADICTIONS
_LIST_MAX: Final = 10_000
_FIELD: Final = "workspace"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an agent writes, and what else it may read; without a workspace, all of its owner's memory is its."""

    workspace: str | None = None
    shared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_share(self.workspace, self.shared)

    def allows(self, tool: Tool) -> bool:
        """Say whether a tool can be held to the workspace."""
        return self.workspace is None or tool.verb in _HELD

    @property
    def hides(self) -> frozenset[str]:
        """The options that the agent is not shown, since they are decided here."""
        return frozenset() if self.workspace is None else frozenset({_FIELD})


def scoped(ask: Ask, scope: Scope) -> Ask:
    """Return a way to ask that is held to a scope."""
    if scope.workspace is None:
        return ask
    own = scope.workspace
    readable = [own, *scope.shared]

    async def check(rid: str, spaces: list[str]) -> None:
        try:
            found = (await ask("get", {"rid": rid})).get(_FIELD)
        except (NotFound, Ambiguous):
            found = None  # what others hold must not show in the difference between two errors
        if found is None or found.casefold() not in {space.casefold() for space in spaces}:
            raise NotFound(f"no memory has the id {rid}", hint="give the whole id")

    async def held(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        given = dict(options)
        if given.pop(_FIELD, None) is not None:
            raise Usage(
                f"{verb}: the workspace is {own}; this agent cannot choose another", code="not_permitted"
            )
        if verb in _TOLD:
            return await ask(verb, {**given, _FIELD: own})
        if verb == "set" and any(str(word).startswith(f"{_FIELD}=") for word in given.get("values", ())):
            raise Usage("set: this agent cannot move a memory to another workspace", code="not_permitted")
        if verb not in _HELD:
            raise Usage(f"{verb} is not for an agent that is held to a workspace", code="not_permitted")
        for rid in given.get("rids", [given["rid"]] if "rid" in given else []):
            await check(str(rid), [own] if verb in _CHANGED_BY_ID else readable)
        if verb == "settle":
            for name in ("a", "b"):
                await check(str(given.get(name)), [own])
        if verb in ("contradictions list", "contradictions review"):
            return await ask(verb, {**given, _FIELD: own})
        if verb in _CONTRADICTIONS:
            listed = await ask("contradictions list", {_FIELD: own, "limit": _LIST_MAX})
            if given.get("id") not in {each["id"] for each in listed["contradictions"]}:
                raise NotFound(f"no contradiction has the id {given.get('id')}", hint="give the whole id")
        if verb == "forget":
            given[_FIELD] = own  # the same words of another workspace stay
        if verb in _FILTERED:
            given[_FIELD] = readable
        return await ask(verb, given)

    return held
