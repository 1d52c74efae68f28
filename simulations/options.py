"""Say what a world is like: everything that `simulations.drawing` draws from its seed."""

import dataclasses
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that was drawn. Rates are weights of events in the plan; probabilities are per cent."""

    seed: int
    replicas: int
    ops: int
    faults: tuple[str, ...]
    protocol: str
    bug: str
    store: str
    topology: str
    plan: tuple[str, ...] = field(repr=False)
    writes: dict[str, int]
    keys: int
    cut_percent: int
    delay_ms_max: int
    liars: int
    live_percent: int
    thinks: bool
    parts: int
    hostility: tuple[str, ...] = ()
    """What a member of this world does that turns hostile."""
    provoked: bool = True
    """Whether it does so; where it does not, it syncs like anybody, and the two worlds can be compared."""

    def lines(self) -> list[str]:
        """Return what was drawn, for the head of a trace."""
        shown = {name: value for name, value in dataclasses.asdict(self).items() if name != "plan"}
        del shown["provoked"]
        hostility = shown.pop("hostility")
        if hostility:
            shown["hostility"] = ", ".join(hostility)
        shown["faults"] = " ".join(self.faults) or "none"
        shown["writes"] = " ".join(f"{kind}:{weight}" for kind, weight in self.writes.items() if weight)
        return [f"{name} {value}" for name, value in shown.items()]
