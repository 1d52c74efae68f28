"""Pairing over real TCP on this machine, with everybody who might come to the door."""

import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random

import pytest
import trio
import trio.testing

from sync.address import Address
from sync.code import PairingCode
from sync.errors import CodeExpired, LinkLost, NotPairing, PairingClosed, SyncError, Untrusted, WrongCode
from sync.identity import Identity, fingerprint
from sync.pairing import Introduction, PairingResult
from sync.pairing_link import (
    JOINERS_MAX,
    TRIES_TOLD_MS,
    CodeShown,
    JoinerTurnedAway,
    OfferNews,
    join,
    offer,
)
from sync.pairing_link import Offering as Offered
from sync.tls import secure, unpinned_context
from tests.support.links import identity

LAPTOP, PHONE, STRANGER = identity("laptop"), identity("phone"), identity("stranger")
A_FEW_SECONDS = 20
# Pairs in a process that has loaded nothing for it, and says which modules were loaded once somebody had dialled.
LOADED_LATE = """
import sys, trio
from tests.unit.sync.test_pairing_link import PHONE, join_as, run
dial, known = trio.open_tcp_stream, set()
async def dialling(*place):
    known.update(sys.modules)
    return await dial(*place)
async def main(offering):
    code = await offering.code()
    trio.open_tcp_stream = dialling
    await join_as(PHONE, code, offering.address)
    await offering.over.wait()
run(main)
assert "spake2" in known
print(*sorted(set(sys.modules) - known))
"""


class Offering:
    """A laptop that offers pairing, and what came of it."""

    def __init__(self) -> None:
        self.news_in, self.news = trio.open_memory_channel[OfferNews](100)
        self.paired: PairingResult | None = None
        self.error: SyncError | None = None
        self.address = Address("127.0.0.1", 1)
        self.over = trio.Event()

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.address = Address("127.0.0.1", listeners[0].socket.getsockname()[1])
        task_status.started()
        try:
            offered = Offered(
                LAPTOP,
                Introduction("laptop", b"members"),
                tell=self.news_in.send_nowait,
                entropy=Random(9).randbytes,
            )
            self.paired = await offer(offered, listeners=listeners)
        except SyncError as error:
            self.error = error
        self.over.set()

    async def code(self) -> PairingCode:
        """The next code that is shown; refusals in between are passed over."""
        while True:
            news = await self.news.receive()
            if isinstance(news, CodeShown):
                return news.code

    async def refused(self) -> SyncError:
        while True:
            news = await self.news.receive()
            if isinstance(news, JoinerTurnedAway):
                return news.error


def run(main: Callable[[Offering], Awaitable[None]]) -> Offering:
    offering = Offering()

    async def bounded() -> None:
        with trio.fail_after(A_FEW_SECONDS):
            async with trio.open_nursery() as nursery:
                await nursery.start(offering.run)
                await main(offering)
                nursery.cancel_scope.cancel()

    trio.run(bounded)
    return offering


async def join_as(who: Identity, code: PairingCode, address: Address) -> PairingResult:
    return await join(who, Introduction("phone", b"hello"), code, address)


def wrong(code: PairingCode) -> PairingCode:
    return PairingCode(code.number % 900 + 100, code.words)


def test_pairing_over_tcp_gives_each_side_the_others_certificate() -> None:
    async def main(offering: Offering) -> None:
        paired = await join_as(PHONE, await offering.code(), offering.address)
        assert paired.member.certificate == LAPTOP.certificate
        assert (paired.member.name, paired.payload) == ("laptop", b"members")
        await offering.over.wait()
        assert offering.paired is not None
        assert offering.paired.member.certificate == PHONE.certificate
        assert (offering.paired.member.name, offering.paired.payload) == ("phone", b"hello")
        assert offering.paired.words == paired.words
        with pytest.raises(LinkLost):  # the door is shut again
            await join_as(STRANGER, wrong(PairingCode(100, ("maple", "otter"))), offering.address)

    run(main)


def test_what_pairs_is_loaded_before_anybody_is_dialled() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED_LATE], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == []


def test_a_wrong_code_is_told_to_both_and_a_new_one_is_shown() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        with pytest.raises(WrongCode, match="mistyped"):
            await join_as(PHONE, wrong(code), offering.address)
        assert isinstance(await offering.refused(), WrongCode)
        fresh = await offering.code()
        assert fresh != code
        with pytest.raises(WrongCode):
            await join_as(PHONE, code, offering.address)
        await join_as(PHONE, await offering.code(), offering.address)
        await offering.over.wait()
        assert offering.paired is not None

    run(main)


def test_the_third_wrong_code_closes_pairing() -> None:
    async def main(offering: Offering) -> None:
        for _ in range(3):
            with pytest.raises(WrongCode):
                await join_as(PHONE, wrong(await offering.code()), offering.address)
        await offering.over.wait()

    assert isinstance(run(main).error, PairingClosed)


def test_two_joiners_at_once_with_the_right_code_are_one_member() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        got: list[PairingResult | SyncError] = []

        async def attempt(who: Identity) -> None:
            try:
                got.append(await join_as(who, code, offering.address))
            except SyncError as error:
                got.append(error)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(attempt, PHONE)
            nursery.start_soon(attempt, STRANGER)
        await offering.over.wait()
        assert sorted(isinstance(each, PairingResult) for each in got) == [False, True]
        assert offering.paired is not None

    run(main)


def test_silent_joiners_do_not_keep_the_owner_out_for_longer_than_they_may_stay() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        silent = [
            await trio.open_tcp_stream("127.0.0.1", offering.address.port) for _ in range(JOINERS_MAX - 1)
        ]
        await join_as(PHONE, code, offering.address)
        await offering.over.wait()
        for stream in silent:
            await trio.aclose_forcefully(stream)

    run(main)


def test_of_more_joiners_than_are_listened_to_the_longest_silent_makes_room() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        silent = [await trio.open_tcp_stream("127.0.0.1", offering.address.port) for _ in range(JOINERS_MAX)]
        await trio.testing.wait_all_tasks_blocked(0.01)
        await join_as(PHONE, code, offering.address)
        assert "somebody tried" in str(await offering.refused())
        for stream in silent:
            await trio.aclose_forcefully(stream)

    run(main)


@pytest.mark.parametrize(
    ("strangers", "stays"), [(["::2"] * 5, True), ([f"::{n}" for n in range(2, 7)], False)]
)
def test_one_machine_pushes_out_nobody_of_another(strangers: list[str], stays: bool) -> None:
    """Whoever connected all the time pushed out the one that was about to speak; many machines still do."""
    left: list[str] = []

    async def silent(_: object, host: str) -> None:
        try:
            await trio.sleep_forever()
        finally:
            left.append(host)

    async def main() -> None:
        offered = Offered(LAPTOP, Introduction("laptop"), tell=lambda _: None, entropy=Random(9).randbytes)
        async with trio.open_nursery() as nursery:
            for host in ["::1", *strangers]:
                nursery.start_soon(partial(offered.hear, partial(silent, host=host), host=host))
                await trio.testing.wait_all_tasks_blocked()
            assert len(left) == 2
            assert ("::1" not in left) == stays
            nursery.cancel_scope.cancel()

    trio.run(main)


@pytest.mark.parametrize(("pause_ms", "times"), [(TRIES_TOLD_MS, 1), (0, 12)])
def test_who_proves_nothing_is_told_of_every_few_seconds_and_a_wrong_proof_always(
    pause_ms: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever connected all the time pushed the code off the screen, or had the next one lost on its way there."""
    monkeypatch.setattr("sync.pairing_link.TRIES_TOLD_MS", pause_ms)

    async def main(offering: Offering) -> None:
        code = await offering.code()
        for _ in range(12):
            await (await trio.open_tcp_stream("127.0.0.1", offering.address.port)).aclose()
        await trio.testing.wait_all_tasks_blocked(0.05)
        with pytest.raises(WrongCode):
            await join_as(PHONE, wrong(code), offering.address)
        told = [await offering.refused()]
        while not isinstance(told[-1], WrongCode):
            told.append(await offering.refused())
        assert len(told) == times + 1
        assert await offering.code() != code

    run(main)


@pytest.mark.parametrize(
    "noise", [b"", b"GET / HTTP/1.1\r\n\r\n", bytes(5000), b"\x16\x03\x01\xff\xff" + bytes(100)]
)
def test_noise_at_the_door_burns_nothing(noise: bytes) -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        stream = await trio.open_tcp_stream("127.0.0.1", offering.address.port)
        await stream.send_all(noise)
        await stream.aclose()
        assert isinstance(await offering.refused(), SyncError)
        await join_as(PHONE, code, offering.address)

    run(main)


@pytest.mark.parametrize(
    "said", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x02\x01\x09", b"\x00\x00\x00\x00", b"\x00\x00\x10\x00half"]
)
def test_noise_inside_tls_burns_nothing(said: bytes) -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        stream = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", offering.address.port), context)
        await stream.send_all(said)
        await stream.aclose()
        assert isinstance(await offering.refused(), SyncError)
        await join_as(PHONE, code, offering.address)

    run(main)


def test_a_relay_in_the_middle_of_real_tls_is_found_out() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        middle = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        middle.check_hostname = False
        middle.verify_mode = ssl.CERT_NONE
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")

        async def pump(source: trio.abc.Stream, sink: trio.abc.Stream) -> None:
            try:
                while data := await source.receive_some(1000):
                    await sink.send_all(data)
                await sink.aclose()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            finally:
                await trio.aclose_forcefully(sink)

        async def relay() -> None:
            victim = trio.SSLStream(await listener.accept(), unpinned_context(STRANGER), server_side=True)
            target = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", offering.address.port), middle)
            async with trio.open_nursery() as pumps:
                pumps.start_soon(pump, victim, target)
                pumps.start_soon(pump, target, victim)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(relay)
            with pytest.raises(WrongCode):
                await join_as(PHONE, code, Address("127.0.0.1", listener.socket.getsockname()[1]))
            nursery.cancel_scope.cancel()
        assert isinstance(await offering.refused(), WrongCode)
        await listener.aclose()

    assert run(main).paired is None


def test_a_qr_code_names_the_certificate_and_nothing_is_said_to_another() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        with pytest.raises(WrongCode, match="QR"):
            await join(
                PHONE,
                Introduction("phone"),
                code,
                offering.address,
                expected_fingerprint=fingerprint(STRANGER.certificate),
            )
        assert isinstance(await offering.refused(), LinkLost)
        await join(
            PHONE,
            Introduction("phone"),
            code,
            offering.address,
            expected_fingerprint=fingerprint(LAPTOP.certificate),
        )

    run(main)


def test_a_revoked_device_is_told_that_it_is_not_admitted() -> None:
    async def main(offering: Offering) -> None:
        code = await offering.code()
        with pytest.raises(Untrusted, match="own key"):
            await join(LAPTOP, Introduction("clone"), code, offering.address)
        await join_as(PHONE, code, offering.address)

    run(main)


def test_nobody_in_time_means_the_code_expired() -> None:
    async def main() -> None:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        shown: list[OfferNews] = []
        offered = Offered(LAPTOP, Introduction("laptop"), tell=shown.append)
        with pytest.raises(CodeExpired):
            await offer(offered, listeners=listeners)
        assert [type(news) for news in shown] == [CodeShown]
        with pytest.raises(trio.ClosedResourceError):
            await listeners[0].accept()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_the_port_for_paired_devices_is_not_told_as_one_that_pairs() -> None:
    """The joiner was told that it is not paired, or revoked, which it knew."""

    async def answer(stream: trio.SocketStream) -> None:
        with pytest.raises(Untrusted):
            await secure(stream, identity=LAPTOP, pins=[STRANGER.certificate], server_side=True)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, answer, 0, host="127.0.0.1"))
            port = listeners[0].socket.getsockname()[1]
            with pytest.raises(NotPairing, match=f"127.0.0.1:{port} takes links of paired devices"):
                await join_as(PHONE, PairingCode(417, ("maple", "otter")), Address("127.0.0.1", port))
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_nobody_at_the_address_is_a_lost_link() -> None:
    async def main() -> None:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        await listener.aclose()
        code = PairingCode(417, ("maple", "otter"))
        with pytest.raises(LinkLost, match=r"nobody is pairing at 127.* \(Connection refused\)"):
            await join_as(PHONE, code, Address("127.0.0.1", port))
        with pytest.raises(LinkLost, match=r"needs the interface of this device, as in \[fe80::1%eth0\]"):
            await join_as(PHONE, code, Address("fe80::1", port))

    trio.run(main)
