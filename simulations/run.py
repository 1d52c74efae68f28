"""Run one world from its options, with the bug that they plant and with the protocol that they name."""

from contextlib import AbstractContextManager, nullcontext

from replica.collector import collector_paused
from simulations.contestant import CursorWorld
from simulations.options import Options
from simulations.playing import Outcome, PlayedWorld
from simulations.trace import Say, Trace


def simulate(
    options: Options,
    *,
    keep: frozenset[int] | None = None,
    say: Say | None = None,
    keep_events: bool = False,
) -> Outcome:
    """Return what a world came to. `keep`: play these events of the plan only."""
    kind = CursorWorld if options.protocol == "hlc-cursor" else PlayedWorld
    world = kind(options, Trace(keep_events, say), keep=keep)
    # A world is thrown away as a whole: looking for cycles in a growing one costs a tenth of the time and finds few.
    with collector_paused(), _mistaken(options, world), world.wire.shared():
        return world.run()


def _mistaken(options: Options, world: PlayedWorld) -> AbstractContextManager[None]:
    if not options.bug:
        return nullcontext()
    from simulations.bugs import planted  # here: it loads what it breaks, of which most worlds need nothing

    return planted(options.bug, world)
