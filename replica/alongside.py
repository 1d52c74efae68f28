"""What one replica may take from another beside the ops, because to make it anew would take too long.

Vectors of slow models: a transformer on a phone would embed a hundred thousand texts for an hour. They are derived, so
they are never hashed, never merged and never waited for. Who lacks some asks a peer that works with the very same
model, for so many at a time, by the memory and by a hash of what was embedded; and gets those that the peer has of
exactly these words. What the vectors are is the business of whoever keeps them (`cognition.background.alongside`); the
conversation (`sync.exchange`) carries bytes.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

# Of what was embedded: a hash that nobody gains anything by forging, since only the owner's devices answer.
TEXT_HASH_BYTES: Final = 16
# 4,096 numbers: four times as wide as a model that a phone could run. What a wider one makes stays where it is.
VECTOR_BYTES_MAX: Final = 8_192


class Wish(NamedTuple):
    """A memory, and the hash of the words that its vector is wanted of."""

    rid: bytes
    text: bytes


class Alongside(Protocol):
    """One conversation's view of them; belongs to the store's thread."""

    @property
    def space(self) -> bytes:
        """32 bytes that are equal where vectors may be exchanged: a hash of the model's name."""
        ...

    def next_wishes(self, limit: int) -> list[Wish]:
        """Return what is lacking and was not wished for in this conversation yet; none when all was."""
        ...

    def granted(self, wishes: Sequence[Wish]) -> list[bytes | None]:
        """Return the vector of each, where one is held of exactly these words and may travel."""
        ...

    def keep(self, wishes: Sequence[Wish], vectors: Sequence[bytes | None]) -> None:
        """Keep what came, where it is still lacking and can be a vector; `InvalidOp`: it answers other wishes."""
        ...

    def close(self) -> None:
        """Hear that the conversation is over: what was wished for and has not come will not come by it."""
        ...
