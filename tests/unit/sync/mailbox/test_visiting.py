"""What is remembered of a mailbox is written beside the ops that came from it, and no look waits for that."""

import sqlite3

from sync.carrier.shelf import new_name
from sync.carrier.visit import Save
from sync.mailbox.visiting import _save
from tests.support.replicas import core_of


def test_a_look_at_many_files_is_remembered_in_one_transaction_that_does_not_wait_for_the_disk() -> None:
    """Each row was a transaction of its own once: a thousand files were a thousand waits for the disk."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(
        "CREATE TABLE carried (mailbox TEXT, name TEXT, about BLOB, PRIMARY KEY (mailbox, name))"
    )
    said = list[str]()
    connection.set_trace_callback(said.append)
    new = {new_name(): bytes([n]) for n in range(100)}
    _save("box", Save(new, ()), core_of("laptop"), connection)
    gone = tuple(list(new)[:40])
    _save("box", Save({}, gone), core_of("laptop"), connection)
    connection.set_trace_callback(None)
    assert dict(connection.execute("SELECT name, about FROM carried")) == {
        name: about for name, about in new.items() if name not in gone
    }
    assert [each for each in said if each.startswith(("BEGIN", "COMMIT"))] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ] * 2
    assert said[0] == "PRAGMA synchronous = NORMAL"
    assert said[-1] == "PRAGMA synchronous = FULL", "what comes next is durable again"
