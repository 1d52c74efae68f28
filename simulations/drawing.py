"""Draw everything about a world from one seed: which faults, how often, how many devices, what is written.

Swarm testing (Groce et al., 2012): a run with every fault at a middling rate visits only the middle of the space, so
each seed switches whole kinds of faults off and draws the rates of the others. What was drawn is printed first, and
a fixed number of replicas or ops changes nothing else.
"""

import dataclasses
from random import Random
from typing import Final

from simulations.carrying import draw_carrying
from simulations.endings import THINKING, draw_ending, draw_growth, draw_hand_over, draw_thoughts
from simulations.hostile import draw_hostility
from simulations.judging import draw_judging
from simulations.options import Options
from simulations.retelling import draw_retelling
from simulations.workload import WRITERS

# What can go wrong, with the relative rate of its event in the plan (0: no event of its own).
FAULTS: Final[dict[str, int]] = {
    "delay": 0,
    "chunks": 0,
    "cut": 0,
    "partition": 4,
    "crash": 4,
    "torn": 2,
    "full": 2,
    "images": 5,
    "wipe": 1,
    "skew": 3,
    "coarse": 0,
    "sleep": 2,
    "join": 1,
    "revoke": 1,
    "relay": 0,
    "flood": 2,
    "future": 3,
    "rogue": 2,
    "compact": 6,
    "forget": 0,
    "erase": 3,
    "importer": 0,
}
# What a laptop and a phone meet every day: `--faults some`.
EVERYDAY: Final = ("delay", "chunks", "cut", "partition", "crash", "skew", "forget", "importer")

# What a world may be mostly about.
THEMES: Final = (
    (),
    (),
    ("claim", "resolve", "forget"),
    ("edit", "import"),
    ("set", "relate", "setting"),
    ("propose", "withdraw"),
)

# What `WRITERS` got since seeds were first kept: drawn apart, so that each left every world as it was in which it is
# not written. A new one comes last.
APART: Final = ("label", "entry")

# What the contestant can fold.
CURSOR_KINDS: Final = frozenset({"remember", "set", "setting", "relate", "forget"})

# The share of other worlds that keep the tables of cognition in step too; it makes a world twice as dear.
THINKS: Final = 0.1

# In how many parts a snapshot travels. A number rather than a size: how small a snapshot packs depends on the version
# of zstd, and a seed is one world with all of them.
SNAPSHOT_PARTS: Final = (1, 2, 4, 8, 20)

REPLICAS_MAX: Final = 10_000
OPS_MAX: Final = 1_000_000
PROTOCOLS: Final = ("frontier", "hlc-cursor")


def draw(
    seed: int,
    *,
    replicas: int | None = None,
    ops: int | None = None,
    faults: str = "all",
    protocol: str = "frontier",
    bug: str = "",
) -> Options:
    """Return the options of a seed. Raises `ValueError` for what no world can be built from."""
    if replicas is not None and not 2 <= replicas <= REPLICAS_MAX:
        raise ValueError(f"expected from 2 to {REPLICAS_MAX} replicas, got {replicas}")
    if ops is not None and not 1 <= ops <= OPS_MAX:
        raise ValueError(f"expected from 1 to {OPS_MAX} ops, got {ops}")
    if protocol not in PROTOCOLS:
        raise ValueError(f"expected one of the protocols {', '.join(PROTOCOLS)}; got {protocol!r}")
    r = Random(f"options {seed}")
    on = tuple(name for name in FAULTS if _is_on(name, faults, r.random()))
    if protocol == "hlc-cursor":
        # Only what its paper says that it survives: it has no forks, no members and no lying relays.
        on = tuple(name for name in on if name in EVERYDAY and name != "importer")
    drawn_replicas, drawn_ops = r.choice([2, 3, 3, 4, 5, 6]), r.choice([10, 30, 60, 120])
    count = drawn_replicas if replicas is None else replicas
    theme = r.choice(THEMES)
    writes = {
        kind: _weight(kind, r, on) * (4 if kind in theme else 1) for kind in WRITERS if kind not in APART
    }
    writes |= _drawn_apart(seed)
    if protocol == "hlc-cursor":
        writes |= dict.fromkeys(WRITERS.keys() - CURSOR_KINDS, 0)
    weights = {"dial": r.choice([15, 40]), "tick": r.choice([10, 60]), "sync": r.choice([2, 15]), "audit": 6}
    weights |= {name: rate * r.choice([1, 1, 3]) for name, rate in FAULTS.items() if rate and name in on}
    write_count = drawn_ops if ops is None else ops
    # Per 100 writes there are as many of each other event as its weight says, scaled by a drawn eagerness.
    eagerness = r.choice([1, 2, 4])
    others = r.choices(list(weights), list(weights.values()), k=max(4, write_count * eagerness // 2))
    plan = ["write"] * write_count + others
    r.shuffle(plan)
    hostility: tuple[str, ...] = ()
    if faults == "all" and protocol == "frontier":
        plan += draw_ending(seed, on)
    thinks = faults == "all" and protocol == "frontier" and _thinks(seed, plan)
    if faults == "all" and protocol == "frontier":
        plan += draw_thoughts(seed, thinks=thinks, faults=tuple(name for name in on if FAULTS[name]))
        plan += draw_hand_over(seed, on)
        plan += draw_growth(seed, on)
        some = tuple(name for name in on if FAULTS[name])
        hostility, tail = draw_hostility(seed, some)
        told = draw_retelling(seed, some) + draw_judging(seed, some)
        thinks, plan = thinks or bool(told), [*plan, *tail, *told, *draw_carrying(seed, on)]
    return Options(
        seed=seed,
        replicas=count,
        ops=write_count,
        faults=on,
        protocol=protocol,
        bug=bug,
        store="sqlite" if count <= 16 else "memory",
        topology=r.choice(["all", "all", "ring", "star", "line"]),
        plan=tuple(plan),
        writes=writes,
        keys=r.choice([1, 3, 8]),
        cut_percent=r.choice([2, 10, 30]) if "cut" in on else 0,
        delay_ms_max=r.choice([20, 500, 20_000]) if "delay" in on else 1,
        liars=r.randint(1, max(1, count // 3)) if "relay" in on else 0,
        live_percent=r.choice([0, 30, 80]),
        thinks=thinks,
        parts=Random(f"parts {seed}").choice(SNAPSHOT_PARTS),
        hostility=hostility,
    )


def bare(seed: int, *, replicas: int, protocol: str = "frontier", faults: tuple[str, ...] = ()) -> Options:
    """Return the options of a world in which nothing happens by itself."""
    drawn = draw(seed, replicas=replicas, ops=1, faults="none", protocol=protocol)
    return dataclasses.replace(drawn, plan=(), topology="all", faults=faults)


def _thinks(seed: int, plan: list[str]) -> bool:
    return not THINKING.isdisjoint(plan) or Random(f"thinks {seed}").random() < THINKS


def _weight(kind: str, r: Random, on: tuple[str, ...]) -> int:
    """Return how often a kind is written: two in five kinds are left out, so that the others meet more often."""
    drawn = r.choice([0, 0, 2, 5, 12])
    if kind == "remember":
        return max(4, drawn)
    needed = {"import": "importer", "forget": "forget", "erase": "erase"}.get(kind)
    return drawn if needed is None else max(1, drawn) if needed in on else 0


def _drawn_apart(seed: int) -> dict[str, int]:
    """Return how often these are written: in most worlds never, in some more than anything else."""
    r = Random(f"labels {seed}")
    return {kind: r.choice([0, 0, 0, 3, 12]) for kind in APART}


def _is_on(name: str, faults: str, drawn: float) -> bool:
    match faults:
        case "all":
            return drawn < 0.55
        case "some":
            return name in EVERYDAY
        case "none":
            return False
    raise ValueError(f"expected faults none, some or all; got {faults!r}")
