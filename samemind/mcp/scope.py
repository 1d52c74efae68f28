"""Keep an agent in its workspace: what it writes goes there, and nothing else is there for it.

A workspace is written into with every memory and read with every question, whatever the agent says. Memories that it
names by id are looked at first: one of another workspace is as absent as one that never was. Verbs that cannot be
held to a workspace are not offered at all. Spaces that are shared with the agent can be read and not changed.

This guards agents from each other's memories where tools are all they have. It is no wall against a program that runs
as the same user and opens the store by itself.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from samemind.catalog import verb_named
from samemind.declaring import Command, Takes, Workspace, by_name
from samemind.errors import Ambiguous, NotFound, Usage
from samemind.formats.arguments import check_share

Ask = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Have a verb performed with these options, and return the document of its result."""

_LIST_MAX: Final = 10_000
_FIELD: Final = "workspace"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an agent writes, and what else it may read; without a workspace, all of its owner's memory is its."""

    workspace: str | None = None
    shared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_share(self.workspace, self.shared)

    def allows(self, verb: str) -> bool:
        """Say whether a verb can be held to the workspace."""
        return self.workspace is None or verb_named(verb).workspace is not Workspace.NONE

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
            raise NotFound(
                f"no memory has the id {rid}", hint="give the whole id: `samemind recall` shows it"
            )

    async def held(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        given = dict(options)
        if given.pop(_FIELD, None) is not None:
            raise Usage(
                f"{verb}: the workspace is {own}; this agent cannot choose another", code="not_permitted"
            )
        declared = verb_named(verb)
        held_by = declared.workspace
        if held_by is Workspace.NONE:
            raise Usage(f"{verb} is not for an agent that is held to a workspace", code="not_permitted")
        if verb == "set" and any(str(word).startswith(f"{_FIELD}=") for word in given.get("values", ())):
            raise Usage("set: this agent cannot move a memory to another workspace", code="not_permitted")
        spaces = [own] if Workspace.CHANGED_BY_ID in held_by else readable
        if (Workspace.CHANGED_BY_ID | Workspace.READ_BY_ID) & held_by:
            for rid in _named(declared, given):
                await check(rid, spaces)
        if Workspace.CONTRADICTION in held_by:
            listed = await ask("contradictions list", {_FIELD: own, "limit": _LIST_MAX})
            given["id"] = _whole(str(given.get("id", "")), [each["id"] for each in listed["contradictions"]])
        if Workspace.PUT in held_by:
            given[_FIELD] = own
        if Workspace.FILTERED in held_by:
            given[_FIELD] = readable
        return await ask(verb, given)

    return held


def _whole(beginning: str, ids: Collection[str]) -> str:
    """Return the one id that begins so; those of other workspaces are as if there were none."""
    found = [each for each in ids if each.startswith(beginning.casefold())] if beginning else []
    if len(found) != 1:
        raise NotFound(
            f"no contradiction has the id {beginning}", hint="give the whole id: `samemind recall` shows it"
        )
    return found[0]


def _named(command: Command[Any, Any], given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of memories that options name."""
    for one in by_name(command.options).values():
        if one.word.takes is Takes.RID and given.get(one.name) is not None:
            yield from map(str, given[one.name] if one.many else [given[one.name]])
