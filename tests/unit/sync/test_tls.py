"""A handshake that this device cannot begin is that link's end, and nobody else's."""

from contextlib import suppress

import pytest
import trio
from trio.testing import memory_stream_pair

from sync.errors import LinkLost
from sync.identity import Identity
from sync.tls import explain, pinned_context, secure
from tests.support.descriptors import none_left
from tests.support.links import identity, meet_paired, part


@pytest.mark.parametrize("server_side", [False, True], ids=["dialled", "answered"])
def test_a_link_without_a_descriptor_for_its_key_is_lost_and_closed(server_side: bool) -> None:
    """The daemon ended, and every link with it: OpenSSL reads a key by a path, which takes a descriptor."""

    async def main() -> None:
        near, far = memory_stream_pair()
        new = Identity.create()  # whose context nobody has made yet
        with none_left(), pytest.raises(LinkLost, match="Too many open files"):
            await secure(near, identity=new, pins=[new.certificate], server_side=server_side)
        assert await far.receive_some(1) == b"", "the raw stream is closed"

    trio.run(main)


def test_a_certificate_that_cannot_be_read_is_named_as_what_it_is() -> None:
    """It was told as something that would pass."""

    async def main() -> None:
        near, far = memory_stream_pair()
        with pytest.raises(LinkLost, match="cannot read this device's key, or a certificate of its group"):
            await secure(near, identity=Identity.create(), pins=[b"no certificate"], server_side=False)
        assert await far.receive_some(1) == b"", "the raw stream is closed"

    trio.run(main)


def test_a_refusal_that_is_cancelled_while_the_peer_reads_closes_the_stream() -> None:
    """Its socket stayed open until somebody collected garbage."""

    async def main() -> None:
        caller, other, stranger = identity("laptop"), identity("phone"), identity("stranger")
        near, far = memory_stream_pair()
        async with trio.open_nursery() as nursery:

            async def answer() -> None:
                # Whoever is refused reads on: the caller waits for its end.
                context = pinned_context(stranger, [caller.certificate], server_side=True)
                server = trio.SSLStream(far, context, server_side=True)
                with suppress(trio.BrokenResourceError):
                    await server.do_handshake()
                nursery.cancel_scope.cancel()

            nursery.start_soon(answer)
            await secure(near, identity=caller, pins=[other.certificate], server_side=False)
        with pytest.raises(trio.ClosedResourceError), trio.fail_after(1):
            await near.receive_some(1)

    trio.run(main)


def test_a_record_that_was_changed_on_the_way_is_no_fault_of_the_peer() -> None:
    """It was told as "the other end speaks otherwise", which sent people looking for the error at the wrong place."""

    async def main() -> None:
        one, other = identity("laptop"), identity("phone")
        client, server = await meet_paired(one, other)
        assert client.stream is not None
        assert server.stream is not None
        await client.stream.transport_stream.send_all(b"\x17\x03\x03\x00\x40" + bytes(64))
        with pytest.raises(trio.BrokenResourceError) as caught:
            await server.stream.receive_some(10)
        told = explain(caught.value)
        assert type(told) is LinkLost
        assert "changed on the way" in str(told)
        await part(client, server)

    trio.run(main)
