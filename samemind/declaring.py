"""Declare a command once, for every interface: options, result, what it does to memory, and who may ask for it.

From one declaration the command line makes its parser and its help, the control socket its check of what arrived, the
library its method, agents their tool, and the panel its route. `read_options` is the one place where words from outside
become options.
"""

import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, Field, field, fields
from enum import Enum, Flag, auto
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from replica.values import dataclass
from samemind.errors import Usage

# What SQLite holds, and every count and place is far below.
INTEGER_MAX: Final = 2**63 - 1
# Behind all commands that have a place of their own.
LAST: Final = 1_000
Render = Callable[[Mapping[str, Any]], list[str]]
Options = TypeVar("Options")
Result = TypeVar("Result")


class Effects(Enum):
    """What a command does to memory. Agents' hosts decide by it whether to ask their user."""

    READ = "reads"
    ADD = "adds, and leaves what is there as it is"
    CHANGE = "changes what is there, and nothing is lost by it"
    DESTROY = "overwrites, hides or removes what was there"


class Workspace(Flag):
    """How a command is held to the workspace of an agent that has one. `NONE` cannot be, and is not offered to it."""

    NONE = 0
    PUT = auto()
    """Its option `workspace` is set to the agent's own."""
    FILTERED = auto()
    """Its option `workspace` is set to all that the agent may read."""
    READ_BY_ID = auto()
    """The memories whose ids it takes must be readable for the agent."""
    CHANGED_BY_ID = auto()
    """The memories whose ids it takes must be the agent's own."""
    CONTRADICTION = auto()
    """The contradiction whose `id` it takes must be listed for the agent's workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreTool:
    """A tool of the core profile of MCP, which every agent is given."""

    place: int
    """The order in which agents are told of them."""
    name: str
    title: str
    description: str
    offered: tuple[str, ...] | None = None
    """The options that an agent is shown; all where that is None."""
    seldom: tuple[str, ...] = ()
    """Those among them that few calls need: only agents with the full profile are shown these."""


class Agents(Enum):
    """Which agents are offered a command that is not in the core profile."""

    FULL = "those with the full profile"
    NEVER = "none: it is about the device, other devices, or files"


@dataclass(frozen=True, slots=True)
class Method:
    """The method of the library. Its parameters follow from the options; arguments go by place, options by name."""

    name: str
    says: str = ""
    """Its docstring, where that is not the sentence of the command."""
    by_place: tuple[str, ...] = ()
    """Options that go by place too."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """A method that is written out in `samemind.library.mind`, since its parameters are not the options."""

    name: str


class Takes(Enum):
    """What an option holds, where that is more than a plain value."""

    TIME = auto()
    RID = auto()
    """The id of a memory."""
    NEW_RID = auto()
    """The id that a memory is to have: there may be none under it yet."""
    ID = auto()
    """The id of something that results stand for too."""
    PATH = auto()
    NEW_PATH = auto()
    """The path of a file that is to be written."""
    PAIRS = auto()
    SPACES = auto()
    """Workspaces."""
    MESSAGES = auto()
    """A conversation: messages, which a command line names the files of."""


# What stands for such a value on a command line.
_METAVARS: Final = {
    Takes.TIME: "TIME",
    Takes.RID: "RID",
    Takes.ID: "ID",
    Takes.PATH: "FILE",
    Takes.NEW_PATH: "FILE",
    Takes.PAIRS: "K=V",
    Takes.MESSAGES: "FILE",
}


# The interfaces that an option may be hidden from.
Interface = Literal["agents", "panel", "library"]


@dataclass(frozen=True, slots=True)
class Word:
    """How one option is typed on a command line. `flag` is empty for an argument that goes by its place."""

    help: str
    flag: str
    metavar: str
    choices: tuple[str, ...]
    short: str
    takes: Takes | None = None
    hidden_from: tuple[Interface, ...] = ()
    least: int | None = None
    """The least that a number may be, and with `most` the most."""
    most: int | None = None
    formerly: str = ""
    """Another flag that goes on working, and is not listed."""
    joined: bool = False
    """Whether all words of its place are one text, which needs no quotes where nothing else follows."""


def argument(
    help: str,
    *,
    metavar: str = "",
    takes: Takes | None = None,
    optional: bool = False,
    many: bool = False,
    joined: bool = False,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare an option that goes by its place on the line."""
    word = Word(help, "", _metavar(metavar, takes), choices, "", takes, joined=joined)
    if many:
        return field(default=(), metadata={"word": word}) if optional else field(metadata={"word": word})
    return field(default=None, metadata={"word": word}) if optional else field(metadata={"word": word})


def option(
    flag: str,
    help: str,
    *,
    default: Any = None,
    metavar: str = "",
    takes: Takes | None = None,
    choices: tuple[str, ...] = (),
    short: str = "",
    hidden_from: tuple[Interface, ...] = (),
    least: int | None = None,
    most: int | None = None,
    formerly: str = "",
) -> Any:
    """Declare an option with a name. A tuple may be given several times; a bool takes no value."""
    word = Word(
        help, flag, _metavar(metavar, takes), choices, short, takes, hidden_from, least, most, formerly
    )
    return field(default=default, metadata={"word": word})


def _metavar(metavar: str, takes: Takes | None) -> str:
    return metavar or ("" if takes is None else _METAVARS.get(takes, ""))


def always_well(result: Mapping[str, Any]) -> bool:
    """Say that a command that ended came to something."""
    return True


@dataclass(frozen=True, slots=True)
class Command(Generic[Options, Result]):
    """One command."""

    name: str
    options: type[Options]
    result: type[Result]
    _: KW_ONLY
    run: Callable[..., Any]
    """An async function that takes a device and the options, and returns the result."""
    render: Render | None = None
    """Returns its result, a document, as lines for people; its keys and values are shown without it."""
    render_said: Render | None = None
    """The same for what it says before it ends."""
    effects: Effects
    agents: Agents | CoreTool
    panel: Literal[True] | str
    """Whether the panel has a route for it; if not, why."""
    library: Method | ByHand | None
    """Its method; None if it is about this machine rather than a memory."""
    idempotent: bool = False
    """Doing it twice is no different from doing it once. What only reads is so anyway."""
    workspace: Workspace = Workspace.NONE
    streams: bool = False
    """It says things before it ends, and may go on until it is interrupted."""
    news: bool = False
    """Each thing it says is an answer of its own, and is printed at once."""
    says: type[Any] | None = None
    """What it says before it ends, where that has a type."""
    alone: bool = False
    """It needs no device: `run` is a plain function that takes the home, in the process that was asked."""
    opens_mind: bool = True
    """It needs cognition running beside the store; one that only shows what is there does not wait for that to load."""
    waits_for_reading: bool = True
    """What was told before is read first, so that no answer depends on when it is asked for."""
    starts_daemon: bool = True
    """A daemon is started for it where the settings want one. One that is about whether a daemon runs starts none."""
    rows: str | Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]] = ""
    """The field of the result that holds its records, or what makes records of a result that has several such fields:
    `--format` prints these."""
    went_well: Callable[[Mapping[str, Any]], bool] = always_well
    """Whether a result came to something: if not, the exit code is 1."""
    kept: str = ""
    """What is there after Ctrl-C, and how to go on, where more is kept than what was acknowledged."""
    place: int = LAST
    """Its place among the commands of its family where they are listed."""
    short: bool = False
    """The first of its two words stands for it."""
    elsewhere: tuple[str, ...] = ()
    """What other tools call it: no second names, which all would have to learn, but who types one is told ours."""
    formerly: tuple[str, ...] = ()
    """Names of commands that were folded into it: they go on working on a command line, and are not listed."""
    daily: bool = False
    """Most people need it on most days, so it is listed for whoever types the command alone."""

    @property
    def may_repeat(self) -> bool:
        """Whether doing it twice is no different from doing it once."""
        return self.effects is Effects.READ or self.idempotent

    def records(self, document: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return the records of a result."""
        found: Sequence[Mapping[str, Any]] = (
            document[self.rows] if isinstance(self.rows, str) else self.rows(document)
        )
        return found

    @property
    def help(self) -> str:
        """One sentence for people."""
        return (self.options.__doc__ or "").strip().splitlines()[0]


@dataclass(frozen=True, slots=True)
class Declared:
    """One option as it was declared: its plain type, whether it may be missing, and how it is typed."""

    name: str
    type: type
    many: bool
    required: bool
    default: Any
    word: Word


# Reading type hints takes a millisecond, as long as the rest of a `remember`.
_KNOWN: Final[dict[type[Any], Mapping[str, Declared]]] = {}


def declared(options: type[Any]) -> tuple[Declared, ...]:
    """Return the options of a verb in their order."""
    return tuple(by_name(options).values())


def by_name(options: type[Any]) -> Mapping[str, Declared]:
    """Return them by their names."""
    found = _KNOWN.get(options)
    if found is None:
        hints = get_type_hints(options)
        found = _KNOWN[options] = {one.name: _declared(one, hints[one.name]) for one in fields(options)}
    return found


def _declared(one: Field[Any], hint: Any) -> Declared:
    many = get_origin(hint) is tuple
    if many:
        plain = get_args(hint)[0]
    elif get_origin(hint) is types.UnionType:
        (plain,) = (each for each in get_args(hint) if each is not type(None))
    else:
        plain = hint
    return Declared(one.name, plain, many, one.default is MISSING, one.default, one.metadata["word"])


def bounds_of(one: Declared) -> dict[str, int]:
    """Return what an option's number may be, in the words of JSON Schema."""
    told = {"minimum": one.word.least, "maximum": one.word.most}
    return {name: value for name, value in told.items() if value is not None}


def read_options(verb: Command[Options, Any], given: Mapping[str, Any]) -> Options:
    """Return options made of plain values.

    `Usage` names the option that is missing, unknown or of the wrong kind.
    """
    known = by_name(verb.options)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise Usage(
            f"{verb.name}: expected only {', '.join(known) or 'no options'}, got {', '.join(sorted(unknown))}"
        )
    for name, one in known.items():
        if one.required and given.get(name) is None:  # programs write null for what they leave out
            missing = "got nothing" if name in given else "which is missing"
            raise Usage(f"{verb.name}: expected {one.word.metavar or name}, {missing}")
    values: dict[str, Any] = {}
    for name, value in given.items():
        one = known[name]
        if value is None:
            continue
        if not one.many:
            values[name] = _plain(verb, one, value)
        elif isinstance(value, list | tuple):
            values[name] = tuple(_plain(verb, one, item) for item in value)
        else:
            several = "texts" if one.type is str else "numbers"
            raise Usage(f"{verb.name}: expected a list of {several} for {name}, got {value!r:.60}")
    return verb.options(**values)


_IN_WORDS: Final[Mapping[type, str]] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def _plain(verb: Command[Any, Any], one: Declared, value: Any) -> Any:
    if one.type is bool is type(value):  # half of what a `remember` gives, with nothing more to ask of it
        return value
    if one.type is float and type(value) is int and abs(value) <= INTEGER_MAX:  # else it may be none
        value = float(value)
    if one.type is int and isinstance(value, float) and value.is_integer():  # JSON has no other numbers
        value = int(value)
    if type(value) is not one.type:
        raise Usage(f"{verb.name}: expected {_IN_WORDS[one.type]} for {one.name}, got {value!r:.60}")
    if isinstance(value, str):
        _check_characters(verb, one, value)
    if isinstance(value, int) and abs(value) > INTEGER_MAX:
        raise Usage(
            f"{verb.name}: expected a number of at most {INTEGER_MAX} for {one.name}, got a larger one",
            code="invalid",
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise Usage(f"{verb.name}: expected a finite number for {one.name}, got {value!r}", code="invalid")
    least, most = one.word.least, one.word.most
    if isinstance(value, int | float) and not (
        (least is None or least <= value) and (most is None or value <= most)
    ):
        meant = f"{least} or more" if most is None else f"{least} to {most}"
        raise Usage(f"{verb.name}: expected {meant} for {one.name}, got {value}", code="invalid")
    if one.word.choices and value not in one.word.choices:
        raise Usage(
            f"{verb.name}: expected one of {', '.join(one.word.choices)} for {one.name}, got {value!r:.60}"
        )
    return value


def _check_characters(verb: Command[Any, Any], one: Declared, value: str) -> None:
    """Refuse what no text and no path can hold, by the name of its option: what meets it later cannot tell whose."""
    is_path = one.word.takes in (Takes.PATH, Takes.NEW_PATH)
    if is_path and "\0" in value:
        raise Usage(f"{verb.name}: expected a path for {one.name}, got one with a NUL in it", code="invalid")
    # The name of a file is bytes, which Python keeps as halves of letters where they are no UTF-8.
    try:
        value.encode(errors="surrogateescape" if is_path else "strict")
    except UnicodeEncodeError as error:
        raise Usage(
            f"{verb.name}: expected text for {one.name}, got half of a letter at {error.start}",
            code="invalid",
        ) from None
