"""Decide which core facts stay in the core profile: what an agent is told of its user without asking. Pure.

The profile stays short by three rules (Lokul's). A fact of a category expires when it was not heard for so long. Above
a threshold, half of what is too much leaves, so that a profile shrinks gently; and never does it hold more than its
cap. What leaves first is what is old for its category and was doubtful. Pinned facts are exempt from all of it.

Leaving is computed whenever the profile is read and written by nobody: the memory stays as it is, is recalled as ever,
and is back as soon as it is heard again. Two devices that hold the same find the same profile at the same time.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from cognition.days import DAY_MS

FACTS_MAX: Final = 150
PRUNED_FROM: Final = 120
# Days without being heard after which a fact is past.
EXPIRES_DAYS: Final = {"project": 60, "preference": 180, "identity": 365}
# How much a day weighs: work moves on, tastes stay.
AGE_WEIGHTS: Final = {"project": 0.8, "preference": 0.3, "identity": 0.5}
# Nothing is told with no confidence at all; a division must not fail over it.
CONFIDENCE_MIN: Final = 0.01


class CoreFact(NamedTuple):
    """One fact of the core profile, and what decides whether it stays."""

    rid: bytes
    category: str
    confidence: float
    heard_ms: int
    pinned: bool = False


def staying(facts: Sequence[CoreFact], now_ms: int) -> list[CoreFact]:
    """Return the facts that stay, in the order in which they came."""
    held = [fact for fact in facts if fact.pinned or not has_expired(fact, now_ms)]
    loose = sorted(
        (fact for fact in held if not fact.pinned),
        key=lambda fact: (-eviction_score(fact, now_ms), fact.rid),
    )
    gone = {fact.rid for fact in loose[: too_many(len(held))]}
    return [fact for fact in held if fact.rid not in gone]


def too_many(count: int) -> int:
    """Return how many of so many facts leave: half of what is above the threshold, all that is above the cap."""
    if count <= PRUNED_FROM:
        return 0
    return max(count - FACTS_MAX, -(-(count - PRUNED_FROM) // 2))


def has_expired(fact: CoreFact, now_ms: int) -> bool:
    """Say whether a fact was not heard for longer than its category lasts."""
    return _age_days(fact, now_ms) > EXPIRES_DAYS[fact.category]


def eviction_score(fact: CoreFact, now_ms: int) -> float:
    """Return how ready a fact is to leave: its age in days, weighted by category, over its confidence."""
    return _age_days(fact, now_ms) * AGE_WEIGHTS[fact.category] / max(fact.confidence, CONFIDENCE_MIN)


def _age_days(fact: CoreFact, now_ms: int) -> float:
    return max(0, now_ms - fact.heard_ms) / DAY_MS
