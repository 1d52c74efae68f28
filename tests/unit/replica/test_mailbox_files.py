"""What is remembered of a mailbox is written beside the ops that came from it, and no look waits for that."""

from replica.mailbox_files import files_taken, forget_files, note_files
from tests.support.replicas import sqlite_store


def test_a_look_at_many_files_is_remembered_in_one_transaction_that_does_not_wait_for_the_disk() -> None:
    """Each row was a transaction of its own once: a thousand files were a thousand waits for the disk."""
    store = sqlite_store()
    connection = store.connection
    said = list[str]()
    connection.set_trace_callback(said.append)
    new = {f"{n:03}": bytes([n]) for n in range(100)}
    note_files(connection, "box", new, ())
    gone = tuple(list(new)[:40])
    note_files(connection, "box", {}, gone)
    connection.set_trace_callback(None)
    assert dict(files_taken(connection, "box")) == {
        name: about for name, about in new.items() if name not in gone
    }
    assert [each for each in said if each.startswith(("BEGIN", "COMMIT"))] == [
        "BEGIN IMMEDIATE",
        "COMMIT",
    ] * 2
    assert said[0] == "PRAGMA synchronous = NORMAL"
    assert said[-1] == "PRAGMA synchronous = FULL", "what comes next is durable again"
    note_files(connection, "other", {"kept": b""}, ())
    forget_files(connection, "box")
    assert files_taken(connection, "box") == []
    assert files_taken(connection, "other") == [("kept", b"")]
