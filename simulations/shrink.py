"""Make a failing world small: leave out events of its plan as long as the same checker still fires.

Every event draws from a generator of its own, so leaving one out changes the others as little as can be. Delta
debugging (Zeller, 1999): halves first, then ever smaller pieces.
"""

from collections.abc import Callable

from simulations.options import Options
from simulations.run import simulate

Fails = Callable[[frozenset[int]], bool]


def shrink(options: Options, checker: str) -> frozenset[int]:
    """Return a set of events of the plan, none of which can be left out, after which the checker fires."""

    def fails(keep: frozenset[int]) -> bool:
        return any(each.checker == checker for each in simulate(options, keep=keep).violations)

    return minimise(list(range(len(options.plan))), fails)


def minimise(items: list[int], fails: Fails) -> frozenset[int]:
    """Return a subset that still fails and from which no single item can be taken."""
    size = max(1, len(items) // 2)
    while True:
        at = 0
        while at < len(items):
            rest = items[:at] + items[at + size :]
            if fails(frozenset(rest)):
                items = rest
            else:
                at += size
        if size == 1:
            return frozenset(items)
        size = max(1, size // 2)
