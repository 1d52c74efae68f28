"""The measure of recall counts a summary as what it stands for."""

from datetime import UTC, datetime

from samemind.commands.memories.recall import Hit
from tests.bench.consolidation_on_locomo import any_at, turns_told
from tests.support.published import published

TURNS = {"rid-1": ("conv-26", "D1:1"), "rid-2": ("conv-26", "D1:2"), "rid-3": ("conv-26", "D1:3")}


def hit(rid: str, *sources: str) -> Hit:
    return Hit(
        rid=rid,
        text="",
        score=1.0,
        type=None,
        speaker=None,
        session=None,
        turn=None,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        told_at=None,
        device="",
        origin="",
        summary_of=list(sources),
    )


@published("YD-75")
def test_a_summary_whose_sources_hold_the_evidence_counts_as_a_hit() -> None:
    summary = hit("summary", "rid-2", "rid-3")
    assert turns_told([summary], TURNS) == {("conv-26", "D1:2"), ("conv-26", "D1:3")}
    assert any_at([summary], {("conv-26", "D1:3")}, TURNS)
    assert not any_at([summary], {("conv-26", "D1:1")}, TURNS)
    assert any_at([hit("rid-1"), summary], {("conv-26", "D1:1")}, TURNS)
    assert not any_at([hit("a fact of somebody")], {("conv-26", "D1:1")}, TURNS)
