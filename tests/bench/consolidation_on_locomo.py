"""Measure what consolidation does to recall, on talk.

python -m tests.bench.consolidation_on_locomo [--data locomo10.json]

Questions are asked before and after a cycle of thinking. A summary counts as each turn that it stands for (YD-75): it
says, in short, what they say, and names them.
"""

import argparse
import json
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path
from random import Random
from typing import Any, Final

import trio

import samemind
from samemind.commands.memories.recall import Hit
from samemind.library.mind import Mind
from tests.bench.locomo_file import add_data

QUESTIONS: Final = 300
K: Final = 10
# Category 5 asks for what was never said.
_UNANSWERABLE: Final = 5


def turns_told(hits: Iterable[Hit], turn_of: dict[str, tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the turns that hits tell of: their own, or those that a summary stands for."""
    rids = (rid for hit in hits for rid in (hit.summary_of or [hit.rid]))
    return {turn_of[rid] for rid in rids if rid in turn_of}


def any_at(
    hits: Iterable[Hit], evidence: Collection[tuple[str, str]], turn_of: dict[str, tuple[str, str]]
) -> bool:
    """Say whether any of the evidence was told."""
    return not turns_told(hits, turn_of).isdisjoint(evidence)


async def found(mind: Mind, asked: list[dict[str, Any]], turn_of: dict[str, tuple[str, str]]) -> int:
    """Return how many questions find any of their evidence."""
    count = 0
    for each in asked:
        evidence = {(each["sample"], turn) for turn in each["evidence"]}
        hits = await mind.recall(each["question"], k=K)
        count += any_at(hits, evidence, turn_of)
    return count


async def main(data: Path, conversations: list[dict[str, Any]]) -> None:
    """Print the share that is found, before and after."""
    questions = [
        {"sample": conversation["sample_id"], **qa}
        for conversation in conversations
        for qa in conversation["qa"]
        if qa["category"] != _UNANSWERABLE and qa.get("evidence")
    ]
    asked = Random(1).sample(questions, QUESTIONS)
    with tempfile.TemporaryDirectory() as folder:
        async with samemind.open(Path(folder) / "home") as mind:
            await mind.import_(data)
            views = await mind.list(limit=100_000, include_cold=True)
            turn_of = {
                view.rid: (view.session.partition(":")[0], view.turn)
                for view in views
                if view.session is not None and view.turn is not None and view.parent is None
            }
            await mind.recall("warm")
            summaries = 0
            for when in ("before", "after"):
                if when == "after":
                    more = True
                    while more:
                        thought = await mind.think()
                        summaries, more = summaries + thought.consolidated.count, thought.more
                count = await found(mind, asked, turn_of)
                print(f"{when}: any@{K} {count / len(asked):.1%} of {len(asked)}", flush=True)
            print(f"{summaries} summaries")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    add_data(parser)
    file: Path = parser.parse_args().data
    trio.run(main, file, json.loads(file.read_text()))
