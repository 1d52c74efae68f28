"""A real server of a mailbox that is down for a while: what keeps the mailbox goes on by itself when it is back."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from random import Random

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Unreached
from sync.mailbox import jetstream
from sync.mailbox.keeping import Keeper
from sync.mailbox.pace import PAUSE_SECONDS_MIN
from sync.mailbox.places import MailboxAddress, check_place, open_box
from tests.support.links import identity
from tests.support.mailbox_servers import PASSWORD, nats_server, rclone_webdav
from tests.support.ports import free_port
from tests.support.replicas import group
from tests.unit.sync.mailbox.test_keeping import nobody_is_linked, still

GIVE_UP_S = 60.0
GROUP_S = 0.2
# So many pauses, each at most twice as long as the one before.
FAILURES = 3
# The pause that may have begun last, and what a look takes on a busy machine.
BACK_WITHIN_S = 2**FAILURES * PAUSE_SECONDS_MIN + 10.0


def webdav(folder: Path, port: int) -> AbstractContextManager[str]:
    return rclone_webdav(folder, port=port)


def nats(folder: Path, port: int) -> AbstractContextManager[str]:
    return nats_server(folder, port=port)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("serve", "prefix", "secret"), [(webdav, "webdav+", PASSWORD), (nats, "", None)], ids=["WebDAV", "NATS"]
)
def test_a_server_that_is_back_is_used_again_and_gets_what_was_said_meanwhile(
    serve: Callable[[Path, int], AbstractContextManager[str]],
    prefix: str,
    secret: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its connections are made anew, and its pauses are those of `sync.mailbox.pace`."""
    monkeypatch.setattr(jetstream, "CALL_SECONDS", 1.0)
    port = free_port()

    async def until(holds: Callable[[], bool], seconds: float = GIVE_UP_S) -> None:
        with trio.fail_after(seconds):
            while not holds():  # noqa: ASYNC110 -- a keeper tells nobody how it stands
                await trio.sleep(0.05)

    async def main() -> None:
        laptop, _ = group("laptop", "phone")
        replica = still(laptop)
        async with AsyncioHost.open() as host, trio.open_nursery() as nursery:
            with serve(tmp_path, port) as url:
                box = open_box(check_place(MailboxAddress(f"{prefix}{url}", secret)), host)
                kept = Keeper(
                    box,
                    replica,  # type: ignore[arg-type]
                    identity("laptop"),
                    "box",
                    group_s=GROUP_S,
                    bytes_max=None,
                    folder=tmp_path,
                    random=Random(1),
                    took=nobody_is_linked,
                )
                nursery.start_soon(kept.run)
                await until(lambda: kept.standing.wrote == 1)
            await replica.remember("said while it was down")
            for _ in range(FAILURES):
                before = kept.standing.trouble
                await until(lambda before=before: kept.standing.trouble not in (None, before))  # type: ignore[misc]
            assert isinstance(kept.standing.trouble, Unreached)
            with serve(tmp_path, port):
                await until(lambda: (kept.standing.wrote, kept.standing.trouble) == (2, None), BACK_WITHIN_S)
                assert len(await box.names()) == 2
                nursery.cancel_scope.cancel()
            await box.aclose()

    trio.run(main)
