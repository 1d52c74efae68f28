"""The texts of the panel's modules, as their translations name them: the first argument of `t`, two of `plural`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

MODULES = Path(__file__).parents[2] / "samemind" / "panel" / "static" / "js"
CATALOGS = MODULES / "catalog"
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPENS, _CLOSES = "([{", ")]}"


def texts() -> list[str]:
    """Return every text that the modules ask a catalog for."""
    return list(
        dict.fromkeys(
            text for path in sorted(MODULES.glob("*.js")) for text in texts_of(path.read_text("utf-8"))
        )
    )


def texts_of(source: str) -> Iterator[str]:
    """Give the texts of one module. A choice of two (`a ? "x" : "y"`) names both; what is compared with is no text."""
    for name, places in (("t", slice(0, 1)), ("plural", slice(1, 3))):
        for call in re.finditer(rf"\b{name}\(", source):
            for argument in _arguments(source, call.end())[places]:
                for text in _TEXT.finditer(argument):
                    before = argument[: text.start()].rstrip()
                    if before == "" or before[-1] in "?:":
                        yield json.loads(f'"{text[1]}"')


def catalog(language: str) -> dict[str, str]:
    """Return a catalog: a module of one object, which is JSON but for the comma at its end."""
    source = (CATALOGS / f"{language}.js").read_text("utf-8")
    body = source[source.index("export default ") + len("export default ") :].rstrip().removesuffix(";")
    found: dict[str, str] = json.loads(re.sub(r",\s*}\s*$", "}", body))
    return found


def _arguments(source: str, start: int) -> list[str]:
    """Return the arguments of a call, of which the first begins at `start`."""
    found: list[str] = []
    begin, depth, quote, at = start, 0, "", start
    while True:
        letter = source[at]
        if quote:
            if letter == "\\":
                at += 1
            elif letter == quote:
                quote = ""
        elif letter in '"`':
            quote = letter
        elif letter in _OPENS:
            depth += 1
        elif letter in _CLOSES and depth == 0:
            return [*found, source[begin:at]]
        elif letter in _CLOSES:
            depth -= 1
        elif letter == "," and depth == 0:
            found.append(source[begin:at])
            begin = at + 1
        at += 1
