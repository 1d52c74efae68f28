"""Take back everything that came from one source, one speaker or one device, and what follows from it.

What a memory says goes with its tombstone: its edits, its claims, and its share in summaries. Beside it go the facts
that were taken from it, wherever that was done, and the edges that name it. For a device, also the edges that it wrote
last, the summaries that it proposed, and what it said of claims, that two are of one thing or of two; where another
device said something of the same two without knowing of that, the other's word stands again. What it changed in the
memories of others, claimed on them, or decided about their claims cannot be taken back by itself, since others may have
written on; these are named, so that somebody can look.

With `since`, only what was stored since then goes, by the stamp of the device that stored it: where a clock led, what
was told before may bear a later one. With `ops`, only what these wrote goes, lines of the profile among it: that is how
an import is taken back.

With `undo`, nothing is written until that time has passed. A call that is cancelled meanwhile has changed nothing.
"""

import sqlite3
from collections.abc import Iterable, Set
from typing import Final, NamedTuple

import replica
from replica import (
    Core,
    MemoryId,
    OpKind,
    OpRef,
    Relate,
    SameSlot,
    Withdraw,
    Write,
    all_edges,
    show_memory_id,
)
from replica.fields import MS_MAX
from replica.hlc import COUNTER_BITS
from replica.limits import COMMIT_OPS_MAX, NAMES_MAX
from replica.reads.attribution import told_by
from replica.reads.claims import all_claims, judgments_stamped, memories_claiming
from replica.reads.facts import all_facts
from replica.reads.graph import edges_stamped
from replica.reads.log import last_stamp_at, memories_changed, origins_of
from replica.reads.proposals import memories_proposed, settings_stamped
from replica.writers import edge_writers, judgment_writers, setting_writers, without_judge
from samemind.commands.thinking._parts import Retract, Retracted
from samemind.formats.ids import find_device
from samemind.formats.op_ranges import Meant, read_ranges
from samemind.formats.times import read_time

# Nobody waits longer than this for what was decided; the panel's own windows are 4 and 8 seconds.
UNDO_S_MAX: Final = 600.0

_CHANGES: Final = (OpKind.EDIT, OpKind.SET, OpKind.TAG, OpKind.UNTAG)


class Retraction(NamedTuple):
    """What is to go: memories with the facts taken from them, edges, settings, proposals; and what others look at.

    `judgments` are what takes back what was said of two claims.
    """

    rids: list[MemoryId]
    facts: list[MemoryId]
    edges: list[tuple[str, str, str]]
    settings: list[str]
    proposals: list[OpRef]
    judgments: list[SameSlot]
    changed: list[MemoryId]


def find_all(core: Core, connection: sqlite3.Connection, options: Retract) -> Retraction:
    own = None if options.device is None else find_device(connection, options.device)
    meant = Meant(
        0 if options.since is None else min(MS_MAX, read_time(options.since, name="since")) << COUNTER_BITS,
        None if options.ops is None else read_ranges(options.ops),
    )
    rids = {
        rid
        for rid, incarnation, created in told_by(
            connection, *meant.reach, device=own, source=options.source or None, speaker=options.speaker
        )
        if meant.holds(incarnation, created)
    }
    facts = _facts_of(connection, rids)
    gone = rids | facts
    names = {show_memory_id(rid) for rid in gone}
    edges = {edge[:3] for edge in all_edges(connection) if edge.source in names or edge.target in names}
    settings: list[str] = []
    proposals: list[OpRef] = []
    judgments: list[SameSlot] = []
    changed: set[MemoryId] = set()
    if own is not None:
        stamps = edges_stamped(connection, *meant.reach)
        edges |= {
            edge
            for edge, origin in edge_writers(core, stamps)
            if origin.device == own and meant.holds(origin.incarnation, stamps[edge])
        }
        if (
            meant.ranges is not None
        ):  # the profile is the owner's, whichever device they told: an import's goes
            stamps_of = settings_stamped(connection, *meant.reach)
            settings = sorted(
                name
                for name, origin in setting_writers(core, stamps_of)
                if origin.device == own and meant.holds(origin.incarnation, stamps_of[name])
            )
        everything = memories_proposed(connection)
        proposals = sorted(
            place
            for place in replica.proposals_of(connection, everything)
            if place.origin.device == own
            and (meant == Meant() or meant.holds(place.origin.incarnation, last_stamp_at(connection, place)))
        )
        judgments = _judged_by(core, connection, own, meant, gone)
        changed = {
            rid
            for rid, incarnation, hlc in memories_changed(connection, own, _CHANGES, *meant.reach)
            if meant.holds(incarnation, hlc)
        }
        changed |= _erased_by(core, own, meant) | _claimed_by(connection, own, meant)
    return Retraction(
        sorted(rids),
        sorted(facts - rids),
        sorted(edges),
        settings,
        proposals,
        judgments,
        sorted(changed - gone),
    )


def _judged_by(
    core: Core, connection: sqlite3.Connection, own: bytes, meant: Meant, gone: Set[MemoryId]
) -> list[SameSlot]:
    """Return what takes back what a device said of claims of memories that stay."""
    said = judgments_stamped(connection, *meant.reach)
    found = [
        without_judge(core, name, own)
        for name, origin in judgment_writers(core, said)
        if origin.device == own and meant.holds(origin.incarnation, said[name])
    ]
    return [each for each in found if gone.isdisjoint(each.rids)]


def _erased_by(core: Core, own: bytes, meant: Meant) -> set[MemoryId]:
    """Return what a device erased, for good: from the moment that acted, wherever its place in the log is."""
    return {
        rid
        for proof in core.proofs.values()
        if proof.author == own and meant.holds((op := proof.op()).origin.incarnation, op.hlc)
        for rid in proof.rids
    }


def _claimed_by(connection: sqlite3.Connection, own: bytes, meant: Meant) -> set[MemoryId]:
    """Return the memories on which a device claimed something, or decided about what is claimed on them."""
    claims = all_claims(connection)
    written = [(claim.id, claim.feed, claim.hlc) for claim in claims]
    written += [(claim.id, each.feed, each.hlc) for claim in claims for each in claim.verdicts]
    origins = origins_of(connection, {feed for _, feed, _ in written})
    rids = memories_claiming(connection)
    return {
        rids[number]
        for number, feed, hlc in written
        if origins[feed].device == own and meant.holds(origins[feed].incarnation, hlc)
    }


def _facts_of(connection: sqlite3.Connection, rids: Iterable[MemoryId]) -> set[MemoryId]:
    """Return what was taken from these memories, and from that in turn."""
    children: dict[bytes, list[MemoryId]] = {}
    for rid, parent in all_facts(connection):
        children.setdefault(parent, []).append(rid)
    found: set[MemoryId] = set()
    fringe = list(rids)
    while fringe:
        fringe = [child for rid in fringe for child in children.get(rid, ()) if child not in found]
        found.update(fringe)
    return found


def write_all(core: Core, found: Retraction, now_ms: int) -> None:
    gone = sorted({*found.rids, *found.facts})
    writes = [Write(Relate(*edge, None)) for edge in found.edges]
    writes += [Write(replica.Set(name, None)) for name in found.settings]
    writes += map(Write, found.judgments)
    if found.proposals:
        writes.append(Write(Withdraw(tuple(found.proposals))))
    writes += [
        Write(replica.Forget(tuple(gone[start : start + NAMES_MAX])))
        for start in range(0, len(gone), NAMES_MAX)
    ]
    for start in range(0, len(writes), COMMIT_OPS_MAX):
        core.commit(writes[start : start + COMMIT_OPS_MAX], now_ms)


def shown(found: Retraction, *, dry_run: bool) -> Retracted:
    return Retracted(
        rids=[show_memory_id(rid) for rid in found.rids],
        facts=[show_memory_id(rid) for rid in found.facts],
        edges=[" ".join(edge) for edge in found.edges],
        settings=found.settings,
        judgments=[" ".join(map(show_memory_id, each.rids)) for each in found.judgments],
        changed=[show_memory_id(rid) for rid in found.changed],
        dry_run=dry_run,
    )
