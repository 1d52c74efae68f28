"""Write ops, take ops from others, and fold both: the whole of a replica, without I/O, threads or clocks.

A `Core` decides over a `Store`; time is an argument, randomness is given once, signing is a function. So the
daemon and the simulator run the same code. Every public method that writes does so in one `Store.write`; when
that fails, the core forgets what it had prepared and reads its feeds back, so memory never runs ahead of the
disk.
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import chain, count, repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, cast

from replica import hlc
from replica.admission import AdmissionRefusal, admit
from replica.authoring import Head, author
from replica.chains import Chains
from replica.codec import check_text, payload_hash, wire_place
from replica.collector import collector_paused
from replica.erasure import (
    HOUR_MS,
    NAMED_AN_HOUR_MAX,
    NAMED_WAITING_MAX,
    PROOFS_AN_HOUR_MAX,
    PROOFS_WAITING_MAX,
    Proof,
    proof_of,
)
from replica.errors import NameNotFound
from replica.evidence import Accused, Evidence, Fault, witnessed
from replica.feeds import Feed, join
from replica.folding import Digests, Totals, WorkingSet, digests_of
from replica.frame import Frame, Segment
from replica.frontier import Frontier
from replica.ids import (
    ID8_BYTES,
    DeviceId,
    MemoryId,
    OpId,
    OpRef,
    is_drawn_for,
    new_origin,
    show_memory_id,
)
from replica.incarnations import ChainEvent, Incident, Opened, happened
from replica.late import late_entries
from replica.limits import SEEN_SAID_MAX
from replica.meaning import Meaning, meanings_of
from replica.membership import INTRODUCTIONS_EACH_MAX, IntroducedMember, Membership, Revocation
from replica.meta import SHOWN_BY, LastContact, Meta, Vouched
from replica.oplog import Changes, FoldStatus, LogEntry, LogRow, Partial, Store
from replica.ops import TEXT_KINDS, UNDERSTOOD, Edit, Erase, Op, Remember, Withdraw, Write
from replica.quotas import NAMED_FREE, Beginnings, Quotas
from replica.remains import without_edits
from replica.rows import Understood, status_without_body, without_payload
from replica.signing import Sign, Verify, verify_commit
from replica.state.adds import Add
from replica.state.cells import State, memory_key
from replica.state.digest import element, reduced
from replica.state.fold import fold, keys_of
from replica.state.memories import BareMemory, MemoryCell, document_of
from replica.state.register import Dot, Vector
from replica.state.yjs import in_parts
from replica.values import dataclass

if TYPE_CHECKING:
    from random import Random

_hlc, _keys = attrgetter("hlc"), itemgetter(1)
_columns = attrgetter("seq", "hlc", "rid", "id")
# By name it takes three times as long, and nearly every op that is taken has each.
_dot = _entry = _add = _bare = tuple.__new__


class TakingIn:
    """How far a snapshot is that is being merged: noted by the store's thread, told by another."""

    __slots__ = ("memories", "written")

    def __init__(self) -> None:
        self.memories: int | None = None
        """How many it brings, once they are read."""
        self.written = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a frame: how many ops were new and are now durable, and what was refused."""

    ops: int
    refusals: tuple[AdmissionRefusal, ...]


# Authors that one peer is asked to introduce again: as many as one device can have introduced, so that a few rounds
# are enough for all that it took; and of how many peers that is kept, the last ones.
WANTED_EACH_MAX: Final = INTRODUCTIONS_EACH_MAX
WANTED_PEERS_MAX: Final = 64
# Peers that say they hold writes of this device, before any of it has come: a device is restored some times in its
# life, and each of its peers says so once.
ECHOES_UNPROVEN_MAX: Final = 16


class Core:
    """One replica's log, state and group.

    `sign` signs as `device`; `verify` is replaceable only to remember results; `understood` is what this program can
    fold, less of it only where an older program is simulated.
    """

    def __init__(
        self,
        store: Store,
        *,
        device: DeviceId,
        sign: Sign,
        random: "Random",
        verify: Verify = verify_commit,
        understood: Understood = UNDERSTOOD,
    ) -> None:
        self.store = store
        self.device = device
        self.sign = sign
        self._random = random
        self.verify = verify
        self.understood = understood
        self._clock = hlc.Hlc(0)
        self._own: int | None = None
        self._pos = 0
        self._kept: dict[str, bytes] = {}
        self.totals = Totals()
        self._frontier: Frontier | None = None
        """What is held, until the next write; worked out when it is asked for."""
        self.began_ms = 0
        """When this store was found to be a copy, by the clock of then; 0 where it never was."""
        self.past: Vector = {}
        """What was held of this device's own feeds when its clock was corrected: their stamps say nothing."""
        self.horizon_ms = 0
        """Up to when ops have left the log: what was before is not told in full any more (`replica.compaction`)."""
        self.partials: dict[DeviceId, Partial] = {}
        """Snapshots that came in part, by the peer that was sending."""
        self.out_since: dict[DeviceId, int] = {}
        """When it was heard here that a device is out, in ms since 1970; nothing of what older programs heard."""
        self.echoes: dict[DeviceId, OpRef] = {}
        """What each peer said last that it holds of this device's own, and this device did not."""
        self.quotas = Quotas()
        """What has come from each peer lately."""
        self.merged = 0
        """How many bases were merged since the start: that brings memories too, and no op."""
        self.taking_in: TakingIn | None = None
        """The snapshot that is being merged; of a million memories that takes most of a minute."""
        self.give_way: Callable[[], None] | None = None
        """Lets those who tell something write now, where they wait for what this thread does; in no transaction."""
        self.incidents: list[Incident] = []
        """What made this device start anew, or chains part: the last few times."""
        self.evidence: Evidence = {}
        """What members did that no honest program does (`replica.evidence`)."""
        self.wanted: dict[DeviceId, frozenset[DeviceId]] = {}
        """Authors of ops that a peer handed over, whom there was no room to know: it is to introduce them again."""
        self.vouched: list[Vouched] = []
        """Which ops are known by a member's word alone (`replica.vouched`)."""
        self.asked: set[DeviceId] = set()
        """Which peers were asked for the signed ops behind that, and whether some came that changed nothing yet."""
        self.may_prove = False
        self.denied: set[bytes] = set()
        """Memories that a signed op added anew, and of which a base had told that they are gone, or read otherwise."""
        self.has_news_of_faults = False
        """Whether some of that is not written down yet."""
        self.shown_by = SHOWN_BY
        """By which rules memories show in the store; lower until what an older program wrote is shown anew."""
        self.opened: Opened | None = None
        """The nonce of this opening, where a twin of the store is kept outside its home (`replica.rollback_guard`)."""
        self.reload()

    # -- what is held ----------------------------------------------------------------------------------------

    def frontier(self) -> Frontier:
        """Return the last op held of every feed."""
        if self._frontier is None:
            self._frontier = Frontier.of(self.feeds.heads())
        return self._frontier

    @property
    def position(self) -> int:
        """Return the position of the last op in the log: it grows with every op, whoever wrote it."""
        return self._pos

    @property
    def news(self) -> int:
        """Return a number that grows with every op and every base that is merged: by these memories come."""
        return self._pos + self.merged

    @property
    def has_folded_all(self) -> bool:
        """Whether everything held is understood here."""
        return not self.totals.unfolded

    def is_signed(self, device: DeviceId, last: OpId, signature: bytes) -> bool:
        """Say whether a member signed the commit that ends with this op."""
        key = self.membership.public_key(device)
        return key is not None and self.verify(key, last, signature)

    def rows_above_base(self) -> Iterator[LogRow]:
        """Return the ops that the state is folded of, on top of the base, in commit order.

        Below the end of a base that was handed over, ops that were held stay in the log as evidence.
        """
        return (row for row in self.store.rows() if row.seq > self.feeds[row.feed].base_seq)

    def digests(self) -> Digests:
        """Return both digests, kept up to date by every write."""
        return digests_of(self.totals, self.frontier())

    # -- writing ---------------------------------------------------------------------------------------------

    def begin(self, now_ms: int) -> None:
        """Start a new incarnation if my stamps ran ahead of a corrected clock; call before reading for a write."""
        if hlc.runs_ahead(self._clock, now_ms):
            self.past = {feed.no: feed.seq for feed in self.feeds if feed.origin.device == self.device}
            self.incarnate(ChainEvent.CLOCK, now_ms)
            self._clock = hlc.Hlc(0)  # the one case in which a stamp may fall behind what was stamped before

    def incarnate(self, why: ChainEvent | None = None, now_ms: int = 0) -> None:
        """Become a new incarnation; `why`, unless this is how things should be.

        The next op begins a feed of its own, so that no place is written twice.
        """
        self.origin = new_origin(self.device, self._random)
        self._own = None
        if why is ChainEvent.COPIED:
            self.began_ms = now_ms
        if why is not None:
            self.note(why, self.device, now_ms)

    def note(self, why: ChainEvent, device: bytes, now_ms: int) -> None:
        """Keep what happened to a device's chain, for its owner; the next write makes it durable."""
        self.incidents = happened(self.incidents, now_ms or hlc.milliseconds(self._clock), why, device)

    def accuse(self, device: DeviceId, fault: Fault, now_ms: int) -> None:
        """Note what a device did that no honest program does; the next write, or `keep_evidence`, makes it durable."""
        self.evidence, is_news = witnessed(self.evidence, Accused(device, fault), now_ms)
        self.has_news_of_faults |= is_news

    def want(self, peer: DeviceId, authors: Iterable[DeviceId]) -> bool:
        """Note whom a peer is to introduce again, since ops of theirs came from it; say whether that is news."""
        before = self.wanted.pop(peer, frozenset()) - self.membership.members.keys()
        news = {*authors} - before
        after = before | frozenset(sorted(news)[: WANTED_EACH_MAX - len(before)])
        self.wanted[peer] = after
        if len(self.wanted) > WANTED_PEERS_MAX:
            del self.wanted[next(iter(self.wanted))]
        return after != before

    def keep_evidence(self, now_ms: int) -> None:
        """Write down what was noted of others, where it is not yet."""
        if self.has_news_of_faults:
            self.write(Changes(), now_ms)

    @property
    def own_feed(self) -> int | None:
        """The feed that the next op goes on; None where it begins one."""
        return self._own

    def heard_of_myself(self, places: Iterable[OpRef], peer: DeviceId, now_ms: int) -> bool:
        """Start a new incarnation if a peer holds ops of mine that I do not (I was restored); say whether I did.

        That a peer names an op proves nothing: whoever were always believed could make this device begin a chain with
        each of its writes, until nobody takes another. So each peer is believed once, and again when what it named has
        come from somewhere. A true word that is not believed costs no more than a branch.
        """
        lacking = [each for each in places if each.origin == self.origin and self.feeds.locate(each) is None]
        if not lacking:
            return False
        unproven = {each: place for each, place in self.echoes.items() if self.feeds.locate(place) is None}
        if peer in unproven:
            self.accuse(peer, Fault.ECHO, now_ms)
            return False
        if len(unproven.keys() & self.membership.standing) >= ECHOES_UNPROVEN_MAX:
            return False
        self.echoes = unproven | {peer: max(lacking, key=attrgetter("seq"))}
        self.incarnate(ChainEvent.ECHO)
        self.write(Changes(), now_ms=0)
        return True

    def learn(
        self,
        members: Iterable[IntroducedMember],
        revocations: Iterable[Revocation],
        proofs: Iterable[Proof] = (),
        now_ms: int = 0,
        *,
        by: DeviceId | None = None,
        needed: Container[DeviceId] = (),
    ) -> bool:
        """Take introductions, revocations and proofs that are new and rightly signed; say whether there were any.

        `by`: the member that says so. `needed`: whose introductions fit beyond all bounds (`membership.lineage`).
        """
        fresh, out = self.membership.news(members, revocations, own=self.device, by=by, needed=needed)
        first, further = self.membership.parted(fresh)
        keys = {member.device: member.public_key for member in (*self.membership.members.values(), *first)}
        acting, idle = self._sorted_out(proofs, keys, now_ms)
        if not fresh and not out and not acting and not idle:
            return False
        with self.undoing():
            before = self.membership.revoked
            self.membership.add(fresh, out)
            self._note_revoked(before, now_ms)
            changes = Changes(members=first, further=further, revocations=out)
            self._take_proofs(acting, idle, changes, now_ms)
        return True

    def _note_revoked(self, before: Collection[DeviceId], now_ms: int) -> None:
        """Keep since when devices are out, and forget it of those that are back."""
        revoked = self.membership.revoked
        self.out_since = {each: ms for each, ms in self.out_since.items() if each in revoked}
        heard_ms = now_ms or hlc.milliseconds(self._clock)
        self.out_since |= {each: heard_ms for each in revoked if each not in before}

    def follow(self, statement: IntroducedMember) -> None:
        """Take a root on its owner's word: whoever holds the key on paper has typed it here."""
        with self.undoing():
            before = self.membership.revoked
            is_new = bool(self.membership.unknown([statement])[0])
            self.membership.add([statement], [])
            self._note_revoked(before, 0)
            self.write(Changes(further=[statement] if is_new else []), now_ms=0)

    def expect_root(self, partner: DeviceId, own: IntroducedMember | None) -> None:
        """Before a device that is alone learns of its first partner: take the root of the group from that.

        `own`: the statement that this device is the root itself, which holds unless the partner knows of another; None
        where the partner will say. Nothing happens on a device that has a group. One that a pairing gave a partner
        which has not said a word yet, since it was cut off, has none: when the two pair again, what is so is what they
        do now, or of two that each show the code once, each would take the other for the root.
        """
        group = self.membership
        others = group.members.keys() - {self.device}
        if others - {partner} or (others and group.awaits != partner):
            return
        if group.root is not None and (group.root != self.device or group.awaits is None):
            return
        with self.undoing():
            group.add([] if own is None else [own], [])
            group.settle(None if own is None else self.device, partner)
            self.write(Changes(further=[] if own is None else [own]), now_ms=0)

    def heard_group(self, peer: DeviceId) -> None:
        """Hear that a peer has said all that it knows of the group: it names no root where this device founded.

        Unless it came with a group: that may have a root, of which the peer has not heard itself, or none. This device
        awaits it as if it had joined that group, since whoever awaits nobody takes a root from any member. Whom this
        device was paired with meanwhile is of its own group.
        """
        group = self.membership
        if group.awaits != peer or group.root != self.device:
            return
        ours = {each.device for each in group.members.values() if each.introduced_by == self.device}
        theirs = group.members.keys() - ours - {self.device}
        with self.undoing():
            group.settle(*((None, peer) if theirs else (group.root, None)))
            self.write(Changes(), now_ms=0)

    def take_proofs(self, acting: Iterable[Proof], idle: Iterable[Proof] = (), now_ms: int = 0) -> None:
        """Take proofs that were checked before, by this device: its own, as it kept them elsewhere."""
        known, resting = (
            [each for each in some if each.id not in self.proofs and self._is_ours(each)]
            for some in (acting, idle)
        )
        if known or resting:
            with self.undoing():
                self._take_proofs(known, resting, Changes(), now_ms)

    def _sorted_out(
        self, proofs: Iterable[Proof], keys: Mapping[DeviceId, bytes], now_ms: int
    ) -> tuple[list[Proof], list[Proof]]:
        """Return the proofs that are new and rightly signed: those that act, and those that wait for their ops.

        Nobody's act beyond so many within an hour; the rest acts with its ops. What waits lets headers in without their
        payloads all the same: the ops that follow are as the group has them. Whether an author was revoked decides
        nothing: members hear of that at different moments, and what one member has erased, all of them erase.
        """
        acting: list[Proof] = []
        idle: list[Proof] = []
        hour = now_ms // HOUR_MS
        waiting, named_waiting = Counter[DeviceId](), Counter[DeviceId]()
        for each in self.idle:
            waiting[self.proofs[each].author] += 1
            named_waiting[self.proofs[each].author] += len(self.proofs[each].rids)
        for proof in proofs:
            author = proof.author
            key = keys.get(author)
            began, taken, named = self._taken_ahead.get(author, (hour, 0, 0))
            if began != hour:
                taken = named = 0
            acts = taken < PROOFS_AN_HOUR_MAX and named < NAMED_AN_HOUR_MAX
            waits = waiting[author] < PROOFS_WAITING_MAX and named_waiting[author] < NAMED_WAITING_MAX
            if proof.id in self.proofs or not (acts or waits):
                continue
            if key is None or not self.verify(key, proof.id, proof.signature):
                continue
            if not self._is_ours(proof):
                continue
            if acts:
                self._taken_ahead[author] = hour, taken + 1, named + len(proof.rids)
                acting.append(proof)
            else:
                waiting[author] += 1
                named_waiting[author] += len(proof.rids)
                idle.append(proof)
        return acting, idle

    def _is_ours(self, proof: Proof) -> bool:
        """Say whether the op that a proof is was not left out when this group was rebuilt."""
        op = proof.op()
        return self.membership.allows(op.origin, op.seq)

    def _take_proofs(
        self, acting: Sequence[Proof], idle: Sequence[Proof], changes: Changes, now_ms: int
    ) -> None:
        rids = {rid for proof in acting for rid in proof.rids}
        working = WorkingSet.load(self.store, map(memory_key, rids), self.feeds.origin_of)
        for rid in rids:
            working.state.kill(rid)
        settled = working.settle(self.totals, self.feeds.origin_of)
        changes.cells, changes.tombstones = settled.cells, settled.tombstones
        changes.memories = settled.memories
        self.erase(acting, changes)
        self.ahead |= {proof.id for proof in acting}
        self.proofs |= {proof.id: proof for proof in idle}
        self.idle |= {proof.id for proof in idle}
        self.licensed |= {rid for proof in idle for rid in proof.rids}
        changes.ahead, changes.idle = True, list(idle)
        self.write(changes, now_ms)

    def heard(self, peer: DeviceId, folded: Mapping[int, int], now_ms: int) -> None:
        """Note what a member has folded, and when it said so: what lets ops leave the log (`replica.compaction`)."""
        known = dict(self.contacts[peer].folded) if peer in self.contacts else {}
        join(known, dict(folded))
        self.contacts[peer] = LastContact(now_ms, known)

    def adopt(self, membership: Membership) -> None:
        """Take a whole group as given, signatures unchecked: for a copy of a replica that knows them."""
        self.membership = membership.without(())
        first, further, out = membership.members.values(), membership.further, membership.revocations
        self.write(Changes(members=[*first], further=[*further], revocations=[*out]), now_ms=0)

    def found(self, own: IntroducedMember) -> None:
        """Begin a group of one: the device introduces itself. Nothing happens where that is known."""
        if own.device not in self.membership.members:
            self.write(Changes(members=[own]), now_ms=0)
            self.membership.add([own], [])

    def rename(self, own: IntroducedMember) -> bool:
        """Let the device introduce itself by another name; False, and no change, once another device was told of it."""
        if self.membership.is_told_of(own.device):
            return False
        self.write(Changes(members=[own]), now_ms=0)
        self.membership.rename(own)
        return True

    def commit(
        self,
        writes: Sequence[Write],
        now_ms: int,
        *,
        fresh: Set[MemoryId] = frozenset(),
        may_follow: bool = False,
    ) -> list[Op]:
        """Write some changes as one commit: signed, folded and durable when this returns, all or none.

        Of `fresh` memories, whose ids were made by chance a moment ago, nothing is looked up. With `may_follow` what is
        added may show later (`Store.follow`).
        """
        if not writes:
            return []
        self.begin(now_ms)
        feed = None if self._own is None else self.feeds[self._own]
        vector = {} if feed is None else feed.vector
        seen = self._unseen(vector)
        if len(seen) > SEEN_SAID_MAX:
            # Ops that say nothing else, and which every version takes so: a frame has no room for all that a flood
            # has begun in one of its ops, and some have read no more than twice as many.
            self._commit([Write(Withdraw(()))], seen[:SEEN_SAID_MAX], now_ms)
            return self.commit(writes, now_ms, fresh=fresh, may_follow=may_follow)
        return self._commit(writes, seen, now_ms, fresh=fresh, may_follow=may_follow)

    def _unseen(self, vector: Vector) -> tuple[OpRef, ...]:
        """Return the heads that a vector does not cover, those of this device first: so many are its own chains."""
        heads = [other.head_place for other in self.feeds if other.seq > vector.get(other.no, 0)]
        if len(heads) <= SEEN_SAID_MAX:
            return tuple(sorted(heads))
        return tuple(sorted(heads, key=lambda place: (place.origin.device != self.device, place)))

    def _commit(
        self,
        writes: Sequence[Write],
        seen: tuple[OpRef, ...],
        now_ms: int,
        *,
        fresh: Set[MemoryId] = frozenset(),
        may_follow: bool = False,
    ) -> list[Op]:
        feed = None if self._own is None else self.feeds[self._own]
        seq, prev = (0, None) if feed is None else (feed.seq, feed.head)
        commit = author(
            writes, Head(self.origin, seq, prev, self._clock, seen), now_ms, self._random, self.sign
        )
        with self.undoing():
            if feed is None:
                feed = self.feeds.start(self.origin)
                self._own = feed.no
            self._clock = commit.clock
            signatures = {commit.ops[-1].id: commit.signature}
            said = [
                (write.body, keys_of(op, write.body)) for op, write in zip(commit.ops, writes, strict=True)
            ]
            self._apply(
                commit.ops,
                [0] * len(said),
                said,
                {0: feed},
                (),
                signatures,
                now_ms,
                fresh=fresh,
                may_follow=may_follow,
            )
        return list(commit.ops)

    def edits_of(self, rid: MemoryId, text: str) -> list[Write]:
        """Return the writes that make a memory read `text`, keeping what others insert at the same time.

        It is one, unless so many edits have made the text that no single one may take all of it out.
        """
        check_text(text)
        cell = self.store.load([memory_key(rid)]).get(memory_key(rid))
        if not isinstance(cell, MemoryCell):
            raise NameNotFound(f"there is no memory {show_memory_id(rid)} here")
        base, document = document_of(rid, cell)
        return [Write(Edit(base, update), rid) for update in in_parts(document.edit(text, self._random))]

    # -- taking ----------------------------------------------------------------------------------------------

    def take(
        self,
        frame: Frame,
        now_ms: int,
        *,
        peer: DeviceId | None = None,
        packed: int = 0,
        is_charged: bool = True,
        more_comes: bool = False,
    ) -> Taken:
        """Take what may be taken of a frame, durably and in one transaction.

        `peer`: whose quotas it counts against, by the `packed` bytes that crossed the link; chains alone, where it
        `is_charged` for nothing else. `more_comes`: whoever hands it over has more, and calls `Store.all_came` when
        that has come, or comes no more.
        """
        with collector_paused():
            return self._take(frame, now_ms, peer, packed if is_charged else None, more_comes)

    def _take(
        self, frame: Frame, now_ms: int, peer: DeviceId | None, packed: int | None, more_comes: bool
    ) -> Taken:
        beginnings = self.beginnings(peer, now_ms)
        admission = admit(
            frame,
            self.feeds,
            public_key=self.membership.public_key,
            verify=self.verify,
            erased=self.erased | self.licensed if self.licensed else self.erased,
            whole_id=self.feeds.id_at,
            may_begin=beginnings.allow,
            allows=self.membership.allows,
        )
        if admission.ops:
            ops = admission.ops
            ends = dict(zip(admission.segment_of, ops, strict=True))
            signatures = {op.id: frame.segments[at].signature for at, op in ends.items()}
            said = meanings_of(ops, self.understood)
            if peer is not None and packed is not None:
                many = [
                    (frame.segments[at].origin.device == peer, len(keys) - 1)
                    for at, (_, keys) in zip(admission.segment_of, said, strict=True)
                    if len(keys) > NAMED_FREE
                ]
                own = sum(more for is_own, more in many if is_own)
                beyond = own, sum(more for _, more in many) - own
                self.quotas.charge(peer, frame, len(ops), packed, now_ms, beyond)
            with self.undoing():
                self._clock = hlc.absorb_all(self._clock, map(_hlc, ops), now_ms)
                if any(frame.segments[at].origin == self.origin for at in ends):
                    # I wrote these and lost them: whatever happened, that feed is not mine to go on.
                    self.incarnate(ChainEvent.ECHO, now_ms)
                self._apply(
                    ops,
                    admission.segment_of,
                    said,
                    {},
                    frame.segments,
                    signatures,
                    now_ms,
                    more_comes=more_comes,
                )
        self.keep_late(frame, now_ms)
        return Taken(len(admission.ops), tuple(admission.refusals))

    def beginnings(self, peer: DeviceId | None, now_ms: int) -> Beginnings:
        """Return how many chains may begin by what a peer hands over now; None for nobody's quota."""
        return Beginnings(self.quotas, peer, self.feeds.count_of, len(self.feeds), now_ms)

    def keep_late(self, frame: Frame, now_ms: int) -> None:
        """Keep those ops of a frame that are known by a member's word alone; `replica.proving` makes them count."""
        if self.vouched and (late := late_entries(self, frame)):
            with self.undoing():
                self.may_prove = True
                self.write(Changes(entries=late), now_ms)

    # -- both ------------------------------------------------------------------------------------------------

    def _apply(
        self,
        ops: Sequence[Op],
        segment_of: Sequence[int],
        said: Sequence[Meaning],
        feed_of: dict[int, Feed],
        segments: Sequence[Segment],
        signatures: dict[OpId, bytes],
        now_ms: int,
        *,
        fresh: Set[bytes] = frozenset(),
        may_follow: bool = False,
        more_comes: bool = False,
    ) -> None:
        """Append ops to their feeds, fold them in order, and write everything that changed."""
        feeds, totals = self.feeds, self.totals
        touched = chain.from_iterable(map(_keys, said))
        known = (key for key in touched if key.name not in fresh) if fresh else touched
        working = WorkingSet.load(self.store, known, feeds.origin_of)
        state, unknown = working.state, working.unknown(said)
        entries: list[LogEntry] = []
        last_at, first = -1, 0
        for i, (op, at, (body, keys)) in enumerate(zip(ops, segment_of, said, strict=True)):
            is_bare = type(body) is Remember and keys[0][1] in unknown
            if is_bare and at == last_at and not op.seen:
                continue  # it is taken with those that follow one another on its feed
            if first < i:
                self._apply_adds(feed_of[last_at], ops[first:i], said[first:i], signatures, working, entries)
            last_at, first = at, i if is_bare else i + 1
            feed = feed_of.get(at)
            if feed is None:
                feed = feed_of[at] = feeds.attach(op, segments[at].vector)
                if feed.parent is not None and feed.seq == feed.fork:
                    self.note(ChainEvent.BRANCH, op.origin.device, now_ms)
            if is_bare:
                continue
            vector, status, op_id = feeds.advance(feed, op), FoldStatus.FOLDED, op.id
            if body is not None:
                if type(body) is Remember and self._is_denied(state, op):
                    self.denied.add(keys[0].name)
                dot = _dot(Dot, (feed.no, op.seq, op_id[:8]))
                fold(state, op, body, keys, dot, feed.origin_no, vector, feeds.locate)
            else:
                status = status_without_body(op, self.understood)
                if status is FoldStatus.UNKNOWN:
                    totals.unfolded = reduced(totals.unfolded + element(wire_place(op.place)))
                elif status is FoldStatus.UNFOLDABLE:
                    self.accuse(op.origin.device, Fault.CROOKED_OP, now_ms)
            pos = self._pos + len(entries) + 1
            entries.append(_entry(LogEntry, (pos, feed.no, op, signatures.get(op_id), status)))
        if first < len(ops):
            self._apply_adds(feed_of[last_at], ops[first:], said[first:], signatures, working, entries)
        changes = working.settle(totals, feeds.origin_of)
        changes.entries, changes.may_follow, changes.more_comes = entries, may_follow, more_comes
        changes.feeds = list({feed.no: feed for feed in feed_of.values()}.values())
        erasing = [op for op, (body, _) in zip(ops, said, strict=True) if isinstance(body, Erase)]
        # Within a batch that is signed at its end, an op without a signature of its own comes behind its proof.
        waited = [self.proofs[op.id] for op in erasing if op.id in self.idle]
        signed = [proof_of(op, signatures[op.id]) for op in erasing if op.id in signatures]
        self.erase([*waited, *signed], changes)
        changes.arrived = [op.id for op in erasing if op.id in self.ahead]
        self.ahead -= {op.id for op in erasing}
        self._pos += len(entries)
        self.write(changes, now_ms)

    def _is_denied(self, state: State, op: Op) -> bool:
        """Say whether an op adds a memory whose id was drawn for it, and which is known to be gone, or was edited.

        Nobody can have deleted or edited it who had not seen this op. So that may be a liar's word, or of somebody's
        whose ops this group was rebuilt without (`replica.proving`).
        """
        if op.rid is None or not (self.vouched or self.membership.leaves_out):
            return False
        if not is_drawn_for(op.rid, op.hlc):
            return False
        cell = state.memory(op.rid)
        return op.rid in state.tombstones or (cell is not None and bool(cell.edits))

    def _apply_adds(
        self,
        feed: Feed,
        ops: Sequence[Op],
        said: Sequence[Meaning],
        signatures: Mapping[OpId, bytes],
        working: WorkingSet,
        entries: list[LogEntry],
    ) -> None:
        """Append ops that follow one another on a feed and add memories of which nothing else is known.

        None but the first has seen anything new. By columns: as much for each op by itself takes twice as long.
        """
        number, seqs, hlcs, rids, ids = repeat(feed.no), *zip(*map(_columns, ops), strict=True)
        short = [each[:ID8_BYTES] for each in ids]
        bodies = cast("list[Remember]", [body for body, _ in said])
        dots = map(_dot, repeat(Dot), zip(number, seqs, short, strict=False))
        adds = [
            _add(Add, (hlc, body.text, dict(body.fields))) for hlc, body in zip(hlcs, bodies, strict=True)
        ]
        working.bare.extend(map(_bare, repeat(BareMemory), zip(rids, dots, adds, strict=True)))
        positions, signed = count(self._pos + len(entries) + 1), map(signatures.get, ids)
        rows = zip(positions, number, ops, signed, repeat(FoldStatus.FOLDED), strict=False)
        entries.extend(map(_entry, repeat(LogEntry), rows))
        self.feeds.advance_by(feed, ops[0], ops[-1], b"".join(short))

    def arrived_proofs(self) -> list[Proof]:
        """Return the proofs that waited for ops which are held by now."""
        waiting = [self.proofs[op_id] for op_id in sorted(self.idle)]
        return [proof for proof in waiting if self.feeds.locate(proof.op().place) is not None]

    def erase(self, proofs: Sequence[Proof], changes: Changes) -> None:
        """Take in proofs: the payloads that they name leave the log, the batch in hand and the base."""
        if not self.erased and not proofs and not changes.revocations:  # nearly always
            return
        new = {proof.id: proof for proof in proofs if proof.id not in self.proofs or proof.id in self.idle}
        fresh = list(new.values())
        self.idle -= {proof.id for proof in fresh}
        self.proofs |= {proof.id: proof for proof in fresh}
        rids = {rid for proof in fresh for rid in proof.rids}
        self.erased |= rids
        if fresh or changes.revocations:
            self.has_unpurged |= bool(fresh)
            changes.parts_gone = True
            self.partials.clear()  # they may hold the words, or be of who was put out; others send them again
        changes.proofs = fresh
        changes.base_cells |= dict.fromkeys(map(memory_key, rids))
        changes.base_tombstones |= rids
        changes.remains_cut = self.edits_cut(rids)
        for rid in rids:
            changes.erased += [
                (row.pos, payload_hash(row.payload))
                for row in self.store.memory_rows(rid)
                if row.kind in TEXT_KINDS and row.payload is not None
            ]
        if self.erased:
            changes.entries = [
                without_payload(each) if each.op.kind in TEXT_KINDS and each.op.rid in self.erased else each
                for each in changes.entries
            ]

    def edits_cut(self, gone: Set[bytes]) -> list[tuple[OpId, bytes | None]]:
        """Return the remains that hold words which were edited into these memories, without them."""
        base = self.store.load_base(map(memory_key, gone))
        edited = {key.name for key, cell in base.items() if isinstance(cell, MemoryCell) and cell.edits}
        return list(without_edits(self.store.remains(), edited)) if edited else []

    @contextmanager
    def taking(self) -> Iterator[TakingIn]:
        """Let others know, until the block ends, that a snapshot is taken in: most work waits for it meanwhile."""
        if self.taking_in is not None:  # by who calls this
            yield self.taking_in
            return
        self.taking_in = TakingIn()
        try:
            yield self.taking_in
        finally:
            self.taking_in = None

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """Run a block that prepares changes in memory and writes them; if it fails, read everything back."""
        try:
            yield
        except BaseException:
            self.reload()
            raise

    def write(self, changes: Changes, now_ms: int) -> None:
        """Hand changes to the store, with those of the replica's own small facts that are new."""
        meta: dict[str, bytes] = {}

        def news() -> dict[str, bytes]:
            meta.update(self._meta().rows())
            return {name: value for name, value in meta.items() if self._kept.get(name) != value}

        changes.meta = news
        self.store.write(changes, now_ms)
        self._kept = meta
        self.has_news_of_faults = False
        self.feeds.written()
        self._frontier = None

    def _meta(self) -> Meta:
        return Meta(
            origin=self.origin,
            own_feed=self._own,
            clock=self._clock,
            position=self._pos,
            totals=self.totals,
            contacts=self.contacts,
            past=self.past,
            horizon_ms=self.horizon_ms,
            began_ms=self.began_ms,
            opened=self.opened,
            incidents=self.incidents,
            evidence=self.evidence,
            vouched=self.vouched,
            asked=self.asked,
            may_prove=self.may_prove,
            denied=self.denied,
            shown_by=self.shown_by,
            quotas=self.quotas.packed(),
            root=self.membership.root,
            awaits=self.membership.awaits,
            out_since=self.out_since,
            echoes=self.echoes,
        )

    def reload(self) -> None:
        """Read back what the store holds: at the start, and when a write failed."""
        self._frontier = None
        self.feeds = Chains(self.store)
        self.membership = self.store.membership()
        self.proofs = {proof.id: proof for proof in self.store.proofs()}
        self.ahead, self.idle = self.store.proofs_ahead()
        """Proofs whose ops have not come yet: those that act, and those that wait for them."""
        self.erased = {
            rid for proof in self.proofs.values() if proof.id not in self.idle for rid in proof.rids
        }
        self.licensed = {rid for each in self.idle for rid in self.proofs[each].rids}
        """Memories whose headers may come without payloads, though nothing here is erased by that."""
        self._taken_ahead: dict[DeviceId, tuple[int, int, int]] = {}
        self.has_unpurged: bool = bool(self.store.unpurged())
        """Whether words that were erased may still be in some page of the files (`replica.purging`)."""
        self._kept = dict(self.store.meta())
        meta = Meta.read(self._kept)
        self.membership.settle(meta.root, meta.awaits)
        self.out_since = dict(meta.out_since)
        self.echoes = dict(meta.echoes)
        self._pos, self._clock, self.totals = meta.position, meta.clock, meta.totals
        self.horizon_ms, self.opened, self.incidents = meta.horizon_ms, meta.opened, meta.incidents
        self.evidence, self.has_news_of_faults = meta.evidence, False
        self.vouched, self.asked, self.may_prove = meta.vouched, set(meta.asked), meta.may_prove
        self.denied = set(meta.denied)
        self.quotas.restore(meta.quotas)
        self.past, self.contacts, self.shown_by = meta.past, dict(meta.contacts), meta.shown_by
        if meta.origin is None or meta.origin.device != self.device:
            # A new store, or one that was copied to a device with another key: either way, a feed of my own.
            self.incarnate()
            return
        self.origin, self.began_ms, self._own = meta.origin, meta.began_ms, meta.own_feed
