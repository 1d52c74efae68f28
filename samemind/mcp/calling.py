"""Make of a tool's arguments what its verb is asked, for whichever protocol they came by."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from samemind.control.client import repeatable
from samemind.declaring import Declared
from samemind.errors import SamemindError, Usage
from samemind.mcp.schema import as_meant, input_schema, words_of
from samemind.mcp.scope import Scope
from samemind.mcp.tools import Tool

_IS: Final = {False: "is", True: "are"}
# A command in backquotes, or an option with what people call its value.
_ON_A_LINE: Final = re.compile(r"`(?:samemind )?([^`]*)`|--([a-z][a-z-]*)(?: [A-Z]+\b)?")

# What tells agents without its own tool what a command lists.
_SHOWN_BY: Final[Mapping[str, str]] = {"triggers list": "context"}

MAY_ONLY_READ: Final = "this agent may only read"


def options_of(tool: Tool, arguments: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    """Return the options that arguments come to.

    What the tool was not described with is refused: a model that made it up should hear so.
    """
    known = input_schema(tool.options(), scope.hides)["properties"]
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise Usage(f"{tool.name}: expected only {', '.join(known)}; got {', '.join(unknown)}")
    missing = [one.name for one in tool.options() if one.required and arguments.get(one.name) is None]
    if missing:
        raise Usage(f"{tool.name}: expected {' and '.join(missing)}, which {_IS[len(missing) > 1]} missing")
    options = {one.name: one for one in tool.options()}
    given = {
        name: value
        for name, value in arguments.items()
        if not _says_nothing(options[name], value, reads=tool.read_only)
    }
    return {**tool.unless_told(), **words_of(as_meant(given, options.values()))}


def _says_nothing(one: Declared, value: Any, *, reads: bool) -> bool:
    """Say whether an argument is none: models fill in each that they are shown, and no memory is of project ''."""
    return value is None or (reads and not one.required and value in ("", [], [""], {}))


def told_to(tool: Tool, error: SamemindError, shown: Iterable[Tool]) -> SamemindError:
    """Return an error as it is told to an agent that is `shown` these tools, `tool` among them."""
    shown = tuple(shown)
    verb = f"{tool.verb}: "
    message = (
        f"{tool.name}: {error.message.removeprefix(verb)}"
        if error.message.startswith(verb)
        else error.message
    )
    return type(error)(
        in_names_of(tool, message, shown),
        code=error.code,
        hint=in_names_of(tool, error.hint, shown),
        candidates=error.candidates,
    )


def in_names_of(tool: Tool, text: str, shown: Iterable[Tool]) -> str:
    """Return a message as it is told to an agent that is `shown` these tools, `tool` among them.

    Options become the arguments of `tool`, and a command becomes the tool that does it, if that takes its options. Any
    other command stays: the agent may tell its user to type it.
    """
    names = {one.name for one in tool.options()}
    by_verb = {one.verb: one for one in shown}

    def named(found: re.Match[str]) -> str:
        command, option = found.groups(default="")
        if command:
            return _tool_for(command, by_verb) or found[0]
        name = option.replace("-", "_")
        return f"`{name}`" if name in names else found[0]

    return _ON_A_LINE.sub(named, text)


def _tool_for(line: str, by_verb: Mapping[str, Tool]) -> str:
    """Return the tool that does what a command line does, with its arguments; empty where there is none."""
    command, *options = line.split(" --")
    # `samemind contradictions` is short for its `list`.
    does = by_verb.get(command) or by_verb.get(f"{command} list")
    arguments = [option.replace("-", "_") for option in options]
    if does is not None and {one.name for one in does.options()}.issuperset(arguments):
        return " with ".join([f"`{does.name}`", *(f"`{name}`" for name in arguments)])
    shows = by_verb.get(_SHOWN_BY.get(command, ""))
    return "" if shows is None else f"`{shows.name}`"


def as_agent(tool: Tool, verb: str, options: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """Return what an agent has asked for beside its options, and whether asking twice is the same as once."""
    options, again = repeatable(verb, options, harmless=tool.idempotent)
    if verb == "remember":
        return {"nominees": True, **options}, again
    if verb == "context":
        return {"ids": True, **options}, again
    if verb == "settle":
        return {**options, "by": "agent"}, again
    return options, again
