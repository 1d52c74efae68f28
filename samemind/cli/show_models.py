"""Show models that were added, as lines for people."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from samemind.printable import one_line

Document = Mapping[str, Any]


def _model(document: Document) -> str:
    line = (
        f"{one_line(document['name'])}: {document['width']} numbers a vector, {document['ms_per_text']:.1f} ms a text, "
        f"{document['bytes'] / 1_000_000:.0f} MB, from {one_line(document['source'])}"
    )
    line += f" at {document['revision'][:12]}" if document["revision"] else ""
    line += ", in use" if document["in_use"] else ""
    return line + (f"; {one_line(document['trouble'])}" if document["trouble"] else "")


def _added(document: Document) -> list[str]:
    return [
        _model(document),
        f'to find memories by it, set embedder = "{document["setting"]}" in config.toml, and start the daemon anew',
    ]


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "models add": _added,
    "models list": lambda document: (
        [_model(each) for each in document["models"]]
        or ["no model was added: samemind models add NAME, or a folder"]
    ),
    "models remove": lambda document: [f"{one_line(document['name'])} is gone"],
}
