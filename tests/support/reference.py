"""Write the parts of the reference that follow from the code, so that neither can go without the other.

`python -m tests.support.reference` writes them into the pages, between `<!-- generated: NAME -->` and
`<!-- end -->`; a test says when a page is behind.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

from replica import FIELDS
from replica.evidence import SENTENCES
from samemind import errors
from samemind._catalog import FAMILIES
from samemind._tools.generate import types_of
from samemind.catalog import NAMES, verb_named
from samemind.cli.help import EXIT_CODES
from samemind.cli.line import TYPED
from samemind.declaring import Command, Declared, declared
from samemind.formats.fields import DOOR_NAMES
from samemind.library.mind import Mind

ROOT: Final = Path(__file__).parents[2]
_PART: Final = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_WIDTH: Final = 100


def verbs() -> Iterator[str]:
    """Every verb: its line, its options, and the keys of its JSON document."""
    for family in FAMILIES.values():
        for name in family:
            yield from _verb(verb_named(name))


def _verb(verb: Command[Any, Any]) -> Iterator[str]:
    yield from (f"### `samemind {TYPED.get(verb.name, verb.name)}`", "", verb.help, "")
    words = [one for one in declared(verb.options) if one.word.flag or one.word.metavar]
    if words:
        yield from ("| word | meaning |", "| --- | --- |")
        yield from (f"| {_word(one)} | {_cell(_meaning(one))} |" for one in words)
        yield ""
    keys = ", ".join(f"`{each.name}`" for each in fields(verb.result))
    yield from (f"JSON: {keys}", "")


def _word(one: Declared) -> str:
    if not one.word.flag:
        return f"`{one.word.metavar}`" + (" …" if one.many else "")
    value = "" if one.type is bool else f" {one.word.metavar or one.name.upper()}"
    flags = ", ".join(f"`{flag}{value}`" for flag in (one.word.short, one.word.flag) if flag)
    return flags + (" …" if one.many else "")


def _meaning(one: Declared) -> str:
    choices = f": {', '.join(one.word.choices)}" if one.word.choices else ""
    plain = one.default not in (None, MISSING, (), "", False) and not one.required
    return one.word.help + choices + (f" (without it: {one.default})" if plain else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def methods() -> Iterator[str]:
    """Every method of `Mind`, with its signature as it is written, in the order of the catalog."""
    nodes = {
        node.name: node
        for kind in Mind.__mro__[:-1]
        for definition in ast.parse(inspect.getsource(kind)).body
        if isinstance(definition, ast.ClassDef)
        for node in definition.body
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_")
    }
    named = [verb.library.name for verb in map(verb_named, NAMES) if verb.library is not None]
    for name in [*named, *sorted(nodes.keys() - set(named))]:
        yield from (f"### `{name}`", "", ast.get_docstring(nodes[name]) or "", "", "```py")
        yield from (*_signature(nodes[name]), "```", "")


def _signature(node: ast.AsyncFunctionDef) -> Iterator[str]:
    """Return a call as it is written: on a line where it fits, else broken between arguments only."""
    given = node.args
    by_place = [*given.posonlyargs, *given.args]
    plain = [None] * (len(by_place) - len(given.defaults)) + list(given.defaults)
    words = [_argument(one, default) for one, default in zip(by_place[1:], plain[1:], strict=True)]
    if given.vararg is not None:
        words.append(f"*{_argument(given.vararg, None)}")
    elif given.kwonlyargs:
        words.append("*")
    words += [
        _argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg is not None:
        words.append(f"**{_argument(given.kwarg, None)}")
    end = ")" if node.returns is None else f") -> {ast.unparse(node.returns)}"
    whole = f"{node.name}({', '.join(words)}{end}"
    if len(whole) <= _WIDTH:
        yield whole
        return
    yield f"{node.name}("
    # A space inside an argument is no place to break a line.
    kept = ", ".join(word.replace(" ", "\0") for word in words)
    for line in textwrap.wrap(kept, _WIDTH - 4, break_on_hyphens=False, break_long_words=False):
        yield f"    {line}".replace("\0", " ")
    yield end


def _argument(one: ast.arg, default: ast.expr | None) -> str:
    told = one.arg if one.annotation is None else f"{one.arg}: {ast.unparse(one.annotation)}"
    return told if default is None else f"{told} = {ast.unparse(default)}"


def results() -> Iterator[str]:
    """Every class that a method returns, and its fields, in the order of the catalog."""
    told_already: set[type[Any]] = set()
    for verb in map(verb_named, NAMES):
        if verb.library is None:
            continue
        for kind in (*types_of(verb.result), *types_of(verb.says)):
            if kind not in told_already:
                told_already.add(kind)
                yield from _result(kind)


def _result(kind: type[Any]) -> Iterator[str]:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(node, ast.ClassDef)
    told = [
        f"`{each.target.id}: {ast.unparse(each.annotation)}`"
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    says = " ".join((ast.get_docstring(node) or "").split())
    yield from (f"**`{node.name}`**: {says}", "", ", ".join(told), "")


def exits() -> Iterator[str]:
    """The exit codes, and the class of each."""
    by_code = {
        each.exit_code: each.__name__
        for each in vars(errors).values()
        if isinstance(each, type)
        and issubclass(each, errors.SamemindError)
        and each not in (errors.SamemindError, errors.Ambiguous)
    }
    yield from ("| exit code | means | class |", "| --- | --- | --- |")
    for code, meaning in EXIT_CODES.items():
        yield f"| {code} | {meaning} | {f'`{by_code[code]}`' if code in by_code else ''} |"
    yield ""


def codes() -> Iterator[str]:
    """Every code that a door may show, with its exit code, and what the layers below call it."""
    found: dict[str, tuple[int, set[str], set[str]]] = {}

    def note(code: str, exit_code: int, source: str, hint: str = "") -> None:
        _, sources, hints = found.setdefault(code, (exit_code, set(), set()))
        sources.update({source} if source else ())
        hints.update({hint} if hint else ())

    for name, told in errors._EXPLANATIONS.items():
        note(told.code, told.kind.exit_code, f"`{name.rpartition('.')[2]}`", told.hint)
    for path in sorted((ROOT / "samemind").rglob("*.py")):
        for code, exit_code, hint in _raised(path):
            note(code, exit_code, "", hint)
    note("interrupted", errors.INTERRUPTED_EXIT_CODE, "Ctrl-C")
    yield from ("| code | exit | below it is | what to do |", "| --- | --- | --- | --- |")
    for code, (exit_code, sources, hints) in sorted(found.items()):
        yield f"| `{code}` | {exit_code} | {', '.join(sorted(sources))} | {_cell('; '.join(sorted(hints)))} |"
    yield ""


def _raised(path: Path) -> Iterator[tuple[str, int, str]]:
    """Return the code, exit code and plain hint of every error that a file makes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        kind = getattr(errors, node.func.id, None)
        if not isinstance(kind, type) or not issubclass(kind, errors.SamemindError):
            continue
        given = {word.arg: word.value.value for word in node.keywords if isinstance(word.value, ast.Constant)}
        if "code" in given or "code" not in {word.arg for word in node.keywords}:
            hint = given.get("hint", "")
            yield str(given.get("code", kind.default_code)), kind.exit_code, str(hint)


def layers() -> Iterator[str]:
    """Every class of the layers below: what it means, and the code that the doors tell it by."""
    yield from ("| class | means | code |", "| --- | --- | --- |")
    for layer in ("replica", "sync", "cognition"):
        module = importlib.import_module(f"{layer}.errors")
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module.__name__:
                known = (f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__)
                code = next(errors._EXPLANATIONS[base].code for base in known if base in errors._EXPLANATIONS)
                means = (kind.__doc__ or "").strip().partition("\n")[0]
                yield f"| `{layer}.errors.{name}` | {_cell(means)} | `{code}` |"
    yield ""


def memory_fields() -> Iterator[str]:
    """The fields of a memory: columns of the table `memory`, and their names at the doors."""
    yield from ("| column | type | at the doors | means |", "| --- | --- | --- | --- |")
    for name, field in FIELDS.items():
        yield f"| `{name}` | {field.column} | `{DOOR_NAMES.get(name, name)}` | {_cell(field.meaning)} |"
    yield ""


def routes() -> Iterator[str]:
    """Every verb that the panel gives a route."""
    from samemind.panel.api import offered, path_of  # the panel's libraries are an extra

    yield from ("| route | does |", "| --- | --- |")
    for verb in offered():
        goes_on = " (JSON lines)" if verb.streams else ""
        yield f"| `POST {path_of(verb)}` | {_cell(verb.help)}{goes_on} |"
    yield ""


def hostile() -> Iterator[str]:
    """What a hostile member of a simulated world does."""
    from simulations.hostile import BEHAVIOURS

    yield from ("| behaviour | the hostile member | and is held to have |", "| --- | --- | --- |")
    for name, each in sorted(BEHAVIOURS.items()):
        yield f"| {name} | {_cell(each.says)} | {'' if each.fault is None else _cell(SENTENCES[each.fault])} |"
    yield ""


def states() -> Iterator[str]:
    """What may be said and heard in a conversation, and when: the rows of `sync.states`, a table a machine."""
    from sync.states import ANSWERS, TRANSITIONS, Phase, Receiving, Sending, SessionFinding, Step, Way

    def named(step: Step) -> str:
        if isinstance(step, SessionFinding):
            return f"*{step.name.lower().replace('_', ' ')}*"
        way, kind = step
        return f"{'say' if way is Way.SAID else 'hear'} {kind.__name__}"

    for machine in (Phase, Sending, Receiving):
        yield from (f"| {machine.__name__.lower()} | what happens | then |", "| --- | --- | --- |")
        rows: dict[tuple[str, str], list[str]] = {}
        for (state, step), after in TRANSITIONS.items():
            if type(state) is machine:
                rows.setdefault((state.name, after.name), []).append(named(step))
        yield from (f"| {before} | {', '.join(steps)} | {after} |" for (before, after), steps in rows.items())
        yield ""
    yield from ("| question | answer |", "| --- | --- |")
    yield from (f"| {question.__name__} | {answer.__name__} |" for question, answer in ANSWERS.items())
    yield ""


PARTS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "verbs": verbs,
    "methods": methods,
    "results": results,
    "exits": exits,
    "codes": codes,
    "layers": layers,
    "fields": memory_fields,
    "routes": routes,
    "hostile": hostile,
    "states": states,
}


def filled(text: str) -> str:
    """Return a page with its generated parts as the code has them now."""

    def fill(part: re.Match[str]) -> str:
        lines = "\n".join(line.rstrip() for line in PARTS[part[2]]())
        return f"{part[1]}\n{lines}\n{part[3]}"

    return _PART.sub(fill, text)


def pages() -> list[Path]:
    """Return the pages that have generated parts."""
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if _PART.search(page.read_text("utf-8"))]


if __name__ == "__main__":
    for each in pages():
        each.write_text(filled(each.read_text("utf-8")), "utf-8")
        print(each.relative_to(ROOT))
