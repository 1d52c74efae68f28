"""What is measured of everybody.

A contestant opens a store in an empty folder and does what it is asked; how long that took is the harness's business.
What one of them cannot do raises `NotOffered`, and its place in the table stays empty.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class NotOffered(Exception):
    """This contestant has nothing of the kind."""


class Synced(NamedTuple):
    """One empty replica brought up to date: how long it took, and how many bytes crossed."""

    seconds: float
    bytes: int


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

    def embed(self, query: str) -> None:
        """Make the vector of a question with the embedder that `recall` makes it with, and nothing else."""

    def think(self) -> None:
        """Run what it does on its own behalf, once."""

    def sync(self, texts: Sequence[str], folder: Path) -> Synced:
        """Bring an empty replica up to date with a device that was told these, one by one."""
