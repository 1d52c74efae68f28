"""Show by random search which rules of joining slots diverge, or ask what somebody answered, and which do not.

A small model beside the simulator: devices hold what they heard in the order in which it came (causally), and each
rule computes from that which slots are one. Judgments are on two claims of slots 0 to 5; clocks are a few steps off.
The last rule is the product's own (`cognition.contradictions.joining.groups`).

    python -m simulations.same_slot_model [HISTORIES]
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from cognition.contradictions.joining import LINKS_MAX, Pair, SlotVerdict, groups

DEVICES: Final = 3
STEPS: Final = 24
SLOTS: Final = tuple(bytes([number]) for number in range(6))
CLAIMS_OF_A_SLOT: Final = 2
HISTORIES: Final = 2_000


class Said(NamedTuple):
    """One judgment: its number, stamp, what its writer had heard, on which claims, what, by which rank, how surely."""

    number: int
    hlc: int
    seen: frozenset[int]
    claims: tuple[tuple[bytes, int], tuple[bytes, int]]
    same: bool
    by: int
    sureness: int

    @property
    def pair(self) -> Pair:
        """The two slots, the smaller first."""
        one, other = sorted(slot for slot, _ in self.claims)
        return one, other

    def verdict(self) -> SlotVerdict:
        """What stands of the two slots where this counts."""
        return SlotVerdict(self.by, self.hlc, self.number.to_bytes(2), self.same, self.sureness)


Groups = frozenset[frozenset[bytes]]
Rule = Callable[[Sequence[Said]], Groups]


def history(random: Random) -> list[list[Said]]:
    """Return what each device heard, in its order, once all have met."""
    heard: list[list[Said]] = [[] for _ in range(DEVICES)]
    off = [random.choice([0, 0, 50]) for _ in range(DEVICES)]
    for step in range(STEPS):
        here = random.randrange(DEVICES)
        if random.random() < 0.65:
            one, other = random.sample(SLOTS, 2)
            claims = (one, random.randrange(CLAIMS_OF_A_SLOT)), (other, random.randrange(CLAIMS_OF_A_SLOT))
            seen = frozenset(each.number for each in heard[here])
            same, by = random.random() < 0.7, random.choice([1, 1, 1, 2, 4])
            heard[here].append(
                Said(step, step + off[here], seen, claims, same, by, random.choice([50, 70, 90]))
            )
        else:
            meet(heard[here], random.choice(heard))
    for _ in range(DEVICES):
        for one_heard in heard:
            for other_heard in heard:
                meet(one_heard, other_heard)
    return heard


def meet(mine: list[Said], theirs: list[Said]) -> None:
    """Take what one did not hear, in the other's order."""
    known = {each.number for each in mine}
    mine += [each for each in theirs if each.number not in known]


# -- which judgment stands of two slots --------------------------------------------------------------------------------


def last_heard(heard: Sequence[Said]) -> dict[Pair, SlotVerdict]:
    """Wrong: the last one that arrived."""
    return {each.pair: each.verdict() for each in heard}


def standing(heard: Sequence[Said]) -> dict[Pair, SlotVerdict]:
    """The highest rank; in it, what nobody who knew it took the place of on its claims; of that the highest stamp."""
    found: dict[Pair, SlotVerdict] = {}
    for each in heard:
        overruled = any(
            each.number in other.seen and (each.by, {*each.claims}) == (other.by, {*other.claims})
            for other in heard
        )
        if not overruled:
            found[each.pair] = max(each.verdict(), found.get(each.pair, each.verdict()))
    return found


# -- which slots are one -----------------------------------------------------------------------------------------------


def as_they_come(heard: Sequence[Said]) -> Groups:
    """Wrong: what stands is right, but links are taken in the order in which they were heard first."""
    stands = standing(heard)
    order = dict.fromkeys(each.pair for each in heard)
    taken = {pair: stands[pair]._replace(by=1, sureness=1, hlc=at) for at, pair in enumerate(order)}
    return frozenset(groups(SLOTS, taken))


def whatever_is_reached(said: Mapping[Pair, SlotVerdict]) -> Groups:
    """Wrong: connected components, over any number of links."""
    group = {slot: frozenset([slot]) for slot in SLOTS}
    for (one, other), stands in said.items():
        if stands.same:
            both = group[one] | group[other]
            group |= dict.fromkeys(both, both)
    return frozenset(group.values())


RULES: Final[dict[str, Rule]] = {
    "the last judgment that arrived": lambda heard: frozenset(groups(SLOTS, last_heard(heard))),
    "links as they come": as_they_come,
    "whatever can be reached is one": lambda heard: whatever_is_reached(standing(heard)),
    "ranks, registers, the surest link first": lambda heard: frozenset(groups(SLOTS, standing(heard))),
}


@dataclass(slots=True)
class Found:
    """In how many histories a rule went wrong, and how."""

    diverged: int = 0
    asked_again: int = 0
    chained: int = 0


def search(rule: Rule, histories: int) -> Found:
    """Return how a rule fares: whether devices differ, and whether it joins what was kept apart, or long chains."""
    found = Found()
    for seed in range(histories):
        heard = history(Random(seed))
        came = {rule(each) for each in heard}
        found.diverged += len(came) > 1
        stands = standing(heard[0])
        result = rule(heard[0])
        pairs = [(min(a, b), max(a, b)) for each in result for a, b in combinations(sorted(each), 2)]
        found.asked_again += any(pair in stands and not stands[pair].same for pair in pairs)
        links = {pair for pair, said in stands.items() if said.same}
        found.chained += any(
            pair not in links
            and not any({(min(a, c), max(a, c)), (min(b, c), max(b, c))} <= links for c in SLOTS)
            for pair in pairs
            for a, b in [pair]
        )
    return found


def main(arguments: Sequence[str]) -> int:
    """Print how each rule fares; fail if the product's own does not hold."""
    histories = int(arguments[0]) if arguments else HISTORIES
    found = Found()
    for name, rule in RULES.items():
        found = search(rule, histories)
        told = (
            f"{name}: of {histories:,} histories {found.diverged} diverge, {found.asked_again} join what was kept "
            f"apart, {found.chained} join what is more than {LINKS_MAX} links apart\n"
        )
        sys.stdout.write(told)
    return int(found != Found())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
