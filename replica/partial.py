"""Hold the parts of a snapshot that have come, so that a transfer that was cut goes on where it was.

In memory only: a snapshot may hold words that are erased while it is under way, and what is in no file need not be
taken out of one. A program that ends starts the transfer anew.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Partial:
    """The first parts of one snapshot of `count` parts; `digest` is the SHA-256 of the whole."""

    digest: bytes
    count: int
    parts: list[bytes] = field(default_factory=list)
