"""What is found in short dialogs, against what a reader finds in them."""

from random import Random

import pytest

from cognition.contradictions.tables import ClaimTables
from cognition.contradictions.telling import ClaimWriter, telling_of
from cognition.ingest.plan import read_text, take_in
from replica import Core, SqliteStore, Value, connect, new_memory_id
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, core_of
from tests.unit.cognition.contradictions.dialogs import (
    CHANGES,
    COMPATIBLE,
    DIALOGS,
    DISAGREEMENTS,
    MISTAKEN,
    Dialog,
)

# Of everything that a reader finds.
RECALL_MIN = 0.8


@pytest.fixture(scope="module")
def core() -> Core:
    """Return a device that hears all dialogs, each in a workspace of its own."""
    made = core_of("ann", SqliteStore(connect(":memory:"), [ClaimTables()]))
    acquaint(made, "ann", "ann")
    return made


def found_in(core: Core, dialog: Dialog) -> frozenset[tuple[str, str, str]]:
    """Tell the lines of a dialog, a day apart; return whose what contradicts itself, and what settled it."""
    random = Random(dialog.name)
    for day, line in enumerate(dialog.lines):
        speaker, text = line.split(": ", 1)
        tell(core, NOW_MS + day * DAY_MS, text, {"speaker": speaker, "workspace": dialog.name}, random)
    assert isinstance(core.store, SqliteStore)
    rows = core.store.connection.execute(
        "SELECT entity, relation, status, settled_by FROM contradiction WHERE workspace = ?", (dialog.name,)
    )
    return frozenset(
        (entity, relation, settled_by or status) for entity, relation, status, settled_by in rows
    )


def tell(core: Core, now_ms: int, text: str, fields: dict[str, Value], random: Random) -> None:
    assert isinstance(core.store, SqliteStore)
    rid = new_memory_id(now_ms, random)
    dated, found = read_text(text, fields, now_ms=now_ms)
    taken = take_in(rid, text, dated, found)
    teller = ClaimWriter(core, core.store.connection, now_ms)
    teller.tell(taken.writes, [(telling_of(where, fields, now_ms), each) for where, each in taken.statements])
    teller.commit()


@pytest.mark.parametrize("dialog", [each for each in DIALOGS if not each.missed], ids=lambda each: each.name)
def test_a_dialog_holds_what_a_reader_finds_in_it(core: Core, dialog: Dialog) -> None:
    assert found_in(core, dialog) == dialog.found


@pytest.mark.parametrize("dialog", [each for each in DIALOGS if each.missed], ids=lambda each: each.name)
def test_what_is_missed_is_missed_and_not_mistaken(core: Core, dialog: Dialog) -> None:
    """Where one of these is found, it is to be counted among those that are."""
    assert found_in(core, dialog) == frozenset()


def test_four_in_five_are_found_of_what_a_reader_finds() -> None:
    assert (len(DISAGREEMENTS), len(CHANGES), len(COMPATIBLE)) >= (20, 20, 30)
    wanted = sum(len(each.found) for each in DIALOGS)
    missed = sum(len(each.found) for each in DIALOGS if each.missed)
    assert (wanted - missed) / wanted >= RECALL_MIN


def test_two_people_of_one_name_are_taken_for_one(core: Core) -> None:
    """The one mistake that is known of: whoever mends it moves this dialog to those that hold nothing."""
    assert found_in(core, MISTAKEN) == {("Ann", "lives_in", "open")}
