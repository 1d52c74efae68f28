"""Try every short history of a small model: in how many worlds something is wrong, and how that comes about."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, TypeVar

World = TypeVar("World", bound=Hashable)


class Judged(NamedTuple):
    """How many worlds there are, in how many something is wrong, and a shortest history to each kind of wrong."""

    worlds: int
    wrong: Counter[str]
    histories: dict[str, tuple[str, ...]]

    def lines(self, rule: str) -> Iterator[str]:
        """Return what is printed of a rule."""
        yield f"{rule}: {self.worlds} worlds\n"
        for what, count in sorted(self.wrong.items()):
            yield f"  {count} with {what}: {'; '.join(self.histories[what])}\n"


def judge(
    beginning: World,
    events: int,
    following: Callable[[World], Iterable[tuple[str, World]]],
    wrongs: Callable[[World], Iterable[str]],
) -> Judged:
    """Try all histories of so many events: `following` tells what may happen next, `wrongs` what is wrong then."""
    histories: dict[World, tuple[str, ...]] = {beginning: ()}
    edge = [beginning]
    for _ in range(events):
        before, edge = edge, []
        for world in before:
            for what, after in following(world):
                if after not in histories:
                    histories[after] = (*histories[world], what)
                    edge.append(after)
    found = Judged(len(histories), Counter(), {})
    for world, history in histories.items():
        for what in wrongs(world):
            found.wrong[what] += 1
            found.histories.setdefault(what, history)
    return found
