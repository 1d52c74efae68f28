"""Tell which spaces there are: what is in each, whose it is, which devices wrote there and which agents may.

A space is there once something is in it, or an agent is held to it; nothing else keeps a list of them.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from replica.reads.devices import device_names
from samemind.agents.grants import Agent
from samemind.agents.ledger import Ledger
from samemind.panel.browsing import cards_of
from samemind.panel.catalogue import FacetQuery

if TYPE_CHECKING:
    from samemind.device import Device
    from samemind.panel.moments import Moments, Standpoint

# Each is counted by itself, some milliseconds in a hundred thousand memories; a page that lists more is read by nobody.
SPACES_MAX: Final = 40
# Of each, as a card shows it.
NAMES_MAX: Final = 6
LATEST_MAX: Final = 3


async def spaces(device: "Device", moments: "Moments") -> dict[str, Any]:
    """Return the spaces with most in them, the fullest first, and how many memories are in none."""
    agents = (await trio.to_thread.run_sync(Ledger(device.home).read)).agents.values()
    async with moments.at(None, None) as now:
        counted = now.catalogue.counted(FacetQuery())["space"]
        known = {name for name, _ in counted}
        awaited = sorted(
            {each.rights.workspace for each in agents if each.rights.workspace is not None} - known
        )
        called = {each.hex(): name for each, name in (await now.read(device_names)).items()}
        every = [*counted, *((name, 0) for name in awaited)]
        return {
            "total": len(every),
            "elsewhere": len(now.catalogue) - sum(count for _, count in counted),
            "stale": now.stale,
            "spaces": [
                {
                    "name": name,
                    "memories": count,
                    **await _within(now, name, called),
                    "agents": [*_agents(agents, name)],
                }
                for name, count in every[:SPACES_MAX]
            ],
        }


async def _within(now: "Standpoint", space: str, called: dict[str, str]) -> dict[str, Any]:
    """Return what is in a space: its labels, who told it, by which devices, and the latest of it."""
    wanted = FacetQuery({"space": (space,)})
    found = now.catalogue.counted(wanted, only=("device", "speaker", "label"))
    ids, _ = now.catalogue.page(wanted, offset=0, limit=LATEST_MAX)
    return {
        "devices": [
            {"device": value, "name": called.get(value), "count": count} for value, count in found["device"]
        ],
        "speakers": [value for value, _ in found["speaker"][:NAMES_MAX]],
        "labels": [value for value, _ in found["label"][:NAMES_MAX]],
        "latest": await now.read(partial(cards_of, ids)),
    }


def _agents(agents: Iterable[Agent], space: str) -> Iterable[dict[str, Any]]:
    """Return which remote agents work in a space, or may read it besides: one that is held to none sees all."""
    for each in agents:
        rights = each.rights
        if rights.workspace is None or space == rights.workspace or space in rights.share:
            writes = not rights.read_only and rights.workspace in (None, space)
            yield {"name": each.name, "writes": writes, "everywhere": rights.workspace is None}


__all__ = ["spaces"]
