"""Ask lives for what was so before, during or after an event: is a memory that answers among the first five?

`python -m tests.bench.anchored FOLDER [LIFE…]` tells lives of a folder (`LIFE.json`, in the format of
`tests/data/lives`) to fresh stores, and asks the questions of `tests/data/anchored.json` with the life's own clock. The
questions were written before anything read them; `gardener` and `family` were looked at while it was built, `founder`
and `student` were not.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import samemind

QUESTIONS: Final = Path(__file__).parents[1] / "data" / "anchored.json"
SHOWN: Final = 10


class Answered(NamedTuple):
    """A question, where its first right memory is (None: not shown), and which share of those that answer is shown."""

    text: str
    place: int | None
    share: float


def ask(told: dict[str, Any], questions: Sequence[dict[str, Any]]) -> Iterator[Answered]:
    """Tell a life, the older first, and ask questions of it."""
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        names: dict[str, str] = {}
        for memory in sorted(told["memories"], key=lambda each: str(each["at"])):
            extra = {key: memory[key] for key in ("speaker", "type", "project") if key in memory}
            held = mind.remember(memory["text"], at=memory["at"], wait=True, **extra)
            if held.held:
                mind.release_held(held.rid)
            names |= dict.fromkeys((held.rid, *held.facts), memory["id"])
        for one in questions:
            found = [names.get(hit.rid) for hit in mind.recall(one["q"], k=SHOWN, now=told["now"]).results]
            right = [at for at, name in enumerate(found) if name in one["expect"]]
            share = len({found[at] for at in right}) / min(len(one["expect"]), SHOWN)
            yield Answered(one["q"], right[0] if right else None, share)


def report(answers: Sequence[Answered]) -> str:
    """Return how many find an answer first, among five and among ten, and the share of all answers among ten."""
    count = len(answers)
    within = [sum(one.place is not None and one.place < depth for one in answers) for depth in (1, 5, 10)]
    share = 100 * sum(one.share for one in answers) / count
    mean = sum(0.0 if one.place is None else 1 / (one.place + 1) for one in answers) / count
    found = f"first {within[0]}, among 5 {within[1]}, among 10 {within[2]}"
    return f"of {count} {found}; share {share:.1f} %, MRR {mean:.3f}"


def main() -> None:
    """Print how many of the questions of each life find their answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("lives", nargs="*", help="only these")
    parser.add_argument("--each", action="store_true", help="name the place of each question's first answer")
    options = parser.parse_args()
    questions = json.loads(QUESTIONS.read_text("utf-8"))
    for life in options.lives or dict.fromkeys(one["life"] for one in questions):
        told = json.loads((options.folder / f"{life}.json").read_text("utf-8"))
        answers = [*ask(told, [one for one in questions if one["life"] == life])]
        for one in answers if options.each else ():
            print(f"{one.place}  {one.share:.2f}  {one.text}")
        print(f"{life}: {report(answers)}")


if __name__ == "__main__":
    main()
