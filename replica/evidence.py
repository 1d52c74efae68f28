"""Keep what members did that no honest program does, so that `doctor` can name the device.

Whatever is refused or contained because of who sent or signed it is noted here: which device, what it did, when first
and last, and how often. It is knowledge of this device alone: it decides nothing, is never sent, and two devices need
not agree on it. It is bounded, and it survives a restart.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from replica.ids import DeviceId

# A group has tens of devices, and few kinds of things can be wrong with each. When it is full, what is new is left
# aside: whoever could make the oldest go would hide behind newcomers.
EVIDENCE_MAX: Final = 256


class Fault(StrEnum):
    """What a member did. Each has its sentence in `SENTENCES`."""

    PROTOCOL = "protocol"
    """Said on a link what the protocol does not allow: the sender's."""
    FORGED_OP = "forged op"
    """Handed over an op that its author did not sign so: the sender's, since it ought to have checked."""
    CROOKED_OP = "crooked op"
    """Signed an op whose body makes no sense: the author's."""
    SNAPSHOT = "snapshot"
    """Signed a snapshot that breaks the rules: the maker's."""
    SNAPSHOT_DENIES = "snapshot denies"
    """Signed a snapshot that leaves out, or changes, memories whose signed ops are held here: the maker's."""
    CHAINS = "chains"
    """Begins chains of ops faster than any honest program: whoever hands them over, and they wait there."""
    QUOTA = "quota"
    """Hands over more than its quota for an hour: the sender's, and the rest waits there."""
    ECHO = "echo"
    """Says that it holds writes of this device, so that this begins anew, and hands none over: the sender's."""
    INTRODUCTIONS = "introductions"
    """Hands over introductions faster than anybody pairs devices: the sender's, and they wait there."""


SENTENCES: Final[Mapping[Fault, str]] = {
    Fault.PROTOCOL: "said on a link what the protocol does not allow",
    Fault.FORGED_OP: "handed over writes that their author did not sign so",
    Fault.CROOKED_OP: "signed writes that make no sense; they are kept, without effect",
    Fault.CHAINS: "begins chains of writes faster than any honest program; what is too much waits there",
    Fault.QUOTA: "sends more than its quota for an hour; the rest waits there until there is room",
    Fault.ECHO: "says that it holds writes of this device, and never hands them over",
    Fault.INTRODUCTIONS: "introduces devices faster than anybody pairs them; what is too many waits there",
    Fault.SNAPSHOT: "signed a snapshot that breaks the rules; nothing of it was taken",
    Fault.SNAPSHOT_DENIES: "signed a snapshot without memories that it covers; those that are held here stay",
}


class Accused(NamedTuple):
    """Whom a piece of evidence is about, and of what."""

    device: DeviceId
    fault: Fault


class Seen(NamedTuple):
    """When it was seen first and last, by this device's clock, and how often."""

    first_ms: int
    last_ms: int
    times: int


Evidence = Mapping[Accused, Seen]


def witnessed(evidence: Evidence, accused: Accused, now_ms: int) -> tuple[Evidence, bool]:
    """Return the evidence with one more sighting, and whether that is worth a write.

    The first is, and then each that doubles the count: who errs a million times must not cost a million writes.
    """
    before = evidence.get(accused)
    if before is None and len(evidence) >= EVIDENCE_MAX:
        return evidence, False
    seen = Seen(now_ms, now_ms, 1) if before is None else Seen(before.first_ms, now_ms, before.times + 1)
    return {**evidence, accused: seen}, not seen.times & (seen.times - 1)


def packed(evidence: Evidence) -> list[list[Any]]:
    """Return evidence as it is kept."""
    return [[accused.device, accused.fault.value, *seen] for accused, seen in sorted(evidence.items())]


def read_evidence(plain: Iterable[Sequence[Any]]) -> Evidence:
    """Return evidence that was kept; a later version's faults, which have no sentence here, are left out."""
    known = {fault.value: fault for fault in Fault}
    return {
        Accused(DeviceId(device), known[fault]): Seen(*seen)
        for device, fault, *seen in plain
        if fault in known
    }
