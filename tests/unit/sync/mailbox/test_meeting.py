"""Pairing through a mailbox: both ends, and whoever owns it and guesses."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random

import pytest
import trio
import trio.testing

from replica.codec import pack
from replica.ids import DeviceId
from sync.code import PairingCode
from sync.errors import (
    CodeExpired,
    Denied,
    InvalidCode,
    PairingClosed,
    PairingFailed,
    RemoteProtocolError,
    SyncError,
    Unreached,
    Untrusted,
    WrongCode,
)
from sync.identity import Identity
from sync.mailbox.meeting import (
    _LEFT_MAX,
    ANSWER_SECONDS_MAX,
    ENDING,
    PLATES,
    WAIT_MS_MAX,
    CodeByMailbox,
    Mood,
    NoAnswer,
    Opening,
    _context,
    _free_plate,
    _slot,
    join_by_mailbox,
    mood_of,
    offer_by_mailbox,
)
from sync.pairing import (
    BURNT_MAX,
    VERSION,
    WINDOW_MS,
    Introduction,
    Joiner,
    Offerer,
    PairingResult,
    PairingWindow,
)
from tests.support.links import identity
from tests.unit.sync.mailbox.test_keeping import Counting

LAPTOP, PHONE, MALLORY = identity("laptop"), identity("phone"), identity("mallory")
START_MS = 1_700_000_000_000


def entropy(seed: str) -> Callable[[int], bytes]:
    return Random(seed).randbytes


@dataclass
class Offering:
    """One who shows codes, and what came of it."""

    box: Counting = field(default_factory=Counting)
    shown: list[CodeByMailbox] = field(default_factory=list)
    refused: list[SyncError] = field(default_factory=list)
    paired: PairingResult | None = None
    failed: SyncError | None = None
    opening: Opening | None = None
    address: str = ""
    revoked: frozenset[DeviceId] = frozenset()
    kept: list[Opening | None] = field(default_factory=list)

    async def keep(self, opening: Opening | None) -> None:
        self.kept.append(opening)

    def now_ms(self) -> int:
        return START_MS + int(trio.current_time() * 1_000)

    async def run(self) -> None:
        try:
            self.paired = await offer_by_mailbox(
                self.box,
                LAPTOP,
                Introduction("laptop", b"ours"),
                tell=lambda code, left_ms: self.shown.append(code),
                refused=self.refused.append,
                now_ms=self.now_ms,
                opening=self.opening,
                keep=self.keep,
                address=self.address,
                revoked=self.revoked,
                entropy=entropy("laptop"),
            )
        except SyncError as error:
            self.failed = error

    async def code(self, number: int = 0) -> CodeByMailbox:
        while len(self.shown) <= number:  # noqa: ASYNC110 -- the clock jumps
            await trio.sleep(0.5)
        return self.shown[number]


def play(
    body: Callable[[Offering], Awaitable[None]],
    *,
    opening: Opening | None = None,
    address: str = "",
    files: Mapping[str, bytes] | None = None,
    revoked: frozenset[DeviceId] = frozenset(),
) -> Offering:
    offering = Offering(Counting(dict(files or {})), opening=opening, address=address, revoked=revoked)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(offering.run)
            await body(offering)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return offering


async def join(offering: Offering, code: CodeByMailbox, who: Identity = PHONE) -> PairingResult:
    return await join_by_mailbox(
        offering.box, who, Introduction("phone", b"theirs"), code, entropy=entropy("phone")
    )


def wrong(code: CodeByMailbox) -> CodeByMailbox:
    other = PairingCode(100 + (code.code.number - 99) % 900, code.code.words)
    return CodeByMailbox(code.plate, other)


def test_two_devices_pair_and_leave_nothing_behind() -> None:
    joined: list[PairingResult] = []

    async def body(offering: Offering) -> None:
        joined.append(await join(offering, CodeByMailbox.parse(str(await offering.code()))))

    offering = play(body)
    assert offering.paired is not None
    assert (offering.paired.member.name, offering.paired.payload) == ("phone", b"theirs")
    assert (joined[0].member.name, joined[0].payload) == ("laptop", b"ours")
    assert offering.paired.words == joined[0].words
    assert offering.paired.member.device_id == PHONE.device_id
    assert joined[0].member.device_id == LAPTOP.device_id
    assert offering.box.files == {}


def test_who_has_paired_is_told_so_where_the_mailbox_removes_nothing() -> None:
    """The joiner has paired by then: an error here would leave a device that one side alone knows."""

    async def body(offering: Offering) -> None:
        code = await offering.code()
        remove, refused = offering.box.remove, _slot(code.plate, "offerer", 0)

        async def keep_one(name: str) -> None:
            if name == refused:
                raise Denied("the key may not delete here")
            await remove(name)

        offering.box.remove = keep_one  # type: ignore[method-assign]
        await join(offering, code)

    offering = play(body)
    assert offering.failed is None
    assert offering.paired is not None
    assert len(offering.box.files) == 1, "what can be removed is"


def test_a_revoked_device_is_refused_and_told_so_though_it_has_the_code() -> None:
    """It knows the mailbox, and may have seen the code on a screen."""

    async def body(offering: Offering) -> None:
        code = await offering.code()
        with pytest.raises(Untrusted, match="never admits this one: it was revoked"):
            await join(offering, code)
        again = await offering.code(1)
        assert again.plate != code.plate
        assert again.code != code.code
        await join(offering, again, MALLORY)

    offering = play(body, revoked=frozenset({PHONE.device_id}))
    (error,) = offering.refused
    assert isinstance(error, Untrusted)
    assert f"{PHONE.device_id.hex()} was revoked" in str(error)
    assert mood_of(error) is Mood.ERRORY
    assert offering.paired is not None
    assert offering.paired.member.device_id == MALLORY.device_id


def test_a_device_says_nothing_to_one_that_it_holds_for_revoked() -> None:
    async def body(offering: Offering) -> None:
        code = await offering.code()
        asked = len(offering.box.files)
        with pytest.raises(Untrusted, match="was revoked: it has to come back under a new key"):
            await join_by_mailbox(
                offering.box, PHONE, Introduction("phone"), code, revoked=frozenset({LAPTOP.device_id})
            )
        assert len(offering.box.files) == asked

    assert isinstance(play(body).failed, CodeExpired)


def test_an_opening_is_written_down_before_anything_is_answered_and_is_over_with_a_pairing() -> None:
    async def body(offering: Offering) -> None:
        first = await offering.code()
        with pytest.raises(WrongCode):
            await join(offering, wrong(first))
        await join(offering, await offering.code(1))

    offering = play(body)
    first, second = offering.shown
    assert [
        each and (str(each.code), each.burnt, each.begun, each.expires_ms - each.opened_ms)
        for each in offering.kept
    ] == [
        (str(first), 0, False, WINDOW_MS),
        (str(first), 0, True, WINDOW_MS),
        (str(second), 1, False, WINDOW_MS),
        (str(second), 1, True, WINDOW_MS),
        None,
    ]


def test_an_opening_is_over_with_its_time_and_with_the_third_guess() -> None:
    async def nobody(_: Offering) -> None:
        pass

    async def guessing(offering: Offering) -> None:
        for n in range(BURNT_MAX):
            with pytest.raises(WrongCode):
                await join(offering, wrong(await offering.code(n)))

    waited, guessed = play(nobody), play(guessing)
    assert (str(waited.failed), waited.kept[-1]) == ("nobody came in time: open pairing again", None)
    assert isinstance(guessed.failed, PairingClosed)
    assert guessed.kept[-1] is None


@pytest.mark.parametrize("begun", [False, True])
def test_an_opening_goes_on_with_its_code_unless_somebody_had_begun(begun: bool) -> None:
    code = CodeByMailbox(7, PairingCode(417, ("maple", "otter")))
    opening = replace(Opening.new(START_MS), burnt=1, code=code, begun=begun)

    async def body(offering: Offering) -> None:
        shown = await offering.code()
        assert (str(shown) == str(code)) == (not begun)
        await join(offering, shown)

    kept = play(body, opening=opening).kept[0]
    assert kept is not None
    assert kept.burnt == 1 + begun


def test_an_opening_lasts_to_its_end_and_no_clock_that_is_set_back_revives_it() -> None:
    opening = Opening.new(START_MS)
    at_ms = (START_MS - 1, START_MS, START_MS + WINDOW_MS - 1, START_MS + WINDOW_MS)
    assert [opening.is_open(each) for each in at_ms] == [False, True, True, False]
    assert Opening.new(START_MS, WAIT_MS_MAX + 1).expires_ms == START_MS + WAIT_MS_MAX


def test_a_nameplate_that_is_in_use_is_not_taken_and_where_all_are_nobody_pairs() -> None:
    every = {_slot(plate, "joiner", 3): b"of another pairing" for plate in range(1, PLATES + 1)}
    draws = iter([4, 4, 6])

    async def main() -> None:
        box = Counting({name: data for name, data in every.items() if name != _slot(7, "joiner", 3)})
        assert await _free_plate(box, lambda size: next(draws).to_bytes(size, "big")) == 7
        with pytest.raises(PairingClosed, match="too many pairings"):
            await _free_plate(Counting(every), entropy("laptop"))

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        (b"\x01", NoAnswer, "waited in vain"),
        (b"\x02", WrongCode, "holds another code"),
        (b"\x03", WrongCode, "broke off"),
        (b"\x7f", WrongCode, "broke off"),
        (b"", WrongCode, "broke off"),
    ],
)
def test_the_mood_in_which_a_joiner_left_is_told(said: bytes, kind: type[SyncError], told: str) -> None:
    async def body(offering: Offering) -> None:
        code = await offering.code()
        await offering.box.put(_slot(code.plate, "joiner", 1), bytes([VERSION, 6]) + said)
        await offering.code(1)

    (error,) = play(body).refused
    assert type(error) is kind
    assert told in str(error)


def test_a_joiner_whose_partner_goes_silent_says_so_and_leaves() -> None:
    async def main() -> None:
        box, code = Counting(), CodeByMailbox(7, PairingCode(417, ("maple", "otter")))
        await box.put(_slot(7, "offerer", 0), pack([LAPTOP.certificate, ""]))
        with pytest.raises(NoAnswer, match="began and did not go on"):
            await join_by_mailbox(box, PHONE, Introduction("phone"), code)
        assert trio.current_time() == ANSWER_SECONDS_MAX
        assert box.files[_slot(7, "joiner", 2)] == bytes([VERSION, 6]) + Mood.LONELY.value

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_the_words_enter_no_name_and_no_file_in_the_clear() -> None:
    names: set[str] = set()
    said: list[bytes] = []

    async def body(offering: Offering) -> None:
        put = offering.box.put

        async def watch(name: str, data: bytes) -> None:
            names.add(name)
            said.append(data)
            await put(name, data)

        offering.box.put = watch  # type: ignore[method-assign]
        code = await offering.code()
        await join(offering, code)
        assert names <= {_slot(code.plate, side, n) for side in ("offerer", "joiner") for n in range(4)}
        for word in code.code.words:
            assert not any(word.encode() in data for data in said)

    play(body)


def test_a_wrong_code_burns_it_and_three_close_the_window() -> None:
    async def body(offering: Offering) -> None:
        for n in range(BURNT_MAX):
            code = wrong(await offering.code(n))
            with pytest.raises(WrongCode):
                await join(offering, code)
            assert _slot(code.plate, "joiner", 3) not in offering.box.files, (
                "who was turned away says no more"
            )

    offering = play(body)
    assert isinstance(offering.failed, PairingClosed)
    assert len(offering.refused) == len(offering.shown) == BURNT_MAX
    assert len({str(code.code) for code in offering.shown}) == BURNT_MAX
    assert offering.box.files == {}


def test_whoever_owns_the_mailbox_has_three_guesses_at_the_offerer_whatever_it_does() -> None:
    """It writes each file itself, tries a guess a code, and begins conversations that it never ends."""
    guesses = 0

    async def body(offering: Offering) -> None:
        nonlocal guesses
        tried: set[int] = set()
        with trio.move_on_after(WINDOW_MS / 1_000):
            while offering.failed is None:
                await trio.sleep(1)
                if not offering.shown or len(offering.shown) in tried:
                    continue
                tried.add(len(offering.shown))
                with pytest.raises(SyncError):
                    await join(offering, wrong(offering.shown[-1]), MALLORY)
                guesses += 1

    offering = play(body)
    assert guesses == BURNT_MAX
    assert offering.paired is None


def test_whoever_owns_the_mailbox_has_one_guess_at_the_joiner() -> None:
    """It shows its own certificate: the joiner says one proof, and whatever follows, no second one."""
    proofs: list[bytes] = []

    async def main() -> None:
        box, code = Counting(), CodeByMailbox(7, PairingCode(417, ("maple", "otter")))
        window = PairingWindow(now_ms=START_MS, entropy=entropy("mallory"))
        fake = Offerer(
            window,
            certificate=MALLORY.certificate,
            introduction=Introduction("laptop"),
            entropy=entropy("fake"),
            context=_context(7),
            sign=MALLORY.sign,
        )
        await box.put(_slot(7, "offerer", 0), pack([MALLORY.certificate, ""]))

        async def meddle() -> None:
            while _slot(7, "joiner", 1) not in box.files:  # noqa: ASYNC110 -- the clock jumps
                await trio.sleep(0.5)
            (reply,) = fake.receive(box.files[_slot(7, "joiner", 1)], now_ms=START_MS)
            await box.put(_slot(7, "offerer", 1), reply)
            while True:
                await trio.sleep(0.5)
                if (proof := box.files.pop(_slot(7, "joiner", 2), None)) is not None:
                    proofs.append(proof)
                    await box.put(_slot(7, "offerer", 2), reply)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(meddle)
            with pytest.raises((WrongCode, RemoteProtocolError)):
                await join_by_mailbox(box, PHONE, Introduction("phone"), code, entropy=entropy("phone"))
            await trio.sleep(10 * ANSWER_SECONDS_MAX)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert len(proofs) == 1


def test_one_who_begins_and_goes_silent_uses_up_a_code() -> None:
    async def body(offering: Offering) -> None:
        first = await offering.code()
        offering.box.files[_slot(first.plate, "joiner", 1)] = b"nonsense"
        second = await offering.code(1)
        assert str(second.code) != str(first.code)
        await join(offering, second)

    offering = play(body)
    assert offering.paired is not None
    assert len(offering.refused) == 1


def test_nobody_comes() -> None:
    async def body(offering: Offering) -> None:
        await trio.sleep(WINDOW_MS / 1_000 + 10)

    offering = play(body)
    assert isinstance(offering.failed, CodeExpired)
    assert offering.box.files == {}


def test_nobody_shows_that_code() -> None:
    async def main() -> None:
        code = CodeByMailbox(7, PairingCode(417, ("maple", "otter")))
        with pytest.raises(PairingFailed, match="no device shows"):
            await join_by_mailbox(Counting(), PHONE, Introduction("phone"), code)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def converse(joiner: Joiner, offerer: Offerer) -> None:
    frames = [joiner.start()]
    while frames:
        answers = [answer for frame in frames for answer in offerer.receive(frame, now_ms=START_MS)]
        frames = [frame for answer in answers for frame in joiner.receive(answer)]


def both(joins: dict[str, object], offers: dict[str, object]) -> tuple[Joiner, Offerer]:
    window = PairingWindow(now_ms=START_MS, entropy=entropy("laptop"))
    joiner = Joiner(
        window.current(now_ms=START_MS),
        certificate=PHONE.certificate,
        offerer=LAPTOP.certificate,
        introduction=Introduction("phone"),
        entropy=entropy("phone"),
        **joins,  # type: ignore[arg-type]
    )
    offerer = Offerer(
        window,
        certificate=LAPTOP.certificate,
        introduction=Introduction("laptop"),
        entropy=entropy("more"),
        **offers,  # type: ignore[arg-type]
    )
    return joiner, offerer


def test_a_conversation_by_mailbox_is_none_by_link_nor_by_another_nameplate() -> None:
    for other in (b"", _context(8)):
        with pytest.raises(WrongCode):
            converse(*both({"context": _context(7)}, {"context": other}))
    converse(*both({"context": _context(7)}, {"context": _context(7)}))


def test_each_side_signs_with_the_key_of_its_certificate() -> None:
    """Who copied a certificate and learnt the code has not the key."""
    ours: dict[str, object] = {"context": _context(7), "sign": PHONE.sign}
    theirs: dict[str, object] = {"context": _context(7), "sign": LAPTOP.sign}
    converse(*both(ours, theirs))
    for joins, offers in ((ours | {"sign": MALLORY.sign}, theirs), (ours, theirs | {"sign": MALLORY.sign})):
        with pytest.raises(Untrusted, match="did not sign"):
            converse(*both(joins, offers))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "417-maple-otter",
        "0-417-maple-otter",
        "100-417-maple-otter",
        "007-417-maple-otter",
        "x-417-maple-otter",
    ],
)
def test_what_is_no_code_for_a_mailbox_is_refused(text: str) -> None:
    with pytest.raises(InvalidCode):
        CodeByMailbox.parse(text)


@pytest.mark.parametrize("plate", [1, 99])
def test_every_nameplate_can_be_typed(plate: int) -> None:
    assert CodeByMailbox.parse(f" {plate}-417-maple-otter\n").plate == plate


def test_a_window_of_hours_has_codes_of_three_words_and_somebody_may_come_late() -> None:
    joined: list[PairingResult] = []

    async def body(offering: Offering) -> None:
        code = await offering.code()
        assert len(code.code.words) == 3
        await trio.sleep(23 * 3_600)
        joined.append(await join(offering, CodeByMailbox.parse(str(code))))

    offering = play(body, opening=Opening.new(START_MS, WAIT_MS_MAX))
    assert offering.paired is not None
    assert offering.paired.words == joined[0].words
    assert len(offering.box.times("get")) < 30_000, "later it asks more seldom"


def test_a_joiner_may_be_there_first() -> None:
    async def main() -> None:
        offering, code = Offering(), CodeByMailbox(7, PairingCode(417, ("maple", "otter", "cedar")))
        offering.opening = Opening(START_MS, START_MS + WAIT_MS_MAX, words=3, code=code)
        async with trio.open_nursery() as nursery:

            async def come_late() -> None:
                await trio.sleep(7_200)
                await offering.run()

            nursery.start_soon(come_late)
            paired = await join_by_mailbox(
                offering.box,
                PHONE,
                Introduction("phone"),
                code,
                wait_ms=WAIT_MS_MAX,
                entropy=entropy("phone"),
            )
            assert paired.member.name == "laptop"

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_line_that_is_down_meanwhile_ends_nothing() -> None:
    joined: list[PairingResult] = []

    async def body(offering: Offering) -> None:
        code = await offering.code()
        offering.box.failure = Unreached("no route", retry_after_s=20.0)
        offering.box.asked.clear()
        await trio.sleep(200)
        offering.box.failure = None
        asked = [seconds for _, seconds in offering.box.asked]
        assert len(asked) > 2
        assert all(later - one >= 20 for one, later in pairwise(asked)), (
            "it is left alone as long as it asked"
        )
        await trio.sleep(100)
        joined.append(await join(offering, code))

    assert play(body).paired is not None
    assert joined


def test_who_leaves_says_in_which_mood_and_the_person_hears_at_once() -> None:
    """A joiner that finds another code there, one that is broken off, one that waited in vain."""

    async def body(offering: Offering) -> None:
        first = await offering.code()
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:

                async def break_off() -> None:
                    while _slot(first.plate, "offerer", 1) not in offering.box.files:  # noqa: ASYNC110
                        await trio.sleep(0.1)
                    scope.cancel()

                nursery.start_soon(break_off)
                await join(offering, first)
        began = trio.current_time()
        second = await offering.code(1)
        assert trio.current_time() - began < 5, "it is not waited for for two minutes"
        with pytest.raises(WrongCode):
            await join(offering, wrong(second))
        await offering.code(2)

    offering = play(body)
    assert [mood_of(each) for each in offering.refused] == [Mood.SCARY, Mood.SCARY]
    assert "somebody tried" in str(offering.refused[0])
    assert isinstance(offering.failed, CodeExpired)
    assert "somebody tried 2 times" in str(offering.failed)
    assert mood_of(offering.failed) is Mood.LONELY
    assert mood_of(NoAnswer("")) is Mood.LONELY
    assert mood_of(Untrusted("")) is Mood.ERRORY


def test_the_address_of_the_mailbox_is_signed_for_and_told_to_the_joiner() -> None:
    there: list[str] = []

    async def body(offering: Offering) -> None:
        code = await offering.code()
        await join_by_mailbox(
            offering.box, PHONE, Introduction("phone"), code, meets_at=there.append, entropy=entropy("phone")
        )

    assert play(body, address="nats+tls://meet.example").paired is not None
    assert there == ["nats+tls://meet.example"]


def test_an_address_that_was_altered_makes_the_codes_differ() -> None:
    async def body(offering: Offering) -> None:
        code = await offering.code()
        offering.box.files[_slot(code.plate, "offerer", 0)] = pack(
            [LAPTOP.certificate, "nats://evil.example"]
        )
        with pytest.raises(WrongCode):
            await join(offering, code)

    assert play(body, address="nats+tls://meet.example").paired is None


@pytest.mark.parametrize(
    "data", [b"", b"nonsense", pack([b"x"]), pack(["x", b"y"]), pack([b"x", "y" * 2_000])]
)
def test_what_is_no_first_file_is_refused(data: bytes) -> None:
    async def main() -> None:
        box, code = Counting(), CodeByMailbox(7, PairingCode(417, ("maple", "otter")))
        await box.put(_slot(7, "offerer", 0), data)
        with pytest.raises(SyncError, match="expected a device that shows a code"):
            await join_by_mailbox(box, PHONE, Introduction("phone"), code)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_the_last_guess_is_taken_once_though_the_program_is_started_anew_meanwhile() -> None:
    opening = replace(Opening.new(START_MS), burnt=BURNT_MAX - 1)
    assert opening.is_open(START_MS)
    assert not replace(opening, begun=True).is_open(START_MS)


def test_whoever_types_a_code_hears_at_once_that_the_mailbox_cannot_be_reached() -> None:
    async def main() -> None:
        box, code = (
            Counting(failure=Unreached("no route")),
            CodeByMailbox(7, PairingCode(417, ("maple", "otter"))),
        )
        with pytest.raises(Unreached):
            await join_by_mailbox(box, PHONE, Introduction("phone"), code)
        assert trio.current_time() == 0.0

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@pytest.mark.parametrize(("left", "stay"), [(_LEFT_MAX, _LEFT_MAX), (_LEFT_MAX + 1, 0)])
def test_what_others_left_is_cleared_away_only_where_nobody_can_be_in_the_middle_of_it(
    left: int, stay: int
) -> None:
    files = {f"{n:032x}{ENDING}": b"of another pairing" for n in range(left)}

    async def body(offering: Offering) -> None:
        await join(offering, await offering.code())

    assert len(play(body, files=files).box.files) == stay
