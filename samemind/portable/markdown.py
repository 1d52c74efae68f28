"""Read Markdown notes, such as those of an Obsidian vault: each section of a note becomes a memory.

A section keeps its words; the headings above it are its topic, tags come from the front matter and from the
text, and a link to another note becomes an edge. A memory's id follows from the note's path in its folder
and from what the section says, so a changed section comes in anew and the others are passed over. What stands under a
day, as in a diary, was told then: the nearest heading above that is one, the name of the note, or its front matter.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from cognition.times import meant_by, windows
from replica import Value, derived_memory_id
from replica.limits import TAGS_MAX
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
# What front matter says when a note was made by, and how a heading writes a day: "Sunday 14 April 2024", "2024-04-14".
_DATED: Final = re.compile(r"^(?:date|created)(?:_at)?:\s*['\"]?(\d{4}-\d\d-\d\d)", re.MULTILINE)
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TIME: Final = re.compile(r"[T,]?\s*\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?[ap]m)?$", re.IGNORECASE)
_NUMERIC: Final = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})[./-](\d{4})(?!\d)")
_ISO: Final = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_ISO_NUMBERS: Final = 3
_NUMBERS_BESIDE_A_MONTH: Final = 2
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")
# "de", "den", "th": words of a date that mean nothing by themselves.
_SMALL_WORD_MAX: Final = 3
_DAY_CHARACTERS_MAX: Final = 40
_MONTHS: Final = 12


def read(path: str, text: str) -> Iterator[Record]:
    """Return the sections of one note; `path` is its place in the folder that is brought in."""
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    common = _listed_tags(front[1]) if front is not None else set()
    title = path.rpartition("/")[2].removesuffix(".md")
    dated = _DATED.search(front[1]) if front is not None else None
    of_note = _day(title) or (None if dated is None else _day(dated[1]))
    first = 1 + (text.count("\n", 0, front.end()) if front is not None else 0)
    linked: set[str] = set()
    for number, headings, body in _sections(text[front.end() :] if front is not None else text, first):
        fields: dict[str, Value] = {
            "source": SOURCE,
            "topic": " > ".join([title, *headings]),
            "meta": {"note": path},
        }
        day = next((found for each in reversed(headings) if (found := _day(each)) is not None), of_note)
        if day is not None:
            fields["told_at"] = day
        tags = sorted(common | set(_TAG.findall(body)))[:TAGS_MAX]
        if tags:
            fields["tags"] = tags
        name = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
        rid = derived_memory_id(SOURCE, f"{path}\0{' > '.join(headings)}\0{name}")
        yield Item(line=number, rid=rid, text=body, fields=fields)
        for target in dict.fromkeys(link.strip() for link in _LINK.findall(body)):
            if target and target not in linked:
                linked.add(target)
                yield Edge(
                    line=number, source=title, relation="links_to", target=target, weight=1.0, said_in=rid
                )


def _day(heading: str) -> int | None:
    """Return the day that a heading is, in ms, as it is written in any language; None of one that says more or less."""
    rest = _TIME.sub("", heading.strip()).replace("_", "-")
    year = _YEAR.search(rest)
    if len(heading) > _DAY_CHARACTERS_MAX or year is None:
        return None
    # Where the month may come first, only a number that is none says which is the day; dots have the day first.
    numbers = _NUMERIC.search(rest)
    if (
        numbers is not None
        and int(numbers[3]) <= _MONTHS
        and (numbers[2] == "." or int(numbers[1]) > _MONTHS)
    ):
        rest = rest.replace(numbers[0], f"{numbers[4]}-{int(numbers[3]):02}-{int(numbers[1]):02}")
    is_iso = _ISO.search(rest) is not None
    if len(_NUMBER.findall(rest)) != (_ISO_NUMBERS if is_iso else _NUMBERS_BESIDE_A_MONTH):
        return None
    if not all(len(word) <= _SMALL_WORD_MAX or meant_by(word.casefold()) for word in _WORD.findall(rest)):
        return None
    # A weekday beside it is one of those around some other day.
    starts = {each.start_ms for each in windows(rest, 0) if each.days <= 1}
    named = [ms for ms in starts if datetime.fromtimestamp(ms / 1_000, UTC).year == int(year[0])]
    return named[0] if len(named) == 1 else None


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
