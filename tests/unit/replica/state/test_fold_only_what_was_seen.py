"""An op acts only on what its writer had seen: else the outcome would hang on which of two came first."""

from itertools import permutations
from random import Random

import pytest

from replica.codec import pack
from replica.core import Core
from replica.frame import Frame
from replica.ids import MemoryId
from replica.ops import (
    Access,
    Claim,
    ClaimVerdict,
    Edit,
    OpKind,
    Propose,
    Remember,
    Resolve,
    SaysSame,
    Set,
    Trigger,
    Unlink,
    Withdraw,
)
from replica.state.cells import CellKind, TellingLink
from replica.state.text import EditedText, base_name
from tests.support.replicas import Hand, agree, group, memories, sqlite_store, take

RID = MemoryId(bytes(range(16)))
OTHER = MemoryId(bytes(range(1, 17)))


def taken_in_every_order(*frames: Frame, first: Frame | None = None) -> list[Core]:
    """One core for each order of these frames, each op committed, and read back, by itself."""
    cores = []
    for order in permutations(frames):
        (core, *_) = group("ann", "ben", "cleo", make_store=sqlite_store)
        for frame in (*([first] if first else []), *order):
            assert take(core, frame).ops, "nothing is refused: what it does is the question"
        cores.append(core)
    return cores


@pytest.fixture
def added() -> tuple[Hand, Frame]:
    ben = Hand("ben")
    return ben, ben.frame(ben.write(Remember("it began so", {}), RID))


def test_a_verdict_on_a_claim_that_its_writer_never_saw_does_nothing(added: tuple[Hand, Frame]) -> None:
    ben, first = added
    claim = ben.write(Claim("Ann", "lives in", "Lisbon", (), None), RID)
    root = first.ops[0].place
    cleo = Hand("cleo")
    verdict = cleo.write(Resolve((ClaimVerdict(RID, claim.place, keep=False),)), seen=[root])
    cores = taken_in_every_order(ben.frame(claim), cleo.frame(verdict), first=first)
    assert agree(*cores)


def test_a_withdrawal_of_a_proposal_that_its_writer_never_saw_does_nothing() -> None:
    ben, cleo = Hand("ben"), Hand("cleo")
    proposal = ben.write(Propose((RID,)))
    withdrawal = cleo.write(Withdraw((proposal.place,)))
    cores = taken_in_every_order(ben.frame(proposal), cleo.frame(withdrawal))
    assert agree(*cores)
    assert [[key.part for key, _ in core.store.all_cells()] for core in cores] == [[CellKind.PROPOSAL]] * 2
    seen = cleo.write(Withdraw((proposal.place,)), seen=[proposal.place])
    for core in cores:
        take(core, cleo.frame(seen))
        assert list(core.store.all_cells()) == []


def test_an_unlink_of_a_link_that_its_writer_never_saw_does_nothing() -> None:
    """Add-wins: who links again while somebody else unlinks keeps the link."""
    ben, cleo = Hand("ben"), Hand("cleo")
    one = ben.write(SaysSame((RID, OTHER), 90))
    first = ben.frame(one)
    again = ben.write(SaysSame((RID, OTHER), 80))
    unlink = cleo.write(Unlink((one.place, again.place)), seen=[one.place])
    cores = taken_in_every_order(ben.frame(again), cleo.frame(unlink), first=first)
    assert agree(*cores)
    for core in cores:
        assert [cell.sureness for _, cell in core.store.all_cells() if isinstance(cell, TellingLink)] == [80]


def test_an_edit_whose_base_its_writer_never_saw_does_nothing(added: tuple[Hand, Frame]) -> None:
    """The second device derived the same id for other words, and the editor guessed them."""
    _, first = added
    words = "somebody else's words"
    cleo, dan = Hand("cleo"), Hand("ben", incarnation=b"another!")
    again = dan.write(Remember(words, {}), RID)
    update = EditedText.from_base(RID, words).edit("forged words", Random(3))
    edit = cleo.write(Edit(base_name(RID, words), update), RID, seen=[first.ops[0].place])
    cores = taken_in_every_order(dan.frame(again), cleo.frame(edit), first=first)
    assert agree(*cores)
    assert all("forged" not in memory.text for core in cores for memory in memories(core).values())


@pytest.mark.parametrize(
    "body",
    [
        Set("importance", 0.5),
        Access(((RID, 3, 5),)),
        Claim("Ann", "lives in", "Lisbon", (), None),
        Trigger(RID, 2, "reminder", ()),
        Edit(base_name(RID, "it began so"), EditedText.from_base(RID, "it began so").state()),
    ],
    ids=lambda body: type(body).__name__,
)
def test_an_op_on_a_memory_that_its_writer_never_saw_does_nothing(
    added: tuple[Hand, Frame], body: Set | Access | Claim | Trigger | Edit
) -> None:
    _, first = added
    cleo = Hand("cleo")
    rid = None if isinstance(body, Access) else RID
    blind = cleo.write(body, rid)
    cores = taken_in_every_order(first, cleo.frame(blind))
    assert agree(*cores)
    knowing = cleo.write(body, rid, seen=[first.ops[0].place])
    before = cores[0].digests().visible
    take(cores[0], cleo.frame(knowing))
    if not isinstance(body, Edit):  # this one changes no word
        assert cores[0].digests().visible != before


def test_a_status_spelled_as_a_boolean_is_no_status(added: tuple[Hand, Frame]) -> None:
    """`true` and 1 are equal, and hashed apart: which of them stays would hang on the order."""
    ben, first = added
    one = ben.write(kind=OpKind.TRIGGER, rid=RID, plain=pack([RID, 1, "reminder", []]))
    cleo = Hand("cleo")
    true = cleo.write(
        kind=OpKind.TRIGGER, rid=RID, plain=pack([RID, True, "reminder", []]), seen=[first.ops[0].place]
    )
    assert agree(*taken_in_every_order(ben.frame(one), cleo.frame(true), first=first))
