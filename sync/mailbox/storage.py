"""Storage that people have as a mailbox, reached by OpenDAL: what speaks S3, and Azure.

OpenDAL is an extra (`samemind[storage]`) of forty megabytes, so it is imported when the first call is made. Its
asynchronous API runs on the asyncio host: the blocking one cannot be cancelled, and stops all threads while it lists.

Nothing here is told when names change, so the bell is a clock: a minute while somebody writes, up to five when nobody
does. OpenDAL tries again once and soon; whatever is to be tried later, or not at all, is for the caller to know, from
the four errors of a mailbox. OpenDAL has one class for nearly all: `meaning` reads the status.
"""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Denied, Gone, MailboxError, Unreached
from sync.mailbox.box import FILES_MAX, check_name, refused_with, too_many
from sync.mailbox.pace import LOOK_SECONDS_MIN, LookClock

# A file of 8 MB over a line of a megabit a second takes a minute.
TIMEOUT_SECONDS: Final = 120.0
# A connection that was kept open too long fails once; more is waited for by the caller, who backs off.
_TRIES_AGAIN: Final = 1
# Threads of OpenDAL let go of a call's objects after the call; one that does so while the interpreter ends aborts it
# (PyO3/pyo3-async-runtimes#40). 20 ms were enough in each of 12 tries.
_LETTING_GO_SECONDS: Final = 0.1
_REASON_CHARACTERS_MAX: Final = 200
# OpenDAL reads every answer but a file's whole, however long it is, and has no bound that could be set. A hundred
# thousand names take a third of this, and whatever else is done here at once some of it, too.
_GROWTH_BYTES_MAX: Final = 512 << 20
_GLANCE_SECONDS: Final = 0.05
# What a server sent that OpenDAL could not read stands whole in its error, before what OpenDAL says or behind it.
_TEXT_CHARACTERS_MAX: Final = 16_384

Result = TypeVar("Result")

_STATUS: Final = re.compile(r"\bstatus: (\d{3})\b")
_RETRY_AFTER: Final = re.compile(r'"retry-after": "(\d{1,6})"')
_SOURCE: Final = re.compile(r"^Source:\n +(.+)", re.MULTILINE)
_ADDRESS: Final = re.compile(r"\w+://\S+")


class StorageBox:
    """The files of one folder of a storage. `options` are OpenDAL's for this `scheme`."""

    def __init__(
        self,
        host: AsyncioHost,
        scheme: str,
        options: Mapping[str, str],
        *,
        look_s: float = LOOK_SECONDS_MIN,
        timeout_s: float = TIMEOUT_SECONDS,
    ) -> None:
        self._host = host
        self._scheme = scheme
        self._options = dict(options)
        self._timeout_s = timeout_s
        self._operator: Any = None
        self._clock = LookClock(look_s)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = check_name(name)

        async def put(operator: Any) -> None:
            await operator.write(path, data)

        await self._do(put)

    async def names(self) -> Mapping[str, int]:
        """List the folder."""

        async def names(operator: Any) -> dict[str, int]:
            found, listed = {}, 0
            async for each in await operator.list("/"):
                listed += 1  # folders, too, and what was named before: its pages may have no end
                if listed > FILES_MAX:
                    raise too_many()
                if not each.path.endswith("/"):
                    found[each.path] = int(each.metadata.content_length)
            return found

        try:
            found = await self._do(names)
        except Gone:  # a folder is only the beginning of names: what is missing is all of it
            raise Gone("there is no such bucket or container: is its name right?") from None
        self._clock.listed(found)
        return found

    async def get(self, name: str, bytes_max: int) -> bytes:
        """Read a file. As a stream: `read` of a whole file takes as much as a server sends."""

        async def get(operator: Any) -> bytes:
            data = bytearray()
            async with await operator.open(name, "rb") as file:
                while len(data) < bytes_max and (some := await file.read(bytes_max - len(data))):
                    data += some
            return bytes(data)

        return await self._do(get)

    async def remove(self, name: str) -> None:
        """Remove a file."""

        async def remove(operator: Any) -> None:
            await operator.delete(name)

        try:
            await self._do(remove)
        except Gone:
            pass

    async def bell(self) -> None:
        """Wait for as long as it takes until a look may be worth while."""
        await trio.sleep(self._clock.wait_s)

    async def aclose(self) -> None:
        """Let go of it."""
        if self._operator is not None:
            self._operator = None
            await trio.sleep(_LETTING_GO_SECONDS)

    async def _do(self, call: Callable[[Any], Awaitable[Result]]) -> Result:
        async def called() -> Result:
            if self._operator is None:
                self._operator = _open(self._scheme, self._options, self._timeout_s)
            return await _within_memory(call(self._operator))

        try:
            return await self._host.run(called)
        except OSError as error:  # what a stream raises: its class is in the text
            raise meaning(str(error).partition(" ")[0], str(error)) from None
        except Exception as error:
            if type(error).__name__ == "RustPanic":  # of an answer that OpenDAL takes for impossible
                raise Unreached("the storage answered with what nobody can read") from None
            if not type(error).__module__.startswith("opendal"):
                raise
            raise meaning(type(error).__name__, str(error)) from None


async def _within_memory(call: Awaitable[Result]) -> Result:
    """Wait for a call, and give it up once this process holds much more than before: it may be reading without end."""
    task, before = asyncio.ensure_future(call), _held_bytes()
    try:
        while not task.done():
            await asyncio.wait([task], timeout=_GLANCE_SECONDS)
            if not task.done() and _held_bytes() - before > _GROWTH_BYTES_MAX:
                grown = f"{_GROWTH_BYTES_MAX >> 20} MB"
                raise Unreached(
                    f"the storage answers without end: over {grown} of memory were used meanwhile"
                )
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])


def _held_bytes() -> int:
    """Return how much memory this process has for itself; 0 where the system does not say."""
    try:
        _, resident, shared, *_ = Path("/proc/self/statm").read_text("ascii").split()
    except OSError:
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def meaning(kind: str, text: str) -> MailboxError:
    """Return what an error of OpenDAL's means here: `kind` is its class, `text` what it says.

    The text names addresses and what was sent, so none of it is passed on but the status and the cause.
    """
    if len(text) > 2 * _TEXT_CHARACTERS_MAX:
        text = f"{text[:_TEXT_CHARACTERS_MAX]}\n{text[-_TEXT_CHARACTERS_MAX:]}"
    found = _STATUS.search(text)
    if kind == "NotFound":
        return Gone("there is no such file or folder")
    if kind == "ConfigInvalid" and found is not None and found[1] == "404":
        return Gone("there is no such bucket or container: is its name right?")
    if found is None:
        if kind == "ConfigInvalid":
            return Denied("the storage is not there under this name: is the bucket or folder right?")
        if kind == "PermissionDenied":
            return Denied("the storage refuses the key or password")
        if "=> deserialize" in text.partition("\n")[0]:  # what was sent instead is nothing to show a person
            return Unreached("the storage answered with what nobody can read")
        source = _SOURCE.search(text)
        reason = source[1] if source else text.partition("\n")[0]
        reason = _ADDRESS.sub("its address", reason[:_REASON_CHARACTERS_MAX])
        return Unreached(f"the storage could not be reached: {reason}")
    later = _RETRY_AFTER.search(text)
    meant = refused_with(int(found[1]), float(later[1]) if later else None)
    return Denied(str(meant)) if kind == "PermissionDenied" else meant


def _open(scheme: str, options: Mapping[str, str], timeout_s: float) -> Any:
    import opendal  # here: 30 ms, and an extra
    from opendal.layers import RetryLayer, TimeoutLayer

    operator = opendal.AsyncOperator(scheme, **options)
    return operator.layer(TimeoutLayer(timeout=timeout_s, io_timeout=timeout_s)).layer(
        RetryLayer(max_times=_TRIES_AGAIN, min_delay=0.2, max_delay=1.0, jitter=True)
    )
