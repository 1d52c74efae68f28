"""What a checker is told, and what it answers with."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from replica.oplog import LogEntry

if TYPE_CHECKING:
    from simulations.device import Device
    from simulations.household import Household
    from simulations.observer import Written
    from simulations.world import World
    from sync.exchange import Exchange

Arrival = tuple[LogEntry, "Written | None"]
"""An op as it entered a log, and what its author wrote, if anybody did."""


class Violation(NamedTuple):
    """Something that must not be, found by one checker."""

    checker: str
    detail: str


class Checker:
    """One property. What a checker is not interested in, it does not override."""

    name = ""

    def took(self, world: "Household", device: "Device", arrivals: "Sequence[Arrival]") -> None:
        """Hear of ops that entered a device's log, in that order. `device.held` is what it held before."""

    def restarted(self, world: "Household", device: "Device") -> None:
        """Hear that a device opened its store again, after a crash that its disk survived."""

    def rested(
        self, world: "Household", ours: "tuple[Device, Exchange]", theirs: "tuple[Device, Exchange]"
    ) -> None:
        """Look at both ends of a link on which nothing is under way."""

    def audited(self, world: "Household", device: "Device") -> None:
        """Look at one device on the way."""

    def settled(self, world: "World", groups: "Sequence[Sequence[Device]]") -> None:
        """Look at every group of devices that still talk to each other, at the end."""
