"""Put one entry into somebody else's settings, or take it out, and leave the rest as it was.

All of it is text to text: JSON keeps the order of its keys and its indentation, TOML and Markdown keep every other
byte. Doing it twice is doing it once. What cannot be read is refused rather than guessed at: it is the owner's file,
not ours.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from replica.json_text import parse_json
from samemind.errors import Failed

Entry = Mapping[str, Any]

BLOCK_BEGINS: Final = "<!-- samemind:begin v{} -->"
BLOCK_ENDS: Final = "<!-- samemind:end -->"
_BLOCK: Final = re.compile(r"\n*<!-- samemind:begin v\d+ -->.*?<!-- samemind:end -->\n?", re.DOTALL)
_INDENT: Final = re.compile(r"^([ \t]+)\"", re.MULTILINE)
_TABLE: Final = re.compile(r"^\s*\[")


def with_json(text: str, keys: Sequence[str], entry: Entry) -> str:
    """Return JSON settings with an entry at the end of a path of keys."""
    document = read_json(text)
    place = document
    for key in keys[:-1]:
        place = place.setdefault(key, {})
        if not isinstance(place, dict):
            raise _unreadable(f"expected an object under {key}")
    if place.get(keys[-1]) == entry:
        return text
    place[keys[-1]] = dict(entry)
    return _written(document, text)


def without_json(text: str, keys: Sequence[str]) -> str:
    """Return JSON settings without that entry; the object that held it stays."""
    document = read_json(text)
    place: Any = document
    for key in keys[:-1]:
        place = place.get(key) if isinstance(place, dict) else None
    if not isinstance(place, dict) or keys[-1] not in place:
        return text
    del place[keys[-1]]
    return _written(document, text)


def with_toml(text: str, keys: Sequence[str], entry: Entry) -> str:
    """Return TOML settings with a table for an entry."""
    if _toml_entry(text, keys) == entry:
        return text
    bare = without_toml(text, keys)
    if _toml_entry(bare, keys) is not None:
        raise _unreadable(f"expected {'.'.join(keys)} as a table of its own")
    lines = [
        f"[{'.'.join(keys)}]",
        *(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()),
    ]
    before = f"{bare.rstrip()}\n\n" if bare.strip() else ""
    written = before + "\n".join(lines) + "\n"
    read_toml(written)
    return written


def without_toml(text: str, keys: Sequence[str]) -> str:
    """Return TOML settings without that table, and without the tables under it."""
    read_toml(text)
    name = r"\.".join(rf"\s*(?:{re.escape(key)}|\"{re.escape(key)}\")\s*" for key in keys)
    ours = re.compile(rf"^\s*\[{name}(?:\..*)?\]\s*(?:#.*)?$")
    kept: list[str] = []
    skipping = False
    for line in text.splitlines(keepends=True):
        if _TABLE.match(line):
            skipping = ours.match(line.rstrip("\r\n")) is not None
        if not skipping:
            kept.append(line)
    left = "".join(kept)
    if left == text:
        return text
    return f"{left.rstrip()}\n" if left.strip() else ""


def with_block(text: str, block: str, version: int) -> str:
    """Return a Markdown file that ends with our block, between markers that say which version it is."""
    ours = f"{BLOCK_BEGINS.format(version)}\n{block}\n{BLOCK_ENDS}\n"
    if ours in text:
        return text
    bare = without_block(text)
    return f"{bare.rstrip()}\n\n{ours}" if bare.strip() else ours


def without_block(text: str) -> str:
    """Return a Markdown file without our block, whichever version it is."""
    if _BLOCK.search(text) is None:
        return text
    left = _BLOCK.sub("\n", text)
    return f"{left.rstrip()}\n" if left.strip() else ""


def read_json(text: str) -> dict[str, Any]:
    """Return JSON settings; an empty file has none."""
    if not text.strip():
        return {}
    try:
        document = parse_json(text)
    except ValueError as error:
        raise _unreadable(f"expected JSON without comments, {error}") from None
    if not isinstance(document, dict):
        raise _unreadable(f"expected a JSON object, got {type(document).__name__}")
    return document


def _written(document: Mapping[str, Any], before: str) -> str:
    indent = _INDENT.search(before)
    end = "" if before.strip() and not before.endswith("\n") else "\n"
    return json.dumps(document, ensure_ascii=False, indent=indent[1] if indent else 2) + end


def read_toml(text: str) -> dict[str, Any]:
    """Return TOML settings."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(f"expected TOML, {error}") from None


def _toml_entry(text: str, keys: Sequence[str]) -> Any:
    place: Any = read_toml(text)
    for key in keys:
        place = place.get(key) if isinstance(place, dict) else None
    return place


def _unreadable(why: str) -> Failed:
    return Failed(why, code="settings_unreadable", hint="fix the file, or add the entry by hand")
