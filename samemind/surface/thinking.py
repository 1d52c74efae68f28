"""The verbs of what a mind does by itself."""

from dataclasses import dataclass
from typing import Final

from samemind.results.thinking import Thought
from samemind.surface.declare import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """Think now: look for contradictions, consolidate, look for patterns, raise triggers."""


THINK: Final = Verb("think", Think, Thought, "samemind.verbs.thinking")
