"""Devices that still talk to each other end up agreeing, and what they agree on is what their ops mean.

Equal digests alone could be equal mistakes, so the whole state is compared too: between devices, and with
`simulations.definition` over all ops that were ever held in the group.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from simulations.definition import Meaning, shown_of, winner
from simulations.device import Device
from simulations.household import Checker, Household
from simulations.reading import meaning_on


class Convergence(Checker):
    """Compare devices with each other, and with the definition."""

    name = "convergence"

    def audited(self, world: Household, device: Device) -> None:
        """At any moment a device's state is what the ops that it holds and understands mean."""
        defined = world.defined_for(device)
        for difference in differences(meaning_on(device.core), defined):
            world.violate(self.name, f"{device.name}, on the way: {difference}")
        for difference in shown_differences(device, defined):
            world.violate(self.name, f"{device.name}, on the way: {difference}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """In the end all devices of a group have equal digests and equal state, as defined."""
        for group in groups:
            first = group[0]
            defined = world.defined_for(first)
            told = {each.core.digests() for each in group}
            if len(told) > 1:
                shown = ", ".join(f"{each.name} {each.core.digests().state.hex()[:8]}" for each in group)
                world.violate(self.name, f"digests differ: {shown}")
            for device in group:
                if world.is_small or device is first:
                    for difference in differences(meaning_on(device.core), defined):
                        world.violate(self.name, f"{device.name}: {difference}")
                    for difference in shown_differences(device, defined):
                        world.violate(self.name, f"{device.name}: {difference}")


def differences(found: Meaning, defined: Meaning) -> Iterator[str]:
    """Say where a device's state is not as defined."""
    if found.tombstones != defined.tombstones:
        yield f"tombstones are {_short(found.tombstones)}, defined is {_short(defined.tombstones)}"
    for what, have, want in (
        ("memories", found.memories, defined.memories),
        ("edges", found.edges, defined.edges),
        ("settings", found.settings, defined.settings),
        ("proposals", found.proposals, defined.proposals),
        ("links", found.links, defined.links),
        ("judgments", found.judgments, defined.judgments),
        ("receipts", found.receipts, defined.receipts),
        ("lessons", found.lessons, defined.lessons),
    ):
        yield from _compare(what, have, want)


def shown_differences(device: Device, defined: Meaning) -> Iterator[str]:
    """Say where what shows on a device is not what should."""
    for rid, shown in device.shown():
        memory = defined.memories.get(rid)
        if memory is None:
            yield f"memory {rid.hex()[:8]} shows and should not"
        elif shown != (wanted := shown_of(rid, memory)):
            yield f"memory {rid.hex()[:8]} shows as {shown}, defined is {wanted}"
    edges = device.edges()
    if edges is not None:
        told = {key: winner(heads) for key, heads in defined.edges.items()}
        yield from _compare(
            "edges shown",
            edges,
            {key: (value, hlc) for key, (hlc, _, value) in told.items() if value is not None},
        )


def _compare(what: str, have: dict[Any, Any], want: dict[Any, Any]) -> Iterator[str]:
    for key in sorted(have.keys() | want.keys(), key=repr):
        if have.get(key) == want.get(key):
            continue
        if what == "memories" and key in have and key in want:
            for part in type(have[key]).__slots__:
                got, wanted = getattr(have[key], part), getattr(want[key], part)
                if got != wanted:
                    yield f"{part} of memory {key.hex()[:8]} are {_short(got)}, defined is {_short(wanted)}"
        else:
            yield f"{what} {_name(key)} is {_short(have.get(key))}, defined is {_short(want.get(key))}"


def _name(key: Any) -> str:
    return key.hex()[:8] if isinstance(key, bytes) else _short(key)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 300 else text[:297] + "..."
