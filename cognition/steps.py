"""The steps of thinking, in their order (`cognition.thinking.cycle` says why this order)."""

from cognition.consolidation.propose import Consolidation
from cognition.thinking.cycle import Step


def steps() -> tuple[Step, ...]:
    """Return the steps of one mind, made anew: a step may keep what it learned between two cycles."""
    return (Consolidation(),)
