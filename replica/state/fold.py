"""Fold ops into state: what each kind of op does to the cells it names.

The same state results from any causal delivery order, because every rule here is one of five: a set that only grows
(adds, tombstones, claims, proposals, links, feedback), a maximum (access totals, trigger status), a Yjs document, the
register of `replica.state.register`, or the add-wins set of `replica.state.labels`. `simulations/` searches for
histories where that fails.

Two rules hold for all kinds: a tombstone wins for ever, and an op on a memory applies only if its writer had seen an
add of that memory which is folded here. The second keeps an op from acting on an add that it did not know, when two
devices derived the same rid.
"""

from collections.abc import Callable, Sequence
from typing import assert_never

from replica import ops
from replica.ids import OpRef
from replica.state.adds import Add
from replica.state.cells import (
    Key,
    Lesson,
    Proposal,
    Receipts,
    State,
    TellingLink,
    edge_key,
    feedback_key,
    link_key,
    memory_key,
    proposal_key,
    receipt_key,
    same_slot_key,
    setting_key,
)
from replica.state.labels import TAGS, take_off
from replica.state.memories import HeldClaim, HeldTrigger, MemoryCell
from replica.state.register import Dot, Vector, saw, write
from replica.state.text import EditedText

DotOf = Callable[[OpRef], Dot | None]
_Beside = (
    ops.Relate
    | ops.Claim
    | ops.Resolve
    | ops.Propose
    | ops.Withdraw
    | ops.Trigger
    | ops.Receipt
    | ops.Feedback
    | ops.SaysSame
    | ops.Unlink
    | ops.SameSlot
)

_add = tuple.__new__  # by name it takes three times as long, and nearly every op that is folded adds a memory


def keys_of(op: ops.Op, body: ops.Body) -> list[Key]:
    """Return the cells that folding this op reads or writes, so that they can be loaded together."""
    rid = op.rid
    match body:
        case ops.Remember() | ops.Edit() | ops.Claim() | ops.Trigger() | ops.Tag() | ops.Untag():
            return [memory_key(rid)] if rid is not None else []
        case ops.Set():
            return [memory_key(rid)] if rid is not None else [setting_key(body.name)]
        case ops.Forget() | ops.Erase():
            return [memory_key(named) for named in body.rids]
        case ops.Relate():
            return [edge_key(body.source, body.relation, body.target)]
        case ops.Access():
            return [memory_key(named) for named, _, _ in body.totals]
        case ops.Resolve():
            return [memory_key(verdict.rid) for verdict in body.verdicts]
        case ops.Propose():
            return [proposal_key(op.place)]
        case ops.Withdraw():
            return [proposal_key(proposal) for proposal in body.proposals]
        case ops.Receipt():
            return [receipt_key(named) for named in body.rids]
        case ops.Feedback():
            return [feedback_key(op.place)]
        case ops.SaysSame():
            return [link_key(op.place)]
        case ops.Unlink():
            return [link_key(link) for link in body.links]
        case ops.SameSlot():
            return [same_slot_key(body)]
        case _:
            assert_never(body)


def fold(
    state: State,
    op: ops.Op,
    body: ops.Body,
    keys: Sequence[Key],
    dot: Dot,
    origin: int,
    vector: Vector,
    dot_of: DotOf,
) -> None:
    """Apply one op, in causal order, to the cells that `keys_of` named.

    `dot` is the op's place in local numbers, `origin` the local number of its origin; `vector` covers what the writer
    held, this op included.
    """
    rid, hlc = op.rid, op.hlc
    match body:
        case ops.Remember():
            if rid is not None and rid not in state.tombstones:
                key = keys[0]
                cell = state.cells.get(key)
                add = _add(Add, (hlc, body.text, dict(body.fields)))
                if cell is None:
                    state.cells[key] = MemoryCell.added(dot, add)
                else:
                    assert isinstance(cell, MemoryCell)
                    cell.tell(dot, add)
                state.touched[key] = None
        case ops.Edit():
            if (cell := _known(state, keys, vector)) and _edit(cell, rid, body, vector):
                cell.edited_hlc = max(cell.edited_hlc, hlc)
        case ops.Set():
            if rid is None:
                key = keys[0]
                state.cells[key] = write(state.register(key), dot, hlc, body.value, vector)
                state.touched[key] = None
            elif cell := _known(state, keys, vector):
                heads = cell.fields.get(body.name, {})
                cell.fields[body.name] = write(heads, dot, hlc, body.value, vector)
                if cell.untagged and body.name == TAGS:
                    for head in heads.keys() - cell.fields[TAGS].keys():
                        cell.untagged.pop(head, None)
        case ops.Forget() | ops.Erase():
            for named in body.rids:
                state.kill(named)
        case ops.Access():
            for key, (_, count, last) in zip(keys, body.totals, strict=True):
                if cell := _known(state, (key,), vector):
                    held = cell.accesses.get(origin, (0, 0))
                    cell.accesses[origin] = (max(held[0], count), max(held[1], last))
        case ops.Tag() | ops.Untag():
            if cell := _known(state, keys, vector):
                _label(cell, keys[0].name, body, dot, hlc, vector)
        case _:
            _fold_beside(state, op, body, keys, dot, vector, dot_of)


def _fold_beside(
    state: State, op: ops.Op, body: _Beside, keys: Sequence[Key], dot: Dot, vector: Vector, dot_of: DotOf
) -> None:
    """Apply an op that says something of memories, or beside them, and changes none; see `fold`."""
    hlc = op.hlc
    match body:
        case ops.Relate():
            key = keys[0]
            weight = None if body.weight is None else float(body.weight)  # as everybody else reads it
            state.cells[key] = write(state.register(key), dot, hlc, weight, vector)
            state.touched[key] = None
        case ops.Claim():
            if cell := _known(state, keys, vector):
                cell.claims[dot] = HeldClaim(
                    hlc, body.entity, body.relation, body.value, body.replaces, body.valid_from
                )
        case ops.Resolve():
            for key, verdict in zip(keys, body.verdicts, strict=True):
                cell = state.memory(verdict.rid)
                claim = dot_of(verdict.claim)
                # Only on a claim that the writer had seen: else the outcome would hang on which of the two came first.
                if cell is not None and claim in cell.claims and saw(vector, claim):
                    heads = cell.verdicts.get(claim, {})
                    cell.verdicts[claim] = write(heads, dot, hlc, verdict.keep, vector)
                    state.touched[key] = None
        case ops.Propose():
            key = keys[0]
            state.cells[key] = Proposal(dot, body.rids)
            state.touched[key] = None
        case ops.Withdraw():
            for key in keys:
                proposed = state.cells.get(key)
                if isinstance(proposed, Proposal) and saw(vector, proposed.dot):
                    del state.cells[key]
                    state.touched[key] = None
        case ops.Trigger():
            if cell := _known(state, keys, vector):
                delivered = (hlc, op.origin.device) if body.status == ops.DELIVERED else None
                told = HeldTrigger(body.status, (hlc, body.kind, body.about), delivered)
                known = cell.triggers.get(body.trigger)
                cell.triggers[body.trigger] = told if known is None else told.joined(known)
        case ops.Receipt():
            for key in keys:
                receipts = state.cells.get(key)
                confirmed = receipts.devices if isinstance(receipts, Receipts) else frozenset[bytes]()
                state.cells[key] = Receipts(confirmed | {op.origin.device})
                state.touched[key] = None
        case ops.Feedback():
            key = keys[0]
            state.cells[key] = Lesson(body.rid, body.amounts)
            state.touched[key] = None
        case ops.SaysSame():
            key = keys[0]
            state.cells[key] = TellingLink(dot, body.rids, body.sureness)
            state.touched[key] = None
        case ops.Unlink():
            for key in keys:
                link = state.cells.get(key)
                if isinstance(link, TellingLink) and saw(vector, link.dot):
                    del state.cells[key]
                    state.touched[key] = None
        case ops.SameSlot():
            # Also where a memory is gone, or never was: what it comes to is read with the claims that live.
            key = keys[0]
            state.cells[key] = write(state.register(key), dot, hlc, [body.same, body.sureness], vector)
            state.touched[key] = None
        case _:
            assert_never(body)


def _known(state: State, keys: Sequence[Key], vector: Vector) -> MemoryCell | None:
    """Return the cell of the memory named, if it lives and the writer had seen it being added; mark it touched."""
    for key in keys:
        cell = state.cells.get(key)
        if isinstance(cell, MemoryCell):
            if len(cell.adds) == 1:
                ((dot, _),) = cell.adds.items()
                known = saw(vector, dot)
            else:
                known = cell.index(key.name).is_known(vector)
            if known:
                state.touched[key] = None
                return cell
    return None


def _label(
    cell: MemoryCell, rid: bytes, body: ops.Tag | ops.Untag, dot: Dot, hlc: int, vector: Vector
) -> None:
    """Put labels on, or take off what the author had seen of them."""
    is_on = isinstance(body, ops.Tag)
    for label in body.labels:
        cell.labels[label] = write(cell.labels.get(label, {}), dot, hlc, is_on, vector)
    if is_on:
        return
    for label in body.labels:
        for seen in cell.index(rid).take_off(label, vector):
            take_off(cell.untagged, seen, (label,))
    for head, (_, told) in cell.fields.get(TAGS, {}).items():
        if isinstance(told, list) and saw(vector, head) and (gone := {*body.labels}.intersection(told)):
            take_off(cell.untagged, head, gone)


def _edit(cell: MemoryCell, rid: bytes | None, edit: ops.Edit, vector: Vector) -> bool:
    """Apply an edit to the document it names, if its writer had seen an add with that text; say whether.

    A Yjs document does not keep an update whose base is missing, so an edit that came before its base would be lost
    here and kept elsewhere.
    """
    assert rid is not None
    base = cell.index(rid).text_of(edit.base, vector)
    if base is None:
        return False
    text = cell.edits.get(edit.base)
    if text is None:
        text = cell.edits[edit.base] = EditedText.from_base(rid, base)
    text.apply(edit.update)
    return True
