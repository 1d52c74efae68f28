"""Turn what was measured into tables, ratios and pages: the figures of their marked parts come from compare.json.

`python -m tests.bench.compare.page` writes the pages anew from the figures that are there; a test holds them to it.
"""

import json
import math
import re
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

FOLDER: Final = Path(__file__).parents[3] / "docs" / "benchmarks"
PAGES: Final = ("README.md", "sizes.md")
# The size that stands for the others where a table has room for one.
_OVERVIEW: Final = 10_000
OURS: Final = "samemind"
_PART: Final = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
# Less apart than this is noise between two runs on one machine.
_ALIKE: Final = 1.1


class Row(NamedTuple):
    """One thing that is measured of everybody."""

    title: str
    more_is_better: bool = False


ROWS: Final = {
    "sync_ms": Row("sync a new device, ms"),
    "wire_bytes": Row("bytes on the wire, a memory"),
    "remember_ms": Row("remember one more, ms"),
    "remember_in_memory_ms": Row("the same where a fsync is free, ms"),
    "fill_per_s": Row("remember many, a second", more_is_better=True),
    "recall_ms": Row("recall, ms"),
    "recall_beyond_ms": Row("of it, beyond embedding the question, ms"),
    "open_s": Row("open to first recall, s"),
    "think_ms": Row("think about 100 new, ms"),
    "anon_mb": Row("anonymous memory after recalls, MB"),
    "mapped_mb": Row("mapped files after recalls, MB"),
    "rss_mb": Row("resident memory after thinking, MB"),
    "disk_bytes": Row("bytes on disk, a memory"),
}
# The targets of the design, for what nobody else has; each with the size of the thing measured.
ALONE: Final = {
    "live_p50_ms": ("committed here to held there, link up, p50, ms", ""),
    "live_p95_ms": ("the same, p95, ms", "≤ 100"),
    "resync_ms": ("sync when nothing is new, ms", ""),
    "resync_round_trips": ("its round trips", "1"),
    "resync_bytes": ("its bytes", "< 1,000"),
    "command_with_daemon_ms": ("`samemind recall` with a daemon up, whole process, ms", "≤ 250"),
    "command_without_daemon_ms": ("the same without a daemon, ms", ""),
    "deliveries_per_s": ("op deliveries a second in simulated worlds, with all their checks", ""),
}
TARGETS: Final = {
    ("sync_ms", 1_000): "≤ 25",
    ("sync_ms", 100_000): "≤ 2,500",
    ("wire_bytes", 1_000): "≤ 90",
    ("remember_ms", 10_000): "≤ 0.5",
    ("remember_ms", 100_000): "≤ 0.5",
    ("recall_beyond_ms", 1_000): "≤ 3",
    ("recall_beyond_ms", 10_000): "≤ 5",
    ("recall_beyond_ms", 100_000): "≤ 12",
    ("open_s", 100_000): "≤ 1",
    ("think_ms", 10_000): "≤ 100",
    ("anon_mb", 1_000): "≤ 70",
    ("anon_mb", 100_000): "≤ 180",
}
# Why somebody is ahead of us, where somebody may be.
_REASONS: Final = {
    (
        "remember_ms",
        "yantrikdb",
    ): "it does not fsync each, and keeps what it is told twice as two; ours is fsynced, signed and chained",
    (
        "remember_in_memory_ms",
        "yantrikdb",
    ): "compiled code, which keeps what it is told twice as two; ours signs an op and looks for duplicates and facts",
    (
        "remember_in_memory_ms",
        "floor",
    ): "one row and its words: no op, no signature, no duplicates looked for",
    (
        "remember_in_memory_ms",
        "sqlite-vec",
    ): "one row and its vector: no op, no signature, no log that another device could take",
    ("remember_in_memory_ms", "chroma"): "no op, no signature, no log that another device could take",
    ("remember_ms", "floor"): "one row and its words: no op, no signature, no duplicates looked for",
    (
        "remember_ms",
        "sqlite-vec",
    ): "one row and its vector: no op, no signature, no log that another device could take",
    ("remember_ms", "chroma"): "no op, no signature, no log that another device could take",
    ("fill_per_s", "yantrikdb"): "its ops are not signed or chained, and not fsynced one by one",
    ("fill_per_s", "floor"): "it writes no op that another device could verify",
    ("fill_per_s", "sqlite-vec"): "it writes no op that another device could verify",
    ("fill_per_s", "chroma"): "it writes no op that another device could verify",
    (
        "recall_ms",
        "yantrikdb",
    ): "ours makes a pass over the words too, and orders what both found by signals",
    ("recall_ms", "floor"): "the two passes alone, nothing ordered and nothing explained",
    ("recall_ms", "sqlite-vec"): "the vectors alone: no words, no ordering, no filters",
    ("recall_ms", "chroma"): "the vectors alone, in a graph: no words, no ordering, no filters",
    (
        "recall_beyond_ms",
        "yantrikdb",
    ): "ours makes a pass over the words too, and orders what both found by signals",
    ("recall_beyond_ms", "floor"): "the two passes alone, nothing ordered and nothing explained",
    ("recall_beyond_ms", "sqlite-vec"): "the vectors alone: no words, no ordering, no filters",
    ("recall_beyond_ms", "chroma"): "the vectors alone, in a graph: no words, no ordering, no filters",
    ("open_s", "yantrikdb"): "ours loads its embedder's tokenizer and its vectors with the first recall",
    ("open_s", "floor"): "the embedder is already in memory, and there is no key, lock or log to look after",
    (
        "open_s",
        "sqlite-vec",
    ): "the embedder is already in memory, and there is no key, lock or log to look after",
    ("open_s", "chroma"): "the embedder is already in memory, and there is no key, lock or log to look after",
    (
        "think_ms",
        "yantrikdb",
    ): "ours also settles what contradicts itself and looks for patterns, alike on every device",
    ("sync_ms", "floor"): "no hash, no signature, no chain, no merging: rows over TLS",
    ("sync_ms", "yantrikdb"): "no link, no signatures and no fsync in its figure",
    (
        "wire_bytes",
        "floor",
    ): "the texts alone; ours adds 16 random bytes to each, so that an erased text cannot be guessed",
    **{
        (row, name): why
        for row in ("anon_mb", "rss_mb")
        for name, why in {
            "yantrikdb": "one compiled library; ours begins with Python, numpy, trio and cryptography",
            "floor": "no event loop, no library of CRDTs, and an embedder of one language",
            "sqlite-vec": "vectors stay on the disk; no event loop, no cryptography, an embedder of one language",
            "chroma": "its index is read from the disk, and its embedder knows one language",
        }.items()
    },
    **{
        (
            "mapped_mb",
            name,
        ): "ours maps libraries of cryptography, and the tables of an embedder of many languages"
        for name in ("yantrikdb", "floor", "sqlite-vec", "chroma")
    },
    ("disk_bytes", "yantrikdb"): "ours keeps the signed log beside words and vectors",
    ("disk_bytes", "floor"): "texts, words and vectors, and no signed log",
    ("disk_bytes", "sqlite-vec"): "texts and vectors: no words to search, no signed log",
    ("disk_bytes", "chroma"): "texts, words and vectors, and no signed log",
}


def summary(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one result for each contestant and size: the median of its runs, row by row."""
    found: list[dict[str, Any]] = []
    for name, size in dict.fromkeys((run["name"], run["size"]) for run in runs):
        own = [run for run in runs if (run["name"], run["size"]) == (name, size)]
        result: dict[str, Any] = {"name": name, "version": own[0]["version"], "size": size, "runs": len(own)}
        for row in ROWS:
            if values := [run[row] for run in own if run.get(row) is not None]:
                result[row] = float(f"{statistics.median(values):.4g}")
        found.append(result)
    return found


def ratio(row: str, ours: float, other: float) -> float:
    """Return how many times better ours is; below one, theirs is."""
    return ours / other if ROWS[row].more_is_better else other / ours


def shown(value: float | None) -> str:
    """Return a figure in three digits."""
    if value is None:
        return "—"
    if not value or value >= 1_000:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{digits}f}"


def beside(row: str, ours: float | None, other: float | None) -> str:
    """Return a figure of somebody else, and in brackets how many times better ours is."""
    if not (ours and other):
        return shown(other)
    return f"{shown(other)} ({float(f'{ratio(row, ours, other):.2g}'):g} ×)"


def table(row: str, document: dict[str, Any]) -> Iterator[str]:
    """One row of the comparison over all sizes, with the ratio beside each figure that is not ours."""
    results = document["results"]
    names = list(dict.fromkeys(each["name"] for each in results))
    others = [
        name
        for name in names
        if name != OURS and any(each.get(row) for each in results if each["name"] == name)
    ]
    target = any(asked == row for asked, _ in TARGETS)
    head = ["memories", OURS, *(["target"] if target else []), *others]
    yield from (f"| {' | '.join(head)} |", "|" + " ---: |" * len(head))
    for size in sorted({each["size"] for each in results}):
        by_name = {each["name"]: each.get(row) for each in results if each["size"] == size}
        ours = by_name.get(OURS)
        cells = [f"{size:,}", shown(ours), *([TARGETS.get((row, size), "")] if target else [])]
        cells += [beside(row, ours, by_name.get(name)) for name in others]
        yield f"| {' | '.join(cells)} |"


def measured(document: dict[str, Any]) -> dict[str, Row]:
    """Return the rows in which somebody has a figure: where no disk is of memory, one has none."""
    return {name: row for name, row in ROWS.items() if any(name in each for each in document["results"])}


def rows(document: dict[str, Any]) -> Iterator[str]:
    """Every row with its picture."""
    for name, row in measured(document).items():
        yield from (f"### {row.title[0].upper()}{row.title[1:]}", "")
        yield from table(name, document)
        yield from ("", f"![{row.title}, by the number of memories]({name}.svg)", "")


def overview(document: dict[str, Any]) -> Iterator[str]:
    """Every row at one size: `_OVERVIEW`, or the largest below it while that is not measured yet."""
    results = document["results"]
    ours_at = {each["size"]: each for each in results if each["name"] == OURS and each["size"] <= _OVERVIEW}
    if not ours_at:
        return
    size, ours = max(ours_at.items())
    by_name = {each["name"]: each for each in results if each["size"] == size and each["name"] != OURS}
    yield from (
        f"| with {size:,} memories | {OURS} | {' | '.join(by_name)} |",
        "| --- |" + " ---: |" * (1 + len(by_name)),
    )
    for row, about in measured(document).items():
        own = ours.get(row)
        cells = [shown(own), *(beside(row, own, each.get(row)) for each in by_name.values())]
        yield f"| {about.title} | {' | '.join(cells)} |"


def behind(document: dict[str, Any]) -> Iterator[str]:
    """Where somebody is ahead of us, by how much at its sizes, and why."""
    results = document["results"]
    ours = {each["size"]: each for each in results if each["name"] == OURS}
    yield from ("| | who | times better | with memories | why |", "| --- | --- | ---: | --- | --- |")
    for row, about in ROWS.items():
        for name in dict.fromkeys(each["name"] for each in results if each["name"] != OURS):
            times = {
                each["size"]: 1 / ratio(row, ours[each["size"]][row], each[row])
                for each in results
                if each["name"] == name and each.get(row) and ours.get(each["size"], {}).get(row)
            }
            ahead = sorted(size for size, factor in times.items() if factor > _ALIKE)
            if ahead:
                low, high = (shown(pick(times[size] for size in ahead)) for pick in (min, max))
                factors = low if low == high else f"{low} to {high}"
                where = "all sizes" if len(ahead) == len(times) else ", ".join(f"{size:,}" for size in ahead)
                why = _REASONS.get((row, name), "not explained yet")
                yield f"| {about.title} | {name} | {factors} | {where} | {why} |"


def by_ourselves(document: dict[str, Any]) -> Iterator[str]:
    """What nobody else has."""
    yield from ("| | measured | target |", "| --- | ---: | ---: |")
    for name, (title, target) in ALONE.items():
        if name in document["alone"]:
            yield f"| {title} | {shown(document['alone'][name])} | {target} |"


def machine(document: dict[str, Any]) -> Iterator[str]:
    """Where, when and with what."""
    about = document["machine"]
    hardware = f"{about['cpus']} × {about['processor']}, {about['memory_gb']} GB"
    yield f"- {hardware}; {about['system']}; Python {about['python']}."
    if max(about["load_before"], about["load_after"]) > about["cpus"]:
        yield "- **Other work ran beside it: times are upper bounds; sizes and yes or no are firm.**"
    yield f"- Load average {about['load_before']} before and {about['load_after']} after; measured on {about['day']}."
    versions = {each["name"]: each["version"] for each in document["results"]}
    yield "- " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "."
    counts = {each["size"]: each["runs"] for each in document["results"] if each["name"] == OURS}
    yield "- Runs: " + ", ".join(f"{count} with {size:,} memories" for size, count in counts.items()) + "."


_PARTS: Final = {
    "machine": machine,
    "overview": overview,
    "rows": rows,
    "behind": behind,
    "alone": by_ourselves,
}


def filled(text: str, document: dict[str, Any]) -> str:
    """Return a page with its measured parts written anew."""

    def part(found: re.Match[str]) -> str:
        return found[1] + "\n".join(_PARTS[found[2]](document)).strip("\n") + "\n" + found[3]

    return _PART.sub(part, text)


def write(document: dict[str, Any], folder: Path = FOLDER) -> None:
    """Write the pages from what was measured; their prose is kept."""
    for name in PAGES:
        (folder / name).write_text(filled((FOLDER / name).read_text("utf-8"), document), "utf-8")


if __name__ == "__main__":
    write(json.loads((FOLDER / "compare.json").read_text("utf-8")))
