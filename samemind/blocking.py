"""The verbs as plain methods, for scripts, notebooks and threads of programs that do not run trio.

A thread of its own runs trio and the device, or the way to the program that holds the store. Any thread may call; calls
wait for their answer. Each method is the one of `samemind.library` with the same name, signature and words.
"""

import functools
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import trio

from samemind.errors import Unreachable
from samemind.library import Mind, open_mind
from samemind.results.memories import Remembered

if TYPE_CHECKING:
    from cognition.sensory import Kind as SensedKind

Result = TypeVar("Result")
Options = ParamSpec("Options")


def _waiting_for(
    method: Callable[Concatenate[Mind, Options], Awaitable[Result]],
) -> "Callable[Concatenate[BlockingMind, Options], Result]":
    """Return a method that has this one run by the thread of the mind, and waits for its result."""

    @functools.wraps(method)
    def wait(self: "BlockingMind", /, *args: Options.args, **options: Options.kwargs) -> Result:
        return self._run(lambda: method(self._mind, *args, **options))

    return wait


class _LookedAtLater(Remembered):
    """A memory that was stored; what was found in it is waited for when somebody looks at it."""

    _ask: "Callable[..., Remembered]"

    def __getattribute__(self, name: str) -> Any:
        if name not in _FOUND_LATER:
            return super().__getattribute__(name)
        known: dict[str, Any] = self.__dict__
        if name not in known:
            asked = "nominees" if name == "nominees" else "read"
            answer = known["_ask"](**{asked: True})
            wanted = _FOUND_LATER if asked == "nominees" else _FOUND_LATER - {"nominees"}
            known |= {each: getattr(answer, each) for each in wanted}
        return known[name]


_LookedAtLater.__qualname__ = Remembered.__qualname__  # as it is shown

# Looking for nominees costs more than all the rest; whoever looks at them has the rest as well.
_FOUND_LATER: Final = frozenset({"facts", "says_same", "contradictions", "facts_dropped", "read", "nominees"})


def _looked_at_later(
    method: Callable[Concatenate[Mind, Options], Awaitable[Remembered]],
) -> "Callable[Concatenate[BlockingMind, Options], Remembered]":
    """Return `remember` for whoever waits: only for the storing, unless the options say more."""

    @functools.wraps(method)
    def wait(self: "BlockingMind", /, *args: Any, **options: Any) -> Remembered:
        remember: Any = method
        if not options.keys().isdisjoint({"read", "wait", "nominees"}):
            at_once: Remembered = self._run(lambda: remember(self._mind, *args, **options))
            return at_once
        stored: Remembered = self._run(lambda: remember(self._mind, *args, **options, read=False))
        if stored.held:
            return stored

        def ask(**asked: bool) -> Remembered:
            again = {**options, "rid": stored.rid, **asked}
            found: Remembered = self._run(lambda: remember(self._mind, *args, **again))
            return found

        later = object.__new__(_LookedAtLater)
        for each in fields(Remembered):
            if each.name not in _FOUND_LATER:
                object.__setattr__(later, each.name, getattr(stored, each.name))
        later.__dict__["_ask"] = ask
        return later

    return wait


class BlockingMind:
    """One device's memory. Made by `samemind.open_blocking`."""

    def __init__(self, mind: Mind, token: trio.lowlevel.TrioToken) -> None:
        self._mind: Final = mind
        self._token: Final = token

    def sense(self, text: str, *, kind: "SensedKind" = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        self._mind.sense(text, kind=kind, speaker=speaker)

    def _run(self, call: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return trio.from_thread.run(call, trio_token=self._token)
        except trio.RunFinishedError:
            raise Unreachable("this memory is closed", code="closed") from None

    absorb = _waiting_for(Mind.absorb)
    remember = _looked_at_later(Mind.remember)
    remember_many = _waiting_for(Mind.remember_many)
    recall = _waiting_for(Mind.recall)
    list = _waiting_for(Mind.list)
    get = _waiting_for(Mind.get)
    diff = _waiting_for(Mind.diff)
    edit = _waiting_for(Mind.edit)
    set = _waiting_for(Mind.set)
    tag = _waiting_for(Mind.tag)
    pin = _waiting_for(Mind.pin)
    unpin = _waiting_for(Mind.unpin)
    archive = _waiting_for(Mind.archive)
    unarchive = _waiting_for(Mind.unarchive)
    forget = _waiting_for(Mind.forget)
    history = _waiting_for(Mind.history)
    context = _waiting_for(Mind.context)
    why = _waiting_for(Mind.why)
    why_not = _waiting_for(Mind.why_not)
    relate = _waiting_for(Mind.relate)
    unrelate = _waiting_for(Mind.unrelate)
    graph = _waiting_for(Mind.graph)
    entities = _waiting_for(Mind.entities)
    queue = _waiting_for(Mind.queue)
    requeue = _waiting_for(Mind.requeue)
    wait_for_queue = _waiting_for(Mind.wait_for_queue)
    held = _waiting_for(Mind.held)
    release_held = _waiting_for(Mind.release_held)
    drop_held = _waiting_for(Mind.drop_held)
    extract = _waiting_for(Mind.extract)
    import_ = _waiting_for(Mind.import_)
    export = _waiting_for(Mind.export)
    think = _waiting_for(Mind.think)
    retract = _waiting_for(Mind.retract)
    unconsolidate = _waiting_for(Mind.unconsolidate)
    unlink = _waiting_for(Mind.unlink)
    contradictions = _waiting_for(Mind.contradictions)
    contradiction = _waiting_for(Mind.contradiction)
    resolve = _waiting_for(Mind.resolve)
    review = _waiting_for(Mind.review)
    settle = _waiting_for(Mind.settle)
    correct = _waiting_for(Mind.correct)
    triggers = _waiting_for(Mind.triggers)
    deliver = _waiting_for(Mind.deliver)
    act = _waiting_for(Mind.act)
    dismiss = _waiting_for(Mind.dismiss)
    goals = _waiting_for(Mind.goals)
    add_goal = _waiting_for(Mind.add_goal)
    finish_goal = _waiting_for(Mind.finish_goal)
    profile = _waiting_for(Mind.profile)
    set_profile = _waiting_for(Mind.set_profile)
    blocks = _waiting_for(Mind.blocks)
    block = _waiting_for(Mind.block)
    edit_block = _waiting_for(Mind.edit_block)
    sessions = _waiting_for(Mind.sessions)
    feedback = _waiting_for(Mind.feedback)
    backup = _waiting_for(Mind.backup)
    digest = _waiting_for(Mind.digest)
    log = _waiting_for(Mind.log)
    verify = _waiting_for(Mind.verify)
    compact = _waiting_for(Mind.compact)
    doctor = _waiting_for(Mind.doctor)
    stats = _waiting_for(Mind.stats)
    warmup = _waiting_for(Mind.warmup)
    status = _waiting_for(Mind.status)
    peers = _waiting_for(Mind.peers)
    sync = _waiting_for(Mind.sync)
    carry_export = _waiting_for(Mind.carry_export)
    carry_import = _waiting_for(Mind.carry_import)
    mailboxes = _waiting_for(Mind.mailboxes)
    add_mailbox = _waiting_for(Mind.add_mailbox)
    remove_mailbox = _waiting_for(Mind.remove_mailbox)
    look_into_mailboxes = _waiting_for(Mind.look_into_mailboxes)
    invite_to_mailbox = _waiting_for(Mind.invite_to_mailbox)
    mailbox_server_config = _waiting_for(Mind.mailbox_server_config)
    pair = _waiting_for(Mind.pair)
    revoke_peer = _waiting_for(Mind.revoke_peer)
    group = _waiting_for(Mind.group)
    make_recovery = _waiting_for(Mind.make_recovery)
    restore_group = _waiting_for(Mind.restore_group)
    rename_peer = _waiting_for(Mind.rename_peer)
    add_peer = _waiting_for(Mind.add_peer)


@contextmanager
def open_blocking_mind(path: str | os.PathLike[str], *, name: str | None = None) -> Iterator[BlockingMind]:
    """Open a home for the block, in a thread of its own."""
    worker = _Worker(path, name)
    worker.start()
    try:
        yield worker.mind()
    finally:
        worker.close()


class _Worker(threading.Thread):
    """The thread that runs trio for one open store."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        super().__init__(
            name="samemind", daemon=True
        )  # an interpreter that ends without closing is not held up
        self._path = path
        self._device_name = name
        self._opened = threading.Event()
        self._mind: BlockingMind | None = None
        self._ended: trio.Event | None = None
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            # Signals are the main thread's: a Ctrl-C reaches the caller, who closes us.
            trio.run(self._serve)
        except BaseException as error:
            self._failure = error
        finally:
            self._opened.set()

    def mind(self) -> BlockingMind:
        """Return what was opened, or raise what kept it from being opened."""
        self._opened.wait()
        if self._mind is None:
            assert self._failure is not None
            raise self._failure
        return self._mind

    def close(self) -> None:
        """End the thread; everything that was asked for is done then."""
        if self._mind is not None and self._ended is not None:
            try:
                self._mind._token.run_sync_soon(self._ended.set)
            except trio.RunFinishedError:
                pass  # it ended by itself; `_failure` says why, and every call since has said so
        self.join()

    async def _serve(self) -> None:
        async with open_mind(self._path, name=self._device_name) as mind:
            self._ended = trio.Event()
            self._mind = BlockingMind(mind, trio.lowlevel.current_trio_token())
            self._opened.set()
            await self._ended.wait()
