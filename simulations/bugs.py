"""Break one rule of the product for the length of a run, to show that the checkers can fail.

A bug is a flag of the world, never of the product: each is a swap of one function of `replica` or `sync`, or of the
simulated disk, for a version that somebody could have written. Those with a name in `model` are wrong rules that the
model behind the design could switch on; the others exist so that every checker is seen to fire.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from simulations import undone
from simulations.mistakes import (
    in_accusing,
    in_bases,
    in_folding,
    in_judging,
    in_meeting,
    in_telling,
)
from simulations.patching import Swap, swapped
from simulations.world import World


@dataclass(frozen=True, slots=True)
class Bug:
    """A wrong rule: what it says, which checkers may notice, what to swap for it, and its name in the model."""

    says: str
    caught_by: frozenset[str]
    swaps: Callable[[World], Sequence[Swap]]
    model: str = ""


@contextmanager
def planted(name: str, world: World) -> Iterator[None]:
    """Let a bug be in the product inside the block; no name, no bug."""
    with ExitStack() as stack:
        for owner, attribute, value in (BUGS | HARMLESS)[name].swaps(world) if name else ():
            stack.enter_context(swapped(owner, attribute, value))
        yield


def _caught(*names: str) -> frozenset[str]:
    return frozenset(names)


BUGS: Final[dict[str, Bug]] = {
    "hlc-order": Bug(
        "ops travel oldest stamp first, and are accepted feed by feed",
        _caught("causality", "convergence"),
        in_meeting.hlc_order,
        model="hlc_order",
    ),
    "pairwise": Bug(
        "a register compares two writes at a time",
        _caught("convergence", "refold"),
        in_folding.pairwise,
        model="pairwise",
    ),
    "no-hash": Bug(
        "frontiers name a place by number alone",
        _caught("convergence", "durability", "no_wedge"),
        in_meeting.no_hash,
        model="nohash",
    ),
    "no-proof": Bug(
        "a header without its payload is accepted without a proof",
        _caught("authorship"),
        in_meeting.no_proof,
        model="noproof",
    ),
    "tie-feed": Bug(
        "equal stamps are decided by local feed numbers",
        _caught("convergence", "refold"),
        in_folding.tie_feed,
        model="tie_feed",
    ),
    "cut": Bug(
        "a revocation cuts the ops of the revoked device",
        _caught("convergence", "durability", "refold"),
        in_meeting.cut,
        model="cut",
    ),
    "any-add": Bug(
        "an op acts wherever its memory exists",
        _caught("convergence", "refold"),
        in_folding.any_add,
        model="any_add",
    ),
    "claim-drop": Bug(
        "a claim drops those of its slot on the same memory",
        _caught("convergence", "refold"),
        in_folding.claim_drop,
        model="claim_drop",
    ),
    "replaces-shown": Bug(
        "a change of mind lists the claims that are shown",
        _caught("change_of_mind"),
        in_folding.replaces_shown,
        model="replaces_shown",
    ),
    "replace": Bug(
        "a snapshot replaces what is there",
        frozenset({"durability", "convergence", "refold"}),
        in_bases.replace_state,
        model="replace",
    ),
    "union": Bug(
        "snapshots merge as a union",
        frozenset({"convergence", "resurrection"}),
        in_bases.union,
        model="union",
    ),
    "mid-commit": Bug(
        "a base may end inside a commit", frozenset({"bases"}), in_bases.mid_commit, model="mid_commit"
    ),
    "no-spine": Bug(
        "places below a base are compared by number",
        frozenset({"convergence", "durability", "causality", "no_wedge"}),
        in_bases.no_spine,
        model="nospine",
    ),
    "no-full-vector": Bug(
        "a branch that leaves below the base brings only what it has seen anew",
        _caught("causality", "convergence", "refold"),
        in_bases.no_full_vector,
        model="nofullvec",
    ),
    "compact-unknown": Bug(
        "ops that are not understood do not hold compaction back",
        frozenset({"convergence", "refold"}),
        in_bases.compact_unknown,
        model="compact_unknown",
    ),
    "snapshot-of-state": Bug(
        "a snapshot covers ops that its maker did not understand",
        frozenset({"convergence", "refold"}),
        in_bases.snapshot_of_state,
        model="snap_state",
    ),
    "tombstones-collected": Bug(
        "a base keeps no tombstones",
        frozenset({"resurrection", "convergence"}),
        in_bases.tombstones_collected,
        model="tomb_gc",
    ),
    "accesses-added": Bug(
        "access totals are added where bases merge",
        frozenset({"convergence"}),
        in_bases.accesses_added,
        model="acc_feed",
    ),
    "old-takes-new": Bug(
        "a device takes a snapshot made of kinds that it does not understand",
        frozenset({"convergence"}),
        in_bases.old_takes_new,
        model="old_takes_new",
    ),
    "keeps-erased": Bug(
        "erasing leaves the payloads in the log", frozenset({"erasure"}), in_bases.keeps_erased
    ),
    "unsigned": Bug("signatures are not checked", _caught("authorship"), in_meeting.unsigned),
    "any-file": Bug(
        "each file of a mailbox counts, whoever may read it", _caught("mailbox"), in_meeting.any_file
    ),
    "not-durable": Bug(
        "a commit returns before it is on the disk", _caught("durability"), in_meeting.not_durable
    ),
    "no-tombstone": Bug("forgetting leaves nothing behind", _caught("resurrection"), in_folding.no_tombstone),
    "shared-client": Bug(
        "edits of a text reuse a client id", _caught("convergence"), in_folding.edits_share_a_client
    ),
    "never-caught-up": Bug(
        "a side never says that it has sent everything", _caught("no_wedge"), in_meeting.never_caught_up
    ),
    "sends-all": Bug(
        "what the peer already holds is sent again", _caught("bounded_work"), in_meeting.sends_all
    ),
    "digest-drifts": Bug(
        "digests are not told of what goes", _caught("refold", "convergence"), in_folding.digest_drifts
    ),
    "vector-forgets": Bug(
        "a vector misses some of what was seen", _caught("causality"), in_meeting.vector_forgets
    ),
    "record-stays": Bug(
        "a question stays open when one side of it is forgotten",
        _caught("one_record"),
        in_folding.record_stays,
    ),
    "summary-stays": Bug(
        "a summary stays when its members are forgotten", _caught("one_summary"), in_folding.summary_stays
    ),
    "status-falls": Bug(
        "the last word on a trigger counts, not the highest status",
        _caught("trigger_lattice"),
        in_folding.status_falls,
    ),
    "edges-stay": Bug(
        "an edge that was taken away still shows", _caught("convergence", "refold"), in_folding.edges_stay
    ),
    "statuses-stay": Bug(
        "after an upgrade, ops still count as not understood",
        _caught("statuses", "refold"),
        in_folding.statuses_stay,
    ),
    "tag-dropped": Bug(
        "the last labels that are put on take the place of those before",
        _caught("labels", "convergence", "refold"),
        in_folding.tag_dropped,
    ),
    "untag-all": Bug(
        "a label is taken off wherever it is, seen or not",
        _caught("labels", "convergence", "refold"),
        in_folding.untag_all,
    ),
    "tags-united": Bug(
        "labels that one base took off come back from the other",
        _caught("convergence", "refold"),
        in_bases.tags_united,
    ),
    "lesson-lost": Bug(
        "a lesson takes the place of the one before", _caught("convergence", "refold"), in_folding.lesson_lost
    ),
    "any-update": Bug("bytes that are no Yjs update reach the fold", _caught("no_wedge"), undone.any_update),
    "any-count": Bug(
        "a recall count may be more than the store can hold", _caught("no_wedge"), undone.any_count
    ),
    "unsigned-end": Bug(
        "a signature that a snapshot brings is dropped", _caught("bases"), undone.unsigned_end
    ),
    "short-stem": Bug(
        "of the op that a branch leaves, the base knows 8 bytes",
        _caught("no_wedge", "refold"),
        undone.short_stem,
    ),
    "part-of-none": Bug(
        "a snapshot is asked for from behind a part that nobody holds",
        _caught("no_wedge"),
        undone.part_of_none,
    ),
    "sent-back": Bug(
        "a snapshot that was taken is sent back to its maker", _caught("bounded_work"), undone.sent_back
    ),
    "proof-forgotten": Bug(
        "of a memory that the log forgets, the base keeps edits that nothing proves",
        _caught("convergence"),
        undone.proof_forgotten,
    ),
    "one-part-proven": Bug(
        "of a run of ops that leaves the log in two parts, the first is proven alone",
        _caught("convergence"),
        undone.one_part_proven,
    ),
    "parts-shared": Bug("two links put one snapshot together", _caught("no_wedge"), undone.parts_shared),
    "base-as-now": Bug(
        "asked again in the midst of a snapshot, a base counts as sent as far as it has grown",
        _caught("quiet"),
        undone.base_as_it_is_now,
    ),
    "nobody-accused": Bug(
        "what a member did wrong is kept by nobody", _caught("evidence"), in_accusing.nobody_accused
    ),
    "somebody-accused": Bug(
        "a forgery is held against somebody else than who brought it",
        _caught("evidence"),
        in_accusing.somebody_accused,
    ),
    "any-revocation": Bug(
        "a revocation counts whoever signed it", _caught("politics"), in_judging.any_revocation
    ),
    "any-root": Bug(
        "whoever claims to have founded the group is believed", _caught("politics"), in_judging.any_root
    ),
    "skip": Bug("what says the same is not stored", _caught("tellings"), in_telling.skip),
    "overwrite": Bug(
        "a telling takes the place of the one that says the same", _caught("tellings"), in_telling.overwrite
    ),
    "hide": Bug("whatever is asked, the newest telling stands for all", _caught("tellings"), in_telling.hide),
    "hide-in-lists": Bug(
        "a list leaves out what was told more than once", _caught("tellings"), in_telling.hide_in_lists
    ),
    "any-text": Bug(
        "an edit goes into a text that it does not name",
        _caught("convergence", "refold"),
        undone.any_text,
    ),
}
# Wrong, and harmless by itself: branches carry what a missing incarnation would have kept apart.
HARMLESS: Final[dict[str, Bug]] = {
    "no-incarnation": Bug(
        "an echo of oneself starts no new incarnation",
        _caught(),
        in_meeting.no_incarnation,
        model="noincarnation",
    ),
}
