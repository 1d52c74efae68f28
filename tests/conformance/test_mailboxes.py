"""One contract for every mailbox: what a visit may rely on, whatever keeps the files."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.carrier.shelf import new_name
from sync.errors import Gone
from sync.mailbox.box import Mailbox
from sync.mailbox.places import Place, check_place, open_box
from tests.support.mailbox_servers import (
    AZURE_KEY,
    PASSWORD,
    azurite_blob,
    moto_s3,
    nats_server,
    rclone_webdav,
    wsgidav_webdav,
)

GIVE_UP_S = 60.0
BIG = 3 << 20

Body = Callable[[Mailbox, Mailbox], Awaitable[None]]


KINDS = [
    "folder",
    "NATS JetStream",
    "WebDAV by rclone",
    "WebDAV by WsgiDAV",
    "S3 by moto, a mock",
    "Azure by Azurite",
]


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("mailbox")
    with ExitStack() as stack:
        match request.param:
            case "folder":
                yield Place(f"folder://{folder}")
            case "NATS JetStream":
                yield Place(stack.enter_context(nats_server(folder)))
            case "WebDAV by rclone":
                yield Place(f"webdav+{stack.enter_context(rclone_webdav(folder))}", PASSWORD)
            case "WebDAV by WsgiDAV":
                yield Place(f"webdav+{stack.enter_context(wsgidav_webdav(folder))}", PASSWORD)
            case "Azure by Azurite":
                yield Place(stack.enter_context(azurite_blob(folder)), AZURE_KEY)
            case _:
                yield Place(stack.enter_context(moto_s3(folder)), PASSWORD)


def meet(place: Place, body: Body) -> None:
    """Let two devices use one mailbox that was empty."""

    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host:
                one, other = (open_box(check_place(place), host) for _ in range(2))
                for name in await one.names():
                    await one.remove(name)
                await body(one, other)
                await one.aclose()
                await other.aclose()

    trio.run(main)


def test_what_one_puts_the_other_lists_with_its_size_and_gets_whole(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        files = {new_name(): bytes([n]) * size for n, size in enumerate([1, 4_096, BIG])}
        for name, data in files.items():
            await one.put(name, data)
        assert await other.names() == {name: len(data) for name, data in files.items()}
        for name, data in files.items():
            assert await other.get(name, BIG) == data

    meet(server, body)


def test_of_a_file_that_is_larger_than_was_listed_only_so_much_is_read(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        name, data = new_name(), bytes(range(256)) * (BIG // 256)
        await one.put(name, data)
        for size in (1, 300, BIG - 1):
            assert await other.get(name, size) == data[:size]

    meet(server, body)


def test_one_that_holds_nothing_lists_nothing(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        assert dict(await one.names()) == dict(await other.names()) == {}

    meet(server, body)


def test_what_is_removed_is_gone_and_may_be_removed_again(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        name, kept = new_name(), new_name()
        for each in (name, kept):
            await one.put(each, b"words")
        await other.remove(name)
        await one.remove(name)
        assert dict(await one.names()) == {kept: 5}
        with pytest.raises(Gone):
            await one.get(name, BIG)

    meet(server, body)


def test_a_name_that_could_mean_something_else_is_never_written(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        for name in (
            "../above.samemind",
            "a.b.samemind",
            "*",
            "",
            f"{'0' * 32}.Samemind",
            f"/{'0' * 32}.samemind",
        ):
            with pytest.raises(ValueError, match="32 hexadecimal digits"):
                await one.put(name, b"")
        assert dict(await other.names()) == {}

    meet(server, body)


def test_a_call_that_is_cancelled_ends_at_once_and_the_next_works(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        with trio.move_on_after(0.001):
            await one.put(new_name(), b"x" * BIG)
        name = new_name()
        await one.put(name, b"words")
        assert await other.get(name, BIG) == b"words"
        for each, size in (await other.names()).items():
            assert each == name or size <= BIG

    meet(server, body)


def test_calls_at_the_same_time_do_not_disturb_each_other(server: Place) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        names = [new_name() for _ in range(20)]
        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(one.put, name, name.encode())
        assert (await other.names()).keys() == set(names)

        async def read(name: str) -> None:
            assert await other.get(name, BIG) == name.encode()

        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(read, name)

    meet(server, body)
