"""Traps about compaction: devices that were away, halves that compacted apart, what snapshots must not undo."""

from replica.ops import Relate
from simulations.scenarios.stage import Scenario, Stage


def _away_for_a_year(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    for name in "BC":
        stage.meet("A", name)
    stage.set("C", rid, "written on C before it went away")
    mine = stage.remember("C", "only C has this")
    stage.wait(365)
    stage.set("A", rid, "written at home")
    gone = stage.remember("A", "come and gone")
    stage.meet("A", "B")
    stage.forget("B", gone)
    stage.meet("A", "B")
    stage.meet("A", "B")
    stage.expect("A compacts past C", stage.compact("A") > 0, True)
    stage.meet("A", "C")
    stage.expect("C lost nothing", stage.memory("A", mine) is not None, True)
    stage.expect("nothing came back", stage.memory("C", gone), None)


def _two_halves(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    for name in "BCD":
        stage.meet("A", name)
    stage.wait(200)
    for one, two, topic in (("A", "B", "one half"), ("C", "D", "the other half")):
        stage.set(one, rid, topic)
        stage.write(one, Relate("Ann", "knows", topic, 0.5))
        stage.write(one, Relate("Ann", "knows", "nobody", None if one == "A" else 1.0))
        stage.remember(two, f"only in {topic}")
        for _ in range(3):
            stage.meet(one, two)
        stage.expect(f"{one} compacts", stage.compact(one) > 0, True)
        stage.compact(two)
    stage.meet("A", "C")
    stage.meet("B", "D")


def _newcomer(stage: Stage) -> None:
    rid = stage.remember("A", "from the beginning")
    stage.set("A", rid, "settled")
    for _ in range(3):
        stage.meet("A", "B")
    stage.expect("A compacts", stage.compact("A") > 0, True)
    stage.remember("A", "above the base")
    stage.wipe("B", by="A")
    stage.meet("A", "B")
    memory = stage.memory("B", rid)
    stage.expect("B has it from a snapshot", None if memory is None else memory.text, "from the beginning")


SCENARIOS = (
    Scenario(
        "away_for_a_year",
        "Where a device that was away must start over from a snapshot, what it wrote meanwhile is lost; where it may "
        "go on, it brings deleted things back. Here bases merge: what either has seen deleted is gone, the rest stays.",
        _away_for_a_year,
        devices=3,
    ),
    Scenario(
        "two_halves",
        "Replacing state by a snapshot lost writes in one of seven modelled partitions, and the union of two brought "
        "overwritten values back. Every live item carries the dot of its op, so a merge can tell the two apart.",
        _two_halves,
        devices=4,
    ),
    Scenario(
        "newcomer",
        "Replaying a log of years on a new phone takes longer than its state is large. A newcomer gets the base, and "
        "then the ops above it.",
        _newcomer,
    ),
)
