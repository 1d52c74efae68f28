"""Turn the documents into a site, and write nothing down twice: hooks of mkdocs, called by `make docs`.

The shelves and their order are those of docs/index.md, which readers of the plain files use too. A page that stands on
none of them but is linked from one that does (the parts of the protocol, the decisions) is put below it. The fragments
in docs/changes are shown on the page of the changelog. A link out of docs/ becomes the name of the file.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from jinja2 import Template

DOCS: Final = Path(__file__).parents[2] / "docs"
_LINK: Final = re.compile(r"\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")
# What tells the tests how to run a block is nothing that a highlighter knows.
_FENCE: Final = re.compile(r"^(```\w+) [a-z-]+$", re.MULTILINE)
# How `make changelog` puts fragments together, which is how they are shown before it.
TOWNCRIER: Final = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]


def on_config(config: Any) -> Any:
    """Give mkdocs the shelves."""
    config["nav"] = shelves()
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Make a page of the repository one of the site."""
    path = DOCS / page.file.src_uri
    if page.file.src_uri == "changes/changelog.md":
        markdown = changes()
    return _LINK.sub(lambda link: _inside(link, path), _FENCE.sub(r"\1", markdown))


def shelves() -> list[dict[str, Any]]:
    """Read what docs/index.md lists, heading by heading; only shelves that hold something."""
    nav: list[dict[str, Any]] = [{"samemind": "index.md"}]
    text = (DOCS / "index.md").read_text("utf-8")
    placed = {"index.md"}
    found = []
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        rows = [
            (label, name)
            for label, name in re.findall(r"^- \[([^\]]+)\]\(([^)#]+\.md)\)", body, re.MULTILINE)
            if (DOCS / name).resolve().is_relative_to(DOCS)
        ]
        placed |= {name for _, name in rows}
        found.append((title, rows))
    for title, rows in found:
        shelf: list[Any] = []
        for label, name in rows:
            below = [each for each in _linked(name) if each not in placed and "changes" not in each]
            placed |= set(below)
            shelf.append({label: [name, *below]} if below else {label: name})
        if shelf:
            nav.append({title: shelf})
    return nav


def _linked(name: str) -> list[str]:
    """The pages of its own folder that a page links to, in its order, if it stands for the folder."""
    page = DOCS / name
    if page.name != "README.md":
        return []
    found = (target for _, target, _ in _LINK.findall(page.read_text("utf-8")))
    return [
        f"{page.parent.relative_to(DOCS)}/{target}" for target in found if re.fullmatch(r"[\w-]+\.md", target)
    ]


def changes() -> str:
    """The changelog, with what is not released yet put together from its fragments."""
    head, _, released = (DOCS.parent / "CHANGELOG.md").read_text("utf-8").partition("<!-- releases -->\n")
    kinds = {each["directory"]: each for each in TOWNCRIER["type"]}
    told: dict[str, dict[str, list[str]]] = {}
    # As `make changelog` orders them: what is named by its topic alone is told first there.
    for path in sorted((DOCS / "changes").glob("*.*.md"), key=lambda path: path.name.split(".")):
        name, kind, _ = path.name.split(".")
        told.setdefault(kind, {})[path.read_text("utf-8").strip()] = [name]
    template = Template((DOCS.parent / TOWNCRIER["template"]).read_text("utf-8"), trim_blocks=True)
    waiting = template.render(sections={"": told}, definitions=kinds, docs="..")
    return "".join([head.partition("\n")[0], "\n\n## Not released yet\n\n", waiting, released])


def _inside(link: re.Match[str], page: Path) -> str:
    """Keep a link within docs/; one to a file beside it becomes that file's name."""
    target = (page.parent / link[2]).resolve()
    if target.is_relative_to(DOCS) or not target.exists():
        return link[0]  # mkdocs says which of them lead nowhere
    return f"{link[1]} (`{target.relative_to(DOCS.parent)}`)"
