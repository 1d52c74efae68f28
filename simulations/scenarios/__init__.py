"""Hand-written worlds, one for each trap: small enough to read, and replayed like any seed.

Each says in two sentences who got it wrong before. `python -m simulations scenario NAME --trace` plays one.
"""

from simulations.scenarios import (
    backups,
    bases,
    clocks,
    forgetting,
    forks,
    groups,
    limits,
    merging,
    networks,
    pairing,
)
from simulations.scenarios.stage import Scenario, run_scenario

SCENARIOS: dict[str, Scenario] = {
    each.name: each
    for module in (clocks, forks, forgetting, merging, groups, bases, backups, pairing, networks, limits)
    for each in module.SCENARIOS
}

__all__ = ["SCENARIOS", "Scenario", "run_scenario"]
