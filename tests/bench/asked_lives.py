"""Ask lives that nothing was fitted on: is a memory that answers among the first five, and the first ten?

`python -m tests.bench.asked_lives` tells each life of `tests/data/lives` through the library's own door, waits until
all of it is read, and asks its questions with the life's own clock. `--missed` names what was not among the first five.
Every life is asked the others' questions too: how sure it is of what comes first should tell them from its own.
Lives in the same format may be given instead.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import samemind
from cognition.ranking.confidence import FLOOR
from tests.bench.confidence import auc

FOLDER: Final = Path(__file__).parents[1] / "data" / "lives"
SHOWN: Final = 10
# Of a question that another life was asked.
ELSEWHERE: Final = "off-topic"


class Asked(NamedTuple):
    """A question of a life, where its first right memory is (None: not shown), and how sure it is of the surest.

    `forbidden` says whether what no longer holds comes first; None where the question has no such memory.
    """

    text: str
    kind: str
    place: int | None
    confidence: float
    forbidden: bool | None


def ask(told: dict[str, Any], elsewhere: Sequence[dict[str, Any]] = ()) -> Iterator[Asked]:
    """Tell a life, the older first, to a device of its own, and ask its questions, and those of lives elsewhere."""
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        names: dict[str, str] = {}
        for memory in sorted(told["memories"], key=lambda each: str(each["at"])):
            extra = {key: memory[key] for key in ("speaker", "type", "project") if key in memory}
            held = mind.remember(memory["text"], at=memory["at"], wait=True, **extra)
            names |= dict.fromkeys((held.rid, *held.facts), memory["id"])
        others = [{**one, "expect": [], "kind": ELSEWHERE} for life in elsewhere for one in life["queries"]]
        for one in [*told["queries"], *others]:
            hits = mind.recall(one["q"], k=SHOWN, now=told["now"]).results
            found = [names.get(hit.rid) for hit in hits]
            place = next((at for at, name in enumerate(found) if name in one["expect"]), None)
            replaced = one.get("must_not_rank_first") if one["kind"] != ELSEWHERE else None
            first = None if replaced is None else bool(found) and found[0] in replaced
            yield Asked(
                one["q"], one["kind"], place, max((hit.confidence for hit in hits), default=0.0), first
            )


def report(answers: Sequence[Asked]) -> str:
    """Return what is found, of all and by kind; what no longer holds first; and how sure it is of what is missing."""
    asked = [one for one in answers if one.kind not in ("none", ELSEWHERE)]
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
    yes = [one.confidence for one in asked]
    for kind, name in ((ELSEWHERE, "off-topic"), ("none", "near miss")):
        if no := [one.confidence for one in answers if one.kind == kind]:
            lines.append(
                f"confidence, answered above {name} ({len(no)}): AUC {auc(yes, no):.3f}; below the floor of a prompt: "
                f"{100 * _below(yes):.1f} % of the answered, {100 * _below(no):.1f} % of these"
            )
    return "\n".join(lines)


def _below(some: Sequence[float]) -> float:
    return sum(one < FLOOR for one in some) / len(some)


def main() -> None:
    """Print how many of the questions find their answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="*", default=sorted(FOLDER.glob("*.json")))
    parser.add_argument("--missed", action="store_true", help="name what was not among the first five")
    options = parser.parse_args()
    lives = [json.loads(path.read_text("utf-8")) for path in options.paths]
    answers = [one for life in lives for one in ask(life, [other for other in lives if other is not life])]
    for one in answers:
        if options.missed and one.kind not in ("none", ELSEWHERE) and (one.place is None or one.place >= 5):
            print(f"{one.kind}: {one.text}  (at {one.place})")
    print(report(answers))


if __name__ == "__main__":
    main()
