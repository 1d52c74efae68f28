"""Put a trigger off: what is to come up later, and when, as an entry of its memory's metadata.

A status only rises, so a trigger that was shown cannot wait again. Putting one off dismisses it and notes on its memory
which one comes back, and when; from then on a follow-up of its kind is due, whose id follows from both. So devices that
were apart raise one follow-up, the later of two notes holds, and an older program passes the note on. What was acted on
meanwhile does not come back.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from cognition.triggers.kinds import trigger_id
from replica import Memory
from replica.fields import MS_MAX

SNOOZED: Final = "snoozed."
"""What an entry of the metadata begins with that puts a trigger off; behind it stands the trigger's kind."""


class Snooze(NamedTuple):
    """A trigger that was put off: its kind as ops carry it, its id, and when it comes up again, in ms."""

    kind: str
    trigger: bytes
    until_ms: int

    @property
    def follow_up(self) -> bytes:
        """The id of the trigger that comes up then."""
        return trigger_id(self.kind, self.trigger, self.until_ms)

    @property
    def field(self) -> str:
        """The name of the register that holds it."""
        return f"meta.{SNOOZED}{self.kind}"

    @property
    def told(self) -> str:
        """What the register says."""
        return f"{self.trigger.hex()}@{self.until_ms}"


def snoozes_of(memory: Memory) -> Iterator[Snooze]:
    """Return what was put off of a memory's triggers; an entry that is none, as anybody may write, is passed over."""
    entries = memory.fields.get("meta")
    if not isinstance(entries, dict):
        return
    for key, told in entries.items():
        if not key.startswith(SNOOZED) or not isinstance(told, str):
            continue
        trigger, _, until = told.partition("@")
        try:
            found = Snooze(key.removeprefix(SNOOZED), bytes.fromhex(trigger), int(until))
        except ValueError:
            continue
        if 0 <= found.until_ms <= MS_MAX:  # as other times of a memory: no row holds a larger one
            yield found
