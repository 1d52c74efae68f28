"""Write memory as Markdown notes that read well in Obsidian, and read exactly what was written.

Each memory is a note: its words are the body, to the letter; everything else stands in the front matter, a property a
line, as JSON, which is YAML too. Notes of a month share a folder, and a fact links to the note it was taken from.
What is no memory (edges, claims, what was decided about them) is listed for people in one more note, and kept for
machines in a block of it.

Editors rewrite front matter in their own style when somebody touches it: a list may come back as lines with dashes,
and a text without its quotes. Both are read.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from replica.json_text import parse_json
from samemind.portable import jsonl
from samemind.portable.records import Record

# What a note of ours says first. The rest of the property tells which of the two sorts it is.
MARK: Final = "samemind"
_MEMORY: Final = "memory"
_RECORDS: Final = "records"
# Read after the notes that it is about, which come before it by name.
RECORDS_NOTE: Final = "relations.md"
MEMORIES_FOLDER: Final = "memories"
# Words for the name of a note: enough to know it again, few enough for every file system.
_TITLE_CHARACTERS_MAX: Final = 60
_RID_DIGITS: Final = 12
_FRONT: Final = re.compile(r"\A---\n(?P<front>.*?)\n---\n", re.DOTALL)
_BLOCK: Final = re.compile(r"^```samemind\n(?P<lines>.*?)^```$", re.DOTALL | re.MULTILINE)
_PROPERTY: Final = re.compile(r"(?P<name>[\w-]+):[ \t]*(?P<value>.*)")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)")
# Shown, and passed over when read.
_SHOWN_ONLY: Final = frozenset({MARK, "up"})


def write(folder: Path, lines: Iterable[str]) -> None:
    """Write the notes of an export, given as JSON lines, into a folder."""
    others: list[Mapping[str, Any]] = []
    (folder / MEMORIES_FOLDER).mkdir(parents=True)
    titles: dict[str, str] = {}
    for line in lines:
        document = json.loads(line)
        if document["kind"] != "memory":
            others.append(document)
            continue
        name = titles[document["rid"]] = _name(document)
        month = folder / MEMORIES_FOLDER / document["created_at"][:7]
        month.mkdir(exist_ok=True)
        _write(month / f"{name}.md", _note(document, titles.get(document.get("parent", ""))))
    if others:
        _write(folder / RECORDS_NOTE, _records(others))


def is_ours(text: str) -> bool:
    """Say whether a note was written here."""
    front = _FRONT.match(text)
    return front is not None and _properties(front["front"]).get(MARK) in (_MEMORY, _RECORDS)


def read(text: str) -> Iterator[Record]:
    """Return what one of our notes holds."""
    front = _FRONT.match(text)
    assert front is not None, "the caller has looked"
    properties = _properties(front["front"])
    if properties[MARK] == _RECORDS:
        for block in _BLOCK.finditer(text):
            yield from jsonl.read(block["lines"].split("\n"))
        return
    body = text[front.end() :].removesuffix("\n")
    document = {name: value for name, value in properties.items() if name not in _SHOWN_ONLY}
    yield from jsonl.read([json.dumps({"kind": "memory", **document, "text": body})])


def _note(document: Mapping[str, Any], parent: str | None) -> str:
    front = {name: value for name, value in document.items() if name not in ("kind", "text")}
    if parent is not None:
        front["up"] = f"[[{parent}]]"
    lines = [f"{MARK}: {_MEMORY}", *(f"{name}: {_json(value)}" for name, value in front.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n{document['text']}\n"


def _records(documents: Iterable[Mapping[str, Any]]) -> str:
    kept = list(documents)
    edges = [
        f"- [[{each['source']}]] {each['relation']} [[{each['target']}]]"
        for each in kept
        if each["kind"] == "edge"
    ]
    claims = [
        f"- [[{each['entity']}]] {each['relation']}: {each['value']}"
        for each in kept
        if each["kind"] == "claim"
    ]
    parts = [f"---\n{MARK}: {_RECORDS}\n---"]
    parts += ["# Relations", "\n".join(map(_one_line, edges))] if edges else []
    parts += ["# Claims", "\n".join(map(_one_line, claims))] if claims else []
    parts.append("```samemind\n" + "".join(f"{_json(each)}\n" for each in kept) + "```")
    return "\n\n".join(parts) + "\n"


def _name(document: Mapping[str, Any]) -> str:
    words = re.sub(r"[^\w -]+", " ", document["text"][: 4 * _TITLE_CHARACTERS_MAX])
    title = " ".join(words.split())[:_TITLE_CHARACTERS_MAX].strip()
    return " ".join(filter(None, [document["created_at"][:10], title, document["rid"][-_RID_DIGITS:]]))


def _properties(front: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    last = ""
    for line in front.split("\n"):
        named, item = _PROPERTY.fullmatch(line), _ITEM.fullmatch(line)
        if named is not None:
            last = named["name"]
            found[last] = _value(named["value"])
        elif item is not None and last:
            held = found[last]
            found[last] = [*(held if isinstance(held, list) else []), _value(item["value"])]
    return found


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text.strip()


def _json(value: Any) -> str:
    # Every line break that some reader knows is escaped, so that a property stays on its line.
    return re.sub(
        "[\x7f-\x9f\u2028\u2029\ufeff]",
        lambda found: f"\\u{ord(found[0]):04x}",
        json.dumps(value, ensure_ascii=False, allow_nan=False),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:  # what was said with \r stays so
        file.write(text)
