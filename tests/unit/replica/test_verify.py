"""Each kind of tampering with the file is found, and said."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replica import SqliteStore, ops
from replica.codec import pack, unpack
from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId
from replica.oplog import FoldStatus
from replica.ops import Write
from replica.state.cells import Cell, Key
from replica.state.memories import MemoryCell
from replica.storage.sql import connect
from replica.verify import Verification, verify_beside, verify_replica
from tests.support.links import identity
from tests.support.published import published
from tests.support.replicas import (
    NOW_MS,
    core_of,
    edit,
    group,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
)


@pytest.fixture(scope="module")
def whole() -> Core:
    """A replica with something of every kind in it, its own and another's; tests spoil copies of it."""
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    one, two, three = remember(ann, "one", "two", "three")
    say(ann, ops.Set("importance", 0.5), one)
    sync(ann, ben)
    edit(ben, two, "two and more")
    say(ben, ops.Set("importance", 0.9), one)
    say(ann, ops.Set("importance", 0.1), one)
    claim = say(ben, ops.Claim("Ann", "lives in", "Lisbon", (), None), two)
    say(ben, ops.Relate("Ann", "knows", "Ben", 0.5))
    say(ben, ops.Access(((two, 3, NOW_MS),)))
    say(ben, ops.Set("theme", "dark"))
    say(ben, ops.Resolve((ops.ClaimVerdict(two, claim.place, keep=False),)))
    say(ben, ops.Trigger(MemoryId(bytes(16)), 2, "reminder", (one,)), two)
    say(ben, ops.Propose((one, two)))
    say(ben, ops.SaysSame((one, two), 90))
    against = say(ben, ops.Claim("Ann", "home", "Porto", (), None), one)
    say(ben, ops.SameSlot.of((one, against.place), (two, claim.place), True, by=4, sureness=100))
    say(ann, ops.Forget((three,)))
    settle([ann, ben])
    remember(ann, "and one more")
    assert verify_replica(ann).problems == ()
    assert verify_replica(ann).ops == ann.position == 19
    return ann


@pytest.fixture
def ann(whole: Core) -> Core:
    """A copy of the whole one: to make one anew takes as long as to verify it."""
    store, who = sqlite_store(), identity("ann")
    connection(whole).backup(store.connection)
    return Core(store, device=who.device_id, sign=who.sign, random=Random("copy"))


def connection(core: Core) -> Any:
    assert isinstance(core.store, SqliteStore)
    return core.store.connection


def reopened(core: Core) -> Core:
    """The replica as it starts on the tampered file."""
    core.reload()
    return core


def flip(blob: bytes) -> bytes:
    changed = bytearray(blob)
    changed[-1] ^= 1
    return bytes(changed)


def change_blob(core: Core, column: str, where: str) -> None:
    sql = connection(core)
    ((pos, blob),) = sql.execute(f"SELECT pos, {column} FROM op WHERE {where} LIMIT 1").fetchall()
    sql.execute(f"UPDATE op SET {column} = ? WHERE pos = ?", (flip(blob), pos))


def change_cell(core: Core, part: int, change: Callable[[Any], Any]) -> None:
    """Rewrite one cell as somebody would who knows the format."""
    sql = connection(core)
    changed = 0
    for name, state in sql.execute("SELECT name, state FROM cell WHERE part = ?", (part,)).fetchall():
        plain = unpack(state)
        if (new := change(plain)) is not None:
            sql.execute("UPDATE cell SET state = ? WHERE part = ? AND name = ?", (pack(new), part, name))
            changed += 1
    assert changed


def in_memory(at: int, change: Callable[[Any], Any]) -> Callable[[Core], None]:
    """Change one part of the memory cells that have more than adds."""

    def changed(plain: Any) -> Any:
        if len(plain) == 1 or not plain[at]:
            return None
        plain[at] = change(plain[at])
        return plain

    return lambda core: change_cell(core, 0, changed)


def sql(statement: str) -> Callable[[Core], None]:
    def run(core: Core) -> None:
        assert connection(core).execute(statement).rowcount > 0

    return run


def losing_head(fields: Any) -> Any:
    heads = fields["importance"]
    assert len(heads) == 2, "two devices wrote it apart"
    loser = min(heads, key=lambda head: head[3])
    loser[4] = 0.77
    return fields


TAMPERING: dict[str, Callable[[Core], None]] = {
    "a byte of a payload": lambda core: change_blob(core, "payload", "pos = 2"),
    "a byte of the last payload": lambda core: change_blob(core, "payload", "pos = 19"),
    "an id in the midst of a chain": lambda core: change_blob(core, "id", "pos = 4"),
    "the id of the last op": lambda core: change_blob(core, "id", "pos = 19"),
    "the last signature": lambda core: change_blob(core, "signature", "pos = 19"),
    "a signature in the midst of a chain": lambda core: change_blob(core, "signature", "pos = 4"),
    "a stamp": sql("UPDATE op SET hlc = hlc + 1 WHERE pos = 5"),
    "a kind": sql("UPDATE op SET kind = kind + 1 WHERE pos = 5"),
    "a version": sql("UPDATE op SET version = version + 1 WHERE pos = 5"),
    "the end of a commit": sql("UPDATE op SET ends = 1 WHERE pos = 1"),
    "a target": sql("UPDATE op SET rid = zeroblob(16) WHERE pos = 5 AND rid IS NOT NULL"),
    "what an op has seen": sql(
        "UPDATE op SET seen = x'' WHERE pos = (SELECT max(pos) FROM op WHERE seen != x'')"
    ),
    "what an op has seen, unreadably": sql("UPDATE op SET seen = x'c1' WHERE seen != x''"),
    "a status": sql("UPDATE op SET status = 2 WHERE pos = 5"),
    "a payload withheld": sql("UPDATE op SET payload = NULL, payload_hash = zeroblob(32) WHERE pos = 5"),
    "a payload withheld, with no hash": sql("UPDATE op SET payload = NULL WHERE pos = 5"),
    "an op gone from the midst": sql("DELETE FROM op WHERE pos = 5"),
    "the first op gone": sql("DELETE FROM op WHERE pos = 1"),
    "the last op gone": sql("DELETE FROM op WHERE pos = 19"),
    "two ops in another order": sql("UPDATE op SET pos = 20 WHERE pos = 3"),
    "a feed's head": sql("UPDATE feed SET head = zeroblob(32) WHERE no = 0"),
    "a feed's end": sql("UPDATE feed SET seq = seq - 1 WHERE no = 0"),
    "a feed's vector": sql("UPDATE feed SET vector = x'8100c0' WHERE no = 1"),
    "the text of an add": in_memory(0, lambda adds: [[*add[:4], "forged", *add[5:]] for add in adds]),
    "the stamp of an add": in_memory(0, lambda adds: [[*add[:3], add[3] + 1, *add[4:]] for add in adds]),
    "a field that lost": in_memory(1, losing_head),
    "an edited document": in_memory(2, lambda edits: {}),
    "the stamp of an edit": in_memory(3, lambda hlc: hlc + 1),
    "an access total": in_memory(4, lambda totals: [[origin, 9, last] for origin, _, last in totals]),
    "a claim's value": in_memory(5, lambda claims: [[*claim[:6], "Porto", *claim[7:]] for claim in claims]),
    "since when a claim holds": in_memory(5, lambda claims: [[*claim[:8], 5] for claim in claims]),
    "a verdict": in_memory(6, lambda verdicts: []),
    "a trigger's status": in_memory(
        7, lambda triggers: {name: [3, *held[1:]] for name, held in triggers.items()}
    ),
    "an edge's weight": lambda core: change_cell(core, 1, lambda heads: [[*head[:4], 0.1] for head in heads]),
    "a setting": lambda core: change_cell(core, 2, lambda heads: [[*head[:4], "light"] for head in heads]),
    "a proposal's members": lambda core: change_cell(core, 3, lambda it: [it[0], it[1][:1]]),
    "which tellings a link joins": lambda core: change_cell(core, 6, lambda it: [it[0], it[1], 1]),
    "a link that does not show": sql("DELETE FROM says_same WHERE true"),
    "a judgment that does not show": sql("DELETE FROM same_slot WHERE true"),
    "a judgment turned round": sql("UPDATE same_slot SET same = 0"),
    "a cell gone": sql("DELETE FROM cell WHERE part = 2"),
    "a cell that was never folded": sql("INSERT INTO cell (part, name, state) VALUES (2, x'78', x'90')"),
    "a cell that cannot be read": sql("UPDATE cell SET state = x'c1' WHERE part = 1"),
    "a memory that shows other words": sql("UPDATE memory SET text = 'forged' WHERE text = 'one'"),
    "a memory that shows another field": sql("UPDATE memory SET importance = 1 WHERE text = 'one'"),
    "a memory that does not show": sql("DELETE FROM memory WHERE text = 'one'"),
    "a memory from nowhere": sql(
        "INSERT INTO memory (rid, text, content, created, updated, feed, accesses, last_access)"
        " VALUES (zeroblob(16), 'x', 0, 0, 0, 0, 0, 0)"
    ),
    "an edge that shows another weight": sql("UPDATE edge SET weight = 0.9"),
    "an edge that does not show": sql("DELETE FROM edge WHERE true"),
    "an edge from nowhere": sql("INSERT INTO edge VALUES ('Eve', 'knows', 'Ann', 1.0, 1)"),
    "a tombstone gone": sql("DELETE FROM tombstone WHERE true"),
    "a tombstone from nowhere": sql("INSERT INTO tombstone VALUES (zeroblob(16), 0)"),
    "the totals": lambda core: connection(core).execute(
        "UPDATE meta SET value = ? WHERE name = 'totals'", (pack([bytes(32)] * 4),)
    ),
    "a member's key": lambda core: connection(core).execute(
        "UPDATE member SET public_key = zeroblob(32) WHERE name = 'ben'"
    ),
}


@pytest.mark.parametrize("tamper", TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_found(ann: Core, tamper: Callable[[Core], None]) -> None:
    tamper(ann)
    found = verify_replica(reopened(ann))
    assert not found.ok
    assert all(found.problems)


@published("YD-51")
def test_the_log_alone_makes_the_same_state(ann: Core) -> None:
    """Every mutation is an op: `verify` folds the log into an empty store, and the digests must be equal."""
    assert verify_replica(ann).ok
    connection(ann).execute("UPDATE op SET status = ? WHERE pos = 5", (FoldStatus.FOLDED,))
    assert verify_replica(reopened(ann)).ok


def test_verifying_changes_nothing_and_signs_nothing(tmp_path: Path) -> None:
    ann, ben = group("ann", "ben", make_store=lambda: sqlite_store(str(tmp_path / f"{Random().random()}.db")))
    remember(ben, "one")
    sync(ann, ben)
    before = (ann.digests(), ann.position, ann.origin)
    assert verify_replica(ann).ok
    assert (ann.digests(), ann.position, ann.origin) == before
    ann.commit([Write(ops.Set("theme", "dark"))], NOW_MS)


def with_cells(core: Core, changed: Callable[[list[tuple[Key, Cell]]], list[tuple[Key, Cell]]]) -> list[str]:
    """What is found where the store says that it has other cells than it has."""
    cells, core.store.all_cells = changed(list(core.store.all_cells())), lambda: iter(cells)  # type: ignore[method-assign]
    return [problem for problem in verify_replica(core).problems if problem.startswith("the memory")]


def of_another_text(cell: Cell) -> Cell:
    assert isinstance(cell, MemoryCell)
    return MemoryCell({dot: add._replace(text=f"{add.text}!") for dot, add in cell.adds.items()})


def test_a_memory_that_was_told_and_nothing_else_is_compared_too(ann: Core) -> None:
    (bare,) = (
        key for key, cell in ann.store.all_cells() if isinstance(cell, MemoryCell) and cell.is_only_added()
    )
    name = f"the memory {bare.name.hex()}"
    otherwise, missing = f"{name} is stored otherwise than the log folds it", f"{name} is missing"
    assert with_cells(
        ann, lambda cells: [(key, of_another_text(cell) if key == bare else cell) for key, cell in cells]
    ) == [otherwise]
    del ann.store.all_cells
    assert with_cells(ann, lambda cells: [each for each in cells if each[0] != bare]) == [missing]
    del ann.store.all_cells
    assert with_cells(ann, lambda cells: [*cells, *(each for each in cells if each[0] == bare)]) == [
        otherwise
    ]


def test_it_says_how_many_ops_and_cells_it_has_looked_at(ann: Core) -> None:
    heard: list[int] = []
    verify_replica(ann, told=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 19 + len(list(ann.store.all_cells()))


def test_a_store_is_checked_on_a_connection_that_only_reads(tmp_path: Path) -> None:
    """Whoever writes meanwhile is not waited for, and what they write is not looked at."""
    core = core_of("ann", store := sqlite_store(str(tmp_path / "memory.db")))
    (rid,) = remember(core, "one")
    reading = connect(str(tmp_path / "memory.db"), read_only=True)
    reading.execute("BEGIN")
    assert reading.execute("SELECT count(*) FROM op").fetchone() == (1,)
    remember(core, "two")
    assert verify_beside(reading, core) == Verification(1, ())
    reading.execute("ROLLBACK")
    assert verify_beside(reading, core) == Verification(2, ())
    assert compact(core, NOW_MS) == 2
    assert verify_beside(reading, core) == Verification(0, ())
    store.connection.execute("UPDATE memory SET text = 'something else' WHERE rid = ?", (rid,))
    (problem,) = verify_beside(reading, core).problems
    assert "shows something else than was folded" in problem
    store.connection.execute("UPDATE meta SET value = x'c1' WHERE name = 'horizon'")
    (problem,) = verify_beside(reading, core).problems
    assert problem.startswith("the store holds something that cannot be read: ")
    reading.close()
