"""Run one world from its options, with the bug that they plant and with the protocol that they name."""

from replica.collector import collector_paused
from simulations.bugs import planted
from simulations.contestant import CursorWorld
from simulations.options import Options
from simulations.trace import Say, Trace
from simulations.world import Outcome, World


def simulate(
    options: Options,
    *,
    keep: frozenset[int] | None = None,
    say: Say | None = None,
    keep_events: bool = False,
) -> Outcome:
    """Return what a world came to. `keep`: play these events of the plan only."""
    kind = CursorWorld if options.protocol == "hlc-cursor" else World
    world = kind(options, Trace(keep_events, say), keep=keep)
    # A world is thrown away as a whole: looking for cycles in a growing one costs a tenth of the time and finds few.
    with collector_paused(), planted(options.bug, world), world.wire.shared():
        return world.run()
