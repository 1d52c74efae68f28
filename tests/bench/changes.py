"""Ask for what changed: does the present answer come first, or the one that no longer holds?

`python -m tests.bench.changes [FILE]`. The file holds 160 short notes of one developer, 45 of which tell of a change in
any way, and 75 questions, written by somebody who knew neither the program nor this question's rules. A question of the
kind "change" asks for what is so now, "plain" for what a later note on something similar does not change, "past" for
what was so before.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import samemind

FILE: Final = Path(__file__).parents[1] / "data" / "changes.json"
_SHOWN: Final = 5


class Found(NamedTuple):
    """Of how many questions of a kind what came first: the right note, or the one that is not so (any more)."""

    asked: int = 0
    right: int = 0
    wrong: int = 0
    shown: int = 0
    """Of how many the right note was among the first five."""


def ask(told: Mapping[str, Any]) -> dict[str, Found]:
    """Tell the notes, the older first, and ask the questions in the moment of the last; by their kinds."""
    found: dict[str, Found] = {}
    notes = sorted(told["notes"], key=lambda each: str(each["at"]))
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        for note in notes:
            mind.remember(note["text"], at=note["at"], wait=note is notes[-1])
        for one in told["questions"]:
            texts = [hit.text for hit in mind.recall(one["q"], k=_SHOWN, now=notes[-1]["at"])]
            asked, right, wrong, shown = found.get(one["kind"], Found())
            found[one["kind"]] = Found(
                asked + 1,
                right + (texts[:1] == [one["new"]]),
                wrong + (texts[:1] == [one["old"]]),
                shown + (one["new"] in texts),
            )
    return found


def main() -> None:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    for kind, of in ask(json.loads(parser.parse_args().file.read_text("utf-8"))).items():
        print(
            f"{kind:>6} {of.asked:3}: right first {of.right}, wrong first {of.wrong}, among five {of.shown}"
        )


if __name__ == "__main__":
    main()
