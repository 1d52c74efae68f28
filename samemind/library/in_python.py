"""Say what an error says in the names of the library: methods and parameters in place of commands and options."""

import re
from typing import Final

from samemind._catalog import SHORT_FOR
from samemind.catalog import NAMES, verb_named
from samemind.declaring import Command, by_name
from samemind.errors import SamemindError

# A command in backquotes, an option in them, or an option with what people call its value.
_ON_A_LINE: Final = re.compile(
    r"`(samemind )?([a-z][^`]*)`|`?--([a-z][a-z-]*)(?: ([A-Za-z]+)(?=`)| [A-Z]+\b)?`?"
)
# Where the data directory is, a program says itself; so it does by which function it opened one.
_HOME: Final = re.compile(r" with --home(?: DIR)?(?: or SAMEMIND_HOME)?")
_ARGUMENTS_MAX: Final = 2


def say_in_python(error: SamemindError, asked: str = "") -> None:
    """Change in place what an error says; `asked` is the command behind the method that was called.

    A command that is no method stays, for somebody may type it.
    """
    error.message, error.hint = _said(error.message, asked), _said(error.hint, asked)
    error.args = (error.message,)


def _said(text: str, asked: str) -> str:
    parameters = by_name(verb_named(asked).options) if asked else {}

    def named(found: re.Match[str]) -> str:
        ours, command, option, value = found.groups(default="")
        if command:
            return (_call(command) if ours or command in NAMES else "") or found[0]
        name = option.replace("-", "_")
        if name not in parameters:
            return found[0]
        return f'`{name}="{value}"`' if value else f"`{name}`"

    return _ON_A_LINE.sub(named, _HOME.sub("", text))


def _call(line: str) -> str:
    """Return the call that does what a command line does; empty where the library has no such method."""
    words = line.split()
    for count in range(_ARGUMENTS_MAX, 0, -1):
        name = SHORT_FOR.get(" ".join(words[:count]), " ".join(words[:count]))
        if name in NAMES:
            break
    else:
        return ""
    verb: Command[object, object] = verb_named(name)
    if verb.library is None:
        return ""
    options = [word.removeprefix("--").replace("-", "_") for word in words[count:] if word.startswith("--")]
    if any(option not in by_name(verb.options) for option in options):
        return ""
    given = [word for word in words[count:] if not word.startswith("--")]
    return f"`{verb.library.name}({', '.join([*given, *(f'{option}=True' for option in options)])})`"
