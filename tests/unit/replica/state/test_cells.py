from random import Random

from hypothesis import given
from hypothesis import strategies as st

from replica.codec import encode_payload
from replica.ids import DeviceId, MemoryId, OpRef, Origin
from replica.ops import Remember
from replica.state.adds import Add
from replica.state.cells import (
    Cell,
    CellKind,
    Key,
    Lesson,
    Proposal,
    TellingLink,
    decode_cell,
    edge_key,
    encode_cell,
    link_key,
    maker_of,
    memory_key,
    proposal_key,
    renumber,
    setting_key,
)
from replica.state.memories import HeldClaim, HeldTrigger, MemoryCell, show
from replica.state.register import Dot, Register
from replica.state.text import EditedText, base_name

PLACE = OpRef(Origin(DeviceId(b"d" * 32), b"incarnat"), 41, b"eight by")
DOTS = st.builds(Dot, st.integers(0, 40), st.integers(1, 2**40), st.binary(min_size=8, max_size=8))
LINKS = st.builds(TellingLink, DOTS, st.just((MemoryId(bytes(16)), MemoryId(b"x" * 16))), st.integers(1, 100))
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9) | st.binary(max_size=9)
)
REGISTERS = st.dictionaries(DOTS, st.tuples(st.integers(1, 2**62), SCALARS), min_size=1, max_size=3)
CELLS = st.builds(
    MemoryCell,
    adds=st.dictionaries(
        DOTS,
        st.builds(
            Add,
            st.integers(1, 2**62),
            st.text(min_size=1, max_size=9),
            st.dictionaries(st.text(min_size=1, max_size=5), SCALARS, max_size=2),
        ),
        min_size=1,
        max_size=3,
    ),
    fields=st.dictionaries(st.text(min_size=1, max_size=5), REGISTERS, max_size=2),
    edited_hlc=st.integers(0, 2**62),
    accesses=st.dictionaries(
        st.integers(0, 40), st.tuples(st.integers(0, 2**48), st.integers(0, 2**46)), max_size=3
    ),
    claims=st.dictionaries(
        DOTS,
        st.builds(
            HeldClaim,
            st.integers(1, 2**62),
            st.just("Ann"),
            st.just("is"),
            st.text(max_size=5),
            st.just((PLACE,)),
            st.none() | st.integers(0, 9),
        ),
        max_size=2,
    ),
    verdicts=st.dictionaries(DOTS, REGISTERS, max_size=2),
    triggers=st.dictionaries(
        st.binary(min_size=16, max_size=16),
        st.builds(
            HeldTrigger,
            st.integers(0, 3),
            st.tuples(st.integers(1, 2**62), st.text(max_size=5), st.just((MemoryId(bytes(16)),))),
            st.none() | st.tuples(st.integers(1, 2**62), st.binary(min_size=32, max_size=32)),
        ),
        max_size=2,
    ),
)


@given(cell=CELLS)
def test_a_memory_comes_back_from_its_bytes(cell: MemoryCell) -> None:
    if not (cell.fields or cell.edits or cell.accesses or cell.claims or cell.triggers):
        cell.edited_hlc, cell.verdicts = 0, {}  # without the things that these belong to
    again = decode_cell(CellKind.MEMORY, encode_cell(cell))
    assert again == cell
    assert encode_cell(again) == encode_cell(cell)


@given(register=REGISTERS, part=st.sampled_from([CellKind.EDGE, CellKind.SETTING]))
def test_a_register_comes_back_from_its_bytes(register: Register, part: CellKind) -> None:
    assert decode_cell(part, encode_cell(register)) == register


@given(dot=DOTS)
def test_a_proposal_comes_back_from_its_bytes(dot: Dot) -> None:
    proposal = Proposal(dot, (MemoryId(bytes(16)), MemoryId(b"x" * 16)))
    assert decode_cell(CellKind.PROPOSAL, encode_cell(proposal)) == proposal
    link = TellingLink(dot, (MemoryId(bytes(16)), MemoryId(b"x" * 16)), 90)
    assert decode_cell(CellKind.LINK, encode_cell(link)) == link


def test_a_lesson_comes_back_from_its_bytes() -> None:
    lesson = Lesson(MemoryId(bytes(16)), (("meaning", 3), ("words", -5)))
    assert decode_cell(CellKind.FEEDBACK, encode_cell(lesson)) == lesson


def test_an_edited_text_comes_back_from_its_bytes() -> None:
    rid = bytes(16)
    text = EditedText.from_base(rid, "one")
    text.apply(text.edit("one two", Random(1)))
    cell = MemoryCell(adds={Dot(0, 1, b"x" * 8): Add(5, "one", {})}, edits={base_name(rid, "one"): text})
    again = decode_cell(CellKind.MEMORY, encode_cell(cell))
    assert isinstance(again, MemoryCell)
    assert show(rid, again).text == show(rid, cell).text == "one two"


@given(cell=CELLS | REGISTERS | st.builds(Proposal, DOTS, st.just((MemoryId(bytes(16)),))) | LINKS)
def test_numbers_translated_there_and_back_are_the_same(cell: Cell) -> None:
    """As when a snapshot crosses to a replica that met the feeds in another order."""
    there = renumber(cell, lambda dot: dot._replace(feed=dot.feed + 7), lambda origin: origin + 3)
    assert there != cell or not isinstance(cell, dict)
    assert renumber(there, lambda dot: dot._replace(feed=dot.feed - 7), lambda origin: origin - 3) == cell


def test_keys_are_names_that_every_replica_shares() -> None:
    assert memory_key(bytes(16)) == Key(CellKind.MEMORY, bytes(16))
    assert maker_of(proposal_key(PLACE)) == maker_of(link_key(PLACE)) == PLACE
    assert edge_key("a", "b", "c") != edge_key("ab", "", "c")
    keys = {edge_key("a", "b", "c"), setting_key("a"), memory_key(b"a"), proposal_key(PLACE), link_key(PLACE)}
    assert len(keys) == 5
    assert setting_key("a") != Key(CellKind.MEMORY, b"a")


def test_nearly_every_memory_is_kept_in_little_more_than_its_words() -> None:
    add = Add(5, "x" * 60, {})
    cell = MemoryCell(adds={Dot(0, 1, b"x" * 8): add})
    assert len(encode_cell(cell)) < len(encode_payload(bytes(16), Remember("x" * 60, {}))) + 5
