"""Write what follows from what others declare: catalog, methods and exports of commands, heads of packages, words.

`python -m samemind._tools.generate` writes them; they are committed, so that type checkers and readers see every
signature, and a test says when they are behind.
"""

import ast
import dataclasses
import json
import sys
import textwrap
import tomllib
import types
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from cognition.grammar.lexicon import LANGUAGES
from samemind.commands import TITLES
from samemind.declaring import Command, Declared, Method, Takes, declared

PACKAGE: Final = Path(__file__).parents[1]
GRAMMAR: Final = PACKAGE.parent / "cognition" / "grammar" / "data"
_WIDTH: Final = 110
_HEAD: Final = '''\
"""{says}

Written by `python -m samemind._tools.generate`; a change is made in the declaration of the command.
"""
'''
# The types of parameters that stand for more than plain values; what makes a value of an option of one; and what is
# passed where nothing is.
_BY_TAKES: Final[Mapping[Takes, tuple[str, str]]] = {
    Takes.TIME: ("When", "when_of"),
    Takes.RID: ("Rid", "rid_of"),
    Takes.NEW_RID: ("Rid", "rid_of"),
    Takes.ID: ("Id", "id_of"),
    Takes.PATH: ("str | os.PathLike[str]", "full_path"),
    Takes.NEW_PATH: ("str | os.PathLike[str]", "new_path"),
    Takes.PAIRS: ("Meta | None", "pairs_of"),
    Takes.SPACES: ("Spaces", "texts_of"),
    Takes.MESSAGES: ("Iterable[Mapping[str, object]]", "messages_of"),
}
# Converters that make the right thing of None themselves.
_TAKE_NOTHING: Final = frozenset({"when_of", "pairs_of", "texts_of"})
# What makes a head load its exports when they are asked for, and how deep its table is indented.
_LAZY: Final = "    __getattr__ = exports("
_INSIDE: Final = 12
# What callers may pass, by the names in signatures.
_TYPES: Final = ("Id", "Meta", "Rid", "Spaces", "When")


def main() -> None:
    """Write every file that is behind, and name it."""
    for path, text in outputs().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"{path.relative_to(PACKAGE.parent)}\n")


def outputs() -> dict[Path, str]:
    """Return every file that is written here, as it should be."""
    return {
        PACKAGE / "_catalog.py": _catalog(),
        PACKAGE / "library" / "_methods.py": _methods(),
        PACKAGE / "library" / "_blocking_methods.py": _blocking_methods(),
        PACKAGE / "__init__.py": _with_exports((PACKAGE / "__init__.py").read_text("utf-8")),
        GRAMMAR / "all.json": _languages(),
        **{path: _head(path) for path in heads()},
    }


def _languages() -> str:
    """Return the words of all languages: a line each, so that a change of one shows as that."""
    told = {name: tomllib.loads((GRAMMAR / f"{name}.toml").read_text("utf-8")) for name in LANGUAGES}
    for words in told.values():
        del words["name"]  # is for who reads the file
    lines = [f'"{name}": {json.dumps(_joined(words), ensure_ascii=False)}' for name, words in told.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _joined(told: Any) -> Any:
    """Return a part of a table with each list of phrases as one text, a line each."""
    match told:
        case list():
            return "\n".join(told)
        case dict():
            return {name: _joined(part) for name, part in told.items()}
        case _:
            return told


def commands() -> list[Command[Any, Any]]:
    """Return every command, in the order of the catalog."""
    return [command for family in TITLES for command, _ in _declared_in(family)]


def _declared_in(family: str) -> list[tuple[Command[Any, Any], str]]:
    """Return the commands of a family in their order, each with the module that declares it."""
    folder = PACKAGE / "commands" / family
    modules = [f"samemind.commands.{family}.{path.stem}" for path in sorted(folder.glob("[!_]*.py"))]
    found = [
        (each, module)
        for module in modules
        for each in vars(import_module(module)).values()
        if isinstance(each, Command)
    ]
    return sorted(found, key=lambda one: (one[0].place, one[0].name))


# --- the catalog ----------------------------------------------------------------------------------------------


def _catalog() -> str:
    listed = {family: _declared_in(family) for family in TITLES}
    every = [one for found in listed.values() for one, _ in found]
    short_for = {one.name.partition(" ")[0]: one.name for one in every if one.short}
    short_of = {name: short for short, name in short_for.items()}
    elsewhere = {theirs: short_of.get(one.name, one.name) for one in every for theirs in one.elsewhere}
    lines = [
        _HEAD.format(says="Every command by its name, and where it is declared."),
        "from typing import Final",
        "",
        "# The commands of each family, in the order in which they are listed.",
        "FAMILIES: Final = {",
        *(
            line
            for family, found in listed.items()
            for line in _family(family, [one.name for one, _ in found])
        ),
        "}",
        "MODULE_OF: Final = {",
        *(f'    "{one.name}": "{module}",' for found in listed.values() for one, module in found),
        "}",
        "# What each does, in a sentence, so that a list of all loads none of them.",
        "HELP_OF: Final = {",
        *(line for one in every for line in _entry(one.name, one.help)),
        "}",
        "# What the first word alone stands for.",
        *_mapping("SHORT_FOR", short_for),
        "# Names of commands that were folded into it: not listed, and they go on working.",
        *_mapping("FORMERLY", {was: one.name for one in every for was in one.formerly}),
        "# What other tools call it.",
        *_mapping("ELSEWHERE", dict(sorted(elsewhere.items()))),
        "# What most people need on most days.",
        "DAILY: Final = (",
        *(f'    "{one.name}",' for one in every if one.daily),
        ")",
        "",
    ]
    return "\n".join(lines)


def _family(family: str, names: list[str]) -> list[str]:
    if len(names) == 1:
        return [f'    "{family}": ("{names[0]}",),']
    return [f'    "{family}": (', *(f'        "{name}",' for name in names), "    ),"]


def _entry(name: str, text: str) -> list[str]:
    shown = json.dumps(text, ensure_ascii=False) if "'" in text or '"' not in text else repr(text)
    whole = f'    "{name}": {shown},'
    return [whole] if len(whole) <= _WIDTH else [f'    "{name}": (', f"        {shown}", "    ),"]


def _mapping(name: str, values: Mapping[str, str]) -> list[str]:
    return [f"{name}: Final = {{", *(f'    "{key}": "{value}",' for key, value in values.items()), "}"]


# --- methods --------------------------------------------------------------------------------------------------


def _methods() -> str:
    generated = [(one, one.library) for one in commands() if isinstance(one.library, Method)]
    body = [line for command, method in generated for line in _method(command, method)]
    text = "\n".join(body)
    results: dict[str, set[str]] = {"samemind.formats.arguments": {*_TYPES}}
    for command, _ in generated:
        results.setdefault(command.result.__module__, set()).add(command.result.__name__)
    converters = sorted({name for _, name in _BY_TAKES.values() if f"{name}(" in text})
    lines = [
        _HEAD.format(
            says="The methods of `samemind.library.mind.Mind` whose parameters are the options of a command."
        ),
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        *_import("samemind.formats.arguments", converters),
        "from samemind.library.asking import Asking",
        "",
        "if TYPE_CHECKING:",
        "    import os",
        "    from collections.abc import Iterable, Mapping",
        "",
        *(f"    {line}" for module in sorted(results) for line in _import(module, _sorted(results[module]))),
        "",
        "",
        "class Methods(Asking):",
        '    """A method for each command."""',
        *body,
        "",
    ]
    return "\n".join(lines)


def _method(command: Command[Any, Any], method: Method) -> Iterator[str]:
    given = [one for one in declared(command.options) if "library" not in one.word.hidden_from]
    by_place = [one for one in given if not _by_name(one, method)]
    by_name = [one for one in given if _by_name(one, method)]
    parameters = ["self", *(_parameter(one, method) for one in by_place)]
    if by_name and not any(one.many for one in by_place):
        parameters.append("*")
    parameters += [_parameter(one, method) for one in by_name]
    returns = command.result.__name__
    yield ""
    yield from _call(f"    async def {method.name}(", parameters, f") -> {returns}:")
    yield from _docstring(method.says or command.help)
    passed = [f'"{command.name}"', *(f"{one.name}={_passed(one, method)}" for one in given)]
    yield from _call(f"        answer: {returns} = await self._ask(", passed, ")")
    yield "        return answer"


def _by_name(one: Declared, method: Method) -> bool:
    return bool(one.word.flag or not one.word.metavar) and one.name not in method.by_place


def _is_required(one: Declared, method: Method) -> bool:
    return one.required or one.name in method.by_place or (one.default == "" and one.type is str)


def _parameter(one: Declared, method: Method) -> str:
    told = one.type.__name__ if one.word.takes is None else _BY_TAKES[one.word.takes][0]
    if one.many and not one.word.flag and one.word.metavar:
        return f"*{one.name}: {told}"
    if one.many and one.word.takes is None:
        told = f"Iterable[{told}]"
    if one.many:
        return f"{one.name}: {told} = {'None' if 'None' in told or told == 'Spaces' else '()'}"
    if _is_required(one, method):
        return f"{one.name}: {told}"
    return f"{one.name}: {told}{' | None' if one.default is None else ''} = {_literal(one.default)}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _passed(one: Declared, method: Method) -> str:
    if one.word.takes is None:
        return f"texts_of({one.name})" if one.many else one.name
    converter = _BY_TAKES[one.word.takes][1]
    if one.many and not one.word.flag:
        return f"[{converter}(one) for one in {one.name}]"
    if converter in _TAKE_NOTHING or one.many or _is_required(one, method):
        return f"{converter}({one.name})"
    return f"None if {one.name} is None else {converter}({one.name})"


def _call(opens: str, words: list[str], closes: str) -> Iterator[str]:
    """Return a call or a head: on a line where it fits, else with a line for each word."""
    whole = f"{opens}{', '.join(words)}{closes}"
    if len(whole) <= _WIDTH:
        yield whole
        return
    inner = " " * (len(opens) - len(opens.lstrip()) + 4)
    yield opens
    one_line = f"{inner}{', '.join(words)}"
    if len(one_line) <= _WIDTH:
        yield one_line
    else:
        yield from (f"{inner}{word}," for word in words)
    yield f"{inner[4:]}{closes}"


def _docstring(says: str) -> Iterator[str]:
    first, *rest = says.split("\n\n")
    if not rest:
        yield f'        """{first}"""'
        return
    yield f'        """{first}'
    for paragraph in rest:
        yield ""
        yield from textwrap.wrap(
            paragraph, 120, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False
        )
    yield '        """'


def _import(module: str, names: Any) -> list[str]:
    whole = f"from {module} import {', '.join(names)}"
    if len(whole) + 4 <= _WIDTH:
        return [whole]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def _sorted(names: Any) -> list[str]:
    """Return names as ruff sorts them."""
    return sorted(names, key=lambda name: (name.casefold(), name))


# --- blocking -------------------------------------------------------------------------------------------------


def _blocking_methods() -> str:
    lines = [
        _HEAD.format(
            says="The methods of `samemind.library.blocking.BlockingMind`: each is the one of `Mind`, waited for."
        ),
        "from samemind.library.mind import Mind",
        "from samemind.library.waiting import ThreadedMind, waiting_for",
        "",
        "",
        "class BlockingMethods(ThreadedMind):",
        '    """A method for each command."""',
        "",
        *(
            f"    {one.library.name} = waiting_for(Mind.{one.library.name})"
            for one in commands()
            if one.library is not None
        ),
        "",
    ]
    return "\n".join(lines)


# --- exports --------------------------------------------------------------------------------------------------

_ERRORS: Final = import_module("samemind.errors")  # while `samemind` has no exports yet
# What is exported beside what methods return.
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "samemind.formats.arguments": _TYPES,
    "samemind.library.asyncio_mind": ("AsyncioMind",),
    "samemind.library.blocking": ("BlockingMind",),
    "samemind.errors": tuple(
        name
        for name, each in vars(_ERRORS).items()
        if isinstance(each, type) and issubclass(each, _ERRORS.SamemindError)
    ),
    "samemind.library.mind": ("Mind",),
    "samemind.library.opening": ("MindOpening",),
}


def _exported() -> dict[str, list[str]]:
    """Return every name that the package exports, by the module that has it: all types that a method may return."""
    found: dict[str, set[str]] = {module: {*names} for module, names in _BESIDE.items()}
    for command in commands():
        if command.library is not None:
            for kind in (*types_of(command.result), *types_of(command.says)):
                found.setdefault(kind.__module__, set()).add(kind.__name__)
    return {module: _sorted(found[module]) for module in sorted(found)}


def types_of(kind: Any) -> Iterator[type[Any]]:
    """Yield a result's type, and those of all that it holds."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        hints = get_type_hints(kind)
        for one in dataclasses.fields(kind):
            yield from types_of(hints[one.name])
        return
    if isinstance(kind, types.GenericAlias | types.UnionType) or get_args(kind):
        for inner in get_args(kind):
            yield from types_of(inner)


def _with_exports(text: str) -> str:
    exported = _exported()
    names = sorted({name for names in exported.values() for name in names})
    parts = {
        "imports": [f"    {line}" for module, listed in exported.items() for line in _import(module, listed)],
        "all": [
            "__all__ = [",
            *(f'    "{name}",' for name in sorted([*names, "open", "open_blocking"])),
            "]",
        ],
        "modules": [
            "_MODULE_OF: Final = {",
            *(
                f'    "{name}": "{module}",'
                for name, module in sorted((name, module) for module in exported for name in exported[module])
            ),
            "}",
        ],
    }
    for part, lines in parts.items():
        indent = "    " if part == "imports" else ""
        before, opens, rest = text.partition(f"{indent}# generated: {part}\n")
        _, closes, after = rest.partition(f"{indent}# end: {part}\n")
        if not (opens and closes):
            sys.exit(f"samemind/__init__.py: expected the lines '# generated: {part}' and '# end: {part}'")
        text = f"{before}{opens}{chr(10).join(lines)}\n{closes}{after}"
    return text


# --- heads of packages ----------------------------------------------------------------------------------------


def heads() -> list[Path]:
    """Return the heads of packages that load what they export when it is asked for."""
    packages = (PACKAGE.parent / name for name in ("replica", "sync", "cognition"))
    found = (path for package in packages for path in package.rglob("__init__.py"))
    return sorted(path for path in found if _LAZY in path.read_text("utf-8"))


def _head(path: Path) -> str:
    """Return a head, with both of its lists made from its `if TYPE_CHECKING:` block."""
    by_hand, found, _ = path.read_text("utf-8").partition("\n__all__ = [")
    if not found:
        sys.exit(f"{path}: expected a line that begins with '__all__ = ['")
    package = ".".join(path.parent.relative_to(PACKAGE.parent).parts)
    (block,) = (each for each in ast.parse(by_hand).body if isinstance(each, ast.If))
    shown = {
        each.module.removeprefix(f"{package}."): [alias.name for alias in each.names]
        for each in block.body
        if isinstance(each, ast.ImportFrom) and each.module is not None
    }
    every = sorted((name for names in shown.values() for name in names), key=_as_exported)
    lines = [
        by_hand,
        *_listed("__all__ = [", every, "]"),
        "",
        "if not TYPE_CHECKING:",
        _LAZY,
        "        __name__,",
        "        {",
        *(
            f"            {line}"
            for module, names in shown.items()
            for line in _listed(f'"{module}": (', names, "),")
        ),
        "        },",
        "    )",
        "",
    ]
    return "\n".join(lines)


def _as_exported(name: str) -> tuple[bool, bool, str]:
    """Sort as ruff does: constants, then classes, then the rest."""
    return not name.isupper(), not name[0].isupper(), name


def _listed(opens: str, names: list[str], closes: str) -> list[str]:
    quoted = [f'"{name}"' for name in names]
    one = "," if closes.startswith(")") and len(names) == 1 else ""
    whole = f"{opens}{', '.join(quoted)}{one}{closes}"
    if len(whole) + _INSIDE <= _WIDTH:
        return [whole]
    return [opens, *(f"    {name}," for name in quoted), closes]


if __name__ == "__main__":
    main()
