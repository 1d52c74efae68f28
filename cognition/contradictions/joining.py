"""Say which slots are one although they are named otherwise, by what judges said of claims in them.

A judge (a list of words, a model, an agent, a person) says of two claims that they are of one thing, or of two. Said of
claims in two slots, that joins the slots or keeps them apart; said of two claims in one slot, it sets their memories
apart there. Of what was said about the same two, the word of the highest rank stands, and within a rank the newest.

A pure function of what stands, so devices whose readers differ come to the same groups, in whatever order they heard.
Three rules keep a slip from reaching far. A guard stands before every judge (`may_be_one`). Two slots of a group are
at most `LINKS_MAX` links apart: links are taken from the surest on, and one that would make a longer chain is left out.
And what somebody kept apart is never joined by a way round. `simulations/same_slot_model.py` shows what goes wrong
otherwise.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cognition.contradictions.relations import JUDGED, relation_of
from cognition.contradictions.values import folded, words_of
from cognition.words import OWNER

# Of a chain of three, the ends are compared, though nobody compared them; of a longer one they are not.
LINKS_MAX: Final = 2
# Slots that can be reached from one another over links. Nobody names one thing in so many ways: where there are more,
# somebody is joining everything, and none of them is joined.
REACHED_MAX: Final = 32
# Other slots of which something is said beside one. Where there are more, that one is joined to none.
NEIGHBOURS_MAX: Final = 256
_WORD_LETTERS_MIN: Final = 2


class SlotNames(NamedTuple):
    """What names a slot; the entity as claims are filed under it (`Selves.named`)."""

    workspace: str | None
    entity: str
    relation: str


class SlotVerdict(NamedTuple):
    """What stands of two slots: the rank of whoever said it, when, by which op, what, and how surely."""

    by: int
    hlc: int
    op: bytes
    same: bool
    sureness: int


Pair = tuple[bytes, bytes]
"""Two slots, the smaller first."""


def may_be_one(one: SlotNames, other: SlotNames) -> bool:
    """Say whether two slots can be one at all: of one type, which has one value at a time, and about one entity.

    The owner, or somebody named, is nobody else; things share a word that names them.
    """
    kind, other_kind = (each.relation.partition(":")[0] for each in (one, other))
    if kind != other_kind or kind == JUDGED or not relation_of(one.relation).single:
        return False
    if folded(one.workspace or "") != folded(other.workspace or ""):
        return False
    entities = folded(one.entity), folded(other.entity)
    if entities[0] == entities[1]:
        return True
    if OWNER in entities:
        return False
    shared = words_of(entities[0]) & words_of(entities[1])
    return any(len(word) >= _WORD_LETTERS_MIN for word in shared - {OWNER})


def groups(slots: Sequence[bytes], said: Mapping[Pair, SlotVerdict]) -> list[frozenset[bytes]]:
    """Return which of these slots are one, by what stands between any two of them.

    These are all that can be reached from one another, so that nothing else has a part in it.
    """
    group = {slot: frozenset([slot]) for slot in slots}
    if len(group) > REACHED_MAX:
        return [group[slot] for slot in sorted(group)]
    near: dict[bytes, set[bytes]] = {slot: set() for slot in slots}
    apart: dict[bytes, set[bytes]] = {slot: set() for slot in slots}
    for (one, other), stands in said.items():
        beside = near if stands.same else apart
        beside[one].add(other)
        beside[other].add(one)
    for one, other in sorted(
        (pair for pair, stands in said.items() if stands.same), key=lambda pair: _surest(pair, said[pair])
    ):
        both = group[one] | group[other]
        if group[one] is not group[other] and all(
            apart[slot].isdisjoint(both) and _reach(slot, both, near) for slot in both
        ):
            group |= dict.fromkeys(both, both)
    return sorted(set(group.values()), key=min)


def _surest(pair: Pair, stands: SlotVerdict) -> tuple[int, int, int, bytes, Pair]:
    """Return the place of a link in the order in which links are taken."""
    return -stands.by, -stands.sureness, stands.hlc, stands.op, pair


def _reach(slot: bytes, both: frozenset[bytes], near: Mapping[bytes, set[bytes]]) -> bool:
    """Say whether all of a group can be reached from a slot of it over as many links as are allowed, within it."""
    reached = {slot}
    for _ in range(LINKS_MAX):
        reached |= {other for each in reached for other in near[each] & both}
    return reached == both
