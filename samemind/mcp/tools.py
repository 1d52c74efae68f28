"""Decide which commands an agent is given, under which names, and what it is told of them: all from their declarations.

The core profile is thirteen tools: few enough that a model reads them all and chooses well, with the options
that most calls need. The full profile has all options, and every other command that acts on memory.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from samemind.catalog import NAMES, verb_named
from samemind.declaring import Agents, Command, CoreTool, Declared, Effects, by_name

# What a verb is asked where an agent does not say otherwise: what is settled is not to be asked again, and of
# long lists a page is read at a time.
_UNLESS_TOLD: Final[Mapping[str, Mapping[str, Any]]] = {
    "contradictions list": {"status": "open", "limit": 20},
    "list": {"limit": 20},
    "diff": {"limit": 20},
    "queue list": {"limit": 20},
    "history": {"limit": 10},
    "sessions": {"limit": 10},
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: the verb behind it, and what an agent should know before it calls.

    `offered` are the options that it is shown, all where that is None.
    """

    name: str
    verb: str
    title: str
    description: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    offered: tuple[str, ...] | None = None

    def declared(self) -> Command[Any, Any]:
        """Return the verb's declaration."""
        return verb_named(self.verb)

    def unless_told(self) -> Mapping[str, Any]:
        """Return what the verb is asked for an agent that does not say otherwise."""
        return _UNLESS_TOLD.get(self.verb, {})

    def options(self) -> Iterable[Declared]:
        """Return the options that an agent is shown."""
        known = by_name(self.declared().options)
        names = known if self.offered is None else self.offered
        return [known[name] for name in names if "agents" not in known[name].word.hidden_from]


@cache
def core() -> tuple[Tool, ...]:
    """Return the tools that every agent is given."""
    return tuple(
        replace(tool, offered=tuple(one.name for one in tool.options() if one.name not in seldom))
        for tool, seldom in _core()
    )


@cache
def full() -> tuple[Tool, ...]:
    """Return these with all that they take, and a tool for every other verb that agents may use."""
    whole = (tool for tool, _ in _core())
    return (*whole, *(_tool(one) for one in map(verb_named, NAMES) if one.agents is Agents.FULL))


def _core() -> list[tuple[Tool, tuple[str, ...]]]:
    """Return the tools of the core profile with all that they take, and which options of each few calls need."""
    commands = map(verb_named, NAMES)
    placed = [(one.agents, one) for one in commands if isinstance(one.agents, CoreTool)]
    return [
        (
            Tool(tool.name, one.name, tool.title, tool.description, *_judged(one), offered=tool.offered),
            tool.seldom,
        )
        for tool, one in sorted(placed, key=lambda each: each[0].place)
    ]


def _tool(command: Command[Any, Any]) -> Tool:
    plain = command.name.replace("-", " ")
    name = command.name.replace(" ", "_").replace("-", "_")
    title = plain[0].upper() + plain[1:]
    return Tool(name, command.name, title, command.help, *_judged(command))


def _judged(command: Command[Any, Any]) -> tuple[bool, bool, bool]:
    """Return whether a command only reads, may destroy, and may be asked for twice."""
    return command.effects is Effects.READ, command.effects is Effects.DESTROY, command.may_repeat


def named(tools: tuple[Tool, ...]) -> Mapping[str, Tool]:
    """Return tools by their names."""
    return {tool.name: tool for tool in tools}
