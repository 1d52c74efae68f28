"""Decide when to look into a mailbox and when to write there, on a steady clock that is an argument.

News that this device has are put off for a moment, so that what is said in one go becomes one file: two seconds where a
bell rings others at once, a minute where they look each minute. What only others' files should hold is waited for three
times as long, since their makers are about to write them. A mailbox that fails is tried again after a pause that grows
to five minutes, or that it asked for; one that needs a person, after ten. What it lost is written again at once, but
ever more seldom where that is lost, too: whoever runs the mailbox can delete without end. Bells are believed only so
often, and the more seldom the more a look costs: whoever runs the mailbox can ring without end and list what it likes.
A daemon and the page of a phone keep the same pace.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from sync.carrier.shelf import Plan
from sync.carrier.visit import Looked
from sync.errors import Denied, Full, MailboxError, Unreached

if TYPE_CHECKING:
    from random import Random

GROUP_SECONDS_RINGING: Final = 2.0
GROUP_SECONDS_LOOKED_AT: Final = 60.0
LOOK_SECONDS_MIN: Final = 60.0
LOOK_SECONDS_MAX: Final = 300.0
_OTHERS_FACTOR: Final = 3.0
PAUSE_SECONDS_MIN: Final = 1.0
PAUSE_SECONDS_MAX: Final = 300.0
# Of what was lost, and is written again without news: all of a history, in the worst case. News go with it, and wait no
# longer than for a mailbox that fails.
REWRITE_SECONDS_MAX: Final = 3_600.0
NEWS_SECONDS_MAX: Final = PAUSE_SECONDS_MAX
# For each such time without another loss, one is forgiven.
FORGIVEN_SECONDS: Final = 3_600.0
# A wrong password does not become right by itself, and some servers lock out who tries it often.
PERSON_SECONDS: Final = 600.0
# Devices that write at once ring in a burst; after it one bell stands for all that were rung meanwhile. Each costs a
# listing, some milliseconds for a thousand files: beyond those, it counts as more bells. So the 100,000 files that a
# mailbox may list, which take a second, are listed once in fifty.
BELLS_AT_ONCE: Final = 16
BELLS_A_SECOND: Final = 2.0
FILES_A_BELL: Final = 1_000
# To ask for a file and open it takes a millisecond.
ASKED_FOR_A_BELL: Final = 10


class LookClock:
    """When to look where nothing rings: after a minute while somebody writes, after up to five when nobody does."""

    def __init__(self, least_s: float = LOOK_SECONDS_MIN) -> None:
        self._least_s = least_s
        # Of what was listed last: the names themselves may take as much memory as a listing may.
        self._listed: int | None = None
        self.wait_s = least_s

    def listed(self, names: Mapping[str, int]) -> None:
        """Hear what there is."""
        listed = hash(frozenset(names.items()))
        quiet = listed == self._listed
        self.wait_s = min(LOOK_SECONDS_MAX, 2 * self.wait_s) if quiet else self._least_s
        self._listed = listed


class Bells:
    """How often a bell is believed: a bucket of `BELLS_AT_ONCE` tokens, filled again with `BELLS_A_SECOND`.

    A look takes one more for each `FILES_A_BELL` files that it lists, and each `ASKED_FOR_A_BELL` that it asks for.
    """

    def __init__(self) -> None:
        self._tokens = float(BELLS_AT_ONCE)
        self._at = -math.inf

    def pause(self, now: float) -> float:
        """Count a bell, and return for how many seconds it is to be put off. `now`: a steady clock's seconds."""
        refilled = self._tokens + (now - self._at) * BELLS_A_SECOND
        self._tokens = min(float(BELLS_AT_ONCE), refilled) - 1.0
        self._at = now
        return max(0.0, -self._tokens / BELLS_A_SECOND)

    def looked(self, looked: Looked) -> None:
        """Count what a look cost."""
        self._tokens -= looked.files // FILES_A_BELL + looked.asked_for // ASKED_FOR_A_BELL


class Pace:
    """When one device writes to one mailbox, and for how long it leaves one alone that failed. Times are in seconds."""

    def __init__(self, group_s: float, random: "Random") -> None:
        self.bells = Bells()
        self._group_s = group_s
        self._random = random
        self._pause_s = PAUSE_SECONDS_MIN
        # Whatever the mailbox lacks when a device starts, it lacks for a while already.
        self._write_at = -math.inf
        # Since when there is news that is not written yet.
        self._news_at = math.inf
        self._rewrites = 0
        self._rewrite_at = -math.inf

    def at_once(self) -> None:
        """Put nothing off that is to be written now."""
        self._write_at = -math.inf

    def put_off(self, now: float) -> float:
        """Hear that there is news of this device; return when to write it."""
        self.heard(now)
        self._write_at = now + self._group_s
        return self._write_at

    def heard(self, now: float) -> None:
        """Hear that there is news of this device while something waits to be written."""
        self._news_at = min(self._news_at, now)

    def planned(self, plan: Plan, now: float) -> None:
        """Hear what is left to do."""
        if not plan.writes:
            self._write_at = self._news_at = math.inf
        elif not math.isfinite(self._write_at):
            self._write_at = now + self._group_s

    def due(self, plan: Plan) -> float:
        """Return when to write what is left to do."""
        mine = plan.own or plan.tells_group or plan.merges
        due = self._write_at + (0.0 if mine else (_OTHERS_FACTOR - 1.0) * self._group_s)
        if not plan.lost or due == -math.inf:
            return due
        return max(due, min(self._rewrite_at, self._news_at + NEWS_SECONDS_MAX))

    def may_write(self, plan: Plan, now: float) -> bool:
        """Say whether to write now what a plan wants written."""
        return now >= self.due(plan)

    def wrote_again(self, now: float) -> None:
        """Hear that something was written that the mailbox had lost."""
        self._rewrites = self.rewrites(now) + 1
        longest = math.ceil(math.log2(REWRITE_SECONDS_MAX / self._group_s))
        # The first loss may be anybody's mistake, and costs no pause.
        doublings = min(self._rewrites - 1, longest)
        pause_s = min(REWRITE_SECONDS_MAX, self._group_s * 2.0**doublings) if doublings else 0.0
        self._rewrites = doublings + 1
        self._rewrite_at = now + pause_s

    def rewrites(self, now: float) -> int:
        """Return how often something lost was written again that is not forgiven yet."""
        stayed_s = max(0.0, now - self._rewrite_at)
        return max(0, self._rewrites - int(min(stayed_s, 1e9) / FORGIVEN_SECONDS))

    def looked(self, looked: Looked) -> None:
        """Hear what a look came to that went well."""
        self._pause_s = PAUSE_SECONDS_MIN
        self.bells.looked(looked)

    def pause_after(self, error: MailboxError) -> float:
        """Return for how many seconds to leave a mailbox alone that failed."""
        match error:
            case Denied() | Full():
                return PERSON_SECONDS
            case Unreached(retry_after_s=float() as asked):
                return min(PERSON_SECONDS, max(PAUSE_SECONDS_MIN, asked))
        pause_s = self._pause_s
        self._pause_s = min(PAUSE_SECONDS_MAX, 2 * pause_s)
        return pause_s * self._random.uniform(0.5, 1.0)
