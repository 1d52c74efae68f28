"""Sync costs what the news costs, within stated factors.

Judged on sessions without faults: when nothing is new, one round trip under a kilobyte; otherwise no more ops than a
factor of what was lacking, and no more bytes than a factor of those. What several links to one device carry at once, or
a link that is cut and opened anew carries again, is not judged: it is the price of not waiting. Whoever knows something
by a member's word asks each other device once for what was signed: that costs as much as their logs are long.
"""

from typing import Final

from simulations.household import Checker, Household
from simulations.wire import SessionWork

# One round trip: a greeting each way. A frontier is compared by its hash, so its size does not matter.
IDLE_MESSAGES_MAX: Final = 2
IDLE_BYTES_MAX: Final = 1_000
# Where chains parted, a locator finds the fork within twice its distance; and what came as one batch under one
# signature is passed on whole, though the peer may hold some of it. Forty seeds needed nothing beyond the factor.
OPS_FACTOR: Final = 2
OPS_SLACK: Final = 16
# An opening is six messages each way (greeting, trust, heads, locator, known, caught up); a base comes in one or two
# parts each way, each acknowledged (8); and who met a newcomer's ops before the newcomer asks once more (4). Ordinary
# sessions need half of it (11 was the most in eight hundred). Frames and their acknowledgements are apart.
MESSAGES_SLACK: Final = 24
# A header's columns, a signature a feed, the places it has seen; then the payloads themselves.
# A base that travels in more parts than one: each is acknowledged, and says what it is a part of.
MESSAGES_PER_PART: Final = 4
BYTES_PER_PART: Final = 200
BYTES_PER_OP: Final = 1_000
BYTES_PER_HEAD: Final = 300
BYTES_PER_MEMBER: Final = 1_000


class BoundedWork(Checker):
    """Judge the sessions of the settling phase, one by one."""

    name = "bounded_work"

    def worked(self, world: Household, work: SessionWork) -> None:
        """Compare one session's work with what it had to do."""
        if work.lacking == 0 and work.same_trust and work.same_frontier and not work.asked:
            if work.messages > IDLE_MESSAGES_MAX or work.bytes > IDLE_BYTES_MAX:
                world.violate(
                    self.name,
                    f"{work.name}: nothing was new, and it took {work.messages} messages and {work.bytes} bytes",
                )
            return
        if work.ops > OPS_FACTOR * (work.lacking + work.asked) + OPS_SLACK:
            world.violate(self.name, f"{work.name}: {work.lacking} ops were lacking and {work.ops} were sent")
        messages = MESSAGES_SLACK + 4 * work.frames + MESSAGES_PER_PART * (work.parts - 1)
        if work.messages > messages:
            world.violate(self.name, f"{work.name}: {work.messages} messages for {work.frames} frames")
        bytes_max = (
            IDLE_BYTES_MAX
            + BYTES_PER_OP * work.ops
            + BYTES_PER_HEAD * work.heads
            + BYTES_PER_MEMBER * work.members
            + BYTES_PER_PART * (work.parts - 1)
        )
        if work.bytes > bytes_max and work.bytes > (bytes_max := bytes_max + work.content_bytes()):
            world.violate(self.name, f"{work.name}: {work.bytes} bytes, at most {bytes_max} expected")
