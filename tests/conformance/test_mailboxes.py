"""One contract for every mailbox: what a visit may rely on, whatever keeps the files."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Denied, Gone, Unreached
from sync.mailbox.box import Mailbox
from sync.mailbox.buckets import BucketFiles
from sync.mailbox.http_files import ERROR_BYTES_MAX
from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.pace import LookClock
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.requesting import HttpBox
from sync.mailbox.s3 import S3Files
from sync.mailbox.serving import server_settings
from tests.support.mailbox_servers import (
    AZURE_KEY,
    PASSWORD,
    USER,
    azurite_blob,
    moto_s3,
    nats_server,
    rclone_webdav,
    wsgidav_webdav,
)
from tests.support.page_boxes import PageBox
from tests.support.ports import free_port
from tests.support.visits import any_name, read_file
from tests.unit.sync.mailbox.test_keeping import Counting

GIVE_UP_S = 60.0
BIG = 3 << 20
SEED = new_seed(bytes(range(32)))

Body = Callable[[Mailbox, Mailbox], Awaitable[None]]


KINDS = [
    "folder",
    "NATS JetStream",
    "WebDAV by rclone",
    "WebDAV by WsgiDAV",
    "S3 by moto, a mock",
    "Azure by Azurite",
    "WebDAV as a page asks",
    "the dict of other tests",
]


@dataclass(frozen=True)
class Server:
    """What keeps files, and how a device opens it. `place` is None where there is no address."""

    open: Callable[[AsyncioHost], Mailbox]
    place: MailboxAddress | None = None


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if request.param == KINDS[-1]:
        box = Counting()
        yield Server(lambda _: box)
        return
    if request.param == KINDS[-2]:
        with rclone_webdav(tmp_path_factory.mktemp("mailbox")) as url:
            plain = url.replace(f"{USER}@", "")
            yield Server(lambda _: PageBox(plain, USER, PASSWORD))
        return
    with _place(request.param, tmp_path_factory.mktemp("mailbox")) as place:
        yield Server(partial(open_box, check_place(place)), place)


@contextmanager
def _place(kind: str, folder: Path) -> Iterator[MailboxAddress]:
    with ExitStack() as stack:
        match kind:
            case "folder":
                yield MailboxAddress(f"folder://{folder}")
            case "NATS JetStream":
                settings = nats_settings(folder, port := free_port())
                yield MailboxAddress(
                    stack.enter_context(nats_server(folder, port=port, config=settings)), SEED
                )
            case "WebDAV by rclone":
                yield MailboxAddress(f"webdav+{stack.enter_context(rclone_webdav(folder))}", PASSWORD)
            case "WebDAV by WsgiDAV":
                yield MailboxAddress(f"webdav+{stack.enter_context(wsgidav_webdav(folder))}", PASSWORD)
            case "Azure by Azurite":
                yield MailboxAddress(stack.enter_context(azurite_blob(folder)), AZURE_KEY)
            case _:
                yield MailboxAddress(*stack.enter_context(moto_s3(folder)))


def nats_settings(folder: Path, port: int) -> str:
    nkey = public_nkey(read_seed(SEED))
    return server_settings(nkey, listen=f"127.0.0.1:{port}", tls=False, store=f"{folder}/store")


def meet(server: Server, body: Body) -> None:
    """Let two devices use one mailbox that was empty."""

    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host:
                one, other = (server.open(host) for _ in range(2))
                try:
                    for name in await one.names():
                        await one.remove(name)
                    await body(one, other)
                finally:  # also of a body that is skipped
                    await one.aclose()
                    await other.aclose()

    trio.run(main)


def test_what_one_puts_the_other_lists_with_its_size_and_gets_whole(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        files = {any_name(): bytes([n]) * size for n, size in enumerate([1, 4_096, BIG])}
        for name, data in files.items():
            await one.put(name, data)
        assert await other.names() == {name: len(data) for name, data in files.items()}
        for name, data in files.items():
            assert await read_file(other, name, BIG) == data

    meet(server, body)


def test_of_a_file_that_is_larger_than_was_listed_only_so_much_is_read(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        name, data = any_name(), bytes(range(256)) * (BIG // 256)
        await one.put(name, data)
        for size in (1, 300, BIG - 1):
            assert await read_file(other, name, size) == data[:size]

    meet(server, body)


def test_one_that_holds_nothing_lists_nothing(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        assert dict(await one.names()) == dict(await other.names()) == {}

    meet(server, body)


def test_what_is_removed_is_gone_and_may_be_removed_again(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        name, kept = any_name(), any_name()
        for each in (name, kept):
            await one.put(each, b"words")
        await other.remove(name)
        await one.remove(name)
        assert dict(await one.names()) == {kept: 5}
        with pytest.raises(Gone):
            await read_file(one, name, BIG)

    meet(server, body)


def test_a_foreign_name_hides_no_file_of_ours_whatever_characters_are_in_it(server: Server) -> None:
    """Others may write into the same bucket. Of S3 names can be asked for so that XML can hold all of them."""

    async def body(one: Mailbox, other: Mailbox) -> None:
        if not isinstance(one, HttpBox) or not isinstance(one._files, BucketFiles):
            pytest.skip("names of files are no XML there")
        files, name = one._files, any_name()
        await one.put(name, b"words")
        for foreign in ("a\x01b", "a\ufffeb", "a+b %41&<"):
            if not foreign.isprintable() and not isinstance(files, S3Files):
                continue  # Azure writes them in percent by itself, and Azurite lists no more
            put = files._call("PUT", files._prefix + foreign, {}, b"x", ERROR_BYTES_MAX)
            assert (await one._request(put)).status in (200, 201)
            assert await other.names() == {name: 5, foreign: 1}
            await one._do(files.remove(foreign))

    meet(server, body)


def test_a_name_that_could_mean_something_else_is_never_written(server: Server) -> None:
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


def test_a_call_that_is_cancelled_ends_at_once_and_the_next_works(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        with trio.move_on_after(0.001):
            await one.put(any_name(), b"x" * BIG)
        name = any_name()
        await one.put(name, b"words")
        assert await read_file(other, name, BIG) == b"words"
        for each, size in (await other.names()).items():
            assert each == name or size <= BIG

    meet(server, body)


def test_calls_at_the_same_time_do_not_disturb_each_other(server: Server) -> None:
    async def body(one: Mailbox, other: Mailbox) -> None:
        names = [any_name() for _ in range(20)]
        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(one.put, name, name.encode())
        assert (await other.names()).keys() == set(names)

        async def read(name: str) -> None:
            assert await read_file(other, name, BIG) == name.encode()

        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(read, name)

    meet(server, body)


VERBS: list[Callable[[Mailbox], Awaitable[object]]] = [
    lambda box: box.put(any_name(), b"words"),
    lambda box: box.names(),
    lambda box: read_file(box, any_name(), 1),
    lambda box: box.remove(any_name()),
]


def test_the_bell_rings_when_another_wrote(server: Server) -> None:
    """Early or late, never never; storage has a clock for a bell, which is set to a moment here."""
    if server.place is None:
        pytest.skip("other tests ring its bell themselves")

    async def body(one: Mailbox, other: Mailbox) -> None:
        if isinstance(other, HttpBox):
            other._clock = LookClock(0.2)
        await other.names()
        name, rung = any_name(), trio.Event()

        async def wait() -> None:
            while name not in await other.names():
                await other.bell()
            rung.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.sleep(0.5)
            assert not rung.is_set()
            await one.put(name, b"words")
            await rung.wait()

    meet(server, body)


def test_whoever_has_not_the_secret_is_denied_every_verb(server: Server) -> None:
    if server.place is None or server.place.secret is None:
        pytest.skip("it asks for none")
    others = {"nats": new_seed(b"x" * 32), "azblob": AZURE_KEY.swapcase()}
    wrong = replace(server.place, secret=others.get(server.place.scheme, "not the password"))

    async def body(one: Mailbox, other: Mailbox) -> None:
        name = any_name()
        await one.put(name, b"words")
        async with AsyncioHost.open() as host:
            stranger = open_box(check_place(wrong), host)
            for verb in VERBS:
                with pytest.raises(Denied) as caught:
                    await verb(stranger)
                assert str(wrong.secret) not in str(caught.value)
            await stranger.aclose()
        assert dict(await other.names()) == {name: 5}

    meet(server, body)


def test_a_place_that_is_not_there_is_out_of_reach_by_every_verb(server: Server) -> None:
    if server.place is None:
        pytest.skip("it is always there")
    if server.place.scheme == "folder":
        nowhere = replace(server.place, url=f"{server.place.url}/not/mounted")
    else:
        nowhere = replace(server.place, url=re.sub(r":\d{4,5}\b", f":{free_port()}", server.place.url))

    async def main() -> None:
        async with AsyncioHost.open() as host:
            box = open_box(check_place(nowhere), host)
            for verb in VERBS:
                with pytest.raises(Unreached):
                    await verb(box)
            await box.aclose()

    trio.run(main)
