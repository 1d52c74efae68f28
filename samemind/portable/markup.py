"""Turn HTML into the text of it, in one pass whatever it holds."""

import html
import re
from typing import Final

_TAGS: Final = re.compile(r"(<[^<>]*>)")
_NAME: Final = re.compile(r"<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)", re.IGNORECASE)
_ENDS_A_LINE: Final = frozenset(
    {"p", "li", "tr", "pre", "div", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
)
# What a browser shows nothing of.
_HIDDEN: Final = frozenset({"style", "script", "head", "title"})
_SPACES: Final = re.compile(r"\s+")


def plain_text(markup: str, *, flows: bool = False) -> str:
    """Return what a page says. `flows`: its lines are broken by marks alone, as a browser does it."""
    kept: list[str] = []
    hidden = ""
    for part in _TAGS.split(markup):
        tag = _NAME.match(part)
        if tag is None:
            if not hidden and not (part.startswith("<") and part.endswith(">")):
                kept.append(_SPACES.sub(" ", part) if flows else part)
            continue
        name, ends = tag["name"].lower(), bool(tag["end"])
        if hidden:
            hidden = "" if ends and name == hidden else hidden
        elif name in _HIDDEN and not ends:
            hidden = name
        elif name == "br" or (ends and name in _ENDS_A_LINE):
            kept.append("\n")
    return html.unescape("".join(kept)).strip()
