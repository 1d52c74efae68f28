"""The steps of thinking, in their order (`cognition.thinking.cycle` says why this order)."""

from cognition.consolidation.propose import Consolidation
from cognition.contradictions.step import ContradictionStep
from cognition.ingest.linking import Linking
from cognition.patterns.step import Patterns
from cognition.thinking.cycle import Step
from cognition.triggers.kinds import Thresholds
from cognition.triggers.step import TriggerStep


def steps(thresholds: Thresholds = Thresholds()) -> tuple[Step, ...]:
    """Return the steps of one mind, made anew: a step may keep what it learned between two cycles."""
    return (Linking(), ContradictionStep(), Consolidation(), Patterns(), TriggerStep(thresholds))
