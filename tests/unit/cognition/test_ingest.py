"""What is told is stored at once and read behind that, and no crash, no edit and no forgetting comes between."""

from math import inf
from random import Random

import pytest

from cognition.ingest import gate as ingest
from cognition.ingest import plan as ingest_plan
from cognition.ingest.gate import NewTelling, TellingReader
from replica import MemoryId, Write, new_memory_id
from replica.ops import Erase, Forget
from simulations.disk import SqliteDisk
from tests.support.replicas import NOW_MS, acquaint, agree, core_of, edit, memories, sync, texts

TALK = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin with her dog."
FACTS = {
    "Alice is the tech lead at Stripe",
    "Alice prefers Python over Java",
    "Alice lives in Berlin with her dog",
}


class Desk:
    """A device that tells and reads."""

    def __init__(self, name: str, *others: str, disk: SqliteDisk | None = None) -> None:
        self.disk = SqliteDisk(thinks=True) if disk is None else disk
        self.random = Random(name)
        self.core = core_of(name, self.disk.store)
        acquaint(self.core, name, *others)
        self.core.begin(NOW_MS)
        self.reader = TellingReader(self.disk.store.local, lambda: NOW_MS, newer=False)
        self.reader.open(self.disk.connection)

    def tell(self, text: str) -> MemoryId:
        rid = new_memory_id(NOW_MS, self.random)
        self.reader.tell(self.core, self.disk.connection, NewTelling(rid, text, {}, NOW_MS), facts=True)
        return rid

    def read(self) -> None:
        while self.reader.waits:
            self.reader.read_some(self.core, self.disk.connection, inf)

    def claims(self) -> int:
        ((count,),) = self.disk.connection.execute("SELECT count(*) FROM claim")
        return int(count)


def test_a_telling_is_stored_at_once_and_read_later() -> None:
    desk = Desk("laptop")
    desk.tell(TALK)
    assert texts(desk.core) == {TALK}
    assert desk.reader.waits
    desk.read()
    assert texts(desk.core) == {TALK, *FACTS}
    assert desk.claims()


def test_what_a_dead_program_left_unread_is_found_at_the_next_start() -> None:
    desk = Desk("laptop")
    desk.tell(TALK)
    again = Desk("laptop", disk=desk.disk.image())
    assert again.reader.waits
    again.read()
    assert texts(again.core) == {TALK, *FACTS}
    assert not Desk("laptop", disk=again.disk.image()).reader.waits


def test_what_is_read_twice_is_written_once() -> None:
    """A crash may come between the facts and the note that they were taken."""
    desk = Desk("laptop")
    desk.tell(TALK)
    note = desk.disk.connection.execute("SELECT rid, facts FROM told_unread").fetchone()
    desk.tell("Alice is a tech lead at Stripe, and likes it")
    desk.read()
    ops = desk.core.position
    desk.disk.connection.execute("INSERT INTO told_unread (rid, facts) VALUES (?, ?)", note)
    desk.reader.open(desk.disk.connection)
    desk.read()
    assert desk.core.position == ops


def test_who_says_the_same_again_is_linked_in_the_order_of_telling() -> None:
    desk = Desk("laptop")
    first, _, again = (
        desk.tell("The rent is 950 euros"),
        desk.tell(TALK),
        desk.tell("Really, the rent is 950 euros"),
    )
    desk.read()
    assert desk.disk.connection.execute("SELECT one, other FROM says_same").fetchall() == [
        tuple(sorted((first, again)))
    ]


def test_it_is_read_as_it_says_by_then() -> None:
    desk = Desk("laptop")
    rid = desk.tell(TALK)
    edit(desk.core, rid, "Nothing of the kind. It was said in jest, and by somebody else at that.")
    desk.read()
    assert not FACTS & texts(desk.core)


def test_what_is_forgotten_before_it_is_read_leaves_nothing() -> None:
    desk = Desk("laptop")
    rid = desk.tell(TALK)
    desk.core.commit([Write(Forget((rid,)))], NOW_MS)
    desk.read()
    assert texts(desk.core) == set()


@pytest.mark.parametrize("body", [Forget, Erase])
def test_facts_follow_what_was_forgotten_elsewhere_before_they_came_there(body: type[Forget | Erase]) -> None:
    """Else it would come back in parts, by words that whoever forgot it never saw."""
    laptop, phone = Desk("laptop", "phone"), Desk("phone", "laptop")
    rid = laptop.tell(TALK)
    sync(laptop.core, phone.core)
    phone.core.commit([Write(body((rid,)))], NOW_MS)
    laptop.read()
    sync(laptop.core, phone.core)
    phone.read()
    assert texts(phone.core) == FACTS, "they are the laptop's, which wrote them"
    again = Desk("laptop", "phone", disk=laptop.disk.image())  # also by a program that starts after that
    again.read()
    sync(again.core, phone.core)
    assert texts(again.core) == texts(phone.core) == set()
    assert agree(again.core, phone.core)
    assert bool(again.core.erased) == (body is Erase)


def test_what_cannot_be_read_stays_told_and_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk("laptop")

    def fails(text: str, fields: object, **options: object) -> object:
        if text == "odd":
            raise RecursionError
        return read(text, fields, **options)  # type: ignore[arg-type]

    read = ingest_plan.read_text
    monkeypatch.setattr(ingest_plan, "read_text", fails)
    desk.tell("odd")
    desk.tell(TALK)
    desk.read()
    assert texts(desk.core) == {"odd", TALK, *FACTS}
    assert len(memories(desk.core)) == 5


def test_who_tells_without_end_reads_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "BACKLOG_MAX", 8)
    monkeypatch.setattr(ingest, "SLICE_S", 60.0)
    desk = Desk("laptop")
    for number in range(40):
        desk.tell(f"It is number {number}")
    ((waiting,),) = desk.disk.connection.execute("SELECT count(*) FROM told_unread")
    assert waiting <= 9


def test_what_claims_nothing_waits_for_no_comparing_once_it_is_read() -> None:
    desk = Desk("laptop")
    desk.tell("a quiet walk by the canal")
    rent = desk.tell("Our rent is 900 euros a month")
    waiting = "SELECT m.rid FROM claim_unread u JOIN shown_memory m ON m.id = u.id"
    assert len(desk.disk.connection.execute(waiting).fetchall()) == 2
    desk.read()
    assert desk.disk.connection.execute(waiting).fetchall() == [(rent,)]
