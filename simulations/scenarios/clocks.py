"""Traps about clocks: late ops, wrong years, stamps that go back."""

from simulations.clock import HOUR_MS, YEAR_MS
from simulations.scenarios.stage import Scenario, Stage


def _late_old_op(stage: Stage) -> None:
    stage["C"].clock.step(-30 * HOUR_MS)
    late = stage.remember("C", "written far away, under a slow clock")
    stage.remember("B", "written at home")
    stage.meet("A", "B")
    stage.meet("B", "C")
    stage.meet("A", "B")
    stage.expect("A holds what C wrote", stage.memory("A", late) is not None, True)


def _wrong_year(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.meet("A", "B")
    stage["B"].clock.step(YEAR_MS)
    stage.set("B", rid, "from next year")
    stage.meet("A", "B")
    stage.set("A", rid, "from today, knowing it")
    stage.meet("A", "B")
    for name in "AB":
        stage.expect(f"topic on {name}", stage.topic(name, rid), "from today, knowing it")
    low, high = (stage[name].core.store.meta()["clock"] for name in "AB")
    stage.expect("A was not dragged into next year", low < high, True)


def _corrected_clock(stage: Stage) -> None:
    stage["A"].clock.step(YEAR_MS)
    stage.remember("A", "under a clock a year ahead")
    before = stage["A"].core.origin
    stage["A"].clock.correct()
    rid = stage.remember("A", "after it was corrected")
    stage.expect("A writes as a new origin", stage["A"].core.origin != before, True)
    stage.meet("A", "B")
    memory = stage.memory("B", rid)
    assert memory is not None
    stage.expect("the stamp is today's", memory.created >> 16 <= stage.world.now_ms, True)


def _slow_clock(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.set("A", rid, "first")
    stage.meet("A", "B")
    stage["B"].clock.step(-3 * 60_000)
    stage.set("B", rid, "second, knowing the first")
    stage.meet("A", "B")
    one, two = (each.op.hlc for each in stage.world.observer.ops[-2:])
    stage.expect("stamps keep the order", one < two, True)
    stage.expect("topic on A", stage.topic("A", rid), "second, knowing the first")


SCENARIOS = (
    Scenario(
        "late_old_op",
        "The YantrikDB paper asks a peer for what lies above one (hlc, op id): an op that reaches the peer late, under "
        "an older stamp, is never asked for. Our frontier names the last op of every feed, so it is lacking by name.",
        _late_old_op,
        devices=3,
    ),
    Scenario(
        "wrong_year",
        "Stores that let the higher stamp win (YantrikDB, Cassandra) are ruled for a year by one phone with a wrong "
        "date. Here a write that has seen another wins over it, and a stamp a day ahead is not absorbed.",
        _wrong_year,
    ),
    Scenario(
        "corrected_clock",
        "A device that stamped a year ahead would go on doing so for a year after its clock was corrected. Beyond 25 "
        "hours it begins a new incarnation instead, whose stamps start from the right time.",
        _corrected_clock,
    ),
    Scenario(
        "slow_clock",
        "Plain wall clocks put an answer before its question when the answerer's clock is three minutes slow. A hybrid "
        "clock absorbs what it has seen, so stamps keep the order of what was known.",
        _slow_clock,
    ),
)
