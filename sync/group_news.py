"""Take what one peer says of the group, and keep what it knows of it, so that only what is new is said."""

from collections.abc import Iterable

from replica.core import Core
from replica.evidence import Fault
from replica.ids import DeviceId
from replica.membership import IntroducedMember, lineage, mark
from replica.quotas import paced
from sync.trust import certified
from sync.wire.messages import Trust


class GroupNews:
    """Members, revocations and proofs, as far as both sides of a conversation know them."""

    def __init__(self, core: Core, peer: DeviceId) -> None:
        self._core = core
        self._peer = peer
        self._left_out = False
        """Whether some introduction that the peer told was not taken, since there was no room."""
        self._size = self._size_now()
        self._shared: set[bytes | tuple[bytes, bytes]] = self._elements(self.statement())

    def statement(self) -> Trust:
        """Return everything that is known here."""
        membership, proofs = self._core.membership, self._core.proofs
        return Trust(
            membership.told(), membership.revocations, tuple(proofs[op_id] for op_id in sorted(proofs))
        )

    def all(self) -> Trust:
        """Return everything that is known here, to be said; from now on only what is new will be."""
        trust = self.statement()
        self._shared = self._elements(trust)
        return trust

    def take(self, trust: Trust, now_ms: int) -> None:
        """Take what the peer knows, which it need not be told; introductions only as fast as somebody pairs devices."""
        core = self._core
        roots, others = core.membership.unknown(certified(trust.members))
        self._let_in(others, now_ms)
        members, waiting = paced(core.quotas, self._peer, others, now_ms)
        for device in at_fault(core, self._peer, waiting):
            core.accuse(device, Fault.INTRODUCTIONS, now_ms)
        core.learn([*roots, *members], trust.revocations, trust.proofs, now_ms, by=self._peer)
        self._left_out |= any(each.device not in core.membership.members for each in others)
        # Only what is held here is ever said: to keep the rest would be to keep whatever a peer says, without end.
        told = self._elements(trust)
        if told:
            self._shared |= told & self._elements(self.statement())

    def lacks(self, authors: Iterable[DeviceId]) -> bool:
        """Say whether some authors of ops that came are not known here because there was no room for all."""
        strangers = {*authors} - self._core.membership.members.keys()
        return bool(strangers) and self._core.want(self._peer, strangers) and self._left_out

    def _let_in(self, told: list[IntroducedMember], now_ms: int) -> None:
        """Take introductions of those whose ops came from this peer before, and were refused: beyond all bounds."""
        core = self._core
        wanted = core.wanted.get(self._peer)
        if wanted:
            found = lineage(told, sorted(wanted), core.membership.members)
            fresh, _ = paced(core.quotas, core.device, found.values(), now_ms)
            core.learn(fresh, [], needed=found.keys())

    def has_grown(self) -> bool:
        """Say whether anything was learned since this was asked last: all three sets only grow."""
        before, self._size = self._size, self._size_now()
        return self._size != before

    def news(self) -> Trust | None:
        """Return what the peer was not told yet, to be said; None when it knows all of it."""
        trust = self.statement()
        name, shared = self._name, self._shared
        members = tuple(each for each in trust.members if name(each) not in shared)
        revocations = tuple(each for each in trust.revocations if (each.device, each.by) not in shared)
        proofs = tuple(each for each in trust.proofs if each.id not in shared)
        if not (members or revocations or proofs):
            return None
        self._shared |= self._elements(trust)
        return Trust(members, revocations, proofs)

    def _size_now(self) -> int:
        return self._core.membership.size + len(self._core.proofs)

    def _name(self, member: IntroducedMember) -> bytes:
        """Name what an introduction tells: a device, or where there is a root, that very introduction."""
        return member.device if self._core.membership.root is None else mark(member)

    def _elements(self, trust: Trust) -> set[bytes | tuple[bytes, bytes]]:
        """Return what a statement of trust states, as the keys of three growing sets."""
        return {
            *map(self._name, trust.members),
            *((each.device, each.by) for each in trust.revocations),
            *(each.id for each in trust.proofs),
        }


def at_fault(core: Core, peer: DeviceId, waiting: Iterable[IntroducedMember]) -> set[DeviceId]:
    """Return who introduced more than may come now: not whoever passes on what others have rightly signed."""
    found: set[DeviceId] = set()
    for member in waiting:
        by = member.introduced_by
        if by not in found:
            found.add(by if core.membership.vouched(member) else peer)
    return found
