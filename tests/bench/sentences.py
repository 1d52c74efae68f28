"""The texts of the benches: sentences of 60 characters, more or less like what people write."""

import random
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# Read by path: imported, it would bring 30 MB of our own libraries into the process of everybody who is measured.
_WORDS: Final = runpy.run_path(str(Path(__file__).parents[2] / "sync" / "words.py"))["WORDS"]
# The length in which the targets are stated.
TEXT_CHARACTERS = 60


def sentences(count: int, *, seed: int = 60) -> Iterator[str]:
    """Return sentences of common words; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield " ".join(chance.choice(_WORDS) for _ in range(12))[:TEXT_CHARACTERS]
