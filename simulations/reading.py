"""Read a device's folded state in the words of the definition: by places that all share, without local numbers."""

from replica.codec import read_place, unpack
from replica.core import Core
from replica.ids import OpRef
from replica.ops import Claim
from replica.state.cells import CellKind, Key, Lesson, Proposal, Receipts, TellingLink, maker_of
from replica.state.memories import MemoryCell
from replica.state.register import Dot, Register
from simulations.definition import Heads, Meaning, MemoryMeaning


def meaning_on(core: Core) -> Meaning:
    """Return what a device has folded, as a `Meaning`."""
    meaning = Meaning(tombstones=set(core.store.all_tombstones()))
    for key, cell in core.store.all_cells():
        match cell:
            case MemoryCell():
                meaning.memories[key.name] = _memory(core, cell)
            case Receipts(devices):
                meaning.receipts[key.name] = set(devices)
            case Lesson(rid, amounts):
                meaning.lessons[maker_of(key)] = (rid, amounts)
            case Proposal(_, rids):
                meaning.proposals[maker_of(key)] = tuple(rids)
            case TellingLink(_, rids, sureness):
                meaning.links[maker_of(key)] = (rids, sureness)
            case _:
                _place_register(meaning, key, _heads(core, cell))
    return meaning


def _memory(core: Core, cell: MemoryCell) -> MemoryMeaning:
    return MemoryMeaning(
        adds={_place(core, dot): (add.hlc, add.text, dict(add.fields)) for dot, add in cell.adds.items()},
        fields={name: _heads(core, register) for name, register in cell.fields.items()},
        edits={base: text.show() for base, text in cell.edits.items()},
        edited_hlc=cell.edited_hlc,
        accesses={core.feeds.origin(number): total for number, total in cell.accesses.items()},
        claims={
            _place(core, dot): Claim(
                claim.entity, claim.relation, claim.value, tuple(claim.replaces), claim.valid_from
            )
            for dot, claim in cell.claims.items()
        },
        verdicts={_place(core, dot): _heads(core, register) for dot, register in cell.verdicts.items()},
        triggers=dict(cell.triggers),
        labels={label: _heads(core, register) for label, register in cell.labels.items()},
        untagged={_place(core, dot): labels for dot, labels in cell.untagged.items()},
    )


def _place(core: Core, dot: Dot) -> OpRef:
    return OpRef(core.feeds.origin_of(dot.feed), dot.seq, dot.id8)


def _heads(core: Core, register: Register) -> Heads:
    return {_place(core, dot): held for dot, held in register.items()}


def _place_register(meaning: Meaning, key: Key, heads: Heads) -> None:
    if key.part is CellKind.EDGE:
        source, relation, target = unpack(key.name)
        meaning.edges[source, relation, target] = heads
    elif key.part is CellKind.SAME_SLOT:
        one, claim, other, against, by = unpack(key.name)
        meaning.judgments[(one, read_place(claim)), (other, read_place(against)), by] = heads
    else:
        meaning.settings[key.name.decode()] = heads
