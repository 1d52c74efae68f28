"""Read and write JSON lines: one object a line, the format in which everything can be taken out and brought in again.

An exported memory keeps its id, its fields and its counts, so that what comes in elsewhere has the same
digest. Lines of other programs need a `text` only; their ids are derived from their `id`, or else from what
they say, so that bringing a file in twice adds nothing. When a line was stored is known only to the log it
came from: a line of another program that has a `created_at` was told then.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from replica import (
    Claim,
    InvalidOp,
    MemoryId,
    SaysSame,
    Value,
    derived_memory_id,
    parse_memory_id,
    show_memory_id,
)
from replica.codec import SALT_BYTES, encode_payload
from replica.fields import check_field
from replica.json_text import check_depth, parse_json
from replica.labelling import take_entries
from replica.limits import JUDGES_MAX, SURENESS_MAX
from samemind.errors import SamemindError, Usage
from samemind.formats.fields import read_record
from samemind.formats.memory_view import MemoryView
from samemind.formats.plain import to_json
from samemind.formats.times import read_time
from samemind.portable.records import (
    Claimed,
    Edge,
    Item,
    JudgedClaims,
    Linked,
    Reads,
    Record,
    Setting,
    Unreadable,
)

SOURCE: Final = "jsonl"
_MEMORY: Final = "memory"
_DECODER: Final = json.JSONDecoder()
_ENCODER: Final = json.JSONEncoder(sort_keys=True)
# What JSON takes for space.
_SPACE: Final = " \t\r\n"
# What an `id` of another program may be; as a union it would be made anew for each line.
_NAMES: Final = (str, int, type(None))
_TIMES: Final = (str, type(None))
# What a view says of the device rather than of the memory: written for people, passed over when read.
_ABOUT_THE_DEVICE: Final = frozenset(
    (
        "created_at",
        "updated_at",
        "device",
        "device_name",
        "origin",
        "same",
        "tellings",
        "variants",
        "guessed",
    )
)


def memory_line(view: MemoryView, unknown: Mapping[str, Any]) -> str:
    """Return one memory as a line; `unknown` are fields of a later version, kept as they are."""
    document = {key: value for key, value in to_json(view).items() if not _is_empty(value)}
    document.pop("tellings", None)  # every telling has a line of its own
    if not view.accesses:
        document.pop("accesses", None)
    if unknown:
        document["unknown"] = {name: _shown(value) for name, value in unknown.items()}
    return _line({"kind": _MEMORY, **document})


def edge_line(source: str, relation: str, target: str, weight: float) -> str:
    """Return one edge as a line."""
    return _line({"kind": "edge", "source": source, "relation": relation, "target": target, "weight": weight})


def setting_line(name: str, value: Value) -> str:
    """Return one shared setting as a line."""
    return _line({"kind": "setting", "name": name, "value": _shown(value)})


def link_line(one: MemoryId, other: MemoryId, sureness: int) -> str:
    """Return a link between two tellings that say the same as a line."""
    return _line({"kind": "link", "rids": [show_memory_id(one), show_memory_id(other)], "sureness": sureness})


def claim_line(claim: Claimed) -> str:
    """Return what a memory claims as a line."""
    document: dict[str, Any] = {
        "kind": "claim",
        "id": claim.id,
        "rid": show_memory_id(claim.rid),
        "entity": claim.entity,
        "relation": claim.relation,
        "value": claim.value,
    }
    if claim.valid_from is not None:
        document["valid_from"] = claim.valid_from
    if claim.replaces:
        document["replaces"] = list(claim.replaces)
    if claim.keep is not None:
        document["keep"] = claim.keep
    return _line(document)


def judgment_line(judged: JudgedClaims) -> str:
    """Return what was said of two claims as a line."""
    return _line(
        {
            "kind": "judgment",
            "claims": list(judged.claims),
            "same": judged.same,
            "by": judged.by,
            "sureness": judged.sureness,
        }
    )


def read(lines: Iterable[str]) -> Iterator[Record]:
    """Return what the lines hold, in their order."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _loaded(line)
            if not isinstance(record, dict):
                raise Usage("expected an object")
            yield _READERS.get(str(record.get("kind")), _item)(number, record)
        except json.JSONDecodeError as error:
            yield Unreadable(
                line=number, reason=f"expected a JSON object, {error.msg} at character {error.colno}"
            )
        except (SamemindError, InvalidOp, OverflowError, ValueError) as error:
            yield Unreadable(line=number, reason=str(error))


def _loaded(line: str) -> Any:
    """Return what `parse_json` does: of a short line most of its time goes by before and behind the scanning."""
    whole = line.strip(_SPACE)
    check_depth(whole)
    try:
        found, end = _DECODER.raw_decode(whole)
    except json.JSONDecodeError:
        return parse_json(line)  # which says what is wrong with it
    return parse_json(line) if end < len(whole) else found


def _canonical(record: Mapping[str, Any]) -> str:
    """Return the one JSON text of an object, in ASCII and with sorted names; piece by piece, since texts are quick."""
    encode = _ENCODER.encode
    return f"{{{', '.join([f'{encode(name)}: {encode(record[name])}' for name in sorted(record)])}}}"


def _item(line: int, record: dict[str, Any]) -> Item:
    named = record.get("rid") is not None or record.get("id") is not None
    canonical = "" if named else _canonical(record)
    kind = record.pop("kind", None)
    ours = kind == _MEMORY
    text = record.pop("text", None)
    if not isinstance(text, str) or not text.strip():
        if ours or kind is None:
            raise Usage("expected a text")
        kinds = ", ".join((_MEMORY, *_READERS))
        raise Usage(
            f"expected a text, or a kind among {kinds}; got {kind!r:.40}, which a later version may know"
        )
    rid, name = record.pop("rid", None), record.pop("id", None)
    unknown, accesses, last = (
        record.pop("unknown", {}),
        record.pop("accesses", 0),
        record.pop("last_access", None),
    )
    created_at = record.get("created_at")
    fields: dict[str, Value] = {}
    if record:
        for key in _ABOUT_THE_DEVICE & record.keys():
            del record[key]
        fields = read_record(record)
    if not isinstance(unknown, dict) or type(accesses) is not int or not isinstance(name, _NAMES):
        raise Usage("expected `unknown` to be an object, `accesses` a number, `id` a text or a number")
    if not isinstance(last, _TIMES):
        raise Usage("expected `last_access` to be a time")
    if unknown:
        fields |= {key: _read(value) for key, value in unknown.items()}
        take_entries(fields)  # version 0.1.0 keeps them for later versions, which write each by itself
    if not ours and isinstance(created_at, str):
        fields.setdefault("told_at", read_time(created_at, name="created_at"))
    return Item(
        line=line,
        rid=_rid(rid, name, canonical),
        text=text,
        fields=fields,
        accesses=(accesses, 0 if last is None else read_time(last, name="last_access")),
        by_any=ours,
        reads=Reads.ASKED if ours else Reads.YES,
    )


def _rid(rid: object, name: str | int | None, canonical: str) -> MemoryId:
    if rid is not None:
        if not isinstance(rid, str):
            raise Usage(f"expected the id of a memory, got {rid!r:.60}")
        return parse_memory_id(rid)
    if name is not None:
        return derived_memory_id(SOURCE, f"id {name}")
    return derived_memory_id(SOURCE, f"line {hashlib.sha256(canonical.encode()).hexdigest()}")


def _edge(line: int, record: Mapping[str, Any]) -> Edge:
    source, relation, target = record.get("source"), record.get("relation"), record.get("target")
    weight = record.get("weight", 1.0)
    if not all(isinstance(each, str) and each for each in (source, relation, target)):
        raise Usage("expected an edge to have a source, a relation and a target")
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise Usage(f"expected the weight of an edge to be a number, got {weight!r:.60}")
    return Edge(
        line=line, source=str(source), relation=str(relation), target=str(target), weight=float(weight)
    )


def _setting(line: int, record: Mapping[str, Any]) -> Setting:
    name, value = record.get("name"), _read(record.get("value"))
    if not isinstance(name, str) or not name or value is None:
        raise Usage("expected a setting to have a name and a value")
    check_field(name, value)
    return Setting(line=line, name=name, value=value)


def _link(line: int, record: Mapping[str, Any]) -> Linked:
    match record:
        case {"rids": [str(one), str(other)], "sureness": int(sureness)} if type(sureness) is int:
            pass
        case _:
            raise Usage("expected a link to have `rids` of two memories and a `sureness`")
    first, second = sorted((parse_memory_id(one), parse_memory_id(other)))
    # Refuses what no link may be.
    encode_payload(bytes(SALT_BYTES), SaysSame((first, second), sureness))
    return Linked(line=line, rids=(first, second), sureness=sureness)


def _claim(line: int, record: Mapping[str, Any]) -> Claimed:
    match record:
        case {
            "id": str(name),
            "rid": str(rid),
            "entity": str(entity),
            "relation": str(relation),
            "value": str(value),
        } if entity.strip() and relation.strip() and value.strip():
            pass
        case _:
            raise Usage("expected a claim to have an id, a rid, an entity, a relation and a value")
    valid_from, replaces, keep = record.get("valid_from"), record.get("replaces", []), record.get("keep")
    if type(valid_from) not in (int, type(None)) or not isinstance(keep, bool | None):
        raise Usage("expected `valid_from` of a claim to be a number of ms, and `keep` true or false")
    if not isinstance(replaces, list) or not all(isinstance(each, str) for each in replaces):
        raise Usage("expected `replaces` of a claim to be a list of the ids of claims")
    claim = Claimed(
        line=line,
        id=name,
        rid=parse_memory_id(rid),
        entity=entity,
        relation=relation,
        value=value,
        valid_from=valid_from,
        replaces=tuple(replaces),
        keep=keep,
    )
    encode_payload(
        bytes(SALT_BYTES), Claim(entity, relation, value, (), valid_from)
    )  # refuses what no claim may be
    return claim


def _judgment(line: int, record: Mapping[str, Any]) -> JudgedClaims:
    match record:
        case {
            "claims": [str(one), str(other)],
            "same": bool(same),
            "by": int(by),
            "sureness": int(sureness),
        } if type(by) is type(sureness) is int and one != other:
            if 1 <= by <= JUDGES_MAX and 1 <= sureness <= SURENESS_MAX:
                return JudgedClaims(line=line, claims=(one, other), same=same, by=by, sureness=sureness)
    raise Usage(
        "expected a judgment to have `claims` with the ids of two claims, `same` true or false, "
        f"`by` from 1 to {JUDGES_MAX} and a `sureness` from 1 to {SURENESS_MAX}"
    )


_READERS: Final[Mapping[str, Callable[[int, dict[str, Any]], Record]]] = {
    "edge": _edge,
    "setting": _setting,
    "link": _link,
    "claim": _claim,
    "judgment": _judgment,
}


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value == [] or value == {}


def _line(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, default=_shown) + "\n"


def _shown(value: Any) -> Any:
    """Return a value as JSON can hold it: bytes as `{"base64": …}`, and a map that looks like that as `{"map": …}`."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        shown = {name: _shown(each) for name, each in value.items()}
        return {"map": shown} if list(value) in (["base64"], ["map"]) else shown
    return value


def _read(value: Any) -> Value:
    if not isinstance(value, dict):
        return value  # type: ignore[no-any-return]
    if list(value) == ["base64"]:
        return base64.b64decode(value["base64"], validate=True)
    inner = value["map"] if list(value) == ["map"] and isinstance(value["map"], dict) else value
    return {name: _read(each) for name, each in inner.items()}  # type: ignore[misc]
