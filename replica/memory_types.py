"""List the types that a memory may have. Alone in a file, since what only offers them to people loads nothing else."""

from typing import Final

MEMORY_TYPES: Final = (
    "episodic",
    "factual",
    "semantic",
    "procedural",
    "social",
    "spatial",
    "prospective",
    "affective",
)
