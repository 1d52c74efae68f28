"""Pair two devices through a mailbox: the machines of `sync.pairing`, with files for frames.

A code has a number in front, `7-417-maple-otter`. That number, the nameplate, is public: the names of the files follow
from it. The words never enter a name, or whoever lists the mailbox could try all of them. No TLS shows the offerer's
certificate here, so it lies in the first file; a wrong one makes the keys differ, and each side signs the transcript.

Who owns the mailbox can hold up a pairing, and guess: three times at the offerer while its window is open, since each
conversation that fails burns the code and its nameplate, and once at the joiner, which never says a second word for one
code. Both wait by asking for the next file once a second: pairing is rare, and somebody waits for it.
"""

import hashlib
import secrets
from collections.abc import Callable, Collection
from typing import Final

import trio

from replica.ids import DeviceId
from sync.code import Entropy, PairingCode
from sync.errors import (
    CodeExpired,
    Gone,
    InvalidCode,
    LocalProtocolError,
    MailboxError,
    PairingClosed,
    PairingFailed,
    SyncError,
    WrongCode,
)
from sync.identity import Identity
from sync.mailbox.box import Mailbox
from sync.pairing import BURNT_MAX, Introduction, Joiner, Offerer, Paired, PairingWindow, refusal
from sync.wire.limits import PAIRING_FRAME_BYTES_MAX

ENDING: Final = ".pair"
_CONTEXT: Final = b"samemind pairing by mailbox 1\0"
PLATES: Final = 99
ASK_SECONDS: Final = 1.0
# The other program answers within seconds; a poor line may take a minute.
ANSWER_SECONDS_MAX: Final = 120.0
# Pairings that were broken off leave files; above so many, nobody can be in the middle of all of them.
_LEFT_MAX: Final = 32
# So that whoever was turned away last reads why.
_READING_SECONDS: Final = 3 * ASK_SECONDS
_CLEARING_SECONDS_MAX: Final = 30.0
_OFFERER, _JOINER = "offerer", "joiner"

Now = Callable[[], int]


class CodeByMailbox:
    """A code with its nameplate, as it is shown and typed."""

    def __init__(self, plate: int, code: PairingCode) -> None:
        self.plate = plate
        self.code = code

    def __str__(self) -> str:
        return f"{self.plate}-{self.code}"

    def __repr__(self) -> str:
        return "CodeByMailbox(...)"

    @classmethod
    def parse(cls, text: str) -> "CodeByMailbox":
        """Read what a person typed."""
        plate, _, code = text.strip().partition("-")
        if not (plate.isascii() and plate.isdecimal() and len(plate) <= 2 and 1 <= int(plate) <= PLATES):
            raise InvalidCode("expected a code for a mailbox, such as 7-417-maple-otter")
        return cls(int(plate), PairingCode.parse(code))


async def offer_by_mailbox(
    box: Mailbox,
    identity: Identity,
    introduction: Introduction,
    *,
    tell: Callable[[CodeByMailbox, int], None],
    refused: Callable[[SyncError], None],
    now_ms: Now,
    revoked: Collection[DeviceId] = frozenset(),
    entropy: Entropy = secrets.token_bytes,
) -> Paired:
    """Show codes through `tell`, each with the ms it has left, until a device proved one.

    `refused` hears why somebody was turned away. CodeExpired: nobody came in time. PairingClosed: too many guesses.
    """
    window = PairingWindow(now_ms=now_ms(), entropy=entropy)
    await _tidy(box)
    used: list[int] = []
    try:
        for _ in range(BURNT_MAX):
            code = CodeByMailbox(await _free_plate(box, entropy), window.current(now_ms=now_ms()))
            used.append(code.plate)
            machine = Offerer(
                window,
                certificate=identity.certificate,
                introduction=introduction,
                entropy=entropy,
                revoked=revoked,
                context=_context(code.plate),
                sign=identity.sign,
            )
            try:
                return await _offer(box, identity, machine, code, window, tell, now_ms)
            except CodeExpired:
                raise
            except (MailboxError, LocalProtocolError):
                raise
            except SyncError as error:
                machine.abandon()
                if window.burnt < len(used):
                    window.burn()  # its nameplate is used up, and so is one of three tries
                refused(error)
        await trio.sleep(_READING_SECONDS)
        raise PairingClosed("no more guesses are taken: open pairing anew")
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(_CLEARING_SECONDS_MAX):
            for plate in used:
                await _clear(box, plate)


async def _offer(
    box: Mailbox,
    identity: Identity,
    machine: Offerer,
    code: CodeByMailbox,
    window: PairingWindow,
    tell: Callable[[CodeByMailbox, int], None],
    now_ms: Now,
) -> Paired:
    await box.put(_slot(code.plate, _OFFERER, 0), identity.certificate)
    tell(code, window.expires_ms - now_ms())
    for step in range(1, 4):
        left_s = (window.expires_ms - now_ms()) / 1_000 if step == 1 else ANSWER_SECONDS_MAX
        frame = await _wait_for(box, _slot(code.plate, _JOINER, step), left_s)
        if frame is None:
            raise (
                CodeExpired("nobody came in time: open pairing anew")
                if step == 1
                else WrongCode("the joiner began and did not go on: this code is burnt")
            )
        try:
            for answer in machine.receive(frame, now_ms=now_ms()):
                await box.put(_slot(code.plate, _OFFERER, step), answer)
        except SyncError as error:
            await box.put(_slot(code.plate, _OFFERER, step), refusal(error))
            raise
    assert machine.paired is not None, "the joiner's third frame is its last"
    return machine.paired


async def join_by_mailbox(
    box: Mailbox,
    identity: Identity,
    introduction: Introduction,
    code: CodeByMailbox,
    *,
    revoked: Collection[DeviceId] = frozenset(),
    entropy: Entropy = secrets.token_bytes,
) -> Paired:
    """Prove a code to the device that shows it. Whatever goes wrong after the proof, the code is worth nothing."""
    certificate = await _wait_for(box, _slot(code.plate, _OFFERER, 0), ANSWER_SECONDS_MAX)
    if certificate is None:
        raise PairingFailed("no device shows this code at this mailbox: is `pair --mailbox` open there?")
    machine = Joiner(
        code.code,
        certificate=identity.certificate,
        offerer=certificate,
        introduction=introduction,
        entropy=entropy,
        revoked=revoked,
        context=_context(code.plate),
        sign=identity.sign,
    )
    frames = [machine.start()]
    for step in range(1, 4):
        for frame in frames:
            await box.put(_slot(code.plate, _JOINER, step), frame)
        if machine.paired is not None:
            return machine.paired
        answer = await _wait_for(box, _slot(code.plate, _OFFERER, step), ANSWER_SECONDS_MAX)
        if answer is None:
            raise WrongCode("the other device began and did not go on: have a fresh code shown there")
        frames = machine.receive(answer)
    raise AssertionError("a joiner says three things")


async def _wait_for(box: Mailbox, name: str, seconds: float) -> bytes | None:
    with trio.move_on_after(max(0.0, seconds)):
        while True:
            try:
                data = await box.get(name)
            except Gone:
                await trio.sleep(ASK_SECONDS)
            else:
                return data[: PAIRING_FRAME_BYTES_MAX + 1]
    return None


async def _free_plate(box: Mailbox, entropy: Entropy) -> int:
    taken = await box.names()
    for _ in range(PLATES):
        plate = 1 + int.from_bytes(entropy(8), "big") % PLATES
        if not {_slot(plate, side, step) for side in (_OFFERER, _JOINER) for step in range(4)} & taken.keys():
            return plate
    raise PairingClosed("too many pairings are under way at this mailbox: try again later")


async def _tidy(box: Mailbox) -> None:
    left = [name for name in await box.names() if name.endswith(ENDING)]
    if len(left) > _LEFT_MAX:
        for name in left:
            await box.remove(name)


async def _clear(box: Mailbox, plate: int) -> None:
    for side in (_OFFERER, _JOINER):
        for step in range(4):
            await box.remove(_slot(plate, side, step))


def _slot(plate: int, side: str, step: int) -> str:
    return hashlib.sha256(_context(plate) + f"{side} {step}".encode()).hexdigest()[:32] + ENDING


def _context(plate: int) -> bytes:
    return _CONTEXT + bytes([plate])
