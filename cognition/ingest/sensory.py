"""Hold what was just sensed, for the few seconds in which somebody decides whether it is worth a memory.

What lies here is not remembered and cannot be recalled. It leaves by itself: after five seconds, or when a
hundred newer things have come. Whoever processes the buffer gets what is still fresh, once.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

TTL_MS: Final = 5_000
CAPACITY: Final = 100

Kind = Literal["turn", "document", "api"]
KINDS: Final[tuple[Kind, ...]] = ("turn", "document", "api")


@dataclass(frozen=True, slots=True)
class Sensed:
    """One turn of a conversation, chunk of a document, or response of an API."""

    text: str
    kind: Kind
    at_ms: int
    speaker: str | None = None


class SensoryBuffer:
    """A ring of what was just sensed; the time is whatever clock its owner reads."""

    def __init__(self, *, ttl_ms: int = TTL_MS) -> None:
        if ttl_ms <= 0:
            raise ValueError(f"expected a positive ttl, got {ttl_ms}")
        self._ttl_ms = ttl_ms
        self._held: deque[Sensed] = deque(maxlen=CAPACITY)

    def __len__(self) -> int:
        return len(self._held)

    def push(self, text: str, *, kind: Kind, now_ms: int, speaker: str | None = None) -> None:
        """Take something in; when the ring is full, the oldest is overwritten."""
        if kind not in KINDS:
            raise ValueError(f"expected a kind among {', '.join(KINDS)}; got {kind!r}")
        self._held.append(Sensed(text, kind, now_ms, speaker))

    def live(self, now_ms: int) -> list[Sensed]:
        """Return what is still fresh, in the order in which it came; the rest is gone from here on."""
        while self._held and now_ms - self._held[0].at_ms > self._ttl_ms:
            self._held.popleft()
        return list(self._held)

    def process(self, now_ms: int) -> list[Sensed]:
        """Hand over what is still fresh, and hold nothing of it any more."""
        fresh = self.live(now_ms)
        self._held.clear()
        return fresh
