"""Wrong rules of which claims are of one thing: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run: (owner, name of the attribute, wrong version).
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import cognition.contradictions.judgments
import replica.storage.same_slots
from cognition.contradictions.joining import Pair, SlotVerdict
from replica.state.register import Dot, Register
from simulations.patching import Swap

if TYPE_CHECKING:
    from simulations.world import World


def last_arrived(world: "World") -> Sequence[Swap]:
    """Of what was said of two claims at once, what arrived last counts."""

    def last(register: Register) -> tuple[Dot, int, Any]:
        dot, (hlc, value) = [*register.items()][-1]
        return dot, hlc, value

    return [(replica.storage.same_slots, "winner", last)]


def round_about(world: "World") -> Sequence[Swap]:
    """Whatever can be reached is one, over however many links, and also what somebody kept apart."""

    def groups(slots: Sequence[bytes], said: Mapping[Pair, SlotVerdict]) -> list[frozenset[bytes]]:
        return [frozenset(slots)]

    return [(cognition.contradictions.judgments, "groups", groups)]


def unguarded(world: "World") -> Sequence[Swap]:
    """Whoever judges is believed, of whatever two claims."""
    return [(cognition.contradictions.judgments, "may_be_one", lambda one, other: True)]
