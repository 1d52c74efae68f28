"""Traps about forgetting: imports, edits and backups that would bring it back, and undo."""

from replica.ids import MemoryId
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


def _erased_under_an_edit(stage: Stage) -> None:
    rid = stage.remember("A", "unspeakable words")
    for name in "BC":
        stage.meet("A", name)
    stage.edit("C", rid, "unspeakable words, and more of them while it was off")
    mine = stage.remember("C", "of C alone")
    _erase(stage, "A", rid)
    for _ in range(3):
        stage.meet("A", "B")
    stage.wait(200)
    for name in "AB":
        stage.expect(f"{name} compacts", stage.compact(name) > 0, True)
    stage.edit("C", rid, "unspeakable words once more")
    stage.meet("B", "C")
    stage.meet("A", "C")
    for name in "ABC":
        stage.expect(f"erased on {name}", stage.memory(name, rid), None)
        stage.expect(f"{name} has what else C wrote", stage.memory(name, mine) is not None, True)


def _backup_on_two_machines(stage: Stage) -> None:
    rid, kept = stage.remember("B", "unspeakable words"), stage.remember("B", "in the backup")
    stage.meet("A", "B")
    stage.meet("B", "C")
    image = stage.image("B")
    since = stage.remember("B", "after the backup")
    stage.meet("A", "B")
    _erase(stage, "A", rid)
    stage.meet("A", "C")
    stage.wait(365)
    stage.meet("A", "C")
    stage.expect("A compacts", stage.compact("A") > 0, True)
    stage.roll_back("B", image)
    twin = stage.twin("B", image)
    written = [kept, since]
    for name in ("B", twin):
        stage.edit(name, rid, f"unspeakable words on {name}")
        written.append(stage.remember(name, f"on {name}"))
    for one, other in (("C", "B"), ("A", twin), ("A", "B"), ("C", twin), ("A", "C"), ("A", "B")):
        stage.meet(one, other)
    for name in ("A", "B", "C", twin):
        stage.expect(f"erased on {name}", stage.memory(name, rid), None)
        stage.expect(f"{name} lost nothing", all(stage.memory(name, each) for each in written), True)


def _eraser_put_out(stage: Stage) -> None:
    heard, unheard = stage.remember("A", "unspeakable words"), stage.remember("A", "and others")
    for name in "BCD":
        stage.meet("A", name)
    stage.edit("D", heard, "unspeakable words, edited while it was off")
    _erase(stage, "A", heard)
    stage.meet("A", "B")
    stage.revoke("B", "A")
    _erase(stage, "A", unheard)
    stage.meet("A", "C")  # which has not heard that A is out
    stage.meet("B", "C")
    stage.meet("C", "D")
    stage.meet("B", "D")
    for name in "BCD":
        for rid in (heard, unheard):
            stage.expect(f"erased on {name}", stage.memory(name, rid), None)


def _erase(stage: Stage, name: str, rid: MemoryId) -> None:
    stage.write(name, Erase((rid,)))
    stage.world.purge(stage[name])


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
    Scenario(
        "erased_under_an_edit",
        "What a device wrote about a memory while it was off travels as any news does, and brings the words back after "
        "everybody has erased them, and folded that away. A proof of erasure comes first, and is never folded away.",
        _erased_under_an_edit,
        devices=3,
    ),
    Scenario(
        "backup_on_two_machines",
        "One old backup, restored on two machines that both write on, forks a history from before an erasure: half of "
        "it overwrites the other half, or brings the words back. Branches keep both here, and the proof meets both.",
        _backup_on_two_machines,
        devices=3,
    ),
    Scenario(
        "eraser_put_out",
        "Where a revocation takes back what a device did, a thief only needs to be put out to have it all back; where "
        "its last erasure is ignored by some, members disagree. What one member has taken, all of them take.",
        _eraser_put_out,
        devices=4,
    ),
)
