"""What a member notes as put off: no time of its stops the devices that read it, and no number of them the rest."""

import sqlite3

import pytest

from cognition.triggers.detect import LOOKED_AT
from cognition.triggers.kinds import REMINDER
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.raised import read_live, read_raised
from cognition.triggers.snoozing import Snooze
from cognition.triggers.step import TriggerStep
from replica import Core, MemoryId, Set, Trigger, Write
from replica.fields import MS_MAX
from replica.storage.store import SqliteStore
from samemind.daemon.notifying import due_now
from tests.security.test_floods_of_reminders import DUE_MS, THRESHOLDS, tell, with_tables
from tests.support.replicas import NOW_MS, agree, group, settle, sqlite_store


def with_stranger_program() -> tuple[Core, Core, sqlite3.Connection, MemoryId]:
    """Ann, who has something to be reminded of, and Eve, whose program keeps no tables of what is due."""
    made = iter([with_tables, sqlite_store])
    ann, eve = group("ann", "eve", make_store=lambda: next(made)())
    (honest,) = tell(ann, ["take the medicine"], DUE_MS)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    return ann, eve, ann.store.connection, honest


@pytest.mark.parametrize(
    "until",
    [MS_MAX, MS_MAX + 1, 2**63, -(2**63) - 1, int("9" * 4_000)],
    ids=["largest", "larger", "64 bits", "negative", "digits"],
)
def test_no_time_until_when_something_is_put_off_stops_who_reads_it(until: int) -> None:
    """One such op, and no device that held it could take another op from anybody."""
    ann, eve, connection, honest = with_stranger_program()
    eve.commit([Write(Set("meta.snoozed.reminder", f"{'00' * 16}@{until}"), honest)], NOW_MS)
    settle([ann, eve])
    assert agree(ann, eve)
    assert TriggerStep().run(ann, connection, NOW_MS).ids
    assert len(due_now(connection, NOW_MS, THRESHOLDS, every_kind=True)) == 1


@pytest.mark.parametrize("whose", ["eve", "ann"])
def test_what_a_member_notes_as_put_off_holds_back_nothing_that_somebody_did(whose: str) -> None:
    """Eve's come first: on Ann's memories of nothing, and on her own of what would come up, but that so much waits."""
    ann, eve, connection, honest = with_stranger_program()
    others = tell(ann if whose == "ann" else eve, [f"note {n}" for n in range(LOOKED_AT + 50)], 2 * NOW_MS)
    settle([ann, eve])
    for rid in others:
        entry = Write(Set("meta.snoozed.reminder", f"{rid.hex()}@1"), rid)
        raised = Write(Trigger(rid, int(TriggerStatus.DISMISSED), REMINDER.name, ()), rid)
        eve.commit([entry, raised] if whose == "eve" else [entry], NOW_MS)
    waiting = [Trigger(n.to_bytes(16), 0, REMINDER.name, ()) for n in range(REMINDER.pending_max)]
    if whose == "eve":
        eve.commit([Write(each, others[0]) for each in waiting], NOW_MS)
    settle([ann, eve])
    TriggerStep().run(ann, connection, NOW_MS)
    (shown,) = [each for each in read_live(connection, NOW_MS) if each.rid == honest]
    later = Snooze(shown.kind, shown.id, NOW_MS + 1)
    dismissed = Trigger(shown.id, int(TriggerStatus.DISMISSED), shown.kind, shown.about)
    ann.commit([Write(Set(later.field, later.told), honest), Write(dismissed, honest)], NOW_MS)
    for _ in range(2):
        TriggerStep().run(ann, connection, NOW_MS + 1)
    assert read_raised(connection, later.follow_up)
