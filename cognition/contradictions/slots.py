"""Judge one slot: which of the claims in it hold, which were replaced or hidden, and whether they contradict.

A pure function of the claims and of the verdicts on them, so every device that holds the same ops judges alike, and a
contradiction found on two devices is one: it is known by its slot.

A claim is *replaced* while a claim that names it as replaced lives, and *hidden* when every verdict on it says hide
and the slot has another value; else it holds. A decision is between values: once all others are forgotten, the last one
is hidden for the sake of none, and nobody could find it. Two verdicts that disagree hide nothing: then the question is
open again, and no memory is lost. Both values are kept for good only where one and the same resolution kept both of
them.

Memories of which somebody said that they are of two things (`Apart`) are not set against each other, whatever is told
beside them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from cognition.contradictions.relations import relation_of
from cognition.contradictions.values import ENDED, compatible, words_of
from replica.values import dataclass

# Nobody told one thing in so many ways. Every claim of a slot is compared with each value in it.
VALUES_PER_DEVICE_MAX: Final = 64
# Of the values with which a device opens no side any more, so many are compared with those of others, to stand beside
# one that they agree with: an eighth of a second of work.
COMPARED_PER_DEVICE_MAX: Final = 256


class ClaimStatus(Enum):
    """What became of a claim."""

    HELD = "held"
    REPLACED = "replaced"
    """Its teller, or somebody else, said that this has changed."""
    HIDDEN = "hidden"
    """A resolution decided against it."""


class ContradictionStatus(Enum):
    """Whether a contradiction waits for somebody."""

    OPEN = "open"
    SETTLED = "settled"


class SettledBy(Enum):
    """What settled a contradiction."""

    CHANGE = "change"
    RESOLUTION = "resolution"


@dataclass(frozen=True, slots=True)
class Opinion:
    """One verdict on one claim: keep or hide. `op` names the resolution it was part of; `device` made it at `hlc`."""

    op: bytes
    hlc: int
    device: bytes
    keep: bool


@dataclass(frozen=True, slots=True)
class Apart:
    """A memory of which somebody said, at `hlc`, that it tells of another thing in this slot."""

    id: int
    hlc: int


@dataclass(frozen=True, slots=True)
class LiveClaim:
    """One claim of a living memory. `claim` and `replaces` are short ids of ops.

    `told_ms` and `told_on` are when and on which device its words were written, `hlc` and `device` when and by which
    the claim was: a device may notice what another told long before. `feed` and `seq` are where its op stands on this
    device. `apart` is against what it is never set.
    """

    claim: bytes
    feed: int
    seq: int
    id: int
    rid: bytes
    value: str
    hlc: int
    told_ms: int
    valid_from: int | None
    speaker: str | None
    device: bytes
    told_on: bytes
    replaces: tuple[bytes, ...]
    opinions: tuple[Opinion, ...]
    apart: tuple["Apart", ...] = ()

    @property
    def from_ms(self) -> int:
        """Since when it holds, as far as anybody said."""
        return self.told_ms if self.valid_from is None else self.valid_from


@dataclass(frozen=True, slots=True)
class Belief:
    """A claim with what became of it; `until_ms` is when its validity was closed, `opinions` all verdicts on it."""

    told: LiveClaim
    standing: ClaimStatus
    until_ms: int | None
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A slot: its claims in the order in which they were told, and the contradiction they make, if any.

    `sides` are the values that stand against each other: claims by value, what was told first as `a`.
    """

    beliefs: tuple[Belief, ...]
    sides: tuple[tuple[Belief, ...], ...]
    status: ContradictionStatus | None
    settled_by: SettledBy | None = None

    @property
    def raised(self) -> int:
        """The stamp of the claim by which two values came to stand against each other."""
        return sorted(min(belief.told.hlc for belief in side) for side in self.sides)[1]


def judge(relation: str, claims: Sequence[LiveClaim]) -> Judged:
    """Return what the claims of one slot come to.

    Which values are one side follows from the order in which they were claimed, which only grows; in which order they
    are shown, from when they were told.
    """
    judged = _judged(relation, claims)
    sides = sorted(map(_as_told, judged.sides), key=lambda side: _told(side[0]))
    return replace(judged, beliefs=_as_told(judged.beliefs), sides=tuple(sides))


def _told(belief: Belief) -> tuple[int, int, bytes]:
    return belief.told.told_ms, belief.told.hlc, belief.told.claim


def _as_told(beliefs: Sequence[Belief]) -> tuple[Belief, ...]:
    return tuple(sorted(beliefs, key=_told))


def _judged(relation: str, claims: Sequence[LiveClaim]) -> Judged:
    beliefs = _beliefs(sorted(claims, key=lambda told: (told.hlc, told.claim)))
    known = relation_of(relation)
    valued = [belief for belief in beliefs if belief.told.value != ENDED]
    everything = _by_value(valued)
    if len(everything) < 2:
        beliefs = tuple(map(_held_alone, beliefs))
        return Judged(beliefs, _by_value([belief for belief in beliefs if belief.told.value != ENDED]), None)
    if not known.single:
        return Judged(beliefs, everything, None)
    held = _by_value([belief for belief in valued if belief.standing is ClaimStatus.HELD])
    values = {side[0].told.value for side in held}
    against = tuple(side for side in held if not values & known.beside.get(side[0].told.value, frozenset()))
    if len(against) < len(held) == len(everything):
        return Judged(beliefs, everything, None)
    held = _set_against(against)
    if len(against) > 1 and not held:  # all of them were set apart
        return Judged(beliefs, everything, ContradictionStatus.SETTLED, SettledBy.RESOLUTION)
    if len(held) > 1 and not _kept_together(held):
        return Judged(beliefs, held, ContradictionStatus.OPEN)
    resolved = any(
        belief.standing is ClaimStatus.HIDDEN or (belief.standing is ClaimStatus.HELD and belief.opinions)
        for belief in valued
    )
    return Judged(
        beliefs,
        everything,
        ContradictionStatus.SETTLED,
        SettledBy.RESOLUTION if resolved else SettledBy.CHANGE,
    )


def _held_alone(belief: Belief) -> Belief:
    return replace(belief, standing=ClaimStatus.HELD) if belief.standing is ClaimStatus.HIDDEN else belief


def taken_back(beliefs: Sequence[Belief]) -> frozenset[int]:
    """Return the memories, by number, whose words say nothing of this slot any more.

    Whoever changes a memory's words ends what it claimed before, and that end stands against its own claims alone. An
    end that stands against others' says something itself: "I left Google".
    """
    own: dict[int, dict[bytes, LiveClaim]] = {}
    for belief in beliefs:
        own.setdefault(belief.told.id, {})[belief.told.claim] = belief.told
    return frozenset(number for number, told in own.items() if _says_nothing(told))


def _says_nothing(own: Mapping[bytes, LiveClaim]) -> bool:
    """Say whether every claim of a memory was ended by the memory itself."""
    ends = [
        told
        for told in own.values()
        if told.value == ENDED and told.replaces and own.keys() >= {*told.replaces}
    ]
    ended = {claim for told in ends for claim in (told.claim, *told.replaces)}
    return bool(ends) and ended >= own.keys()


def as_known(claims: Sequence[LiveClaim], until_ms: int) -> list[LiveClaim]:
    """Return what was known of a slot at some time: what was written by then, with the verdicts given by then."""
    return [
        replace(
            told,
            opinions=tuple(opinion for opinion in told.opinions if opinion.hlc >> 16 <= until_ms),
            apart=tuple(each for each in told.apart if each.hlc >> 16 <= until_ms),
        )
        for told in claims
        if told.hlc >> 16 <= until_ms
    ]


def _beliefs(ordered: Sequence[LiveClaim]) -> tuple[Belief, ...]:
    """Return what became of each claim.

    Two devices that took one item in without knowing of each other made its claim twice. Such *twins* (on one memory,
    with one value) are one: what replaces or decides on either does so for both. A claim that was made anew since then
    says so by replacing its earlier self, and stands for itself.
    """
    until: dict[bytes, int] = {}
    for told in ordered:
        for claim in told.replaces:
            until[claim] = min(told.from_ms, until.get(claim, told.from_ms))
    by_words: dict[tuple[bytes, frozenset[str]], list[LiveClaim]] = {}
    for told in ordered:
        by_words.setdefault((told.rid, words_of(told.value)), []).append(told)
    beliefs: dict[bytes, Belief] = {}
    for alike in by_words.values():
        names = {told.claim for told in alike}
        twins: list[LiveClaim] = []
        for told in alike:
            if names.isdisjoint(told.replaces):
                twins.append(told)
            else:  # made anew since then
                beliefs[told.claim] = next(_group_beliefs([told], until))
        beliefs |= zip((twin.claim for twin in twins), _group_beliefs(twins, until), strict=True)
    return tuple(beliefs[told.claim] for told in ordered)


def _group_beliefs(group: Sequence[LiveClaim], until: Mapping[bytes, int]) -> Iterator[Belief]:
    """Return what became of each of some twins: what was decided on one counts for all."""
    opinions = tuple(opinion for twin in group for opinion in twin.opinions)
    ends = [until[twin.claim] for twin in group if twin.claim in until]
    hidden = bool(opinions) and not any(opinion.keep for opinion in opinions)
    for told in group:
        if ends:
            yield Belief(told, ClaimStatus.REPLACED, max(min(ends), told.from_ms), opinions)
        else:
            yield Belief(told, ClaimStatus.HIDDEN if hidden else ClaimStatus.HELD, None, opinions)


def _by_value(beliefs: Sequence[Belief]) -> tuple[tuple[Belief, ...], ...]:
    """Return claims by what they say, the values in the order in which they first came up.

    A device opens at most `VALUES_PER_DEVICE_MAX` of them, so that no member can make everybody compare without end,
    nor crowd out what the other devices say; its later values make no side of their own, and the last ones stand with
    others only where they are the same to the letter.
    """
    sides: list[list[Belief]] = []
    opened: Counter[bytes] = Counter()
    compared: Counter[bytes] = Counter()
    by_text: dict[str, list[Belief]] = {}
    for belief in beliefs:
        value = belief.told.value
        side = by_text.get(value)
        if side is None:
            if compared[belief.told.device] >= COMPARED_PER_DEVICE_MAX:
                continue
            compared[belief.told.device] += opened[belief.told.device] >= VALUES_PER_DEVICE_MAX
            side = next((each for each in sides if compatible(each[0].told.value, value)), None)
        if side is None:
            if opened[belief.told.device] >= VALUES_PER_DEVICE_MAX:
                continue
            opened[belief.told.device] += 1
            side = []
            sides.append(side)
        # The same text finds the same side, as no later side comes before it.
        by_text.setdefault(value, side)
        side.append(belief)
    return tuple(map(tuple, sides))


def _set_against(sides: Sequence[tuple[Belief, ...]]) -> tuple[tuple[Belief, ...], ...]:
    """Return the sides that stand against another: all, but for those of which somebody said that they are two things.

    A side stands against another as soon as one claim of it does against one of the other's.
    """
    if not any(belief.told.apart for side in sides for belief in side):
        return tuple(sides)
    memories = [{belief.told.id for belief in side} for side in sides]
    apart = [[{each.id for each in belief.told.apart} for belief in side] for side in sides]

    def against(number: int, other: int) -> bool:
        return any(memories[other] - each for each in apart[number])

    count = range(len(sides))
    return tuple(
        side
        for number, side in enumerate(sides)
        if any(against(number, other) for other in count if other != number)
    )


def _kept_together(sides: Sequence[Sequence[Belief]]) -> bool:
    """Say whether one resolution kept every value, and nobody said otherwise.

    Several resolutions that each kept one of them were made without knowing of each other: nobody compared these.
    """
    kept = [
        {
            opinion.op
            for belief in side
            if all(opinion.keep for opinion in belief.opinions)
            for opinion in belief.opinions
        }
        for side in sides
    ]
    return bool(set.intersection(*kept))
