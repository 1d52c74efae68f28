"""Load the embedder and the vectors now, rather than at the first recall."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmup:
    """Load the embedder and the vectors now, rather than at the first recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """The model and the vectors are in memory; how long that took, and how many memories wait to be embedded."""

    took_ms: float
    unembedded: int = 0


async def run(device: "Device", options: Warmup) -> Warmed:
    """Load the model and the vectors, which the first recall would do otherwise."""
    import time

    began = time.perf_counter()
    await device.mind.warm_up()
    unembedded = await device.mind.embedding.catch_up()
    return Warmed(took_ms=round((time.perf_counter() - began) * 1_000, 3), unembedded=unembedded)


COMMAND: Final = Command(
    "warmup",
    Warmup,
    Warmed,
    run=run,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("warmup"),
    place=12,
)
