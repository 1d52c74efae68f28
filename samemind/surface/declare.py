"""Declare a verb once, for every door: its options as a frozen dataclass, its result, and who performs it.

From one declaration the command line makes its parser and its help, the control socket its check of what
arrived, and the library its call. `read_options` is the one place where words from outside become options.
"""

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

from samemind.errors import Usage

# What SQLite holds, and every count and place is far below.
INTEGER_MAX: Final = 2**63 - 1
Options = TypeVar("Options")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Word:
    """How one option is typed on a command line. `flag` is empty for an argument that goes by its place."""

    help: str
    flag: str
    metavar: str
    choices: tuple[str, ...]
    short: str


def argument(
    help: str, *, metavar: str, optional: bool = False, many: bool = False, choices: tuple[str, ...] = ()
) -> Any:
    """Declare an option that goes by its place on the line."""
    word = Word(help, "", metavar, choices, "")
    if many:
        return field(default=(), metadata={"word": word}) if optional else field(metadata={"word": word})
    return field(default=None, metadata={"word": word}) if optional else field(metadata={"word": word})


def option(
    flag: str,
    help: str,
    *,
    default: Any = None,
    metavar: str = "",
    choices: tuple[str, ...] = (),
    short: str = "",
) -> Any:
    """Declare an option with a name. A tuple may be given several times; a bool takes no value."""
    return field(default=default, metadata={"word": Word(help, flag, metavar, choices, short)})


@dataclass(frozen=True, slots=True)
class Verb(Generic[Options, Result]):
    """One verb.

    `module` holds an async function of the same name, `performs`, that takes a device and the options.
    """

    name: str
    options: type[Options]
    result: type[Result]
    module: str
    streams: bool = False
    """It says things before it ends, and may go on until it is interrupted."""
    alone: bool = False
    """It needs no device: its function is plain, takes the home, and runs in the process that was asked."""
    opens_mind: bool = True
    """It needs cognition running beside the store; one that only shows what is there does not wait for that to load."""
    rows: str = ""
    """The field of the result that holds its records, where a result is a list of them: `--format` prints these."""

    @property
    def performs(self) -> str:
        """The name of the function that does it."""
        name = self.name.replace(" ", "_").replace("-", "_")
        return f"{name}_" if name in {"import", "set", "list"} else name

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


def read_options(verb: Verb[Options, Any], given: Mapping[str, Any]) -> Options:
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
            raise Usage(f"{verb.name}: expected a list for {name}, got {value!r:.60}")
    return verb.options(**values)


def _plain(verb: Verb[Any, Any], one: Declared, value: Any) -> Any:
    if one.type is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not one.type:
        raise Usage(f"{verb.name}: expected {one.type.__name__} for {one.name}, got {value!r:.60}")
    if isinstance(value, int) and abs(value) > INTEGER_MAX:
        raise Usage(
            f"{verb.name}: expected a number of at most {INTEGER_MAX} for {one.name}, got a larger one",
            code="invalid",
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise Usage(f"{verb.name}: expected a finite number for {one.name}, got {value!r}", code="invalid")
    if one.word.choices and value not in one.word.choices:
        raise Usage(
            f"{verb.name}: expected one of {', '.join(one.word.choices)} for {one.name}, got {value!r:.60}"
        )
    return value
