"""Hold a conversation on behalf of one replica: what the session asks, the core answers.

Bytes of one message go in, bytes of messages come out, in one synchronous call; the daemon makes that call on the
store's thread, the simulator makes it directly. No op leaves before its own commit is on the disk, because what is sent
is read from the log.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, assert_never

from replica.alongside import Alongside, Wish
from replica.collector import collector_paused
from replica.core import Core
from replica.errors import InvalidOp, StoreFailed
from replica.evidence import Fault
from replica.frame import Frame, decode_frame, encode_frame
from replica.frontier import NOTHING_HELD, locator
from replica.ids import ID8_BYTES, DeviceId, OpRef, Origin
from replica.late import may_ask, signed_frontier
from replica.limits import REFUSALS_SAID_MAX
from replica.outbox import Outbox, Sent
from replica.proving import give_way
from replica.quotas import What, told_over
from replica.snapshot import absorb, charge, may_begin, not_understood, read_snapshot, stranger_in
from sync.errors import RemoteProtocolError, Untrusted
from sync.group_news import GroupNews
from sync.parts import Cut, Incoming, Leaving, parts_of
from sync.relay_backoff import LinkUse, RelayBackoff
from sync.session import CREDITS, Session
from sync.states import Phase, Receiving, Sending, SessionFinding
from sync.wire.messages import (
    CLOCK_MS_MAX,
    PROTOCOL,
    QUESTION_CHARACTERS_MAX,
    WISHES_MAX,
    Ack,
    Base,
    Bye,
    CaughtUp,
    Findings,
    Grant,
    Heads,
    Hello,
    Inquiry,
    Known,
    Locator,
    Ops,
    Refused,
    Trust,
    Want,
    decode_message,
    encode_message,
    trust_digest,
)

# A frame refused for a gap is asked for again, but not in a loop: what is missing has to come from elsewhere first. As
# long as nothing comes, each pause is twice the one before.
PULL_AGAIN_MS: Final = 30_000
PULL_AGAIN_MS_MAX: Final = 3_600_000
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


@dataclass(slots=True)
class _Lacking:
    """What this side still misses after a refusal, and when it asks for it again.

    `gap`: something else must come first, and may come from this peer. `stopped`: something was refused for good,
    and may be taken when the group changes. `for_upgrade`: what the gaps miss is in a snapshot not understood here.
    `since_ms`, `news`: when it asked last, or ran out of room, and what `Core.news` was then. It waits for `room_ms` at
    least, and for `pause_ms` where nothing has come.
    """

    since_ms: int
    news: int
    pause_ms: int = PULL_AGAIN_MS
    room_ms: int = 0
    gap: bool = False
    stopped: bool = False
    for_upgrade: bool = False

    def wait_ms(self, now_ms: int, news: int) -> int | None:
        """Return in how many ms it is time to ask again; None where there is nothing to ask for."""
        if not self.gap:
            return None
        pause_ms = max(self.room_ms, self.pause_ms if news == self.news else PULL_AGAIN_MS)
        passed_ms = now_ms - self.since_ms
        return max(0, pause_ms - passed_ms) if passed_ms >= 0 else 0  # the clock was set back

    def asked(self, now_ms: int, news: int) -> None:
        """Hear that it asks now."""
        longer_ms = min(2 * self.pause_ms, PULL_AGAIN_MS_MAX)
        self.pause_ms = longer_ms if news == self.news else PULL_AGAIN_MS
        self.since_ms, self.news, self.room_ms = now_ms, news, 0

    def has_no_room(self, now_ms: int, room_ms: int) -> None:
        """Hear that something has to wait for so long, for which the peer may send more than there is room for."""
        self.gap, self.since_ms, self.room_ms = True, now_ms, room_ms


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
        asks: bool = False,
        answers: bool = False,
    ) -> None:
        """`frames_per_turn`: how many frames one call may return; whoever sets it low asks `has_more`.

        `asks`, `answers`: whether the two agreed that the peer takes questions, or this side does.
        """
        self._core = core
        self._peer = peer
        self._frames_per_turn = frames_per_turn
        self.tally = Tally()
        self.relaying = RelayBackoff(first=core.device < peer)
        self.use = LinkUse()
        self.refusals: deque[Refused] = deque(maxlen=REFUSALS_MAX)
        """What was refused by either side last, for `doctor` and the log."""
        self.has_more = False
        """Whether `more` stopped only because it had said enough for one turn."""
        self.has_asked_for_proof = False
        """Whether this side has asked for the signed ops of what it knows by another's word (`replica.late`)."""
        self.goodbye: str | None = None
        """Why the peer left, in its words."""
        self._group = GroupNews(core, peer)
        self._stated = core.feeds.held(), core.position
        """What the Hello states to be held here, and how long the log was then."""
        self._outbox: Outbox | None = None
        self._begun: Outbox | None = None
        """From what a peer whose Hello named no op is sent everything, as long as it has said no Heads."""
        self._unanswered: deque[tuple[Outbox, Sent]] = deque()
        """What left in each frame, and each part of a snapshot, that is not acknowledged yet, and from which outbox."""
        self._leaving = Leaving(core, cut)
        self._incoming = Incoming(core, peer)
        self._incoming.shared(len(core.proofs))
        self._lacking = _Lacking(now_ms, core.news)
        self._asked_about: tuple[dict[int, int], tuple[OpRef, ...]] = {}, ()
        """What was last asked about, and how far those feeds reached: a peer may make us ask again and again."""
        self._peer_folds = False
        self._authors: set[DeviceId] = set()
        """Whose ops are in a snapshot that was refused."""
        self._alongside = alongside
        self._wishes: tuple[Wish, ...] = ()
        self._asked: Inquiry | None = None
        """What the peer asked, until whoever runs this conversation has taken it to answer it."""
        self._question: Inquiry | None = None
        """What this side asked last."""
        self._found: Findings | None = None
        hello = Hello(
            PROTOCOL,
            min(max(0, now_ms), CLOCK_MS_MAX),  # a clock that was never set may show anything
            trust_digest(self._group.statement()),
            core.frontier().digest(),
            core.has_folded_all,
            CREDITS,
            None if alongside is None else alongside.space,
        )
        self.session = Session(hello, asks, answers)

    @property
    def is_over(self) -> bool:
        """Whether one side said goodbye."""
        return self.session.phase is Phase.OVER

    @property
    def holds_parts(self) -> bool:
        """Whether parts of a snapshot, of either side's, are held in memory."""
        return self._incoming.is_under_way or self._leaving.is_under_way

    def receive(self, data: bytes, now_ms: int) -> list[bytes]:
        """Take in one message of the peer's and return what to say to it; what it did wrong is kept as evidence."""
        try:
            with collector_paused():  # until what came with the message is gone: none of it is walked in vain
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
        message = decode_message(data)
        was_open = self.session.phase is Phase.OPEN
        was_sent_all = self.session.sending is Sending.DONE and self.unsent() == 0
        had_all = self.session.receiving is Receiving.DONE
        self.session.hear(message)
        match message:
            case Hello():
                self._greeted(message, now_ms)
            case Trust():
                self._learn(message, was_open, now_ms)
            case Heads():
                self._compare(message, was_sent_all, now_ms)
            case Locator(places):
                self.session.say(Known(self._core.feeds.held_of(places)))
            case Known(places):
                assert self._outbox is not None, "no Locator is said before Heads were heard"
                self._outbox.learn(self._core.feeds.vector_of(places))
            case Ops() | Base() if self._ends_with_news():
                pass  # nothing more is taken of whoever another link told to be revoked
            case Ops(frame):
                self._take(frame, now_ms)
            case Base():
                self._take_part(message, now_ms)
            case Ack(taken, refused):
                self.tally.sent += taken
                self._answered(taken, refused)
            case CaughtUp():
                pass  # the session has noted it
            case Want() | Grant() | Inquiry() | Findings():
                self._take_beside(message)
            case Bye(reason):
                self.goodbye = reason
            case _:
                assert_never(message)
        if self.session.receiving is Receiving.DONE:
            self._have_all(now_ms, is_news=not had_all)
        if self.session.is_quiet:
            self._incoming.rest()
        return self.more(now_ms)

    def _have_all(self, now_ms: int, *, is_news: bool) -> None:
        """Do what waited until everything of the peer's is here; not with each word of a link that is quiet."""
        give_way(self._core, now_ms)
        if is_news:
            self._core.store.all_came()

    def _take_beside(self, message: Want | Grant | Inquiry | Findings) -> None:
        """Take what nobody waits for to have everything: about vectors, and about what a memory holds."""
        match message:
            case Want(wishes):
                assert self._alongside is not None, "the session knows that there is a model in common"
                self.session.say(Grant(tuple(self._alongside.granted(wishes))))
            case Grant(vectors):
                self._keep_vectors(vectors)
            case Inquiry():
                self._asked = message
            case Findings():
                self._take_found(message)
            case _:
                assert_never(message)

    def _greeted(self, theirs: Hello, now_ms: int) -> None:
        self.tally.offset_ms = theirs.clock_ms - now_ms
        self._peer_folds = theirs.folded
        if self.session.sending is Sending.DONE:
            held, position = self._stated
            self._outbox = Outbox(held, position)
            self._heard(held, now_ms)
        elif theirs.frontier == NOTHING_HELD:
            self._begin_with_all()
        if self.session.phase is Phase.OPEN:
            self._pull_first()
        else:
            trust = self._group.all()
            self._incoming.shared(len(trust.proofs))
            self._introduce(trust)

    def _learn(self, trust: Trust, was_open: bool, now_ms: int) -> None:
        """Take what a peer says of the group, but introductions only as fast as somebody pairs devices."""
        self._group.take(trust, now_ms)
        if trust.more:
            return
        self._core.heard_group(self._peer)
        self.session.conclude(SessionFinding.TRUST_KEPT)
        if not self._end_if_revoked() and not was_open:
            self._pull_first()

    def _pull_first(self) -> None:
        """Ask for what is lacking, unless both hold the same."""
        if self.session.receiving is Receiving.LACKING:
            self._pull()

    def _begin_with_all(self) -> None:
        """Send everything to a peer that holds nothing, and do not wait until it says so once more, in its Heads.

        But for what begins with a snapshot: those Heads say of how much of it has come before.
        """
        outbox = Outbox({})
        if not outbox.lacks_base(self._core):
            self._outbox = self._begun = outbox
            self.session.conclude(SessionFinding.HOLDS_NOTHING)

    def _compare(self, theirs: Heads, was_sent_all: bool, now_ms: int) -> None:
        """Find out what the peer lacks, as far as its heads tell, and ask where they are news.

        One that lacks nothing, and names less, asks for what was signed (`replica.late`): a base is nothing to it.
        """
        feeds, heads = self._core.feeds, theirs.frontier.heads
        self._leaving.resume_at(theirs.base, theirs.parts)
        self._core.heard_of_myself(heads, self._peer, now_ms)
        known = feeds.vector_of(heads)
        self._heard(known, now_ms)
        news = [head for head in heads if feeds.locate(head) is None]
        origins = {head.origin: None for head in news if feeds.of(head.origin)}
        begun, self._begun = self._begun, None
        if begun is not None and not origins:  # what has left is on its way to where these Heads were said
            begun.learn(known)
            self.session.conclude(SessionFinding.LOCATED)
            if was_sent_all:
                self.session.conclude(SessionFinding.SENT_ALL)
            return
        self._outbox = Outbox(known, parted=origins)
        self._outbox.leave_out(self._leaving.reaches, refused=self._leaving.was_refused)
        if was_sent_all and not news:
            self._outbox.prove_base(self._core)
            self._outbox.sent_base(self._core)
        unsure = Locator(self._places_of(origins))
        for part in unsure.parts():
            self.session.say(part)
        if not unsure.places:
            self.session.conclude(SessionFinding.LOCATED)

    def _places_of(self, origins: Iterable[Origin]) -> tuple[OpRef, ...]:
        """Return places of these origins' feeds to ask about: as they were last read, if none of those has grown."""
        feeds = self._core.feeds
        reach = {feed.no: feed.seq for origin in origins for feed in feeds.of(origin)}
        if reach != self._asked_about[0]:
            places = tuple(place for origin in origins for place in locator(feeds, origin))
            self._asked_about = reach, places
        return self._asked_about[1]

    def _ask_who(self, authors: Iterable[DeviceId]) -> None:
        """Where ops of nobody known came, and there was no room for all introductions: ask to be told once more."""
        if self._group.lacks(authors):
            self.end("tell me once more who belongs to the group: I hold less of it than you")

    @collector_paused()  # until what a frame is made of is gone
    def more(self, now_ms: int) -> list[bytes]:
        """Return what there is to say now; call it at the start and whenever the log or the group grew."""
        if self.session.phase is Phase.OPEN:
            self._share_group()
        if self.asks_again_ms(now_ms) == 0:
            self._lacking.asked(now_ms, self._core.news)
            self.ask()
        self._push()
        if self._alongside is not None and self.session.may_want:
            self._wishes = tuple(self._alongside.next_wishes(WISHES_MAX))
            if self._wishes:
                self.session.say(Want(self._wishes))
        said = self._said()
        if (
            self.session.is_quiet and self._may_ask_for_proof()
        ):  # as nothing is left to say, nobody calls this again
            self.ask()
            said += self._said()
        return said

    def _said(self) -> list[bytes]:
        """Return what waited to be said."""
        said: list[bytes] = []
        while (message := self.session.next_message()) is not None:
            said.append(encode_message(message))
        return said

    def _push(self) -> None:
        """Send frames, and parts of a snapshot before them, as long as the peer and this turn have room."""
        room, self.has_more = self._frames_per_turn, False
        while self._outbox is not None and self.session.may_push:
            if room == 0:
                self.has_more = True
                return
            room -= 1
            if self._leaving.is_under_way or self._outbox.lacks_base(self._core):
                part, sent = self._leaving.next_part(self._outbox)
                self._unanswered.append((self._outbox, sent))
                self.session.say(part)
                continue
            frame = self._outbox.next_frame(self._core)
            if frame is None:
                self._say_caught_up()
                return
            self._unanswered.append((self._outbox, self._outbox.sent))
            is_last = self._outbox.is_empty(self._core)
            self.session.say(Ops(encode_frame(frame), is_last))
            if is_last:
                return

    def _say_caught_up(self) -> None:
        """Say that there is nothing (more) to send, once for each time it becomes true."""
        if self.session.sending is Sending.READY:
            self.session.say(CaughtUp())

    def ask(self) -> None:
        """Ask what the peer holds beyond what I hold, as at the start; the answer proves that it is there."""
        if self.session.phase is Phase.OPEN:
            self._lacking.gap = self._lacking.stopped = False
            self._pull()

    def asks_again_ms(self, now_ms: int) -> int | None:
        """Return in how many ms `more` asks again for what could not be taken; None where nothing waits for that."""
        return self._lacking.wait_ms(now_ms, self._core.news) if self.session.phase is Phase.OPEN else None

    def ask_memory(self, question: str, limit: int) -> None:
        """Ask the peer to find something in its memory; `session.may_ask` says whether that may be asked now."""
        self._question, self._found = Inquiry(question[:QUESTION_CHARACTERS_MAX], limit), None
        self.session.say(self._question)

    def take_found(self) -> Findings | None:
        """Return the answer to what was asked last, once, when it has come."""
        found, self._found = self._found, None
        return found

    def take_asked(self) -> Inquiry | None:
        """Return what the peer asked, once; it waits for `answer_memory`."""
        asked, self._asked = self._asked, None
        return asked

    def answer_memory(self, rids: Iterable[bytes] | None) -> None:
        """Answer what the peer asked; None where it could not be found out."""
        if self.session.owes_found:
            self.session.say(Findings(None if rids is None else tuple(rids)))

    def _take_found(self, found: Findings) -> None:
        assert self._question is not None, "the session takes no answer to what was not asked"
        if found.rids is not None and len(found.rids) > self._question.limit:
            raise RemoteProtocolError(
                f"expected at most {self._question.limit} memories in answer, got {len(found.rids)}"
            )
        self._found = found

    def end(self, reason: str) -> None:
        """Say goodbye, unless that was said."""
        if not self.is_over:
            self.session.say(Bye(reason))

    def close(self) -> None:
        """Let go what was held for this conversation alone: whoever still refers to it must not keep a snapshot."""
        self._incoming.close()
        self._leaving.close()
        self._asked_about = {}, ()
        if self._alongside is not None:
            self._alongside.close()
        self._core.store.all_came()  # or it comes by another conversation

    def unsent(self) -> int | None:
        """Return how many ops of mine the peer is known to lack, refused ones too; None until it said what it holds."""
        return None if self._outbox is None else self._outbox.lacking(self._core)

    def _heard(self, known: Mapping[int, int], now_ms: int) -> None:
        """Note what the peer holds, if it has folded all of it: then those ops may leave my log one day."""
        if self._peer_folds:
            self._core.heard(self._peer, known, now_ms)

    def _pull(self) -> None:
        told = self._incoming.tell()
        base, parts = (None, 0) if told is None else (told.digest, len(told.parts))
        if self._may_ask_for_proof():
            self._core.asked.add(self._peer)
            self.has_asked_for_proof = True
            self.session.say(Heads(signed_frontier(self._core), base, parts))
        else:
            self.session.say(Heads(self._core.frontier(), base, parts))

    def _may_ask_for_proof(self) -> bool:
        """Say whether all that the peer holds is here, and it may have signed ops of what is known by word alone."""
        return self.session.receiving is Receiving.DONE and may_ask(self._core, self._peer)

    def _take(self, data: bytes, now_ms: int) -> None:
        try:
            frame = decode_frame(data)
        except InvalidOp as error:
            raise RemoteProtocolError(f"a frame of ops could not be read: {error}") from error
        over = self._core.quotas.over(self._peer, now_ms)
        if over is not None:
            self._wait_for_room(frame, *over, now_ms)
            return
        more_comes = self.session.receiving is Receiving.LACKING
        taken = self._core.take(frame, now_ms, peer=self._peer, packed=len(data), more_comes=more_comes)
        for fault in {each.fault for each in taken.refusals if each.fault is not None}:
            self._core.accuse(self._peer, fault, now_ms)
        if self._outbox is not None:
            ends = dict(zip(frame.segment_of, frame.ops, strict=True))
            self._outbox.learn(self._core.feeds.vector_of(op.place for op in ends.values()))
        self.tally.received += taken.ops
        if not taken.refusals:
            written = [each.origin.device == self._peer for each in frame.segments]
            own = sum(written[at] for at in frame.segment_of)
            self.use.carried(len(frame.ops) - own, taken.ops - own, own=own > 0 and taken.ops > 0)
        lacking = self._lacking
        lacking.gap |= any(each.gap for each in taken.refusals) and not lacking.for_upgrade
        lacking.stopped |= not all(each.gap for each in taken.refusals)
        if any(each.gap and each.fault is Fault.CHAINS for each in taken.refusals):
            lacking.has_no_room(now_ms, ROOM_AGAIN_MS)
        refused = tuple(
            Refused(each.origin, each.seq, each.reason, each.gap)
            for each in taken.refusals[:REFUSALS_SAID_MAX]
        )
        self.refusals += refused
        self.session.say(Ack(taken.ops, refused))
        self._ask_who(segment.origin.device for segment in frame.segments)

    def _wait_for_room(self, frame: Frame, what: What, wait_ms: int, now_ms: int) -> None:
        """Leave a frame with a peer that is over its quota, unless all of it is held, and ask when there is room."""
        ends = zip(frame.segments, frame.heads(), strict=True)
        news = [each for each, head in ends if self._core.feeds.locate(head) is None]
        reason = self._over(what, wait_ms, now_ms) if news else ""
        refused = tuple(
            Refused(each.origin, each.first_seq, reason, True) for each in news[:REFUSALS_SAID_MAX]
        )
        self.refusals += refused
        self.session.say(Ack(0, refused))

    def _over(self, what: What, wait_ms: int, now_ms: int) -> str:
        """Name a peer that is over its quota, ask it again when there is room, and return what to tell it."""
        self._core.accuse(self._peer, Fault.QUOTA, now_ms)
        self._lacking.has_no_room(now_ms, wait_ms)
        return told_over(what, wait_ms)

    def _answered(self, taken: int, refused: tuple[Refused, ...]) -> None:
        """Hear what the peer made of the oldest frame, or of the last part of a snapshot, that it has not answered."""
        self.refusals += refused
        outbox, sent = self._unanswered.popleft()
        if refused:
            sent = self._leaving.break_off(sent) or sent
        if self._leaving.ended_with(sent):
            self._leaving.answered(refused)
            self.use.carried_snapshot()
        elif not refused:
            own = len(sent.get(-1 if self._core.own_feed is None else self._core.own_feed, ()))
            passed_on = sum(map(len, sent.values())) - own
            if passed_on:
                self.relaying.answered(passed_on, taken - own)
            self.use.carried(passed_on, taken - own, own=own > 0 and taken > 0)
        if self._outbox is not None:
            self._outbox.answered(self._core, sent, {(each.origin, each.seq) for each in refused})
        if outbox is self._outbox:  # else the peer has asked again since, and is sent the rest anew
            waits = {each.origin for each in refused if each.gap}
            outbox.leave_waiting(self._core, [no for no in sent if self._core.feeds[no].origin in waits])

    def _take_part(self, part: Base, now_ms: int) -> None:
        if self._incoming.is_left(part):
            refused = self._incoming.answer_to_left(part)
        elif (over := self._core.quotas.over(self._peer, now_ms)) is not None:
            refused = self._refused_whole(self._over(*over, now_ms), waits=True)
            self._incoming.leave(part, refused)
            self._lacking.for_upgrade = False
        else:
            whole = self._incoming.take(part)
            refused = () if whole is None else self._take_whole(whole, now_ms)
        self.refusals += refused
        self.session.say(Ack(0, refused))
        self._ask_who(self._authors)

    def _take_whole(self, whole: bytes, now_ms: int) -> tuple[Refused, ...]:
        with self._core.taking():
            why, waits = self._absorb(whole, now_ms)
        self._lacking.for_upgrade = why is not None and not waits
        if why is None:
            self.use.carried_snapshot()
            return ()
        if not waits:
            self._lacking.gap = False
        self._incoming.give_up()
        return self._refused_whole(why, waits=waits)

    def _refused_whole(self, why: str, *, waits: bool) -> tuple[Refused, ...]:
        return (Refused(self._core.origin, 0, why, gap=waits),)

    def _absorb(self, data: bytes, now_ms: int) -> tuple[str | None, bool]:
        """Merge a snapshot that has come whole; return why not, and whether it may come again later as it is."""
        try:
            snapshot = read_snapshot(data, self._core)
            if snapshot.maker != self._peer:  # an old one of somebody else's, who may be revoked by now
                raise InvalidOp(
                    f"expected a snapshot of the peer's own making, got one by {snapshot.maker.hex()[:8]}"
                )
            if (stranger := stranger_in(self._core, snapshot)) is not None:
                self._authors = {origin.device for origin in snapshot.origins}
                why = f"the snapshot holds ops of {stranger.hex()[:8]}, who is not a member of this group"
                return why, False
            if not may_begin(self._core, snapshot, self._peer, now_ms):
                self._lacking.has_no_room(now_ms, ROOM_AGAIN_MS)
                return "it begins more chains of writes than are taken at a time: it waits there", True
            known = len(self._core.vouched)
            if not absorb(self._core, snapshot, now_ms):
                return not_understood(snapshot), False
            charge(self._core, self._peer, self._core.vouched[known:], data, now_ms)
        except InvalidOp as error:
            self._incoming.give_up()  # or it would end the next link, too
            why = f"a snapshot of the peer's could not be read: {error}"
            raise RemoteProtocolError(why, fault=Fault.SNAPSHOT) from error
        if self._outbox is not None:  # or what has just come would go back
            ends = (OpRef(feed.origin, feed.seq, feed.head[:ID8_BYTES]) for feed in snapshot.feeds)
            self._outbox.learn(self._core.feeds.vector_of(ends))
        return None, False

    def _keep_vectors(self, vectors: tuple[bytes | None, ...]) -> None:
        assert self._alongside is not None, "no vectors come that were not asked for"
        try:
            self._alongside.keep(self._wishes, vectors)
        except InvalidOp as error:
            raise RemoteProtocolError(f"vectors of the peer's could not be taken: {error}") from error

    def _share_group(self) -> None:
        """Pass on who joined and who was put out since; a newcomer's ops that were refused are asked for again."""
        if not self._group.has_grown():
            return
        news = self._group.news()
        if news is not None:
            self._introduce(news)
        if not self._end_if_revoked() and self._lacking.stopped:
            self.ask()

    def _ends_with_news(self) -> bool:
        """Pass on what is new of the group, and say whether that ends the conversation."""
        self._share_group()
        return self.is_over

    def _introduce(self, trust: Trust) -> None:
        for part in trust.parts():
            self.session.say(part)

    def _end_if_revoked(self) -> bool:
        revoked = self._core.membership.revoked
        if self._peer not in revoked and self._core.device not in revoked:
            return False
        self.end("one of us was revoked")
        return True


def check_admitted(core: Core, peer: DeviceId) -> None:
    """Refuse a peer that is not a member, or was revoked."""
    if peer not in core.membership.standing:
        raise Untrusted(f"{peer.hex()[:8]} is not a member of this group")
