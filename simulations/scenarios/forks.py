"""Traps about disks: backups that come back, twins, wiped devices, branches below a base."""

from simulations.scenarios.stage import Scenario, Stage


def _restored_backup(stage: Stage) -> None:
    stage.remember("A", "first")
    image = stage.image("A")
    lost = stage.remember("A", "second, before the backup came back")
    stage.meet("A", "B")
    stage.roll_back("A", image)
    other = stage.remember("A", "another second, in the same place of the chain")
    stage.meet("A", "B")
    for name in "AB":
        for rid in (lost, other):
            stage.expect(f"both are held on {name}", stage.memory(name, rid) is not None, True)


def _live_twins(stage: Stage) -> None:
    rid = stage.remember("A", "shared")
    twin = stage.twin("A", stage.image("A"))
    stage.set("A", rid, "by the original")
    stage.set(twin, rid, "by the twin")
    stage.meet("A", "B")
    stage.meet(twin, "B")
    stage.meet("A", "B")
    stage.expect("twins agree", stage.topic("A", rid), stage.topic(twin, rid))


def _wiped(stage: Stage) -> None:
    rid = stage.remember("A", "the only copy was sent away")
    stage.meet("A", "B")
    stage.wipe("A", by="B")
    stage.meet("A", "B")
    stage.expect("A got its own op back", stage.memory("A", rid) is not None, True)
    stage.remember("A", "and writes on")
    stage.meet("A", "B")


def _branch_below_base(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.set("A", rid, "one")
    image = stage.image("A")
    stage.set("A", rid, "two")
    stage.set("B", stage.remember("B", "something else that A has seen"), "x")
    stage.meet("A", "B")
    stage.roll_back("A", image)
    for name in "AB":
        stage["B"].core.heard(stage[name].key.device, stage["B"].core.feeds.held(), stage.world.now_ms)
    stage.compact("B")
    stage.set("A", rid, "three, where two stood")
    stage.meet("A", "B")
    stage.set("C", stage.remember("C", "from C"), "y")
    stage.meet("C", "B")
    stage.meet("C", "A")


SCENARIOS = (
    Scenario(
        "restored_backup",
        "A version vector that holds only numbers (the textbook one) takes two different ops in "
        "one place for one op, and keeps half of each history. Frontiers here carry 8 bytes of the head's hash.",
        _restored_backup,
    ),
    Scenario(
        "live_twins",
        "A cloned virtual machine writes under the same name as its original, and no local rule can tell. The second "
        "branch becomes a feed of its own, and both are kept.",
        _live_twins,
    ),
    Scenario(
        "wiped_device",
        "A filter that never sends a device its own ops (the paper has it) leaves a wiped device empty for ever. "
        "Nothing is filtered by origin here: the frontier alone says what is lacking.",
        _wiped,
    ),
    Scenario(
        "branch_below_base",
        "Our own first version kept 8 bytes of an id below the base, and sent what a branch's writer had seen only "
        "where the sender itself held a branch. A branch of a compacted stem could not be sent, or lost its past.",
        _branch_below_base,
        devices=3,
    ),
)
