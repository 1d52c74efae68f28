"""Whoever owns the mailbox through which two devices pair: three guesses at the offerer, one at the joiner, no more.

The likes of what was once possible on a network (`test_guesses_at_a_joiner.py`), by somebody who sees each file, holds
any back, writes any, and cuts the power of whoever shows the code.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
import trio
import trio.testing

from replica.codec import pack
from sync.code import PairingCode
from sync.errors import PairingFailed, SyncError
from sync.mailbox.meeting import (
    ANSWER_SECONDS_MAX,
    WAIT_MS_MAX,
    CodeByMailbox,
    Opening,
    _context,
    _slot,
    join_by_mailbox,
    offer_by_mailbox,
)
from sync.pairing import BURNT_MAX, WINDOW_MS, Introduction, Joiner, Offerer, PairingResult, PairingWindow
from tests.support.links import identity
from tests.unit.sync.mailbox.test_keeping import Counting

LAPTOP, PHONE, MALLORY = identity("laptop"), identity("phone"), identity("mallory")
START_MS = 1_700_000_000_000
CODE = CodeByMailbox(7, PairingCode(417, ("maple", "otter")))


def entropy(seed: str) -> Callable[[int], bytes]:
    return Random(seed).randbytes


@dataclass
class Liar:
    """Shows its own certificate for the offerer's, and checks a guess against each proof that it is given."""

    box: Counting
    after: str
    right_at: int
    guesses: int = 0
    taken: list[bytes] = field(default_factory=list)

    async def run(self) -> None:
        await self.box.put(_slot(7, "offerer", 0), pack([MALLORY.certificate, ""]))
        step, reply, machine = 1, b"", self.machine()
        while True:
            await trio.sleep(0.5)
            frame = self.box.files.pop(_slot(7, "joiner", step), None)
            if frame is None:
                continue
            if step == 1:
                (reply,) = machine.receive(frame, now_ms=START_MS)
                await self.box.put(_slot(7, "offerer", 1), reply)
                step = 2
                continue
            if frame[1] == 3:  # a proof
                self.guesses += 1
                assert machine._keys is not None
                if frame[2:34] == machine._keys.joiner_mac:
                    self.taken.append(frame)
            match self.after:
                case "says nothing":
                    pass
                case "talks nonsense":
                    await self.box.put(_slot(7, "offerer", step), b"\x01\x07nonsense")
                case "turns it away":
                    await self.box.put(_slot(7, "offerer", step), b"\x01\x05\x01")
                case "begins anew":
                    machine = self.machine()
                    await self.box.put(_slot(7, "offerer", 1), pack([MALLORY.certificate, ""]))
                    await self.box.put(_slot(7, "offerer", step), reply)
                case "replays":
                    await self.box.put(_slot(7, "offerer", step), frame)

    def machine(self) -> Offerer:
        window = PairingWindow(now_ms=START_MS, entropy=entropy(f"liar {self.guesses}"))
        if self.guesses == self.right_at:
            window._code = CODE.code
        return Offerer(
            window,
            certificate=MALLORY.certificate,
            introduction=Introduction("laptop"),
            entropy=entropy("fake"),
            context=_context(7),
            sign=MALLORY.sign,
        )


@pytest.mark.parametrize(
    "after", ["says nothing", "talks nonsense", "turns it away", "begins anew", "replays"]
)
def test_a_typed_code_is_one_guess_whatever_the_owner_does_then(after: str) -> None:
    """The second guess would have been right: it is never made."""
    liar = Liar(Counting(), after, right_at=1)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(liar.run)
            with pytest.raises(SyncError):
                await join_by_mailbox(
                    liar.box,
                    PHONE,
                    Introduction("phone"),
                    CODE,
                    wait_ms=WAIT_MS_MAX,
                    entropy=entropy("phone"),
                )
            await trio.sleep(10 * ANSWER_SECONDS_MAX)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert (liar.guesses, liar.taken) == (1, [])


@dataclass
class Shown:
    """A device that shows codes and is started anew whenever it is killed; what it wrote down is all that it keeps."""

    box: Counting = field(default_factory=Counting)
    written: Opening | None = None
    shown: list[CodeByMailbox] = field(default_factory=list)
    paired: list[PairingResult] = field(default_factory=list)
    failed: SyncError | None = None
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    wait_ms: int | None = None
    starts: int = 0
    over: bool = False

    def now_ms(self) -> int:
        return START_MS + int(trio.current_time() * 1_000)

    async def run(self) -> None:
        self.written = Opening.new(self.now_ms(), self.wait_ms)
        while (opening := self.left()) is not None:
            self.starts += 1
            with trio.CancelScope() as self.scope:
                try:
                    self.paired.append(
                        await offer_by_mailbox(
                            self.box,
                            LAPTOP,
                            Introduction("laptop"),
                            tell=lambda code, _: self.shown.append(code),
                            refused=lambda _: None,
                            now_ms=self.now_ms,
                            opening=opening,
                            keep=self.keep,
                            entropy=entropy(f"laptop {self.starts}"),
                        )
                    )
                except SyncError as error:
                    self.failed = error
            await trio.sleep(1)
        self.over = True

    def left(self) -> Opening | None:
        """What was written down, if it may go on."""
        return self.written if self.written is not None and self.written.is_open(self.now_ms()) else None

    async def keep(self, opening: Opening | None) -> None:
        self.written = opening


def wrong(code: CodeByMailbox) -> CodeByMailbox:
    other = PairingCode(100 + (code.code.number - 99) % 900, code.code.words)
    return CodeByMailbox(code.plate, other)


@pytest.mark.parametrize("wait_ms", [None, WAIT_MS_MAX])
@pytest.mark.parametrize("kills", [False, True])
def test_an_opening_is_three_guesses_also_where_the_power_is_cut_after_each(
    wait_ms: int | None, kills: bool
) -> None:
    """It begins with each code that is shown, checks a guess, and cuts the power before that is noticed."""
    device, guesses = Shown(wait_ms=wait_ms), 0

    async def main() -> None:
        nonlocal guesses
        async with trio.open_nursery() as nursery:
            nursery.start_soon(device.run)
            seen = set[str]()
            with trio.move_on_after(2 * (wait_ms or WINDOW_MS) / 1_000):
                while not device.over:
                    await trio.sleep(0.7)
                    if not device.shown or str(device.shown[-1]) in seen:
                        continue
                    code = device.shown[-1]
                    seen.add(str(code))
                    proves = Joiner(
                        wrong(code).code,
                        certificate=MALLORY.certificate,
                        offerer=LAPTOP.certificate,
                        introduction=Introduction("phone"),
                        entropy=entropy("mallory"),
                        context=_context(code.plate),
                        sign=MALLORY.sign,
                    )
                    await device.box.put(_slot(code.plate, "joiner", 1), proves.start())
                    while (reply := device.box.files.get(_slot(code.plate, "offerer", 1))) is None:  # noqa: ASYNC110
                        await trio.sleep(0.3)
                    (proof,) = proves.receive(reply)
                    guesses += 1  # whether the proof is right would show by what comes back
                    if kills:
                        device.scope.cancel()
                    await device.box.put(_slot(code.plate, "joiner", 2), proof)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert guesses == BURNT_MAX
    assert not device.paired
    assert len({str(code.code) for code in device.shown}) == BURNT_MAX


def test_a_code_that_nobody_began_with_is_shown_again_after_a_restart_and_pairs() -> None:
    device = Shown(wait_ms=WAIT_MS_MAX)
    joined: list[PairingResult] = []

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(device.run)
            await trio.sleep(3_600)
            device.scope.cancel()
            await trio.sleep(3_600)
            first, again = device.shown
            assert str(first) == str(again)
            assert len(again.code.words) == 3
            joined.append(
                await join_by_mailbox(
                    device.box,
                    PHONE,
                    Introduction("phone"),
                    CodeByMailbox.parse(str(first)),
                    entropy=entropy("phone"),
                )
            )
            await trio.sleep(10)
            assert device.written is None
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert [each.member.name for each in device.paired + joined] == ["phone", "laptop"]


def test_a_restart_and_a_clock_that_is_set_back_give_no_more_time() -> None:
    opening = Opening.new(START_MS, WAIT_MS_MAX)
    assert opening.expires_ms - opening.opened_ms == WAIT_MS_MAX
    assert opening.is_open(START_MS + WAIT_MS_MAX - 1)
    assert not opening.is_open(START_MS + WAIT_MS_MAX)
    assert not opening.is_open(START_MS - 1)
    assert Opening.new(START_MS, 10 * WAIT_MS_MAX).expires_ms == opening.expires_ms


def test_a_joiner_that_cannot_find_the_code_has_proved_nothing() -> None:
    async def main() -> None:
        box = Counting()
        with pytest.raises(PairingFailed, match="no device shows"):
            await join_by_mailbox(box, PHONE, Introduction("phone"), CODE)
        assert box.files == {}

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
