"""Whoever announces fake pairing services gets one guess at a typed code, and whoever is silent keeps nobody out."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio

from sync import meeting
from sync.address import Address
from sync.code import PairingCode
from sync.discovery import mdns as finding
from sync.discovery.sightings import ServiceType, Sighting
from sync.errors import LinkLost, SyncError, WrongCode
from sync.identity import Identity
from sync.meeting import CodeOffered, Meeting, PairingRefusal, Partner
from sync.pairing import Introduction, Offerer, PairingWindow
from sync.pairing_link import JOINERS_MAX, _conversation
from sync.tls import unpinned_context

CODE = PairingCode.parse("417-maple-otter")
SERVICES, PLACES = 6, 3


class Liar:
    """Shows a pairing service of its own, and checks a guess against each proof that it is given."""

    def __init__(self, *, right_at: int | None = None, after: str = "hangs up") -> None:
        self.identity = Identity.create()
        self.guesses = 0
        self.after = after
        self._right_at = right_at

    async def answer(self, stream: trio.SocketStream) -> None:
        window = PairingWindow(now_ms=0, entropy=secrets.token_bytes)
        if self.guesses == self._right_at:
            window._code = CODE
        machine = Offerer(
            window,
            certificate=self.identity.certificate,
            introduction=Introduction("laptop"),
            entropy=secrets.token_bytes,
        )
        try:
            async with _conversation(stream, unpinned_context(self.identity), server_side=True) as talk:
                if self.after == "hangs up at once":
                    return
                for frame in machine.receive(await talk.hear(), now_ms=0):
                    await talk.say(frame)
                proof = await talk.hear()
                self.guesses += 1
                if self.after == "talks nonsense":
                    await talk.say(b"\x01\x07nonsense")
                    await talk.hear()
                assert machine._keys is not None
                if proof[2:34] == machine._keys.joiner_mac:
                    for frame in machine.receive(proof, now_ms=0):
                        await talk.say(frame)
                    await talk.hear()
        except SyncError:
            pass


async def taken(partner: Partner) -> None:
    """Take a partner in, of which nothing else is to come here."""


def finder_of(port: int) -> type:
    """A finder that sights many services, all of them the liar's."""

    class Finder:
        @classmethod
        @asynccontextmanager
        async def open(cls, _: object) -> AsyncIterator["Finder"]:
            yield cls()

        @asynccontextmanager
        async def watch(self, service: ServiceType) -> AsyncIterator[trio.MemoryReceiveChannel[Sighting]]:
            assert service is ServiceType.PAIRING
            sending, seen = trio.open_memory_channel[Sighting](SERVICES)
            for number in range(SERVICES):
                sending.send_nowait(Sighting(f"liar {number}", (Address("127.0.0.1", port),) * PLACES))
            yield seen

    return Finder


def device(name: str, *, mdns: bool = True) -> Meeting:
    return Meeting(
        Identity.create(),
        name,
        None,  # type: ignore[arg-type]
        mdns=mdns,
        listening_on="127.0.0.1",
        sync_port=1,
        now_ms=lambda: 0,
    )


@pytest.mark.parametrize("after", ["hangs up", "talks nonsense"])
def test_one_typed_code_is_one_guess_whoever_announces_how_many_services(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second guess would have been right: it is never made."""
    liar = Liar(right_at=1, after=after)

    async def main() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
                nursery.start_soon(trio.serve_listeners, liar.answer, listeners)
                monkeypatch.setattr(finding, "MdnsFinder", finder_of(listeners[0].socket.getsockname()[1]))
                with pytest.raises(
                    WrongCode, match=r"found on this network: .* fresh .* the address of yours"
                ):
                    await device("phone").join(str(CODE), None, frozenset())
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert liar.guesses == 1


def test_who_leaves_before_the_proof_has_learned_nothing_and_the_next_address_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    liar = Liar(after="hangs up at once")
    monkeypatch.setattr(meeting, "FIND_SECONDS_MAX", 0.2)

    async def main() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
                nursery.start_soon(trio.serve_listeners, liar.answer, listeners)
                monkeypatch.setattr(finding, "MdnsFinder", finder_of(listeners[0].socket.getsockname()[1]))
                with pytest.raises(LinkLost):
                    await device("phone").join(str(CODE), None, frozenset())
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert liar.guesses == 0


def test_silent_strangers_make_room_for_the_right_code_and_the_person_is_told() -> None:
    told: list[CodeOffered | PairingRefusal] = []
    paired: list[str] = []

    async def until(condition: Callable[[], bool]) -> None:
        while not condition():  # noqa: ASYNC110 - what is told comes from a callback, not from a task of ours
            await trio.sleep(0.01)

    async def main() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                laptop, phone = device("laptop", mdns=False), device("phone", mdns=False)

                async def offer() -> None:
                    paired.append((await laptop.offer(told.append, frozenset(), take_in=taken)).name)

                nursery.start_soon(offer)
                await until(lambda: bool(told))
                shown = told[0]
                assert isinstance(shown, CodeOffered)
                place = shown.addresses[0]
                strangers = [
                    await trio.open_tcp_stream(place.host, place.port) for _ in range(2 * JOINERS_MAX)
                ]
                await until(lambda: len(told) > 1)  # the first of them had to make room
                partner = await phone.join(shown.code, place, frozenset())
                assert partner.name == "laptop"
                await until(lambda: bool(paired))
                for stranger in strangers:
                    await trio.aclose_forcefully(stranger)
        assert paired == ["phone"]
        assert len(told) < JOINERS_MAX, "not of each: the code would be pushed off the screen"

    trio.run(main)
    refusals = [each for each in told if isinstance(each, PairingRefusal)]
    assert refusals
    assert "somebody tried" in str(refusals[0].error)
    assert sum(isinstance(each, CodeOffered) for each in told) == 1, "silence burns no code"
