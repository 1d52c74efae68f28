"""A change of mind never asks about what its writer held.

Who says that something has changed replaces every claim of the slot that they hold, hidden ones too: so whatever
becomes visible again later (the claim that hid it goes), it does not come up as a contradiction of the change.
"""

from collections.abc import Sequence

from replica.ids import OpRef
from replica.ops import Claim
from simulations.definition import Meaning
from simulations.device import Device
from simulations.household import Checker, Household


class ChangeOfMind(Checker):
    """Look for contradictions that their own writers had settled."""

    name = "change_of_mind"

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """No shown claim that replaced what its writer held is contradicted by some of it.

        What the writer held without having folded it (it did not understand it) could not be replaced, and may come up.
        So what counts is what the ops meant, at that moment, that the writing device held and understood: neither its
        cells nor the op itself are asked, or the checker would believe them.
        """
        for group in groups:
            shown = shown_claims(world.defined_for(group[0]))
            for place, claim in shown.items():
                if not claim.replaces:
                    continue
                for other, told in shown.items():
                    same_slot = (told.entity, told.relation) == (claim.entity, claim.relation)
                    held = other in world.memo.knew.get(place, ())
                    if same_slot and told.value != claim.value and held:
                        world.violate(
                            self.name, f"{told.value!r} came back against {claim.value!r}, told knowing it"
                        )


def shown_claims(meaning: Meaning) -> dict[OpRef, Claim]:
    """Return the claims that neither a living claim replaces nor every verdict hides."""
    claims = {place: claim for memory in meaning.memories.values() for place, claim in memory.claims.items()}
    gone = {place for claim in claims.values() for place in claim.replaces}
    for memory in meaning.memories.values():
        for place, heads in memory.verdicts.items():
            if not any(keep for _, keep in heads.values()):
                gone.add(place)
    return {place: claim for place, claim in claims.items() if place not in gone}
