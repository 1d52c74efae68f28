"""The texts of the benches: sentences of 60 characters, more or less like what people write."""

import random
from collections.abc import Iterator

from sync.words import WORDS

# The length in which the targets are stated.
TEXT_CHARACTERS = 60


def sentences(count: int, *, seed: int = 60) -> Iterator[str]:
    """Return sentences of common words; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield " ".join(chance.choice(WORDS) for _ in range(12))[:TEXT_CHARACTERS]
