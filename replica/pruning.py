"""Take out of a base what some feeds did, as far as it can be told apart.

Every live item of a base stands under the op that made it, so adds, values, labels, claims and links go with their
feeds. Edits of a text are one document: it is made anew of the signed edits that stay (`replica.remains`), where any of
those that go had edited it. What cannot be told any more is what they overwrote, and the words of what they forgot:
such a memory stays forgotten. Whoever still has the ops in the log loses neither.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TypeVar

from replica.codec import decode_payload
from replica.core import Core
from replica.frame import decode_frame
from replica.ops import Edit, OpKind
from replica.state.cells import Cell, CellKind, Key, Lesson, Proposal, Receipts, TellingLink, maker_of
from replica.state.memories import MemoryCell
from replica.state.register import Dot, Register
from replica.state.text import EditedText, base_name

_Held = TypeVar("_Held")


@dataclass(frozen=True, slots=True)
class Pruning:
    """What goes: feeds and origins by their local numbers, and devices of which nothing stays.

    `edits`: of each memory whose text one of those edited, the base and update of each signed edit that stays.
    """

    core: Core
    feeds: Set[int]
    origins: Set[int]
    devices: Set[bytes]
    edits: Mapping[bytes, list[tuple[bytes, bytes]]]

    @classmethod
    def of(cls, core: Core, feeds: Set[int]) -> "Pruning":
        """Say what goes with some feeds."""
        stays = {feed.origin for feed in core.feeds if feed.no not in feeds}
        gone = [feed for feed in core.feeds if feed.no in feeds]
        edits: dict[bytes, list[tuple[bytes, bytes]]] = {}
        edited_by_gone: set[bytes] = set()
        for data in core.store.remains():
            frame = decode_frame(data)
            for op in frame.ops:
                if op.kind != OpKind.EDIT or op.payload is None or op.rid is None:
                    continue
                dot = core.feeds.locate(op.place)
                if dot is None or dot.feed in feeds:
                    edited_by_gone.add(op.rid)
                    continue
                said = decode_payload(op.kind, op.payload)
                assert isinstance(said, Edit)
                edits.setdefault(op.rid, []).append((said.base, said.update))
        return cls(
            core,
            feeds,
            {feed.origin_no for feed in gone if feed.origin not in stays},
            {feed.origin.device for feed in gone} - {origin.device for origin in stays},
            {rid: edits.get(rid, []) for rid in edited_by_gone},
        )

    def remains(self) -> list[bytes]:
        """Return the remains of what stays."""
        kept = []
        for data in self.core.store.remains():
            dot = self.core.feeds.locate(decode_frame(data).ops[-1].place)
            if dot is not None and dot.feed not in self.feeds:
                kept.append(data)
        return kept

    def pruned(self, key: Key, cell: Cell) -> Cell | None:
        """Return a cell without what goes; None if nothing is left."""
        match cell:
            case MemoryCell():
                return self._memory(key.name, cell)
            case Proposal() | TellingLink():
                return None if cell.dot.feed in self.feeds else cell
            case Lesson():
                dot = self.core.feeds.locate(maker_of(key))
                return None if dot is None or dot.feed in self.feeds else cell
            case Receipts():
                devices = cell.devices - self.devices
                return Receipts(devices) if devices else None
            case _:
                assert key.part in (CellKind.EDGE, CellKind.SETTING, CellKind.SAME_SLOT)
                return self._left(cell) or None

    def _memory(self, rid: bytes, cell: MemoryCell) -> MemoryCell | None:
        adds = self._left(cell.adds)
        if not adds:
            return None
        claims = self._left(cell.claims)
        fields = self._registers(cell.fields)
        verdicts = {dot: self._left(register) for dot, register in cell.verdicts.items() if dot in claims}
        return MemoryCell(
            adds=adds,
            fields=fields,
            edits=self._texts(rid, cell),
            edited_hlc=cell.edited_hlc,
            accesses={no: total for no, total in cell.accesses.items() if no not in self.origins},
            claims=claims,
            verdicts={dot: register for dot, register in verdicts.items() if register},
            triggers={
                trigger: held._replace(delivered=None)
                if held.delivered is not None and held.delivered[1] in self.devices
                else held
                for trigger, held in cell.triggers.items()
            },
            labels=self._registers(cell.labels),
            untagged={
                dot: labels
                for dot, labels in cell.untagged.items()
                if dot in adds or any(dot in register for register in fields.values())
            },
        )

    def _texts(self, rid: bytes, cell: MemoryCell) -> dict[bytes, EditedText]:
        signed = self.edits.get(rid)
        if signed is None:
            return dict(cell.edits)
        texts: dict[bytes, EditedText] = {}
        starts = {base_name(rid, add.text): add.text for add in cell.adds.values()}
        for base, update in signed:
            if base in starts:
                texts.setdefault(base, EditedText.from_base(rid, starts[base])).apply(update)
        return texts

    def _registers(self, registers: Mapping[str, Register]) -> dict[str, Register]:
        left = {name: self._left(register) for name, register in registers.items()}
        return {name: register for name, register in left.items() if register}

    def _left(self, held: Mapping[Dot, _Held]) -> dict[Dot, _Held]:
        return {dot: value for dot, value in held.items() if dot.feed not in self.feeds}
