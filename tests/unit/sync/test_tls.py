"""A handshake that this device cannot begin is that link's end, and nobody else's."""

import pytest
import trio
from trio.testing import memory_stream_pair

from sync.errors import LinkLost
from sync.identity import Identity
from sync.tls import secure
from tests.support.descriptors import none_left


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
