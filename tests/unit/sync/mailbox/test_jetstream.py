"""A NATS server as a mailbox: what is particular to it, with the real one."""

import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Denied, Full, Unreached
from sync.mailbox import jetstream
from sync.mailbox.jetstream import StreamBox
from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.serving import server_settings
from sync.mailbox.stream_files import HALF_SECONDS_MAX, PART_BYTES, _read_page
from tests.support.mailbox_servers import (
    nats_process,
    nats_server,
    needs_package,
    needs_program,
    serving,
)
from tests.support.ports import free_port
from tests.support.visits import any_name, read_file

GIVE_UP_S = 60.0
SIZE = 3 * PART_BYTES
SEED, OTHER_SEED = new_seed(bytes(range(32))), new_seed(bytes(range(1, 33)))


def run(body: Callable[[AsyncioHost], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host:
                await body(host)

    trio.run(main)


def box_at(host: AsyncioHost, url: str, seed: str | None = None, pin: str | None = None) -> StreamBox:
    box = open_box(check_place(MailboxAddress(url, seed, pin)), host)
    assert isinstance(box, StreamBox)
    return box


def test_the_bell_rings_for_others_when_a_file_comes_and_not_for_each_that_goes(tmp_path: Path) -> None:
    """Files go by the dozen where they were merged, and nobody has to hear of it at once."""

    async def body(host: AsyncioHost) -> None:
        one, other = box_at(host, url), box_at(host, url)
        first, second = any_name(), any_name()
        rung = trio.Event()

        async def wait() -> None:
            await other.bell()
            rung.set()

        await one.put(first, b"words")
        await other.names()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await one.remove(first)
            await trio.sleep(0.3)
            assert not rung.is_set(), "no file came"
            await one.put(second, b"words")
        assert dict(await other.names()) == {second: 5}
        await one.aclose()
        await other.aclose()

    with nats_server(tmp_path) as url:
        run(body)


def test_a_quiet_bell_ends_after_its_time_all_the_same(tmp_path: Path) -> None:
    async def body(host: AsyncioHost) -> None:
        box = StreamBox(host, (url,), "group", look_s=0.3)
        await box.names()
        await box.bell()
        await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


def test_a_server_that_dies_rings_is_out_of_reach_and_is_used_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, name = free_port(), any_name()

    async def body(host: AsyncioHost) -> None:
        with nats_process(tmp_path, port) as server:
            box = box_at(host, f"nats://127.0.0.1:{port}")
            await box.put(name, b"words")
            await box.names()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(box.bell)
                await trio.sleep(0.2)
                server.kill()
        with monkeypatch.context() as patch:
            patch.setattr(jetstream, "CALL_SECONDS", 1.0)  # nobody is there to answer
            with pytest.raises(Unreached):
                await box.names()
        with nats_server(tmp_path, port=port):
            assert dict(await box.names()) == {name: 5}
            assert await read_file(box, name, SIZE) == b"words"
            await box.aclose()

    run(body)


def test_a_group_sees_nothing_of_another_and_a_stranger_nothing_at_all(tmp_path: Path) -> None:
    keys = [public_nkey(read_seed(seed)) for seed in (SEED, OTHER_SEED)]
    port, name = free_port(), any_name()
    settings = server_settings(keys[0], listen=f"127.0.0.1:{port}", tls=False, store=f"{tmp_path}/store")
    second = settings[settings.index('  "group" {') : settings.rindex("}")]
    second = second.replace('"group"', '"other"').replace(keys[0], keys[1])
    both = settings[: settings.rindex("}")] + second + "}\n"
    both = both.replace("max_file: 1100MB\n", "max_file: 3GB\n")

    async def body(host: AsyncioHost) -> None:
        url = f"nats://127.0.0.1:{port}"
        ours, theirs = box_at(host, url, SEED), box_at(host, url, OTHER_SEED)
        await ours.put(name, b"words")
        assert dict(await ours.names()) == {name: 5}
        assert dict(await theirs.names()) == {}
        await theirs.remove(name)
        assert dict(await ours.names()) == {name: 5}
        for stranger in (box_at(host, url), box_at(host, url, new_seed(b"x" * 32))):
            with pytest.raises(Denied):
                await stranger.names()
        await ours.aclose()
        await theirs.aclose()

    with nats_server(tmp_path, port=port, config=both):
        run(body)


def test_why_a_server_refuses_is_heard_before_anything_more_is_said_to_it() -> None:
    async def refuse(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(b'INFO {"max_payload":1048576}\r\n')
            with trio.move_on_after(0.3):
                async for words in stream:
                    said.extend(words)
            await stream.send_all(b"-ERR 'Authorization Violation'\r\n")

    async def body(host: AsyncioHost) -> None:
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, refuse, 0, host="127.0.0.1"))
            port = listeners[0].socket.getsockname()[1]
            with pytest.raises(Denied):
                await box_at(host, f"nats://127.0.0.1:{port}").names()
            nursery.cancel_scope.cancel()
        heard = bytes(said)
        assert heard.startswith(b"CONNECT ")
        assert b"PING" not in heard, "a server that hangs up on it unread resets the connection"

    said = bytearray()
    run(body)


def test_a_server_is_known_by_its_own_certificate(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And asyncio does not complain of each connection that ends, to whoever typed a command."""
    openssl = needs_program("openssl")
    for which in ("server", "impostor"):
        make = [openssl, "req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", "/CN=box"]
        files = ["-keyout", str(tmp_path / f"{which}.key"), "-out", str(tmp_path / f"{which}.crt")]
        subprocess.run(make + files, check=True, capture_output=True)
    port, nkey = free_port(), public_nkey(read_seed(SEED))
    settings = server_settings(
        nkey,
        listen=f"127.0.0.1:{port}",
        store=f"{tmp_path}/store",
        certificate=f"{tmp_path}/server.crt",
        key=f"{tmp_path}/server.key",
    )

    async def body(host: AsyncioHost) -> None:
        url, name = f"nats+tls://127.0.0.1:{port}", any_name()
        box = box_at(host, url, SEED, (tmp_path / "server.crt").read_text())
        await box.put(name, b"words")
        assert await read_file(box, name, SIZE) == b"words"
        await box.aclose()
        for pin in ((tmp_path / "impostor.crt").read_text(), None):
            with pytest.raises(Denied, match="certificate"):
                await box_at(host, url, SEED, pin).names()

    with nats_server(tmp_path, port=port, config=settings):
        run(body)
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_a_stream_that_is_full_says_so_and_drops_nothing(tmp_path: Path) -> None:
    async def body(host: AsyncioHost) -> None:
        box, first = box_at(host, f"{url}?bytes=1500000"), any_name()
        await box.put(first, b"x" * (PART_BYTES + 1))
        await box.put(any_name(), b"y" * PART_BYTES)
        with pytest.raises(Full):
            await box.put(any_name(), b"z" * PART_BYTES)
        assert first in await box.names()
        assert await read_file(box, first, SIZE) == b"x" * (PART_BYTES + 1)
        await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


def test_what_was_never_finished_is_not_listed_and_goes_after_an_hour(tmp_path: Path) -> None:
    async def body(host: AsyncioHost) -> None:
        box, half, whole = box_at(host, url), any_name(), any_name()
        await box.put(whole, b"words")

        async def write_half() -> None:
            stream = box._client.jetstream()
            await stream.publish(box._files._part(half, 2 * PART_BYTES, 0), b"x" * PART_BYTES)

        await host.run(write_half)
        assert dict(await box.names()) == {whole: 5}
        box._files._halves = {name: since - HALF_SECONDS_MAX for name, since in box._files._halves.items()}
        assert box._files._halves
        await box.names()
        await box.names()
        assert not box._files._halves, "it is not there any more"
        assert await read_file(box, whole, SIZE) == b"words"
        await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


def test_a_stream_that_somebody_deleted_is_made_anew(tmp_path: Path) -> None:
    async def body(host: AsyncioHost) -> None:
        box = box_at(host, url)
        await box.put(any_name(), b"words")

        async def delete() -> None:
            await box._client.jetstream().delete_stream("SAMEMIND_group")

        await host.run(delete)
        with pytest.raises(Unreached):
            await box.names()
        assert dict(await box.names()) == {}
        await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


def test_of_several_servers_one_that_answers_is_enough(tmp_path: Path) -> None:
    async def body(host: AsyncioHost) -> None:
        dead = free_port()
        for _ in range(4):  # which is tried first is drawn
            box = box_at(host, f"nats://127.0.0.1:{dead},{url.removeprefix('nats://')}")
            assert dict(await box.names()) == {}
            await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


@pytest.mark.parametrize(
    ("host", "why"), [("127.0.0.1", "Connection refused$"), ("nobody.invalid", "its name was not found")]
)
def test_why_no_server_is_reached_is_said_in_words(host: str, why: str) -> None:
    needs_package("nats")

    async def body(asyncio_host: AsyncioHost) -> None:
        box = box_at(asyncio_host, f"nats://{host}:{free_port()}")
        with pytest.raises(Unreached, match=f"^the server could not be reached: {why}"):
            await box.names()
        await box.aclose()

    run(body)


def test_a_server_of_another_kind_is_out_of_reach(tmp_path: Path) -> None:
    needs_package("nats")
    port = free_port()

    async def body(host: AsyncioHost) -> None:
        with pytest.raises(Unreached):
            await box_at(host, f"nats://127.0.0.1:{port}").names()

    run_http = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with serving(run_http, port, tmp_path / "log"):
        run(body)


def test_settings_hold_nothing_that_could_mean_something_else() -> None:
    with pytest.raises(ValueError, match="settings can hold"):
        server_settings("U", account='x" { users: [] }')


def test_settings_are_read_by_the_server_itself(tmp_path: Path) -> None:
    program, config = needs_program("nats-server"), tmp_path / "nats.conf"
    config.write_text(server_settings(public_nkey(read_seed(SEED)), tls=False, store=str(tmp_path)))
    subprocess.run([program, "-t", "-c", str(config)], check=True, capture_output=True)


def test_a_name_that_is_none_of_ours_is_not_listed(tmp_path: Path) -> None:
    """Whoever knows the key may put anything under the group's subjects; it would be asked for, and stop the task."""

    async def body(host: AsyncioHost) -> None:
        box = box_at(host, url)
        await box.put(name := any_name(), b"words")
        stem = "samemind.group.file"
        odd = [f"{stem}.a_samemind.4.0", f"{stem}.{'0' * 32}_samemind.٤.0", f"{stem}.{'0' * 32}_samemind.4.1"]

        async def publish() -> None:
            client = await box._connected()
            for subject in odd:
                await client.jetstream().publish(subject, b"odd!")

        await host.run(publish)
        assert dict(await box.names()) == {name: 5}
        await box.aclose()

    with nats_server(tmp_path) as url:
        run(body)


@pytest.mark.parametrize(
    "answer",
    [{}, {"state": []}, {"state": {"subjects": 3}}, {"state": {"subjects": {"a": 1}}, "total": "many"}],
)
def test_a_listing_that_is_nonsense_is_no_listing(answer: dict[str, object]) -> None:
    with pytest.raises(Unreached, match="something else"):
        _read_page(answer)
