"""Make a decision about a contradiction, as ops, and say which decisions were made.

A decision is a verdict on every claim of the slot, those that were replaced too: so what it hides stays hidden when the
claim that had replaced it goes. Where a value is to hold that nobody holds any more, it is claimed anew on the memory
that claimed it last. A merger is a new memory that replaces what it merges; nothing is thrown away by any of them.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cognition.contradictions.slots import Belief, ClaimStatus, ContradictionStatus, Judged, LiveClaim
from cognition.contradictions.tables import judged_of
from cognition.contradictions.telling import place_of
from cognition.contradictions.values import ENDED, compatible
from replica import (
    Claim,
    ClaimVerdict,
    Core,
    MemoryId,
    OpKind,
    Relate,
    Remember,
    Resolve,
    Value,
    Write,
    memories_called,
    show_memory_id,
)
from replica.limits import NAMES_MAX
from replica.reads.texts import LastEdit, last_edits

# How a merged memory is related to those that it stands for: one of the five relations between memories.
UPDATES: Final = "updates"


@dataclass(frozen=True, slots=True)
class Resolution:
    """One resolution that still counts: who made it, when, and which values it kept and hid."""

    device: bytes
    hlc: int
    kept: tuple[str, ...]
    hidden: tuple[str, ...]


def decide(
    core: Core,
    connection: sqlite3.Connection,
    slot: bytes,
    values: Sequence[str],
    *,
    entity: str,
    relation: str,
    now_ms: int,
) -> bool:
    """Keep the chosen values of a slot and hide the others; say whether anything was written."""
    judged = judged_of(connection, slot)
    anew = restatements(core, judged, values, entity=entity, relation=relation)
    if anew:  # a verdict names claims, so they come first
        core.commit(anew, now_ms)
        judged = judged_of(connection, slot)
    decided = verdicts(core, judged, values)
    core.commit(decided, now_ms)
    return bool(anew or decided)


def merge(
    core: Core,
    judged: Judged,
    rid: MemoryId,
    text: str,
    *,
    workspace: str | None,
    entity: str,
    relation: str,
    now_ms: int,
) -> None:
    """Tell a memory that stands in place of every claim of the slot, as a decision and not as one more telling."""
    writes = merger(core, judged, rid, text, workspace=workspace, entity=entity, relation=relation)
    (claim,) = (op for op in core.commit(writes, now_ms) if op.kind == OpKind.CLAIM)
    core.commit([Write(Resolve((ClaimVerdict(rid, claim.place, True),)))], now_ms)


def restatements(
    core: Core, judged: Judged, values: Sequence[str], *, entity: str, relation: str
) -> list[Write]:
    """Return what claims the chosen values anew that nobody holds any more."""
    writes = []
    for value in values:
        said = [belief for belief in judged.beliefs if _is(belief, value)]
        if any(belief.standing is not ClaimStatus.REPLACED for belief in said):
            continue
        last = said[-1].told
        others = [
            belief.told
            for belief in judged.beliefs
            if belief.told.value == ENDED or (belief.told.rid == last.rid and belief in said)
        ]
        places = tuple(sorted(place_of(core, told) for told in others))
        claim = Claim(entity, relation, last.value, places, last.valid_from)
        writes.append(Write(claim, MemoryId(last.rid)))
    return writes


def changed(
    core: Core, judged: Judged, value: str, since_ms: int, *, entity: str, relation: str
) -> list[Write]:
    """Return what says that the others held until a time, and this value since: on the memory that claimed it last.

    Nothing is decided against: what was true before stays true of its time.
    """
    last = [belief for belief in judged.beliefs if _is(belief, value)][-1].told
    places = [place_of(core, belief.told) for belief in judged.beliefs]
    claim = Claim(entity, relation, last.value, tuple(sorted(places[-NAMES_MAX:])), since_ms)
    return [Write(claim, MemoryId(last.rid))]


def verdicts(core: Core, judged: Judged, values: Sequence[str]) -> list[Write]:
    """Return what keeps the chosen values and hides the others; nothing where all verdicts say so already."""
    if _decided(judged, values):
        return []
    said = [
        (belief.told, any(_is(belief, value) for value in values))
        for belief in judged.beliefs
        if belief.told.value != ENDED
    ]
    return [
        Write(
            Resolve(
                tuple(
                    ClaimVerdict(MemoryId(told.rid), place_of(core, told), keep)
                    for told, keep in said[start : start + NAMES_MAX]
                )
            )
        )
        for start in range(0, len(said), NAMES_MAX)
    ]


def merger(
    core: Core,
    judged: Judged,
    rid: MemoryId,
    text: str,
    *,
    workspace: str | None,
    entity: str,
    relation: str,
) -> list[Write]:
    """Return the memory that stands in place of every claim of the slot, what it claims and whence it comes.

    It is in their space, and told by whoever told all of them.
    """
    claims = [belief.told for belief in judged.beliefs]
    fields: dict[str, Value] = {"source": "merge"}
    if workspace is not None:
        fields["workspace"] = workspace
    speakers = {told.speaker for told in claims}
    if len(speakers) == 1 and (speaker := next(iter(speakers))) is not None:
        fields["speaker"] = speaker
    places = tuple(sorted(place_of(core, told) for told in claims[-NAMES_MAX:]))
    sources = sorted({told.rid for told in claims if told.value != ENDED})
    return [
        Write(Remember(text, fields), rid),
        Write(Claim(entity, relation, " ".join(text.split()), places, None), rid),
        *(Write(Relate(show_memory_id(rid), UPDATES, show_memory_id(source), 1.0)) for source in sources),
    ]


def mergers_among(
    connection: sqlite3.Connection, claims: Sequence[LiveClaim], edits: Mapping[int, LastEdit]
) -> frozenset[bytes]:
    """Return the memories that decisions made: of source `merge`, each claiming all of its words in place of others.

    One whose text was edited since is a telling like any other; and so is one that somebody told with that source.
    """
    claimed = {(told.rid, told.value) for told in claims if told.replaces and told.id not in edits}
    return frozenset(
        shown.rid
        for shown in memories_called(connection, sorted(MemoryId(rid) for rid, _ in claimed))
        if shown.memory.fields.get("source") == "merge"
        and (shown.rid, " ".join(shown.memory.text.split())) in claimed
    )


def merger_of(connection: sqlite3.Connection, judged: Judged) -> MemoryId | None:
    """Return the memory that a settled slot was merged into, if its words hold a value that it stands in place of.

    Then whoever keeps that value seems to keep the merger, which has to be undone first. None where there is no such.
    """
    if judged.status is not ContradictionStatus.SETTLED:
        return None
    told = [belief.told for belief in judged.beliefs if belief.told.value != ENDED]
    held = [belief.told for belief in judged.beliefs if belief.standing is ClaimStatus.HELD]
    edits = last_edits(connection, sorted({each.id for each in held}))
    mergers = mergers_among(connection, held, edits)
    for merged in held:
        others = (each.value for each in told if each.rid != merged.rid)
        if merged.rid in mergers and any(compatible(merged.value, other) for other in others):
            return MemoryId(merged.rid)
    return None


def resolutions(judged: Judged) -> list[Resolution]:
    """Return the resolutions whose verdicts still count, the oldest first; to ask again is none."""
    found: dict[bytes, tuple[bytes, int, dict[str, None], dict[str, None]]] = {}
    for belief in judged.beliefs:
        for opinion in belief.told.opinions:
            _, _, kept, hidden = found.setdefault(opinion.op, (opinion.device, opinion.hlc, {}, {}))
            (kept if opinion.keep else hidden)[belief.told.value] = None
    # Whoever opens a question again keeps each of its values by an op of its own, in one commit.
    parts: dict[tuple[bytes, int], set[str]] = {}
    for device, hlc, kept, hidden in found.values():
        if not hidden:
            parts.setdefault((device, hlc >> 16), set()).update(kept)
    made = [
        (hlc, op, Resolution(device, hlc, tuple(kept), tuple(hidden)))
        for op, (device, hlc, kept, hidden) in found.items()
        if hidden or parts[device, hlc >> 16] <= kept.keys()
    ]
    return [resolution for _, _, resolution in sorted(made, key=lambda each: each[:2])]


def _is(belief: Belief, value: str) -> bool:
    return belief.told.value != ENDED and compatible(belief.told.value, value)


def _decided(judged: Judged, values: Sequence[str]) -> bool:
    """Say whether the slot stands as the decision would leave it, by decision and not by chance."""
    if judged.settled_by is None or not any(belief.opinions for belief in judged.beliefs):
        return False
    held = [
        belief
        for belief in judged.beliefs
        if belief.standing is ClaimStatus.HELD and belief.told.value != ENDED
    ]
    return all(any(_is(belief, value) for value in values) for belief in held) and all(
        any(_is(belief, value) for belief in held) for value in values
    )
