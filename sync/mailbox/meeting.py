"""Pair two devices through a mailbox: the machines of `sync.pairing`, with files for frames.

A code has a number in front, `7-417-maple-otter`. That number, the nameplate, is public: the names of the files follow
from it. The words never enter a name, or whoever lists the mailbox could try all of them. No TLS shows the offerer's
certificate here, so it lies in the first file, beside the address by which the offerer reaches the mailbox; another one
makes the keys differ, and each side signs the transcript.

Who owns the mailbox can hold up a pairing, and guess: three times at the offerer while its window is open, since each
conversation that fails burns the code and its nameplate, and once at the joiner, which never says a second word for one
code. The window is counted on the offerer's clock and is written down (`Opening`) before anything is answered, so
starting anew gives nobody more time or more guesses. Both wait by asking for the next file once a second, later more
seldom: pairing is rare, and somebody waits for it. Whoever leaves says in which mood, so that the person at the other
end hears at once that somebody tried.
"""

import hashlib
import io
import secrets
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import trio

from replica.codec import pack, unpack
from replica.errors import InvalidOp
from replica.ids import DeviceId
from sync.code import WORDS_LONG, WORDS_SHORT, Entropy, PairingCode
from sync.errors import (
    CodeExpired,
    Gone,
    InvalidCode,
    LocalProtocolError,
    MailboxError,
    PairingClosed,
    PairingFailed,
    RemoteProtocolError,
    SyncError,
    Unreached,
    WrongCode,
)
from sync.identity import Identity
from sync.mailbox.box import Mailbox
from sync.pairing import (
    BURNT_MAX,
    VERSION,
    WINDOW_MS,
    Introduction,
    Joiner,
    Offerer,
    PairingResult,
    PairingWindow,
    is_refusal,
    refusal,
)
from sync.wire.limits import PAIRING_FRAME_BYTES_MAX

ENDING: Final = ".pair"
_CONTEXT: Final = b"samemind pairing by mailbox 1\0"
PLATES: Final = 99
ASK_SECONDS: Final = 1.0
# After so long somebody went away from the screen, and storage counts requests.
_PATIENT_SECONDS: Final = 600.0
ASK_SECONDS_LATER: Final = 5.0
_PAUSE_SECONDS_MAX: Final = 60.0
# The other program answers within seconds; a poor line may take a minute.
ANSWER_SECONDS_MAX: Final = 120.0
# A code may be sent to somebody who types it tomorrow.
WAIT_MS_MAX: Final = 24 * 3_600_000
# Pairings that were broken off leave files; above so many, nobody can be in the middle of all of them.
_LEFT_MAX: Final = 32
# So that whoever was turned away last reads why.
_READING_SECONDS: Final = 3 * ASK_SECONDS
_CLEARING_SECONDS_MAX: Final = 30.0
_LEAVING_SECONDS_MAX: Final = 2.0
_ADDRESS_BYTES_MAX: Final = 1_024
_OFFERER, _JOINER = "offerer", "joiner"
_LEFT: Final = bytes([VERSION, 6])

Now = Callable[[], int]


class Mood(Enum):
    """In which mood a side left, as magic-wormhole calls it. Nobody vouches for what the other side says of its own."""

    LONELY = b"\x01"
    """Nobody came, or whoever began went silent."""
    SCARY = b"\x02"
    """The codes differ: somebody mistyped one, or tried."""
    ERRORY = b"\x03"
    """Something else broke."""


_TOLD_BY_MOOD: Final = {
    Mood.LONELY: "the device there waited in vain for an answer of this one: this code is burnt",
    Mood.SCARY: "somebody tried: the device there holds another code, or somebody sits between; this code is burnt",
    Mood.ERRORY: "somebody tried, and broke off: this code is burnt",
}


def mood_of(error: BaseException) -> Mood:
    """Return the mood in which an error leaves a side."""
    match error:
        case CodeExpired() | NoAnswer():
            return Mood.LONELY
        case WrongCode():
            return Mood.SCARY
    return Mood.ERRORY


class NoAnswer(WrongCode):
    """The other side began and did not go on."""


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
        return cls(int(plate), PairingCode.parse(code, words_max=WORDS_LONG))


@dataclass(frozen=True, slots=True)
class Opening:
    """One opening of pairing as it is written down. `begun`: somebody had an answer for this code."""

    opened_ms: int
    expires_ms: int
    words: int
    burnt: int = 0
    code: CodeByMailbox | None = None
    begun: bool = False

    @classmethod
    def new(cls, now_ms: int, wait_ms: int | None = None) -> "Opening":
        """Open pairing now; `wait_ms`: for longer than usual, with a longer code."""
        if wait_ms is None:
            return cls(now_ms, now_ms + WINDOW_MS, WORDS_SHORT)
        return cls(now_ms, now_ms + min(wait_ms, WAIT_MS_MAX), WORDS_LONG)

    def is_open(self, now_ms: int) -> bool:
        """Whether it may go on; a clock that was set back gives it no more time."""
        return self.opened_ms <= now_ms < self.expires_ms and self.burnt + self.begun < BURNT_MAX


Keep = Callable[[Opening | None], Awaitable[None]]


async def _nowhere(_: Opening | None) -> None:
    """Write nothing down."""


class _Offering:
    """One opening, while this program waits. `used`: the nameplates it left files under."""

    def __init__(self, box: Mailbox, identity: Identity, opening: Opening, now_ms: Now, keep: Keep) -> None:
        self.box = box
        self.identity = identity
        self.opening = opening
        self.now_ms = now_ms
        self.used: list[int] = []
        self._keep = keep

    async def note(self, **changes: object) -> None:
        self.opening = replace(self.opening, **changes)  # type: ignore[arg-type]
        await self._keep(self.opening)

    async def close(self) -> None:
        await self._keep(None)


async def offer_by_mailbox(
    box: Mailbox,
    identity: Identity,
    introduction: Introduction,
    *,
    tell: Callable[[CodeByMailbox, int], None],
    refused: Callable[[SyncError], None],
    now_ms: Now,
    opening: Opening | None = None,
    keep: Keep = _nowhere,
    address: str = "",
    revoked: Collection[DeviceId] = frozenset(),
    entropy: Entropy = secrets.token_bytes,
) -> PairingResult:
    """Show codes through `tell`, each with the ms it has left, until a device proved one.

    `refused` hears why somebody was turned away. `opening`: one that goes on; `keep` writes it down, None when it is
    over. CodeExpired: nobody came in time. PairingClosed: too many guesses.
    """
    offering = _Offering(box, identity, opening or Opening.new(now_ms()), now_ms, keep)
    window, plate = _resumed(offering.opening, entropy)
    await _tidy(box)
    try:
        while window.is_open:
            plate = plate or await _free_plate(box, entropy)
            code = CodeByMailbox(plate, window.current(now_ms=now_ms()))
            offering.used.append(plate)
            await offering.note(burnt=window.burnt, code=code, begun=False)
            machine = Offerer(
                window,
                certificate=identity.certificate,
                introduction=introduction,
                entropy=entropy,
                revoked=revoked,
                context=_context(plate) + address.encode(),
                sign=identity.sign,
            )
            burnt, plate = window.burnt, 0
            try:
                paired = await _offer(offering, machine, code, address, tell)
            except (CodeExpired, MailboxError, LocalProtocolError):
                raise
            except SyncError as error:
                machine.abandon()
                if window.burnt == burnt:
                    window.burn()  # its nameplate is used up, and so is one of three tries
                refused(error)
            else:
                await offering.close()
                return paired
        await offering.close()
        await trio.sleep(_READING_SECONDS)
        raise PairingClosed("no more guesses are taken: open pairing again")
    except CodeExpired:
        await offering.close()
        if window.burnt:
            raise CodeExpired(
                f"nobody came in time with the right code; somebody tried {window.burnt} times"
            ) from None
        raise
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(_CLEARING_SECONDS_MAX):
            for each in offering.used:
                await _clear(box, each)


def _resumed(opening: Opening, entropy: Entropy) -> tuple[PairingWindow, int]:
    """Return the window of an opening, and the nameplate that goes on; whoever had begun has had that guess."""
    goes_on = opening.code is not None and not opening.begun
    window = PairingWindow(
        now_ms=opening.opened_ms,
        entropy=entropy,
        lasts_ms=opening.expires_ms - opening.opened_ms,
        words=opening.words,
        burnt=opening.burnt + opening.begun,
        code=opening.code.code if opening.code is not None and goes_on else None,
    )
    return window, opening.code.plate if opening.code is not None and goes_on else 0


async def _offer(
    offering: _Offering,
    machine: Offerer,
    code: CodeByMailbox,
    address: str,
    tell: Callable[[CodeByMailbox, int], None],
) -> PairingResult:
    box, now_ms, expires_ms = offering.box, offering.now_ms, offering.opening.expires_ms
    first = pack([offering.identity.certificate, address])
    await _put(box, _slot(code.plate, _OFFERER, 0), first)
    tell(code, expires_ms - now_ms())
    for step in range(1, 4):
        left_s = (expires_ms - now_ms()) / 1_000 if step == 1 else ANSWER_SECONDS_MAX
        frame = await _wait_for(box, _slot(code.plate, _JOINER, step), left_s)
        if frame is None:
            raise (
                CodeExpired("nobody came in time: open pairing again")
                if step == 1
                else NoAnswer("somebody tried: the joiner began and did not go on; this code is burnt")
            )
        _raise_mood(frame)
        if step == 1:
            await offering.note(begun=True)
        try:
            for answer in machine.receive(frame, now_ms=now_ms()):
                await _put(box, _slot(code.plate, _OFFERER, step), answer)
        except SyncError as error:
            await _put(box, _slot(code.plate, _OFFERER, step), refusal(error))
            raise
    assert machine.paired is not None, "the joiner's third frame is its last"
    return machine.paired


async def join_by_mailbox(
    box: Mailbox,
    identity: Identity,
    introduction: Introduction,
    code: CodeByMailbox,
    *,
    wait_ms: int | None = None,
    meets_at: Callable[[str], None] = lambda _: None,
    revoked: Collection[DeviceId] = frozenset(),
    entropy: Entropy = secrets.token_bytes,
) -> PairingResult:
    """Prove a code to the device that shows it. Whatever goes wrong after the proof, the code is worth nothing.

    `wait_ms`: for how long the code may not be shown yet. `meets_at` hears, from a device that proved the code too, by
    which address it reaches the mailbox.
    """
    patience_s = ANSWER_SECONDS_MAX if wait_ms is None else min(wait_ms, WAIT_MS_MAX) / 1_000
    first = await _wait_for(box, _slot(code.plate, _OFFERER, 0), patience_s, patient=wait_ms is not None)
    if first is None:
        raise PairingFailed("no device shows this code at this mailbox: is `pair --mailbox` open there?")
    certificate, address = _read_first(first)
    machine = Joiner(
        code.code,
        certificate=identity.certificate,
        offerer=certificate,
        introduction=introduction,
        entropy=entropy,
        revoked=revoked,
        context=_context(code.plate) + address.encode(),
        sign=identity.sign,
    )
    frames, said, turned_away = [machine.start()], 0, False
    try:
        while True:
            for frame in frames:
                await _put(box, _slot(code.plate, _JOINER, said + 1), frame)
            said += 1
            if machine.paired is not None:
                meets_at(address)
                return machine.paired
            answer = await _wait_for(box, _slot(code.plate, _OFFERER, said), ANSWER_SECONDS_MAX)
            if answer is None:
                raise NoAnswer("the other device began and did not go on: have a fresh code shown there")
            turned_away = is_refusal(answer)
            frames = machine.receive(answer)
    except BaseException as error:
        if not turned_away:
            await _leave(box, code.plate, said + 1, mood_of(error))
        raise


async def _leave(box: Mailbox, plate: int, step: int, mood: Mood) -> None:
    """Tell the offerer, if that can be told quickly, that nobody goes on here."""
    with trio.CancelScope(shield=True), trio.move_on_after(_LEAVING_SECONDS_MAX):
        with suppress(MailboxError):
            await box.put(_slot(plate, _JOINER, step), _LEFT + mood.value)


def _raise_mood(frame: bytes) -> None:
    if frame[:2] != _LEFT:
        return
    for mood, told in _TOLD_BY_MOOD.items():
        if frame[2:] == mood.value:
            raise NoAnswer(told) if mood is Mood.LONELY else WrongCode(told)
    raise WrongCode(_TOLD_BY_MOOD[Mood.ERRORY])


def _read_first(data: bytes) -> tuple[bytes, str]:
    try:
        plain = unpack(data)
    except InvalidOp:
        plain = None
    match plain:
        case [bytes(certificate), str(address)] if len(address.encode()) <= _ADDRESS_BYTES_MAX:
            return certificate, address
    raise RemoteProtocolError("expected a device that shows a code at this mailbox, got something else")


async def _put(box: Mailbox, name: str, data: bytes) -> None:
    """Write a file, also over a line that is down for a moment."""
    with trio.move_on_after(ANSWER_SECONDS_MAX):
        pause_s = ASK_SECONDS
        while True:
            try:
                await box.put(name, data)
            except Unreached as error:
                pause_s = await _pause(pause_s, error)
            else:
                return
    raise Unreached("the mailbox could not be reached while somebody waited for an answer")


async def _wait_for(box: Mailbox, name: str, seconds: float, *, patient: bool = True) -> bytes | None:
    """Return a file once it is there; None if it does not come in time. Without patience, the line has to be up."""
    began, pause_s = trio.current_time(), ASK_SECONDS
    with trio.move_on_after(max(0.0, seconds)):
        while True:
            try:
                found = io.BytesIO()
                await box.get(name, PAIRING_FRAME_BYTES_MAX + 1, found)
                return found.getvalue()
            except Gone:
                later = trio.current_time() - began >= _PATIENT_SECONDS
                await trio.sleep(ASK_SECONDS_LATER if later else ASK_SECONDS)
                pause_s = ASK_SECONDS
            except Unreached as error:
                if not patient:
                    raise
                pause_s = await _pause(pause_s, error)
    return None


async def _pause(pause_s: float, error: Unreached) -> float:
    await trio.sleep(min(_PAUSE_SECONDS_MAX, max(pause_s, error.retry_after_s or 0.0)))
    return min(_PAUSE_SECONDS_MAX, 2 * pause_s)


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
    """Remove what a pairing left, as far as the mailbox lets us: how it ended is decided already, and is to be told."""
    for side in (_OFFERER, _JOINER):
        for step in range(4):
            with suppress(MailboxError):
                await box.remove(_slot(plate, side, step))


def _slot(plate: int, side: str, step: int) -> str:
    return hashlib.sha256(_context(plate) + f"{side} {step}".encode()).hexdigest()[:32] + ENDING


def _context(plate: int) -> bytes:
    return _CONTEXT + bytes([plate])
