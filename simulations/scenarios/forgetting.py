"""Traps about forgetting: imports, edits and backups that would bring it back, and undo."""

from replica.ops import Erase
from simulations.scenarios.stage import Scenario, Stage


def _forgotten_import(stage: Stage) -> None:
    rid = stage.remember("A", "line 1 of a file", item="1")
    stage.meet("A", "B")
    stage.forget("A", rid)
    stage.wipe("B", by="A")
    stage.remember("B", "line 1 of a file", item="1")
    stage.meet("A", "B")
    for name in "AB":
        stage.expect(f"forgotten on {name}", stage.memory(name, rid), None)


def _edit_meets_forget(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.meet("A", "B")
    stage.forget("A", rid)
    stage.edit("B", rid, "a note that grew")
    stage.meet("A", "B")
    for name in "AB":
        stage.expect(f"forgotten on {name}", stage.memory(name, rid), None)


def _forgotten_in_a_backup(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    stage.meet("A", "B")
    image = stage.image("B")
    stage.forget("A", rid)
    stage.meet("A", "B")
    stage.roll_back("B", image)
    stage.set("B", rid, "written on an old backup")
    stage.meet("A", "B")
    for name in "AB":
        stage.expect(f"forgotten on {name}", stage.memory(name, rid), None)


def _undo_window(stage: Stage) -> None:
    rid = stage.remember("A", "clicked away by mistake")
    stage.meet("A", "B")
    # The window is open: the panel hides it, and nothing is written. A sync in between has nothing to tell.
    stage.world.pass_time(3_900)
    stage.meet("A", "B")
    stage.expect("still there for the other", stage.memory("B", rid) is not None, True)
    # Undone at 3.9 s: there is nothing to take back. Left alone, the forget is written when the window closes.
    stage.forget("A", rid)
    stage.meet("A", "B")
    stage.expect("gone once it was written", stage.memory("B", rid), None)


def _erased_meets_backup(stage: Stage) -> None:
    rid = stage.remember("A", "unspeakable words")
    stage.edit("A", rid, "unspeakable words and more")
    stage.meet("A", "B")
    image = stage.image("B")
    stage.write("A", Erase((rid,)))
    stage.meet("A", "B")
    stage.roll_back("B", image)
    stage.set("B", rid, "on an old backup")
    stage.meet("C", "B")
    stage.meet("A", "B")
    stage.meet("A", "C")
    for name in "ABC":
        stage.expect(f"erased on {name}", stage.memory(name, rid), None)


SCENARIOS = (
    Scenario(
        "forgotten_import",
        "Importers derive ids from their source, so an import on a device that has not heard adds what was forgotten "
        "again. A tombstone wins over every add, before or after it, and is never dropped.",
        _forgotten_import,
    ),
    Scenario(
        "edit_meets_forget",
        "Where an update creates a missing row (an upsert, as in many sync engines), an edit made elsewhere brings a "
        "deleted note back. Here an op on a memory acts only if it has seen an add of it that lives.",
        _edit_meets_forget,
    ),
    Scenario(
        "forgotten_in_a_backup",
        "Tombstones that expire (Cassandra's ten days) let an old backup bring data back. Here they are kept for ever: "
        "sixteen bytes each.",
        _forgotten_in_a_backup,
    ),
    Scenario(
        "undo_window",
        "A forget that travels at once cannot be undone four seconds later, since tombstones are final. So the op is "
        "written when the window closes, and until then there is nothing to take back.",
        _undo_window,
    ),
    Scenario(
        "erased_meets_backup",
        "A deletion that only marks rows leaves the words in logs, backups and on relays. A proof of erasure travels "
        "ahead of everything, so whoever comes back with the words meets it first.",
        _erased_meets_backup,
        devices=3,
    ),
)
