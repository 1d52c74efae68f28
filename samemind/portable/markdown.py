"""Read Markdown notes, such as those of an Obsidian vault: each section of a note becomes a memory.

A section keeps its words; the headings above it are its topic, tags come from the front matter and from the
text, and a link to another note becomes an edge. A memory's id follows from the note's path in its folder
and from what the section says, so a changed section comes in anew and the others are passed over. What stands under a
day, as in a diary, was told then: the nearest heading above that is one, the name of the note, or its front matter. A
section of several entries, each of which begins with its day, is a memory for each.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from replica import Value, derived_memory_id
from replica.limits import TAGS_MAX
from samemind.portable import diary
from samemind.portable.days import day_of
from samemind.portable.records import Edge, Item, Record

SOURCE: Final = "markdown"
_FRONT: Final = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_HEADING: Final = re.compile(r"(#{1,6}) +(.+?)(?: +#+)?$")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_TAG: Final = re.compile(r"(?:^|(?<=\s))#([^\W\d][\w/-]*)")
_LINK: Final = re.compile(r"\[\[([^\[\]|#^]+)[^\[\]]*\]\]")
_LISTED: Final = re.compile(
    r"^tags?:\s*(?:\[(?P<row>[^\]]*)\]|(?P<one>[^\n]*))\n?(?P<list>(?:\s*-\s+[^\n]+\n?)*)", re.MULTILINE
)
# What front matter says when a note was made by.
_DATED: Final = re.compile(r"^(?:date|created)(?:_at)?:\s*['\"]?(\d{4}-\d\d-\d\d)", re.MULTILINE)


def read(path: str, text: str) -> Iterator[Record]:
    """Return the sections of one note; `path` is its place in the folder that is brought in."""
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    common = _listed_tags(front[1]) if front is not None else set()
    title = path.rpartition("/")[2].removesuffix(".md")
    dated = _DATED.search(front[1]) if front is not None else None
    of_note = day_of(title) or (None if dated is None else day_of(dated[1]))
    first = 1 + (text.count("\n", 0, front.end()) if front is not None else 0)
    linked: set[str] = set()
    for number, headings, body in _sections(text[front.end() :] if front is not None else text, first):
        below = headings[1:] if headings[:1] == [title] else headings  # many notes begin with their own name
        day = next((found for each in reversed(headings) if (found := day_of(each)) is not None), of_note)
        for entry in _dated(number, body, diary.year_in(title)):
            fields: dict[str, Value] = {
                "source": SOURCE,
                "topic": " > ".join([title, *below, *filter(None, [entry.heading])]),
                "meta": {"note": path},
            }
            told_at = day if entry.day is None else entry.day
            if told_at is not None:
                fields["told_at"] = told_at
            tags = sorted(common | set(_TAG.findall(entry.text)))[:TAGS_MAX]
            if tags:
                fields["tags"] = tags
            name = hashlib.sha256(entry.text.encode("utf-8", "surrogatepass")).hexdigest()
            rid = derived_memory_id(
                SOURCE, f"{path}\0{' > '.join([*headings, *filter(None, [entry.heading])])}\0{name}"
            )
            yield Item(line=entry.line, rid=rid, text=entry.text, fields=fields)
            for target in dict.fromkeys(link.strip() for link in _LINK.findall(entry.text)):
                if target and target not in linked:
                    linked.add(target)
                    yield Edge(
                        line=entry.line,
                        source=title,
                        relation="links_to",
                        target=target,
                        weight=1.0,
                        said_in=rid,
                    )


def _dated(line: int, body: str, year: str) -> list[diary.Entry]:
    """Return the entries of a section that is a diary: several, of which the first begins it; else all of it as one."""
    found = [*diary.entries(body, line=line, year=year)]
    is_diary = len(found) > 1 and found[0].day is not None
    return found if is_diary else [diary.Entry(line, None, "", body)]


def _sections(text: str, line: int) -> Iterator[tuple[int, list[str], str]]:
    """Return (line, the headings above, what stands there) of every section that says something."""
    headings: list[tuple[int, str]] = []
    body: list[str] = []
    began, fenced = line, False
    for number, each in enumerate([*text.split("\n"), "# "], start=line):
        if _FENCE.match(each):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(each)
        if heading is None and (number < line + text.count("\n") + 1):
            body.append(each)
            continue
        said = "\n".join(body).strip()
        if said:
            yield began, [name for _, name in headings], said
        body, began = [], number + 1
        if heading is not None:
            level = len(heading[1])
            headings = [*(above for above in headings if above[0] < level), (level, heading[2].strip())]


def _listed_tags(front: str) -> set[str]:
    found = _LISTED.search(front)
    if found is None:
        return set()
    row = (found["row"] or found["one"] or "").replace(",", " ").split()
    listed = [line.strip().removeprefix("-").strip() for line in found["list"].split("\n")]
    return {tag.strip("\"'#") for tag in (*row, *listed) if tag.strip("\"'#")}
