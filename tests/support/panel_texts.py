"""The texts of the panel's modules, as their translations name them: the first argument of `t`, two of `plural`.

And those of the page of trust: the words between its tags, with the marks of what is shown in bold or as code.
"""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

MODULES = Path(__file__).parents[2] / "samemind" / "panel" / "static" / "js"
CATALOGS = MODULES / "catalog"
TRUST = MODULES.parents[1] / "trust" / "trust.html"
_BLOCKS = frozenset({"title", "h1", "h2", "p", "li", "figcaption", "a"})
_MARKS = frozenset({"b", "code"})
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPENS, _CLOSES = "([{", ")]}"


def texts() -> list[str]:
    """Return every text that the modules ask a catalog for."""
    return list(
        dict.fromkeys(
            [
                *(
                    text
                    for path in sorted(MODULES.glob("*.js"))
                    for text in texts_of(path.read_text("utf-8"))
                ),
                *texts_between_tags(TRUST.read_text("utf-8")),
            ]
        )
    )


def texts_between_tags(page: str) -> list[str]:
    """Give the texts of a page as `trust.js` does."""
    reader = _Blocks()
    reader.feed(page)
    return reader.texts


class _Blocks(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[list[str]] = []
        self._is_value = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._open.append([])
        elif tag in _MARKS and self._open:
            named = dict(attrs).get("data-is")
            self._is_value = named is not None
            self._open[-1].append(f"<{tag}>" if named is None else f"{{{named}}}")

    def handle_data(self, data: str) -> None:
        if self._open and not self._is_value:
            self._open[-1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            text = " ".join("".join(self._open.pop()).split())
            if text and not text.startswith("$"):
                self.texts.append(text)
        elif tag in _MARKS and self._open:
            if not self._is_value:
                self._open[-1].append(f"</{tag}>")
            self._is_value = False


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
    """Return the panel's catalog of a language."""
    return read_catalog(CATALOGS / f"{language}.js")


def read_catalog(path: Path) -> dict[str, str]:
    """Read a catalog: a module of one object, which is JSON but for the comma at its end and what it takes over."""
    source = path.read_text("utf-8")
    body = source[source.index("export default ") + len("export default ") :].rstrip().removesuffix(";")
    body = re.sub(r"^{\s*\.\.\.\w+,", "{", body)
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
