"""Take the whole of LoCoMo in, think, and draw contradictions to be read by hand.

python -m tests.bench.contradictions_on_locomo [--draw 20] [--seed 1] [--data locomo10.json]
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from random import Random

import samemind
from cognition.contradictions.reading import read_statements
from cognition.extraction.values import Statement
from samemind.commands.contradictions._parts import ContradictionView
from samemind.portable import locomo
from samemind.portable.records import Item
from tests.bench.locomo_file import add_data


def main() -> None:
    """Print the table, and the draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, default=20, help="contradictions to show with what was said")
    parser.add_argument("--seed", type=int, default=1)
    add_data(parser)
    options = parser.parse_args()
    turns = [item for item in locomo.read(json.loads(options.data.read_text())) if isinstance(item, Item)]
    began = time.process_time()
    found = Counter(
        statement.relation.partition(":")[0] + (" (change)" if statement.changes else "")
        for turn in turns
        for statement in _read(turn)
    )
    read_s = time.process_time() - began
    with tempfile.TemporaryDirectory() as home, samemind.open_blocking(home) as mind:
        mind.import_(options.data, facts=True)
        told, more = 0, True
        while more:
            thought = mind.think()
            told, more = told + thought.contradictions.count, thought.more
        listed = list(mind.contradictions(limit=10_000))
    print(f"turns           {len(turns):6}   read in {read_s:.2f} s of CPU time")
    print(f"claims          {sum(found.values()):6}")
    for relation, count in found.most_common():
        print(f"  {relation:<28} {count:4}")
    print(f"contradictions  {len(listed):6}   {told} told of by thinking")
    for key, count in Counter((each.severity, each.status, each.settled_by) for each in listed).items():
        print(f"  {' '.join(filter(None, key)):<28} {count:4}")
    for each in Random(options.seed).sample(listed, min(options.draw, len(listed))):
        _show(each)


def _read(turn: Item) -> tuple[Statement, ...]:
    told_at, speaker = turn.fields["told_at"], turn.fields["speaker"]
    assert isinstance(told_at, int)
    assert isinstance(speaker, str)
    return read_statements(turn.text, told_at_ms=told_at, speaker=speaker)


def _show(each: ContradictionView) -> None:
    print(f"\n- {each.entity} {each.relation}   [{each.severity}, {each.status}, {each.settled_by}]")
    for belief in each.beliefs:
        day = "" if belief.told_at is None else f"{belief.told_at:%Y-%m-%d}"
        print(f"    {belief.standing:<9} {belief.value:<16} {day} {belief.speaker}: {belief.text[:220]}")


if __name__ == "__main__":
    main()
