"""Count what the rules say of notes in groups: `python -m tests.bench.groups [FILE.jsonl…]`.

A group is a line of `tests/data/groups`, by hand and in one of ten languages: an `old` note; what `contradicts` it
later, in other words and without a cue; what says the `same`; what tells a `change`; and what looks alike and is
`both_true`. Printed is, for each kind of value, how many pairs of each sort are found to disagree, and the share of
contradictions among those that are no change.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims

GROUPS: Final = Path(__file__).parents[1] / "data" / "groups"
SORTS: Final = ("contradicts", "same", "change", "both_true")
# How alike the two notes of a pair count as, where no model is asked: near, as in a group they are.
LIKENESS: Final = 0.6


def pairs(files: Sequence[Path]) -> Iterator[tuple[str, str, str]]:
    """Return the sort of each pair, the older note and the newer one."""
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            group = json.loads(line)
            for sort in SORTS:
                for newer in group.get(sort, ()):
                    yield sort, group["old"], newer


def count(files: Sequence[Path]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Return how many pairs there are of each sort, and how many of them are found, by the kind of value."""
    there: Counter[str] = Counter()
    found: dict[str, Counter[str]] = {}
    for sort, older, newer in pairs(files):
        there[sort] += 1
        for first in disagreements(read_claims(older), read_claims(newer), LIKENESS)[:1]:
            for name in (first.kind, "all"):
                found.setdefault(name, Counter())[sort] += 1
    return there, found


def main(arguments: Sequence[str]) -> None:
    """Print a line for each kind of value."""
    there, found = count([Path(each) for each in arguments] or sorted(GROUPS.glob("*.jsonl")))
    print(f"{'pairs':<12}" + "".join(f"{sort} {there[sort]:<8}" for sort in SORTS))
    for kind, told in sorted(found.items()):
        raised = sum(told[sort] for sort in SORTS if sort != "change")
        right = f"right {told['contradicts']}/{raised}" if raised else ""
        print(f"{kind:<12}" + "".join(f"{sort} {told[sort]:<8}" for sort in SORTS) + right)


if __name__ == "__main__":
    main(sys.argv[1:])
