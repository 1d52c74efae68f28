"""What is measured of everybody, and the texts that everybody gets.

A contestant opens a store in an empty folder and does what it is asked; how long that took is the harness's business.
What one of them cannot do raises `NotOffered`, and its place in the table stays empty.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from sync.words import WORDS

# 60 characters are a short sentence: the length in which the targets are stated.
TEXT_CHARACTERS = 60


class NotOffered(Exception):
    """This contestant has nothing of the kind."""


class Contestant(Protocol):
    """A memory store, as far as all of them can be compared."""

    name: str
    version: str

    def open(self, folder: Path) -> None:
        """Open the store in this folder, as a program that begins would."""

    def close(self) -> None:
        """Let go of it."""

    def remember(self, text: str) -> None:
        """Store one memory; it is durable, or as durable as it gets, when this returns."""

    def fill(self, texts: Sequence[str]) -> None:
        """Store many by the quickest way there is."""

    def settle(self) -> None:
        """Wait until everything stored can be found by meaning."""

    def recall(self, query: str) -> int:
        """Return how many of ten memories were found."""

    def think(self) -> None:
        """Run what it does on its own behalf, once."""

    def receive(self, folder: Path) -> int:
        """Bring an empty replica in another folder up to date with this store; return the number of ops."""


def texts(count: int, *, seed: int) -> Iterator[str]:
    """Sentences of common words, each different from all others."""
    chance = random.Random(seed)
    for _ in range(count):
        yield " ".join(chance.choice(WORDS) for _ in range(12))[:TEXT_CHARACTERS]
