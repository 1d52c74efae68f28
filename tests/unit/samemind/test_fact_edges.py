"""The facts of one utterance are of several types, and edges join them."""

from pathlib import Path

import samemind
from tests.support.published import published

BIRTHDAY = (
    "We celebrated! Last Saturday I had a birthday party at the beach. My sister Eve came from Rome. "
    "I'm 32 years old now. I'm so grateful for all the friends around me. I love chocolate cake."
)


@published("ML-34")
def test_a_birthday_gives_facts_of_three_types_that_are_linked_by_edges(tmp_path: Path) -> None:
    """The row: a fixture utterance yields three types or more, linked by edges."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        told = mind.remember(BIRTHDAY)
        graph = mind.graph(told.rid)
        facts = {edge.source for edge in graph.edges if edge.relation == "samemind:fact_of"}
        assert facts == set(told.facts)
        assert {edge.target for edge in graph.edges if edge.relation == "samemind:fact_of"} == {told.rid}
        assert len({mind.get(rid).type for rid in facts}) >= 3
        from_one = mind.graph(told.facts[0], hops=2)
        assert facts <= set(from_one.entities), "and from one fact to its siblings"
        mind.forget(told.facts[0])
        assert told.facts[0] not in mind.graph(told.rid).entities
