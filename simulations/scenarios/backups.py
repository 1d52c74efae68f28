"""Traps about time: a backup of a year ago that joins, and devices that only ever exchange files."""

import io

from replica.ops import Erase
from simulations.scenarios.stage import Scenario, Stage
from sync.carrier.cargo import Taking, check, export, messages
from sync.identity import Identity


def _year_old_backup(stage: Stage) -> None:
    kept = stage.remember("C", "kept from the beginning")
    gone = stage.remember("A", "forgotten during the year")
    secret = stage.remember("A", "erased during the year")
    for name in "BC":
        stage.meet("A", name)
    image = stage.image("C")
    mine = stage.remember("C", "written on C after the backup")
    for name in "BC":
        stage.meet("A", name)
    stage.wait(365)
    stage.forget("A", gone)
    stage.write("A", Erase((secret,)))
    stage.revoke("A", "B")
    later = stage.remember("A", "written while C was away")
    stage.expect("A compacts", stage.compact("A") > 0, True)
    stage.roll_back("C", image)
    own = stage.remember("C", "written on the backup before it met anybody")
    stage.meet("A", "C")
    stage.meet("A", "C")
    for name in "AC":
        for rid in (kept, mine, later, own):
            stage.expect(f"nothing is lost on {name}", stage.memory(name, rid) is not None, True)
        for rid in (gone, secret):
            stage.expect(f"nothing came back on {name}", stage.memory(name, rid), None)
    stage.expect(
        "the backup knows who is out", stage["B"].key.device in stage["C"].core.membership.revoked, True
    )


def _carry(stage: Stage, writer: str, reader: str) -> None:
    """Take everything that one device holds to another by file."""
    source, target = stage[writer], stage[reader]
    now_ms, file = source.now(stage.world.now_ms), io.BytesIO()
    export(source.core, {}, now_ms, file, entropy=stage.random.randbytes)
    identity = Identity.of(target.key.private)
    taking = Taking(check(target.core, identity, io.BytesIO(file.getvalue())))
    for message in messages(identity, io.BytesIO(file.getvalue())):
        taking.take(target.core, message, target.now(stage.world.now_ms))
    taking.done(target.core, target.now(stage.world.now_ms))
    stage.world.notice(target)


def _carried_by_hand(stage: Stage) -> None:
    rid = stage.remember("A", "a note")
    _carry(stage, "A", "B")
    stage.set("A", rid, "by A")
    stage.set("B", rid, "by B, at the same time")
    gone = stage.remember("B", "come and gone")
    _carry(stage, "B", "A")
    stage.forget("A", gone)
    _carry(stage, "A", "C")
    _carry(stage, "C", "B")
    _carry(stage, "B", "A")
    stage.expect("one topic", stage.topic("A", rid), stage.topic("B", rid))
    stage.expect("by way of C", stage.topic("C", rid), stage.topic("B", rid))
    stage.expect("forgotten", stage.memory("B", gone), None)
    stage.expect("A and B agree", stage["A"].core.digests(), stage["B"].core.digests())


SCENARIOS = (
    Scenario(
        "year_old_backup",
        "A backup that joins after tombstones expired, the log was folded and a member was put out brings all of it "
        "back in most engines. Here it merges as a base: nothing it brings was forgotten, nothing it lacks is lost.",
        _year_old_backup,
        devices=3,
    ),
    Scenario(
        "carried_by_hand",
        "Sync by copying the database file (PMB does it through git) lets one side's file win, or blocks both. A "
        "carried file holds ops, and is merged like a link, through however many devices it goes.",
        _carried_by_hand,
        devices=3,
    ),
)
