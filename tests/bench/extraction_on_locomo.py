"""Take the whole of LoCoMo in with fact extraction, print what was found, and draw facts to be read by hand.

python -m tests.bench.extraction_on_locomo [--draw 30] [--seed 1] [--data locomo10.json]
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from random import Random

import samemind
from cognition.extraction import Extraction, extract
from replica import connect
from samemind.config import Home
from samemind.portable import locomo
from samemind.portable.records import Item
from tests.bench.locomo_file import add_data

# Edges are what the graph shows: what was read as subject, relation and object, and what was drawn by hand or import.
_COUNTS = {
    "entities": "SELECT DISTINCT name FROM entity_mention",
    "edges": "SELECT subject, predicate, object FROM triple UNION SELECT source, relation, target FROM edge",
    "claims": "SELECT id FROM claim",
    "duplicates": "SELECT content, count(*) FROM memory GROUP BY content HAVING count(*) > 1",
}


def main() -> None:
    """Print the table, and the draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, default=30, help="facts to show beside what they were taken from")
    parser.add_argument("--seed", type=int, default=1)
    add_data(parser)
    options = parser.parse_args()
    turns = [item for item in locomo.read(json.loads(options.data.read_text())) if isinstance(item, Item)]
    began = time.process_time()  # a second of one core, whatever else the machine does
    found = [_read(turn) for turn in turns]
    took_s = time.process_time() - began
    with tempfile.TemporaryDirectory() as home:
        with samemind.open_blocking(home) as mind:
            began = time.process_time()
            imported = mind.import_(options.data, facts=True)
            stored_s = time.process_time() - began
            mind.entities(limit=1)  # reads what every text names, and returns when that is done
        kept = _counted(Home.at(home))
    facts = [(fact, turn) for turn, each in zip(turns, found, strict=True) for fact in each.facts]
    print(f"turns       {len(turns):6}   {len(turns) / took_s:,.0f} a second of CPU read,", end=" ")
    print(f"{imported.imported / stored_s:,.0f} a second of CPU read, stored and embedded")
    print(
        f"facts       {len(facts):6}   {len(facts) - len({fact.content for fact, _ in facts})} of them say the same"
    )
    for name, count in kept.items():
        print(f"{name:<11} {count:6}")
    print(f"dates       {sum(len(each.dates) for each in found):6}")
    for pattern, count in Counter(fact.pattern for fact, _ in facts).most_common():
        print(f"  {pattern:<16} {count:4}")
    for fact, turn in Random(options.seed).sample(facts, min(options.draw, len(facts))):
        print(f"\n- {fact.content}   [{fact.pattern}]\n    {fact.speaker}: {turn.text}")


def _counted(home: Home) -> dict[str, int]:
    """Return what a store holds after an import, as its tables count it."""
    connection = connect(str(home.store), read_only=True)
    try:
        return {
            name: count
            for name, query in _COUNTS.items()
            for (count,) in connection.execute(f"SELECT count(*) FROM ({query})")
        }
    finally:
        connection.close()


def _read(turn: Item) -> Extraction:
    told_at, speaker = turn.fields["told_at"], turn.fields["speaker"]
    assert isinstance(told_at, int)
    assert isinstance(speaker, str)
    return extract(turn.text, told_at_ms=told_at, speaker=speaker)


if __name__ == "__main__":
    main()
