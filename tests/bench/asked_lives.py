"""Ask lives that nothing was fitted on: is a memory that answers among the first five, and the first ten?

`python -m tests.bench.asked_lives` tells each life of `tests/data/lives` through the library's own door, waits until
all of it is read, and asks its questions with the life's own clock. `--missed` names what was not among the first five.
Lives in the same format may be given instead.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import samemind

FOLDER: Final = Path(__file__).parents[1] / "data" / "lives"
SHOWN: Final = 10


class Asked(NamedTuple):
    """A question of a life, where its first right memory is (None: not shown), and what its best score is.

    `forbidden` says whether what no longer holds comes first; None where the question has no such memory.
    """

    text: str
    kind: str
    place: int | None
    score: float
    forbidden: bool | None


def ask(told: dict[str, Any]) -> Iterator[Asked]:
    """Tell a life, the older first, to a device of its own, and ask its questions."""
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        names: dict[str, str] = {}
        for memory in sorted(told["memories"], key=lambda each: str(each["at"])):
            extra = {key: memory[key] for key in ("speaker", "type", "project") if key in memory}
            names[mind.remember(memory["text"], at=memory["at"], wait=True, **extra).rid] = memory["id"]
        for one in told["queries"]:
            hits = mind.recall(one["q"], k=SHOWN, now=told["now"]).results
            found = [names.get(hit.rid) or names.get(str(hit.memory.parent)) for hit in hits]
            place = next((at for at, name in enumerate(found) if name in one["expect"]), None)
            replaced = one.get("must_not_rank_first")
            first = None if replaced is None else bool(found) and found[0] in replaced
            yield Asked(one["q"], one["kind"], place, hits[0].score if hits else 0.0, first)


def report(answers: Sequence[Asked]) -> str:
    """Return what is found, of all and by kind; what no longer holds first; and what scores say of what is missing."""
    asked = [one for one in answers if one.kind != "none"]
    lines = []
    for kind in ("", *sorted({one.kind for one in asked})):
        some = [one for one in asked if kind in ("", one.kind)]
        five, ten = (
            100 * sum(one.place is not None and one.place < depth for one in some) / len(some)
            for depth in (5, 10)
        )
        lines.append(f"{kind or 'all':>16} {len(some):4} among 5: {five:5.1f} %  among 10: {ten:5.1f} %")
    guarded = [one.forbidden for one in answers if one.forbidden is not None]
    lines.append(f"what no longer holds comes first: {sum(guarded)} of {len(guarded)}")
    above = [
        (yes.score > no.score) + 0.5 * (yes.score == no.score)
        for yes in asked
        for no in answers
        if no.kind == "none"
    ]
    lines.append(f"score of what has an answer above that of what has none: {sum(above) / len(above):.3f}")
    return "\n".join(lines)


def main() -> None:
    """Print how many of the questions find their answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="*", default=sorted(FOLDER.glob("*.json")))
    parser.add_argument("--missed", action="store_true", help="name what was not among the first five")
    options = parser.parse_args()
    answers = [one for path in options.paths for one in ask(json.loads(path.read_text("utf-8")))]
    for one in answers:
        if options.missed and one.kind != "none" and (one.place is None or one.place >= 5):
            print(f"{one.kind}: {one.text}  (at {one.place})")
    print(report(answers))


if __name__ == "__main__":
    main()
