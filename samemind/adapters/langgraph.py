"""LangGraph's long-term store, kept as memories: what an agent puts there is on all devices, and people can read it.

An item is one memory, under an id that follows from its namespace and key, so two devices that put the same item have
written the same memory. Its text is what people and searches see; the value is beside it in the metadata. Where the
text is one field of the value it is kept there alone: whoever corrects the memory in the panel corrects what the agent
reads. An id that was forgotten is never used again, so an item that is put anew after it was deleted has the next of a
row of ids.
"""

import asyncio
import json
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    validate_op_namespace,
)

from replica.limits import FIELD_STRING_BYTES_MAX
from samemind.commands.memories.list import LIST_MAX
from samemind.errors import NeedsDecision, NotFound, Usage
from samemind.formats.memory_view import MemoryView
from samemind.library.blocking import BlockingMind

# A register of the store: two devices that write it at once come to one of the two values whole, never to a mixture.
VALUE_BYTES_MAX: Final = FIELD_STRING_BYTES_MAX
# Each level is an entry of the metadata, by which a search is narrowed.
DEPTH_MAX: Final = 32
# How many answers to a question are looked through, of which a filter may turn many away.
SEARCHED_MAX: Final = 1_000
_SPACE: Final = uuid.UUID("6f0f7a1c-5a0e-5d0b-9a52-6c9f1d6f6d1e")
_NAMESPACE, _KEY, _VALUE, _FIELD = "langgraph", "langgraph_key", "langgraph_value", "langgraph_field"
_WHOLE: Final = "$"


class SamemindStore(BaseStore):
    """A `BaseStore` over an open memory; `workspace` keeps it apart from everything else there.

    `fields` are the paths whose text is searched where a `put` names none, as for other stores; without, the only text
    of the value, or all of it in words.
    """

    supports_ttl = False

    def __init__(
        self, mind: BlockingMind, *, workspace: str | None = None, fields: Sequence[str] = ()
    ) -> None:
        self._mind = mind
        self._workspace = workspace
        self._fields = tuple(fields)
        self._writing = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Perform operations: what reads sees the store as it was before; of several puts of one, the last holds."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                puts[op.namespace, op.key] = op
                results.append(None)
            else:
                results.append(self._read(op))
        with self._writing:
            for put in puts.values():
                self._delete(put) if put.value is None else self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Perform operations in a thread, since they wait for the disk."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            memory = self._standing(op.namespace, op.key).memory
            found = None if memory is None else _item(memory)
            return None if found is None else Item(**found)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"expected an operation of a store, got {type(op).__name__}")

    def _put(self, op: PutOp) -> None:
        written = _written(op, self._fields)
        standing = self._standing(op.namespace, op.key)
        if standing.memory is None:
            told = self._mind.remember(
                written.text, rid=standing.rid, meta=written.meta, workspace=self._workspace, read=False
            )
            _refuse_held(told.rid if told.held else None, op)
            memory = self._mind.get(standing.rid)
        else:
            memory = standing.memory
        # Another device or program may have put it at the same moment: what it holds now is compared, not assumed.
        if changed := {key: written.meta.get(key) for key in _changed(memory.meta, written.meta)}:
            _refuse_held(
                self._mind.set(memory, **{f"meta.{key}": new for key, new in changed.items()}).held, op
            )
        if memory.text != written.text:
            _refuse_held(self._mind.edit(memory, written.text).held, op)
        if memory.archived == written.is_searched:
            (self._mind.unarchive if written.is_searched else self._mind.archive)(memory)

    def _delete(self, op: PutOp) -> None:
        memory = self._standing(op.namespace, op.key).memory
        if memory is not None:
            self._mind.forget(memory, only=True)

    def _standing(self, namespace: tuple[str, ...], key: str) -> "_Standing":
        """Return the first id of an item that was not forgotten, and what is there.

        All before it were forgotten, so it is found by doubling and halving, however often the item was deleted.
        """
        forgotten, open_ = -1, 0
        while (found := self._look(namespace, key, open_)) is None:
            forgotten, open_ = open_, 2 * open_ + 1
        while open_ - forgotten > 1:
            middle = (forgotten + open_) // 2
            tried = self._look(namespace, key, middle)
            if tried is None:
                forgotten = middle
            else:
                open_, found = middle, tried
        return found

    def _look(self, namespace: tuple[str, ...], key: str, generation: int) -> "_Standing | None":
        """Return what is under one of an item's ids; None: it was forgotten."""
        name = json.dumps([self._workspace, namespace, key, generation])
        rid = str(uuid.uuid5(_SPACE, name))
        try:
            return _Standing(rid, self._mind.get(rid))
        except NotFound as error:
            return None if error.code == "forgotten" else _Standing(rid, None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        end, prefix = op.offset + op.limit, tuple(op.namespace_prefix)  # a list is taken by other stores too
        found: list[tuple[MemoryView, float | None]]
        if not op.query:
            found = [(memory, None) for memory in self._memories(prefix)]
        else:
            found = self._recalled(
                op.query, prefix, SEARCHED_MAX if op.filter else max(0, min(end, SEARCHED_MAX))
            )
        read = [(_item(memory), score) for memory, score in found]
        items = [SearchItem(**item, score=score) for item, score in read if item is not None]
        kept = [item for item in items if _fits(item.value, op.filter or {})]
        return kept[op.offset : end]

    def _recalled(self, query: str, prefix: tuple[str, ...], k: int) -> list[tuple[MemoryView, float | None]]:
        """Return what answers, the best first; items that say the same are one answer, and each is an item here."""
        found: dict[str, tuple[MemoryView, float | None]] = {}
        for hit in self._mind.recall(query, k=k, meta=_narrow(prefix), workspace=self._workspace):
            for rid in (hit.rid, *hit.same, *hit.summary_of):
                if rid not in found:
                    memory = self._mind.get(rid)
                    if self._is_under(memory, prefix) and not memory.archived:
                        found[rid] = (memory, hit.score)
        return list(found.values())

    def _memories(self, prefix: tuple[str, ...]) -> list[MemoryView]:
        listed = self._mind.list(
            meta=_narrow(prefix), workspace=self._workspace, include_cold=True, each=True, limit=LIST_MAX
        )
        return [memory for memory in listed if self._is_under(memory, prefix)]

    def _is_under(self, memory: MemoryView, prefix: tuple[str, ...]) -> bool:
        """Say whether a memory is an item of this store under a prefix, to the letter: filters pass over case."""
        ours = {_VALUE, _NAMESPACE} <= memory.meta.keys() and memory.workspace == self._workspace
        return ours and _namespace(memory)[: len(prefix)] == prefix

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        namespaces = {_namespace(memory) for memory in self._memories(())}
        conditions = op.match_conditions or ()
        fitting = {each for each in namespaces if all(_matches(each, one) for one in conditions)}
        if op.max_depth is not None:
            fitting = {each[: op.max_depth] for each in fitting}
        return sorted(fitting)[op.offset : op.offset + op.limit]


class _Standing(NamedTuple):
    """The id under which an item stands or is to be put, and its memory where it is there."""

    rid: str
    memory: MemoryView | None


class _Written(NamedTuple):
    """An item as it is to be written."""

    text: str
    meta: dict[str, str]
    is_searched: bool


def _written(op: PutOp, fields: Sequence[str]) -> _Written:
    value = dict(op.value or {})
    if not 0 < (depth := len(op.namespace)) <= DEPTH_MAX:
        raise Usage(f"expected a namespace of 1 to {DEPTH_MAX} labels, got {depth}", code="invalid")
    paths: Sequence[str] = op.index or fields if op.index is not False else ()
    name, text = _text_of(value, paths)
    rest = {key: each for key, each in value.items() if key != name}
    meta = {
        _NAMESPACE: ".".join(op.namespace),
        _KEY: json.dumps(op.key),
        _VALUE: json.dumps(rest, ensure_ascii=False),
    }
    for depth in range(len(op.namespace) + 1):
        meta |= _narrow(op.namespace[:depth])
    if name is not None:
        meta[_FIELD] = json.dumps(name)
    if (size := len(meta[_VALUE].encode())) > VALUE_BYTES_MAX:
        raise Usage(
            f"{'.'.join(op.namespace)}/{op.key}: expected at most {VALUE_BYTES_MAX} bytes of JSON beside the text "
            f"of a value, got {size}",
            code="too_large",
            hint="store what is larger elsewhere, and its address here",
        )
    return _Written(text or op.key or "(empty)", meta, op.index is not False and bool(text))


def _text_of(value: Mapping[str, Any], paths: Sequence[str]) -> tuple[str | None, str]:
    """Return the words that stand for a value, and the field that they are, where they are one whole."""
    named = [key for key, each in value.items() if isinstance(each, str) and each.strip()]
    if len(paths) == 1 and paths[0] in named:
        return paths[0], value[paths[0]]
    if paths and list(paths) != [_WHOLE]:
        return None, "\n".join(text for path in paths for text in get_text_at_path(value, path))
    if len(named) == 1 and len(value) == 1:
        return named[0], value[named[0]]
    said = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in value.values()
    )
    return None, "\n".join(f"{key}: {words}" for key, words in zip(value, said, strict=True))


def _item(memory: MemoryView) -> dict[str, Any] | None:
    """Return what an item is made of; None for a memory that is none, as any device of the group may write one."""
    try:
        value = json.loads(memory.meta[_VALUE])
        key = json.loads(memory.meta[_KEY])
        field = json.loads(memory.meta.get(_FIELD) or "null")
        namespace = _namespace(memory)
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(key, str) or not isinstance(field, str | None):
        return None
    if field is not None:
        value[field] = memory.text
    return {
        "value": value,
        "key": key,
        "namespace": namespace,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


def _namespace(memory: MemoryView) -> tuple[str, ...]:
    return tuple(str(memory.meta[_NAMESPACE]).split("."))


def _narrow(prefix: tuple[str, ...]) -> dict[str, str]:
    """Return the entry of the metadata that all items under a prefix share."""
    return {f"{_NAMESPACE}_{len(prefix)}": ".".join(prefix) or "store"}


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the entries of ours that differ."""
    return [key for key in (*new, _FIELD) if old.get(key) != new.get(key)]


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path: tuple[str | Literal["*"], ...] = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"expected a prefix or a suffix, got {condition.match_type!r}")
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) or None :]
    return len(part) == len(path) and all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _fits(value: Any, wanted: Mapping[str, Any]) -> bool:
    return all(_is_as(_at(value, key), each) for key, each in wanted.items())


def _at(value: Mapping[str, Any], key: str) -> Any:
    """Return what a filter names: an entry, or along its dots what lies within others, as some stores have it."""
    if key in value or "." not in key:
        return value.get(key)
    first, rest = key.split(".", 1)
    inner = value.get(first)
    return _at(inner, rest) if isinstance(inner, Mapping) else None


def _is_as(value: Any, wanted: Any) -> bool:
    """Say whether a value is as a filter wants it, by the rules of the stores that come with LangGraph."""
    if isinstance(wanted, Mapping):
        if any(key.startswith("$") for key in wanted):
            return all(_holds(value, operator, bound) for operator, bound in wanted.items())
        return isinstance(value, Mapping) and _fits(value, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(_is_as(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def _holds(value: Any, operator: str, bound: Any) -> bool:
    match operator:
        case "$eq":
            return bool(value == bound)
        case "$ne":
            return bool(value != bound)
        case "$gt":
            return float(value) > float(bound)
        case "$gte":
            return float(value) >= float(bound)
        case "$lt":
            return float(value) < float(bound)
        case "$lte":
            return float(value) <= float(bound)
        case _:
            raise ValueError(f"expected an operator among $eq, $ne, $gt, $gte, $lt, $lte; got {operator}")


def _refuse_held(rid: str | None, op: PutOp) -> None:
    """Say that a value was not stored: whoever put it counts on reading it again."""
    if rid is not None:
        raise NeedsDecision(
            f"{'.'.join(op.namespace)}/{op.key} looks secret and is held back, as {rid}",
            code="held",
            hint="`samemind held` shows it; release or drop it there",
        )
