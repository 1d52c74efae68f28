"""Think."""

from samemind.device import Device
from samemind.results.thinking import Raised, Thought
from samemind.surface.thinking import Think


async def think(device: Device, options: Think) -> Thought:
    """Run one cycle, after everything that waits for its vector has one or was given up."""
    cycle = await device.mind.think()
    raised = {name: Raised(count=len(ids), ids=list(ids)) for name, ids in cycle.ids.items()}
    return Thought(
        contradictions=raised.get("contradictions", Raised()),
        consolidated=raised.get("consolidated", Raised()),
        patterns=raised.get("patterns", Raised()),
        triggers=raised.get("triggers", Raised()),
        took_ms=cycle.took_ms,
        more=cycle.more,
    )
