"""Ask lives that nothing was fitted on: is a memory that answers among the first five, and the first ten?

`python -m tests.bench.asked_lives` tells each life of `tests/data/lives` through the library's own door, waits until
all of it is read, and asks its questions with the life's own clock. `--missed` names what was not among the first five.
Every life is asked the others' questions too: how sure it is of what comes first should tell them from its own.
Lives in the same format may be given instead. `--given FILE` asks the questions of one life twice: its memories as they
were told, and told with the other words of that file (`tests/data/words_given.txt`).
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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


Words = Mapping[str, Sequence[str]]


def ask(
    told: dict[str, Any], elsewhere: Sequence[dict[str, Any]] = (), given: Words | None = None
) -> Iterator[Asked]:
    """Tell a life, the older first, to a device of its own, and ask its questions, and those of lives elsewhere.

    `given`: other words that some memories are told with, by their ids.
    """
    words = {} if given is None else given
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        names: dict[str, str] = {}
        for memory in sorted(told["memories"], key=lambda each: str(each["at"])):
            extra = {key: memory[key] for key in ("speaker", "type", "project") if key in memory}
            other = words.get(memory["id"], ())
            held = mind.remember(memory["text"], at=memory["at"], wait=True, wordings=other, **extra)
            if held.held:  # a password: its owner would decide to keep it
                mind.release_held(held.rid)
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


def words_given(path: Path) -> dict[str, list[str]]:
    """Return the other words of some memories, by their ids."""
    lines = [line.split(" | ") for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {name: wordings for name, *wordings in lines}


def compared(life: dict[str, Any], given: Words) -> str:
    """Return what is found of a life as it was told, and told with other words for some of its memories."""
    lines = []
    queries = [one for one in life["queries"] if one["kind"] != "none" and one["expect"]]
    for name, worded in (("answered by a memory that has some", True), ("by others alone", False)):
        asked = {
            **life,
            "queries": [one for one in queries if given.keys().isdisjoint(one["expect"]) != worded],
        }
        for how, some in (("as told", None), ("with other words", given)):
            places = [one.place for one in ask(asked, given=some)]
            within = [sum(at is not None and at < depth for at in places) for depth in (1, 5, 10)]
            lines.append(
                f"{name}, {how}: of {len(places)} first {within[0]}, among 5 {within[1]}, among 10 {within[2]}"
            )
    return "\n".join(lines)


def _below(some: Sequence[float]) -> float:
    return sum(one < FLOOR for one in some) / len(some)


def main() -> None:
    """Print how many of the questions find their answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="*", default=sorted(FOLDER.glob("*.json")))
    parser.add_argument("--missed", action="store_true", help="name what was not among the first five")
    parser.add_argument("--given", type=Path, metavar="FILE", help="other words for memories of one life")
    options = parser.parse_args()
    if options.given:
        (path,) = options.paths
        print(compared(json.loads(path.read_text("utf-8")), words_given(options.given)))
        return
    lives = [json.loads(path.read_text("utf-8")) for path in options.paths]
    answers = [one for life in lives for one in ask(life, [other for other in lives if other is not life])]
    for one in answers:
        if options.missed and one.kind not in ("none", ELSEWHERE) and (one.place is None or one.place >= 5):
            print(f"{one.kind}: {one.text}  (at {one.place})")
    print(report(answers))


if __name__ == "__main__":
    main()
