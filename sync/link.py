"""Pump one encrypted stream and one conversation: the peer's bytes to the replica, its answers to the peer.

A link holds no protocol knowledge. Five tasks share the work, so that none waits for another: one reads
and cuts frames, ahead of the store by as many as the inbox holds; one has the conversation take them, one
call on the store's thread for each; one hears that the log grew and has the conversation go on, which is
the live push; one writes; one says that we are still here while the store takes long over a message: a slow
device merges a large snapshot in minutes, and its peer would give up, and send all of it again. What is said
is queued on the store's thread, in the order in which it was said: two tasks that come back from there may be
woken in any order, and ops must not overtake each other. Where the peer may ask what is remembered here, a sixth finds
that.

A peer that goes away is noticed in three ways, none of which polls. While nothing is owed, TCP's keepalive
asks every minute, at the cost of two empty packets, and gives up after a minute and a half. While the peer
owes an answer, it has a minute to say something. While we are writing, every slice has to leave within half
a minute. An idle link therefore costs five sleeping tasks, no timer of ours, and the kernel's keepalive; only where
something could not be taken yet, one timer says when to ask for it again.
"""

import functools
import logging
import math
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from replica.core import Core
from replica.errors import ReplicaError
from replica.evidence import Fault
from replica.ids import DeviceId
from replica.replica import Replica
from sync.errors import LimitExceeded, LinkLost, RemoteProtocolError, SyncError
from sync.exchange import STILL_HERE, Exchange, check_admitted
from sync.session import CREDITS
from sync.states import Phase
from sync.tls import explain
from sync.wire.frames import FrameReader, encode_frame
from sync.wire.messages import Inquiry, Refused, is_alongside, says_heads

# A slow phone may be busy with a full frame, or with a commit of its own, for some seconds.
ANSWER_SECONDS_MAX: Final = 60.0
# While we owe an answer: two such words may be late before the peer has waited for too long.
STILL_HERE_SECONDS: Final = ANSWER_SECONDS_MAX / 3
# Half an hour over one message: the largest snapshot takes less, and a store that hangs must not hold others for ever.
STILL_HERE_TIMES_MAX: Final = 90
# A peer that is there answers in a round trip; one that has work of ours, as soon as it says that it is still there.
PROOF_SECONDS_MAX: Final = 5.0
# Even a bad mobile network moves one slice in this time.
SLICE_SECONDS_MAX: Final = 30.0
# A page goes on without the answer after some seconds (`samemind/phone/page/worker.js`): to find longer is for nobody.
FIND_SECONDS_MAX: Final = 5.0
# A question is work of a tenth of a second, and typing asks a few times a second at most: a peer that does nothing but
# ask takes a third of one processor, and not all that there is.
QUESTION_EVERY_SECONDS: Final = 0.3
# Long enough for a last word to leave, short enough for a person who waits for the program to end.
CLOSE_SECONDS_MAX: Final = 1.0

# What is encrypted at a time: enough for TLS to be at full speed, and a tenth of a millisecond for the others.
_SLICE_BYTES: Final = 64 * 1024
# The peer may be ahead of us by its credits, and by the small messages between.
_INBOX_MESSAGES_MAX: Final = CREDITS
# Handed to a network that has room, a frame leaves in a tenth of this; none other is waited for.
_LEAVES_SECONDS_MAX: Final = 0.001
# A peer that asks much and reads nothing fills this, and is not listened to until it reads.
_OUTBOX_MESSAGES_MAX: Final = 64

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What crossed a link. Bytes are those of the conversation; TLS adds some 22 to each record.

    `round_trips`: how often we heard from the peer after we had said something, its first words included. Vectors do
    not count: they are handed over alongside, and nobody waits for them.
    """

    sent: int = 0
    received: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    round_trips: int = 0

    def since(self, before: "Traffic") -> "Traffic":
        """Return what was added to an earlier count."""
        return Traffic(
            self.sent - before.sent,
            self.received - before.received,
            self.bytes_out - before.bytes_out,
            self.bytes_in - before.bytes_in,
            self.round_trips - before.round_trips,
        )


@dataclass(frozen=True, slots=True)
class LinkProgress:
    """How the conversation stood when it was last looked at on the store's thread, to which it belongs."""

    position: int = -1
    """How long the log was."""
    news: int = -1
    """What `Core.news` was."""
    sent: int = 0
    """How many ops this side sent."""
    received: int = 0
    """How many it was sent."""
    quiet: bool = False
    """Neither side owes the other anything."""
    over: bool = False
    """One of the two said goodbye."""
    goodbye: str | None = None
    """Why the peer ended it, in its words."""
    unsent: int | None = None
    """How many ops held here the peer is known to lack; None before it said what it has."""
    offset_ms: int | None = None
    """How far the peer's clock is ahead of this device's."""
    group: int = 0
    """How many introductions and revocations are known here."""
    refusals: tuple[Refused, ...] = ()
    """What the two refused of each other."""
    open: bool = False
    """Both know whom the other trusts."""
    wait_ms: int = 0
    """How long what others wrote waits for more."""
    carries_news: bool = False
    """Whether the link may carry what comes by no other way (`sync.relay_backoff`)."""
    asks_again_ms: int | None = None
    """In how many ms this side asks again for what could not be taken."""


class Link:
    """One conversation with one peer over one stream, which it closes at the end. `run` has to be running."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        *,
        replica: Replica,
        peer: DeviceId,
        turned: Callable[["Link"], None] = lambda link: None,
        answers: bool = False,
    ) -> None:
        """`turned` is called, on the trio thread, whenever the conversation went on, and at the end.

        `answers`: the two agreed that the peer may ask what this device remembers.
        """
        self.peer = peer
        self.progress = LinkProgress()
        self.ended = trio.Event()
        self._stream = stream
        self._replica = replica
        self._turned = turned
        self._answers = answers
        self._asked_in, self._asked_out = trio.open_memory_channel[Inquiry](1)
        self._exchange: Exchange | None = None
        self._outgoing: deque[bytes] = deque()
        self._inbox_in, self._inbox_out = trio.open_memory_channel[bytes](_INBOX_MESSAGES_MAX)
        self._scope = trio.CancelScope()
        self._patience = trio.CancelScope()
        self._silence, self._waiting = trio.CancelScope(), trio.CancelScope()
        self._watching, self._asks_again = trio.CancelScope(), math.inf
        self._news = trio.Event()
        self._taking = self._writing = self._holds_parts = False
        self._said = True  # by dialling, or by answering the door
        self._failure: SyncError | ReplicaError | None = None
        self._cut_off: SyncError | None = None
        self._bytes_in = self._bytes_out = self._round_trips = self._reassured = 0

    # -- what it is asked ------------------------------------------------------------------------------------

    @property
    def traffic(self) -> Traffic:
        """What crossed the link so far."""
        return Traffic(
            self.progress.sent, self.progress.received, self._bytes_out, self._bytes_in, self._round_trips
        )

    @property
    def is_settled(self) -> bool:
        """Whether both sides have everything and know it, and our last word has left."""
        return self.progress.quiet and not self._outgoing and not self._writing

    async def run(self) -> None:
        """Converse until one side says goodbye; otherwise raise what ended it."""
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    await self._guarded(self._open)
                    nursery.start_soon(self._guarded, self._read)
                    nursery.start_soon(self._guarded, self._take)
                    nursery.start_soon(self._guarded, self._watch)
                    nursery.start_soon(self._reassure)
                    if self._answers:
                        nursery.start_soon(self._guarded, self._find)
                    await self._guarded(self._write)
                    nursery.cancel_scope.cancel()
        finally:
            self.ended.set()
            self._stir()
            self._turned(self)
            deadline = trio.current_time() + CLOSE_SECONDS_MAX
            with trio.CancelScope(deadline=deadline, shield=True):
                try:
                    await self._stream.aclose()
                except trio.BrokenResourceError:
                    pass  # it is closed all the same
            with trio.CancelScope(shield=True):
                await self._let_go()
        left = isinstance(self._failure, LinkLost) and self.progress.goodbye is not None
        if self._failure is not None and not left:
            raise self._failure

    async def _let_go(self) -> None:
        """Give back what the conversation held: the error that ended it refers to it for as long as it is shown."""
        exchange, self._exchange = self._exchange, None
        self._outgoing.clear()
        if exchange is not None:
            with suppress(ReplicaError):
                await self._replica.run(lambda core, _: exchange.close())
        self._note_parts(held=False)

    async def ask(self) -> None:
        """Ask the peer what it holds beyond us; once settled, it has answered."""
        await self._turn(_ask)

    async def settle(self) -> None:
        """Wait until the link is settled; raise what ended it instead."""
        while not self.is_settled:
            if self.ended.is_set():
                raise self._failure or LinkLost(f"the link ended: {self.progress.goodbye or 'closed here'}")
            await self._news.wait()

    async def probe(self) -> None:
        """Find out whether the peer is still there, and end the link if nothing comes within seconds."""
        before, quiet = self._bytes_in, self.progress.quiet
        await self.ask()
        with trio.move_on_after(PROOF_SECONDS_MAX + (0 if quiet else STILL_HERE_SECONDS)):
            while self._bytes_in == before and not self.ended.is_set():
                await self._news.wait()
        if self._bytes_in == before:
            self.drop()

    async def nudge(self) -> None:
        """Let the conversation go on: the group has changed."""
        await self._turn(Exchange.more)

    async def leave(self, reason: str) -> None:
        """Say goodbye; `run` returns when that was said, or a second later."""
        self._scope.deadline = trio.current_time() + CLOSE_SECONDS_MAX

        def end(exchange: Exchange, now_ms: int) -> list[bytes]:
            waiting = exchange.more(now_ms)  # what others wrote and nobody else may pass on from now on
            exchange.end(reason)
            return waiting + exchange.more(now_ms)

        await self._turn(end)

    def flush(self) -> None:
        """Pass on at once what waits: whoever was to tell the peer may be gone."""
        self._waiting.cancel()

    def drop(self) -> None:
        """End it now, without a word."""
        self._scope.cancel()

    # -- the tasks -------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        await self._turn(Exchange.more, begins=True)

    def _begin(self, core: Core, connection: sqlite3.Connection) -> None:
        check_admitted(core, self.peer)
        make = self._replica.alongside
        self._exchange = Exchange(
            core,
            self.peer,
            self._replica.now_ms(),
            frames_per_turn=1,
            alongside=None if make is None else make(connection),
            answers=self._answers,
        )

    async def _read(self) -> None:
        with self._inbox_in:
            try:
                await self._cut(FrameReader())
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                self._cut_off = explain(error)
            except SyncError as error:
                self._cut_off = error

    async def _cut(self, frames: FrameReader) -> None:
        while True:
            with trio.CancelScope(deadline=self._answer_deadline()) as self._patience:
                chunk = await self._stream.receive_some(_SLICE_BYTES)
            if self._patience.cancelled_caught:
                raise LinkLost(f"expected an answer within {ANSWER_SECONDS_MAX:g} s, the peer stayed silent")
            if not chunk:
                frames.eof()
                raise LinkLost("the peer closed the link")
            self._bytes_in += len(chunk)
            self._stir()
            for message in frames.feed(chunk):
                if self._said and not is_alongside(message):
                    self._said = False
                    self._round_trips += 1
                try:
                    self._inbox_in.send_nowait(message)  # or what came together would be taken one by one
                except trio.WouldBlock:
                    await self._inbox_in.send(message)

    async def _take(self) -> None:
        async for message in self._inbox_out:
            self._taking, self._reassured = True, 0
            self._be_patient()
            while len(self._outgoing) >= _OUTBOX_MESSAGES_MAX:
                await self._news.wait()
            heard = [message]
            if says_heads(message):  # behind those of a peer that sends all, its first frame has come as well
                with suppress(trio.WouldBlock, trio.EndOfChannel):
                    heard.append(self._inbox_out.receive_nowait())
            await self._turn(functools.partial(_hear, heard))
            self._taking = self._inbox_out.statistics().current_buffer_used > 0
            self._be_patient()
        if isinstance(self._cut_off, LimitExceeded):
            await self._replica.run(lambda core, _: self._accuse(core))
        if self._cut_off is not None:
            raise self._cut_off  # only now: what came before the end is taken

    def _accuse(self, core: Core) -> None:
        core.accuse(self.peer, Fault.PROTOCOL, self._replica.now_ms())
        core.keep_evidence(self._replica.now_ms())

    async def _watch(self) -> None:
        written = self._replica.written
        while True:
            with trio.CancelScope(deadline=self._asks_again) as self._watching:
                await self._replica.stirred(self.progress.news)  # a base that is merged is no op
            is_time = self._watching.cancelled_caught
            if self._replica.news == self.progress.news and not is_time:
                continue  # it came on this very link: what there was to say of it was said in the turn that took it
            if self.progress.wait_ms and not is_time:
                with trio.move_on_after(self.progress.wait_ms / 1000) as self._waiting:
                    await self._replica.wrote(written)
            written = self._replica.written  # before the turn: what one writes as it ends is not to wait
            await self._turn(Exchange.more)

    async def _reassure(self) -> None:
        while True:
            with trio.CancelScope(deadline=self._silence_deadline()) as self._silence:
                await trio.sleep_forever()
            self._reassured += 1
            if self.progress.open:
                self._outgoing.append(STILL_HERE)
                self._stir()

    async def _find(self) -> None:
        """Answer what the peer asks of this device's memory: one question at a time, and not as fast as it can ask."""
        async for asked in self._asked_out:
            ready = trio.current_time() + QUESTION_EVERY_SECONDS
            rids = await self._found(asked)
            await self._turn(functools.partial(_answer, rids))
            await trio.sleep_until(ready)

    async def _found(self, asked: Inquiry) -> Sequence[bytes] | None:
        finder = self._replica.finder
        if finder is None:
            return None
        try:
            with trio.move_on_after(FIND_SECONDS_MAX):
                return (await finder(asked.question, asked.limit))[: asked.limit]
        except Exception:  # what finds may fail on a question; the link is healthy all the same
            _log.exception("could not answer what %s asked", self.peer.hex()[:8])
        return None

    async def _write(self) -> None:
        while self._outgoing or not self.progress.over:
            if not self._outgoing:
                await self._news.wait()
                continue
            self._writing = True
            data, said = bytearray(), False
            while self._outgoing and len(data) < _SLICE_BYTES:
                message = self._outgoing.popleft()
                said = said or not is_alongside(message)
                data += encode_frame(message)
            for start in range(0, len(data), _SLICE_BYTES):
                slice_ = bytes(data[start : start + _SLICE_BYTES])
                with trio.move_on_after(SLICE_SECONDS_MAX) as patience:
                    await self._stream.send_all(slice_)
                if patience.cancelled_caught:
                    raise LinkLost(f"expected the peer to read within {SLICE_SECONDS_MAX:g} s, it did not")
                self._bytes_out += len(slice_)
            self._writing, self._said = False, self._said or said
            self._be_patient()
            self._stir()

    # -- how -------------------------------------------------------------------------------------------------

    async def _turn(self, say: Callable[[Exchange, int], Iterable[bytes]], *, begins: bool = False) -> None:
        """Let the conversation go on, on the store's thread: one frame a turn, so that the first leaves at once."""
        while await self._one_turn(say, begins):
            say, begins = Exchange.more, False
            # What makes the next frame would take the interpreter from what encrypts this one.
            with trio.move_on_after(_LEAVES_SECONDS_MAX):
                while self._outgoing or self._writing:
                    await self._news.wait()

    async def _one_turn(self, say: Callable[[Exchange, int], Iterable[bytes]], begins: bool) -> bool:
        asked: Inquiry | None = None
        holds_parts = False

        def turn(core: Core, connection: sqlite3.Connection) -> bool:
            nonlocal asked, holds_parts
            if begins:
                self._begin(core, connection)
            exchange = self._exchange
            if exchange is None:
                return False  # not begun: whatever it was, it will be seen at the start
            if not exchange.is_over:  # after a goodbye, what is still on its way means nothing
                self._outgoing.extend(say(exchange, self._replica.now_ms()))
                asked = exchange.take_asked()
            self.progress = LinkProgress(
                position=core.position,
                news=core.news,
                sent=exchange.tally.sent,
                received=exchange.tally.received,
                quiet=exchange.session.is_quiet,
                over=exchange.is_over,
                goodbye=exchange.goodbye,
                unsent=exchange.unsent(),
                offset_ms=exchange.tally.offset_ms,
                group=core.membership.size,
                refusals=tuple(exchange.refusals),
                open=exchange.session.phase is Phase.OPEN,
                wait_ms=exchange.relaying.wait_ms,
                carries_news=exchange.use.carries_news,
                asks_again_ms=exchange.asks_again_ms(self._replica.now_ms()),
            )
            holds_parts = exchange.holds_parts
            return exchange.has_more and not exchange.is_over

        has_more = await self._replica.run(turn)
        self._note_parts(held=holds_parts)
        if asked is not None:
            self._asked_in.send_nowait(
                asked
            )  # there is room: no second one comes before the first is answered
        self._watching.deadline = self._asks_again = self._ask_deadline()
        self._stir()
        self._turned(self)
        return has_more

    def _note_parts(self, *, held: bool) -> None:
        """Note whether parts of a snapshot are held, and say so when they no longer are: they were many megabytes."""
        if self._holds_parts and not held:
            self._replica.note_let_go()
        self._holds_parts = held

    async def _guarded(self, task: Callable[[], Awaitable[None]]) -> None:
        try:
            await task()
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            # Perhaps the peer said something before it went: hear that first.
            self._outgoing.clear()
            self._failure = self._failure or explain(error)
            self._scope.deadline = trio.current_time() + CLOSE_SECONDS_MAX
            await trio.sleep_forever()
        except (SyncError, ReplicaError) as error:
            await self._fail(error)

    async def _fail(self, error: SyncError | ReplicaError) -> None:
        """End the link because of this; a peer at fault is told why."""
        if self._failure is None and not self.progress.over:
            self._failure = error
        if isinstance(error, RemoteProtocolError | LimitExceeded):
            await self.leave(str(error))
        else:
            self._scope.cancel()

    def _stir(self) -> None:
        self._news.set()
        self._news = trio.Event()

    def _be_patient(self) -> None:
        self._patience.deadline = self._answer_deadline()
        self._silence.deadline = self._silence_deadline()

    def _silence_deadline(self) -> float:
        """Until when we have to say something: while a message is being taken, the peer may wait for the answer."""
        owed = self._taking and self._reassured < STILL_HERE_TIMES_MAX
        return trio.current_time() + STILL_HERE_SECONDS if owed else math.inf

    def _ask_deadline(self) -> float:
        """When the conversation has to go on by itself, since it asks again for what could not be taken."""
        wait_ms = self.progress.asks_again_ms
        return math.inf if wait_ms is None else trio.current_time() + wait_ms / 1000

    def _answer_deadline(self) -> float:
        """Until when the peer has to say something: it owes nothing while all is quiet, or it waits for us."""
        if self.progress.quiet or self._taking or self._writing or self._outgoing:
            return math.inf
        return trio.current_time() + ANSWER_SECONDS_MAX


def _hear(messages: Sequence[bytes], exchange: Exchange, now_ms: int) -> Iterator[bytes]:
    for message in messages:
        if not exchange.is_over:
            yield from exchange.receive(message, now_ms)


def _answer(rids: Sequence[bytes] | None, exchange: Exchange, now_ms: int) -> list[bytes]:
    exchange.answer_memory(rids)
    return exchange.more(now_ms)


def _ask(exchange: Exchange, now_ms: int) -> list[bytes]:
    exchange.ask()
    return exchange.more(now_ms)
