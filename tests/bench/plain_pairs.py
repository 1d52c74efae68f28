"""Tell pairs of plain sentences, each to a store of its own, and count what is raised.

    python -m tests.bench.plain_pairs [FILE.jsonl…] [--wrong]

A line of `tests/data/plain` is a pair, by hand and in one of ten languages: `a` was told first, `b` some weeks later,
and both cannot be true (`contradiction`), or can (`holds`). Two notes about something else stand beside them. Raised is
what leaves a contradiction open, of any attention, without anybody's answer. `--wrong` shows what was raised of those
that hold, and what was missed.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import samemind

PLAIN: Final = Path(__file__).parents[1] / "data" / "plain"
_BESIDE: Final = ("The weather was fine on the lake", "Bought new shoes for the hike")


def pairs(files: Sequence[Path]) -> Iterator[dict[str, str]]:
    """Return each pair."""
    for file in files:
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def raised(pair: dict[str, str], mind: Any) -> list[str]:
    """Tell a pair to an empty store, and return what is open after a cycle of thinking."""
    told = (_BESIDE[0], pair["a"], _BESIDE[1], pair["b"])
    for month, text in enumerate(told, 1):
        mind.remember(text, at=f"2026-{month:02}-01T10:00:00+00:00", wait=True)
    mind.wait_for_queue()
    mind.think()
    return [
        f"{each.relation}: {each.a.value} / {each.b.value}"
        for each in mind.contradictions()
        if each.status == "open"
    ]


def count(files: Sequence[Path], *, wrong: bool = False) -> dict[tuple[str, str], Counter[str]]:
    """Return how many pairs there are of each sort and language, and of how many something is raised."""
    found: dict[tuple[str, str], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, pair in enumerate(pairs(files)):
            with samemind.open_blocking(Path(folder) / f"{number}.db") as mind:
                got = raised(pair, mind)
            for language in ("all", pair["lang"]):
                one = found.setdefault((pair["what"], language), Counter())
                one["pairs"] += 1
                one["raised"] += bool(got)
            if wrong and bool(got) is not (pair["what"] == "contradiction"):
                print(f"{pair['what']} {pair['lang']} {pair['kind']}: {pair['a']} | {pair['b']} {got}")
    return found


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description="What is raised of pairs of plain sentences.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--wrong", action="store_true", help="show what was raised wrongly or missed")
    options = parser.parse_args()
    found = count(options.files or sorted(PLAIN.glob("*.jsonl")), wrong=options.wrong)
    for (what, language), one in sorted(found.items()):
        print(f"{what:<14} {language:<4} {one['raised']:4} of {one['pairs']}")


if __name__ == "__main__":
    main()
