"""Hold a conversation on behalf of one replica: what the session asks, the core answers.

Bytes of one message go in, bytes of messages come out, in one synchronous call; the daemon makes that call on the
store's thread, the simulator makes it directly. No op leaves before its own commit is on the disk, because what is sent
is read from the log.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from replica.alongside import Alongside, Wish
from replica.core import Core
from replica.errors import InvalidOp, StoreFailed
from replica.evidence import Fault
from replica.feeds import join
from replica.frame import Frame, decode_frame, encode_frame
from replica.frontier import locator
from replica.ids import ID8_BYTES, DeviceId, Place
from replica.limits import REFUSALS_SAID_MAX
from replica.membership import Member, lineage, mark
from replica.outbox import Outbox, Sent
from replica.quotas import What, paced
from replica.snapshot import absorb, make_snapshot, not_understood, read_snapshot, stranger_in
from sync.errors import RemoteProtocolError, Untrusted
from sync.parts import Cut, Incoming, parts_of
from sync.relaying import Relaying
from sync.session import (
    CREDITS,
    Acknowledged,
    Compare,
    Ended,
    Granted,
    Greeted,
    Learn,
    Locate,
    PeerHolds,
    Session,
    State,
    Take,
    TakePart,
    Wanted,
)
from sync.trust import certified
from sync.wire.messages import (
    CLOCK_MS_MAX,
    PROTOCOL,
    REASON_CHARACTERS_MAX,
    WISHES_MAX,
    Base,
    Hello,
    Refused,
    Trust,
    decode_message,
    encode_message,
    trust_digest,
)

# A frame refused for a gap is asked for again, but not in a loop: what is missing has to come from elsewhere first.
PULL_AGAIN_MS: Final = 30_000
# What is over a quota is not asked for again before there is room for some of it.
ROOM_AGAIN_MS: Final = 600_000
# News of nobody, which changes nothing: what whoever is busy says, so that the peer goes on waiting.
STILL_HERE: Final = encode_message(Trust((), (), ()))
# Enough to see what is wrong; a link stays up for weeks, and each frame may be refused.
REFUSALS_MAX: Final = 64


@dataclass(slots=True)
class Tally:
    """What one conversation moved so far. `offset_ms`: how far the peer's clock is ahead of mine."""

    sent: int = 0
    received: int = 0
    offset_ms: int | None = None


class Exchange:
    """One conversation with one peer."""

    def __init__(
        self,
        core: Core,
        peer: DeviceId,
        now_ms: int,
        *,
        frames_per_turn: int = CREDITS,
        alongside: Alongside | None = None,
        cut: Cut = parts_of,
    ) -> None:
        """`frames_per_turn`: how many frames one call may return; whoever sets it low asks `has_more`."""
        self._cut = cut
        self._alongside = alongside
        self._wishes: tuple[Wish, ...] = ()
        self._core = core
        self._frames_per_turn = frames_per_turn
        self._peer = peer
        self.tally = Tally()
        self.relaying = Relaying(first=core.device < peer)
        self.refusals: deque[Refused] = deque(maxlen=REFUSALS_MAX)
        """What was refused by either side last, for `doctor` and the log."""
        self._held = core.feeds.held()
        self._frontier = core.frontier()
        self._outbox: Outbox | None = None
        self._position = core.position
        self._pulled_ms = now_ms
        self._gap = self._stopped = False
        self._left_out = False  # some introduction that the peer told, since there was no room
        self._authors: set[DeviceId] = set()  # of a snapshot that was refused
        self._waits_for_upgrade = False  # what the gaps lack is in a snapshot that is not understood here
        self._peer_folds = False
        self._parts: deque[Base] = deque()
        # How far the snapshots reach that this link carried: each was taken, refused for good, or is on its way.
        self._based: dict[int, int] = {}
        self._base_sent: Sent = {}
        self._base_refused = False
        self._unanswered: deque[Sent] = deque()  # of each frame and each part that is not acknowledged yet
        self._incoming = Incoming(core, peer)
        self._resume: tuple[bytes | None, int] = None, 0
        self.has_more = False
        """Whether `more` stopped only because it had said enough for one turn."""
        self.goodbye: str | None = None
        """Why the peer left, in its words."""
        trust = self._trust()
        self._shared = self._elements(trust)
        self._incoming.shared(len(trust.proofs))
        self._group_size = core.membership.size + len(core.proofs)
        hello = Hello(
            PROTOCOL,
            min(max(0, now_ms), CLOCK_MS_MAX),  # a clock that was never set may show anything
            trust_digest(trust),
            self._frontier.digest(),
            core.has_folded_all,
            CREDITS,
            None if alongside is None else alongside.space,
        )
        self.session = Session(hello)

    @property
    def is_over(self) -> bool:
        """Whether one side said goodbye."""
        return self.session.state is State.OVER

    def receive(self, data: bytes, now_ms: int) -> list[bytes]:
        """Take in one message of the peer's and return what to say to it; what it did wrong is kept as evidence."""
        try:
            answers = self._receive(data, now_ms)
        except RemoteProtocolError as error:
            if error.fault is not None:
                self._core.accuse(self._peer, error.fault, now_ms)
            with suppress(StoreFailed):  # a full disk must not hide what the peer did
                self._core.keep_evidence(now_ms)
            raise
        self._core.keep_evidence(now_ms)
        return answers

    def _receive(self, data: bytes, now_ms: int) -> list[bytes]:
        event = self.session.receive(decode_message(data))
        match event:
            case Greeted(clock_ms, same, folded):
                self._peer_folds = folded
                self.tally.offset_ms = clock_ms - now_ms
                if same:
                    self._outbox = Outbox(self._held, self._position)
                    self._heard(self._held, now_ms)
                if self.session.state is State.TRUSTING:
                    trust = self._trust()
                    self._shared = self._elements(trust)
                    self._incoming.shared(len(trust.proofs))
                    self._introduce(trust)
                else:
                    self._pull(same)
            case Learn(trust):
                opening = self.session.state is State.TRUSTING
                self._learn(trust, now_ms)
                self._shared |= self._elements(trust)
                self.session.learned()
                is_over = not trust.more and self._end_if_put_out()
                if not is_over and opening and self.session.state is State.OPEN:
                    self._pull(self._outbox is not None)
            case Compare(heads, base, parts):
                self._resume = base, parts
                self._core.heard_of_myself(heads)
                known = self._core.feeds.vector_of(heads)
                news = [head for head in heads if self._core.feeds.locate(head) is None]
                origins = {head.origin: None for head in news if self._core.feeds.of(head.origin)}
                self._outbox = Outbox(known, parted=origins)
                self._outbox.leave_out(self._based, refused=self._base_refused)
                self._heard(known, now_ms)
                self.session.compared(
                    tuple(place for origin in origins for place in locator(self._core.feeds, origin))
                )
            case Locate(places):
                self.session.located(self._core.feeds.held_of(places))
            case PeerHolds(places):
                assert self._outbox is not None
                self._outbox.learn(self._core.feeds.vector_of(places))
            case Take(frame):
                self._take(frame, now_ms)
            case TakePart(part):
                self._take_part(part, now_ms)
            case Acknowledged(taken, refused):
                self.tally.sent += taken
                self._answered(taken, refused)
            case Wanted(wishes):
                assert self._alongside is not None, "the session knows that there is a space in common"
                self.session.grant(tuple(self._alongside.granted(wishes)))
            case Granted(vectors):
                self._keep_vectors(vectors)
            case Ended(reason):
                self.goodbye = reason
            case None:
                pass
        if self.session.is_quiet:
            self._incoming.rest()
        return self.more(now_ms)

    def _learn(self, trust: Trust, now_ms: int) -> None:
        """Take what a peer says of the group, but introductions only as fast as somebody pairs devices."""
        core = self._core
        roots, others = core.membership.unknown(certified(trust.members))
        self._let_in(others, now_ms)
        members, waiting = paced(core.quotas, self._peer, others, now_ms)
        for device in self._at_fault(waiting):
            core.accuse(device, Fault.INTRODUCTIONS, now_ms)
        core.learn([*roots, *members], trust.revocations, trust.proofs, now_ms, by=self._peer)
        self._left_out |= any(each.device not in core.membership.members for each in others)
        if not trust.more:
            core.heard_group(self._peer)

    def _let_in(self, told: list[Member], now_ms: int) -> None:
        """Take introductions of those whose ops came from this peer before, and were refused: beyond all bounds."""
        core = self._core
        wanted = core.wanted.get(self._peer)
        if wanted:
            found = lineage(told, sorted(wanted), core.membership.members)
            fresh, _ = paced(core.quotas, core.device, found.values(), now_ms)
            core.learn(fresh, [], needed=found.keys())

    def _at_fault(self, waiting: list[Member]) -> set[DeviceId]:
        """Return who introduced more than may come now: not whoever passes on what others have rightly signed."""
        found: set[DeviceId] = set()
        for member in waiting:
            by = member.introduced_by
            if by not in found:
                found.add(by if self._core.membership.vouched(member) else self._peer)
        return found

    def _ask_who(self, authors: Iterable[DeviceId]) -> None:
        """Where ops of nobody known came, and there was no room for all introductions: ask to be told once more."""
        strangers = {*authors} - self._core.membership.members.keys()
        if strangers and self._core.want(self._peer, strangers) and self._left_out:
            self.end("tell me once more who belongs to the group: I hold less of it than you")

    def more(self, now_ms: int) -> list[bytes]:
        """Return what there is to say now; call it at the start and whenever the log or the group grew."""
        if self.session.state is State.OPEN:
            self._share_group()
        if self._gap and now_ms - self._pulled_ms >= PULL_AGAIN_MS and self.session.state is State.OPEN:
            self._pulled_ms = now_ms
            self.ask()
        room, self.has_more = self._frames_per_turn, False
        while self._outbox is not None and self.session.may_push and room > 0:
            room -= 1
            if self._parts or self._outbox.lacks_base(self._core):
                self._push_part(self._outbox)
                self.has_more = room == 0 and self.session.may_push
                continue
            frame = self._outbox.next_frame(self._core)
            if frame is None:
                self.session.caught_up()
                break
            self._unanswered.append(self._outbox.sent)
            self.session.push(encode_frame(frame), last=self._outbox.is_empty(self._core))
            self.has_more = room == 0 and self.session.may_push
        if self._alongside is not None and self.session.may_want:
            self._wishes = tuple(self._alongside.next_wishes(WISHES_MAX))
            if self._wishes:
                self.session.want(self._wishes)
        said: list[bytes] = []
        while (message := self.session.next_message()) is not None:
            said.append(encode_message(message))
        return said

    def ask(self) -> None:
        """Ask what the peer holds beyond what I hold, as at the start; the answer proves that it is there."""
        if self.session.state is State.OPEN:
            self._gap = self._stopped = False
            self._pull(same=False)

    def end(self, reason: str) -> None:
        """Say goodbye, unless that was said."""
        if not self.is_over:
            self.session.end(reason[:REASON_CHARACTERS_MAX])

    def close(self) -> None:
        """Let go what was held for this conversation alone: whoever still refers to it must not keep a snapshot."""
        self._incoming.close()
        self._parts.clear()

    def unsent(self) -> int | None:
        """Return how many ops of mine the peer is known to lack, refused ones too; None until it said what it holds."""
        return None if self._outbox is None else self._outbox.lacking(self._core)

    def _heard(self, known: Mapping[int, int], now_ms: int) -> None:
        """Note what the peer holds, if it has folded all of it: then those ops may leave my log one day."""
        if self._peer_folds:
            self._core.heard(self._peer, known, now_ms)

    def _pull(self, same: bool) -> None:
        if same:
            return
        told = self._incoming.tell()
        if told is None:
            self.session.pull(self._core.frontier())
        else:
            self.session.pull(self._core.frontier(), told.digest, len(told.parts))

    def _take(self, data: bytes, now_ms: int) -> None:
        try:
            frame = decode_frame(data)
        except InvalidOp as error:
            raise RemoteProtocolError(f"a frame of ops could not be read: {error}") from error
        over = self._core.quotas.over(self._peer, now_ms)
        if over is not None:
            self._wait_for_room(frame, *over, now_ms)
            return
        taken = self._core.take(frame, now_ms, peer=self._peer, packed=len(data))
        for fault in {each.fault for each in taken.refusals if each.fault is not None}:
            self._core.accuse(self._peer, fault, now_ms)
        if self._outbox is not None:
            ends = dict(zip(frame.segment_of, frame.ops, strict=True))
            self._outbox.learn(self._core.feeds.vector_of(op.place for op in ends.values()))
        self.tally.received += taken.ops
        self._gap = self._gap or (any(each.gap for each in taken.refusals) and not self._waits_for_upgrade)
        self._stopped = self._stopped or not all(each.gap for each in taken.refusals)
        if any(each.fault is Fault.CHAINS for each in taken.refusals):
            self._pulled_ms = now_ms + ROOM_AGAIN_MS
        refused = tuple(
            Refused(each.origin, each.seq, each.reason, each.gap)
            for each in taken.refusals[:REFUSALS_SAID_MAX]
        )
        self.refusals += refused
        self.session.taken(taken.ops, refused)
        self._ask_who(segment.origin.device for segment in frame.segments)

    def _wait_for_room(self, frame: Frame, what: What, wait_ms: int, now_ms: int) -> None:
        """Leave a frame with a peer that is over its quota, unless all of it is held, and ask when there is room."""
        ends = zip(frame.segments, frame.heads(), strict=True)
        news = [each for each, head in ends if self._core.feeds.locate(head) is None]
        reason = f"over the quota of {what.name.lower()} an hour: it waits there for {wait_ms // 60_000 + 1} minutes"
        refused = tuple(
            Refused(each.origin, each.first_seq, reason, True) for each in news[:REFUSALS_SAID_MAX]
        )
        if refused:
            self._core.accuse(self._peer, Fault.QUOTA, now_ms)
            self._gap, self._pulled_ms = True, now_ms + wait_ms
        self.refusals += refused
        self.session.taken(0, refused)

    def _push_part(self, outbox: Outbox) -> None:
        """Send one part of my base; the whole is made when the first is due, so that all are of one piece.

        A base that has not changed makes the same bytes again, so a transfer that was cut goes on.
        """
        if not self._parts:
            self._parts = deque(self._cut(make_snapshot(self._core)))
            join(self._based, outbox.sent_base(self._core))
            self._base_sent = outbox.sent
            base, held = self._resume
            if base == self._parts[0].digest:
                for _ in range(min(held, len(self._parts) - 1)):
                    self._parts.popleft()
        self.session.push_base(self._parts.popleft())
        self._unanswered.append({} if self._parts else self._base_sent)

    def _answered(self, taken: int, refused: tuple[Refused, ...]) -> None:
        """Hear what the peer made of the oldest frame, or of the last part of a snapshot, that it has not answered."""
        self.refusals += refused
        sent = self._unanswered.popleft()
        if sent is self._base_sent:
            self._base_refused = bool(refused)
        elif not refused:
            own = len(sent.get(-1 if self._core.own_feed is None else self._core.own_feed, ()))
            passed_on = sum(map(len, sent.values())) - own
            if passed_on:
                self.relaying.answered(passed_on, taken - own)
        if self._outbox is not None:
            self._outbox.answered(self._core, sent, {(each.origin, each.seq) for each in refused})

    def _take_part(self, part: Base, now_ms: int) -> None:
        refused: tuple[Refused, ...] = ()
        whole = self._incoming.take(part)
        if whole is not None:
            why = self._absorb(whole, now_ms)
            self._waits_for_upgrade = why is not None
            if why is not None:
                self._gap = False
                self._incoming.give_up()
                refused = (Refused(self._core.origin, 0, why, gap=False),)
        self.refusals += refused
        self.session.taken(0, refused)
        self._ask_who(self._authors)

    def _absorb(self, data: bytes, now_ms: int) -> str | None:
        """Merge a snapshot that has come whole; where it is not understood here, return why."""
        try:
            snapshot = read_snapshot(data, self._core)
            if snapshot.maker != self._peer:  # an old one of somebody else's, who may be revoked by now
                raise InvalidOp(
                    f"expected a snapshot of the peer's own making, got one by {snapshot.maker.hex()[:8]}"
                )
            if (stranger := stranger_in(self._core, snapshot)) is not None:
                self._authors = {origin.device for origin in snapshot.origins}
                return f"the snapshot holds ops of {stranger.hex()[:8]}, who is not a member of this group"
            if not absorb(self._core, snapshot, now_ms):
                return not_understood(snapshot)
        except InvalidOp as error:
            self._incoming.give_up()  # or it would end the next link, too
            why = f"a snapshot of the peer's could not be read: {error}"
            raise RemoteProtocolError(why, fault=Fault.SNAPSHOT) from error
        if self._outbox is not None:  # or what has just come would go back
            ends = (Place(feed.origin, feed.seq, feed.head[:ID8_BYTES]) for feed in snapshot.feeds)
            self._outbox.learn(self._core.feeds.vector_of(ends))
        return None

    def _keep_vectors(self, vectors: tuple[bytes | None, ...]) -> None:
        assert self._alongside is not None, "no vectors come that were not asked for"
        try:
            self._alongside.keep(self._wishes, vectors)
        except InvalidOp as error:
            raise RemoteProtocolError(f"vectors of the peer's could not be taken: {error}") from error

    def _trust(self) -> Trust:
        membership = self._core.membership
        proofs = self._core.proofs
        return Trust(
            membership.told(),
            membership.revocations,
            tuple(proofs[op_id] for op_id in sorted(proofs)),
        )

    def _share_group(self) -> None:
        """Pass on who joined and who was put out since; a newcomer's ops that were refused are asked for again."""
        membership = self._core.membership
        size = membership.size + len(self._core.proofs)
        if size == self._group_size:  # all three only grow
            return
        self._group_size = size
        trust = self._trust()
        name = self._name
        members = tuple(each for each in trust.members if name(each) not in self._shared)
        revocations = tuple(each for each in trust.revocations if (each.device, each.by) not in self._shared)
        proofs = tuple(each for each in trust.proofs if each.id not in self._shared)
        if members or revocations or proofs:
            self._shared |= self._elements(trust)
            self._introduce(Trust(members, revocations, proofs))
        if not self._end_if_put_out() and self._stopped:
            self.ask()

    def _introduce(self, trust: Trust) -> None:
        for part in trust.parts():
            self.session.introduce(part)

    def _name(self, member: Member) -> bytes:
        """Name what an introduction tells: a device, or where there is a root, that very introduction."""
        return member.device if self._core.membership.root is None else mark(member)

    def _elements(self, trust: Trust) -> set[bytes | tuple[bytes, bytes]]:
        """Return what a statement of trust states, as the keys of three growing sets."""
        return {
            *map(self._name, trust.members),
            *((each.device, each.by) for each in trust.revocations),
            *(each.id for each in trust.proofs),
        }

    def _end_if_put_out(self) -> bool:
        revoked = self._core.membership.revoked
        if self._peer not in revoked and self._core.device not in revoked:
            return False
        self.session.end("one of us was revoked")
        return True


def check_admitted(core: Core, peer: DeviceId) -> None:
    """Refuse a peer that is not a member, or was revoked."""
    if peer not in core.membership.standing:
        raise Untrusted(f"{peer.hex()[:8]} is not a member of this group")
