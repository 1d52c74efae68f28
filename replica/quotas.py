"""Decide how much may come from one peer at a time, so that no member fills the others faster than they notice.

A quota only delays: what is over it is refused as a gap, stays with whoever sends it, and is asked for again when there
is room. It depends on this device's clock and on what came before, so nothing that refuses for good may rest on it.
Each quota is a bucket that leaks over an hour; what overflows puts it into debt, by one frame at most.

What a peer wrote itself is held to tighter bounds than what it passes on: a newcomer gets the whole group's log from
one device. Chains are counted where they begin. No rule that is the same on every device can bound how many chains a
key begins that have not seen each other: each of them alone is as good as any honest one, and to refuse the second of
two would part those who hold the one from those who hold the other. So how fast they come is bounded here, and what
has to name them all (`replica.limits`) has room for as many as can come. Introductions are counted likewise: how many
are kept is bounded by `replica.membership`, and how fast they come, here.

What was spent is kept with the rest of what a replica knows of itself, so that no restart gives it back.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from replica.frame import Frame
from replica.ids import DeviceId
from replica.limits import CHAINS_FIRST, CHAINS_MAX, CHAINS_OF_ONE_MAX
from replica.membership import IntroducedMember, introducers_first

HOUR_MS: Final = 3_600_000
# A device begins a chain when it is new, restored, copied or its clock is corrected: some a year. A test of backups
# may come to tens in an hour.
CHAINS_AN_HOUR: Final = 64
# A newcomer to a group that was flooded gets all of them from one peer.
CHAINS_PASSED_ON_AN_HOUR: Final = 20_000
# A person pairs tens of devices in a lifetime; a newcomer hears of all at once, mostly from who introduced them.
INTRODUCTIONS_AN_HOUR: Final = 256
INTRODUCTIONS_PASSED_ON_AN_HOUR: Final = 1_024
# Peers and quotas of which it is kept over a restart what they used up; the fullest where there are more.
KEPT_MAX: Final = 256
# An op that names more memories than this counts as one for each of them: what it says is kept for each, and that a
# memory was erased is held in memory for ever.
NAMED_FREE: Final = 8
# An import of a hundred thousand memories is one op each, and some thousand claims and edges beside.
OPS_AN_HOUR: Final = 500_000
BYTES_AN_HOUR: Final = 1 << 30
# Compressed; what is told by people packs to a third or less.
PACKED_AN_HOUR: Final = 256 << 20
# Words pack to a fifth; the salt of each op not at all.
RATIO_FREE: Final = 32
# What others wrote: a newcomer may lack ten devices' lives.
PASSED_ON_TIMES: Final = 10


class What(Enum):
    """What is counted."""

    CHAINS = auto()
    CHAINS_PASSED_ON = auto()
    OPS = auto()
    OPS_PASSED_ON = auto()
    BYTES = auto()
    PACKED = auto()
    INTRODUCTIONS = auto()
    INTRODUCTIONS_PASSED_ON = auto()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of each an hour, of one peer. `bytes` are those of payloads, `packed` those that crossed the link."""

    ops: int = OPS_AN_HOUR
    bytes: int = BYTES_AN_HOUR
    packed: int = PACKED_AN_HOUR

    def of(self, what: What) -> int:
        """Return the bound of one quota."""
        return {
            What.CHAINS: CHAINS_AN_HOUR,
            What.CHAINS_PASSED_ON: CHAINS_PASSED_ON_AN_HOUR,
            What.OPS: self.ops,
            What.OPS_PASSED_ON: self.ops * PASSED_ON_TIMES,
            What.BYTES: self.bytes,
            What.PACKED: self.packed,
            What.INTRODUCTIONS: INTRODUCTIONS_AN_HOUR,
            What.INTRODUCTIONS_PASSED_ON: INTRODUCTIONS_PASSED_ON_AN_HOUR,
        }[what]


@dataclass(slots=True)
class _Bucket:
    spent: float
    at_ms: int


@dataclass(slots=True)
class Quotas:
    """What has come from each peer within the last hour."""

    limits: Limits = Limits()
    _buckets: dict[tuple[DeviceId, What], _Bucket] = field(default_factory=dict)

    def left(self, peer: DeviceId, what: What, now_ms: int) -> float:
        """Return how much more of it may come from a peer now; below zero while it is in debt."""
        return self.limits.of(what) - self._leaked(peer, what, now_ms).spent

    def spend(self, peer: DeviceId, what: What, amount: float, now_ms: int) -> None:
        """Count what has come."""
        if amount:
            self._leaked(peer, what, now_ms).spent += amount

    def wait_ms(self, peer: DeviceId, what: What, now_ms: int) -> int:
        """Return in how many ms there is room again for a tenth of an hour's worth; 0 where there is some now."""
        if self.left(peer, what, now_ms) > 0:
            return 0
        rate = self.limits.of(what) / HOUR_MS
        return int((self.limits.of(what) / 10 - self.left(peer, what, now_ms)) / rate) + 1

    def over(self, peer: DeviceId, now_ms: int) -> tuple[What, int] | None:
        """Return the quota that a peer has used up, and in how many ms there is room again; the longest of them."""
        waits = {
            what: wait for what in (What.OPS, What.OPS_PASSED_ON, What.BYTES, What.PACKED)
            if (wait := self.wait_ms(peer, what, now_ms))
        }  # fmt: skip
        return max(waits.items(), key=lambda item: item[1]) if waits else None

    def fullest(self, peer: DeviceId, now_ms: int) -> tuple[What, float]:
        """Return the quota of which a peer has used most, and the share of it: 1 and more where it has to wait."""
        shares = {what: 1 - self.left(peer, what, now_ms) / self.limits.of(what) for what in What}
        return max(shares.items(), key=lambda item: item[1])

    def packed(self) -> list[list[Any]]:
        """Return what was spent, as it is kept: device, quota, how much, and when that was so, in ms since 1970."""
        spent = [(key, bucket) for key, bucket in self._buckets.items() if bucket.spent >= 1]
        if len(spent) > KEPT_MAX:
            spent.sort(key=lambda item: item[1].spent / self.limits.of(item[0][1]))
        return sorted(
            [peer, what.name, round(bucket.spent), bucket.at_ms] for (peer, what), bucket in spent[-KEPT_MAX:]
        )

    def restore(self, plain: Iterable[Sequence[Any]]) -> None:
        """Take up what was kept, where nothing was counted since; a later version's quotas are left out."""
        for device, name, spent, at_ms in plain:
            if name in What.__members__:
                self._buckets.setdefault((DeviceId(device), What[name]), _Bucket(float(spent), at_ms))

    def charge(
        self,
        peer: DeviceId,
        frame: Frame,
        taken: int,
        packed: int,
        now_ms: int,
        beyond: tuple[int, int] = (0, 0),
    ) -> None:
        """Count a frame of which so many ops were new: those of its peer's own making, and what it passed on.

        `beyond`: for how many more those count that name many memories each, likewise.
        """
        share = taken / len(frame.ops)
        own = sum(frame.segments[at].origin.device == peer for at in frame.segment_of) * share
        size = sum(len(op.payload) for op in frame.ops if op.payload is not None) * share
        ops = own + beyond[0], taken - own + beyond[1]
        self._charge(peer, ops, size, packed * share, now_ms)

    def charge_base(self, peer: DeviceId, ops: tuple[int, int], size: int, packed: int, now_ms: int) -> None:
        """Count a snapshot of so many bytes unpacked, by which so many ops were news: its maker's own, and others'."""
        if sum(ops):
            self._charge(peer, ops, size, packed, now_ms)

    def _charge(
        self, peer: DeviceId, ops: tuple[float, float], size: float, packed: float, now_ms: int
    ) -> None:
        own, others = ops
        # What packs so well costs its sender nothing, and everybody's disk as much as words: it counts for more.
        size *= max(1.0, size / (max(1.0, packed) * RATIO_FREE))
        of_own = own / (own + others) if own + others else 0.0
        weight = of_own + (1 - of_own) / PASSED_ON_TIMES
        self.spend(peer, What.OPS, own, now_ms)
        self.spend(peer, What.OPS_PASSED_ON, others, now_ms)
        self.spend(peer, What.BYTES, size * weight, now_ms)
        self.spend(peer, What.PACKED, packed * weight, now_ms)

    def _leaked(self, peer: DeviceId, what: What, now_ms: int) -> _Bucket:
        bucket = self._buckets.setdefault((peer, what), _Bucket(0.0, now_ms))
        passed = max(
            0, now_ms - bucket.at_ms
        )  # a clock that is set back lets nothing leak, and holds nothing up
        bucket.spent = max(0.0, bucket.spent - passed * self.limits.of(what) / HOUR_MS)
        bucket.at_ms = now_ms
        return bucket


@dataclass(slots=True)
class Beginnings:
    """How many chains may begin by one frame from a peer. `held`: chains of a device here; `total`: of all devices."""

    quotas: Quotas
    peer: DeviceId | None
    held: Callable[[DeviceId], int]
    total: int
    now_ms: int
    _begun: dict[DeviceId, int] = field(default_factory=dict)

    def allow(self, device: DeviceId) -> bool:
        """Say whether a device may begin one more, and count it if so."""
        if self.peer is None:  # read back, or handed over by the owner: nobody's quota
            return True
        begun = self._begun.get(device, 0)
        what = What.CHAINS if device == self.peer else What.CHAINS_PASSED_ON
        if what is What.CHAINS and self.held(device) + begun >= CHAINS_OF_ONE_MAX:
            return False
        is_first = self.held(device) + begun < CHAINS_FIRST
        if self.total + sum(self._begun.values()) >= CHAINS_MAX and not is_first:
            return False
        if self.quotas.left(self.peer, what, self.now_ms) < 1:
            return False
        self.quotas.spend(self.peer, what, 1, self.now_ms)
        self._begun[device] = begun + 1
        return True

    def allow_all(self, begun: Mapping[DeviceId, int]) -> bool:
        """Say whether as many may begin at once, by a snapshot, which is taken whole or not; count them if so.

        One that is more than the room of an hour puts its maker into debt. What others began has to be taken by
        whoever joins, however much it is; the maker's own has its bound.
        """
        if self.peer is None:
            return True
        quotas, own = self.quotas, begun.get(self.peer, 0)
        others = sum(begun.values()) - own
        beyond = sum(count for device, count in begun.items() if self.held(device) + count > CHAINS_FIRST)
        if own and self.held(self.peer) + own > CHAINS_OF_ONE_MAX:
            return False
        if beyond and self.total + beyond > CHAINS_MAX:
            return False
        needs = ((What.CHAINS, own), (What.CHAINS_PASSED_ON, others))
        if any(count and quotas.left(self.peer, what, self.now_ms) < 1 for what, count in needs):
            return False
        for what, count in needs:
            quotas.spend(self.peer, what, count, self.now_ms)
        return True


def told_over(what: What, wait_ms: int) -> str:
    """Return what whoever is over a quota is told, and the owner of this device."""
    return (
        f"over the quota of {what.name.lower()} an hour: it waits there for {wait_ms // 60_000 + 1} minutes"
    )


def paced(
    quotas: Quotas, peer: DeviceId, members: Iterable[IntroducedMember], now_ms: int
) -> tuple[list[IntroducedMember], list[IntroducedMember]]:
    """Return which of the introductions that are news a peer may hand over now, and which have to wait there.

    Those that are few of their introducer's, and near to somebody known, come first: a crowd that one device introduces
    does not hold up whom another has paired, and of a tree only the few twigs at its root come before such a one.
    """
    rank: Counter[DeviceId] = Counter()
    depth: dict[DeviceId, int] = {}
    lateness: dict[IntroducedMember, int] = {}
    fresh = introducers_first(members)
    for member in fresh:
        by = member.introduced_by
        away = depth.get(by, 0) + 1
        depth.setdefault(member.device, away)
        lateness[member] = away + rank[by]
        rank[by] += 1
    taken: list[IntroducedMember] = []
    waiting: list[IntroducedMember] = []
    for member in sorted(fresh, key=lambda each: lateness[each]):
        own = member.introduced_by == peer
        what = What.INTRODUCTIONS if own else What.INTRODUCTIONS_PASSED_ON
        if quotas.left(peer, what, now_ms) >= 1:
            quotas.spend(peer, what, 1, now_ms)
            taken.append(member)
        else:
            waiting.append(member)
    return taken, waiting
