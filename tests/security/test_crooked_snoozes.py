"""What a member notes as put off: no time of its stops the devices that read it."""

import sqlite3

import pytest

from cognition.triggers.step import TriggerStep
from replica import Core, MemoryId, Set, Write
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
