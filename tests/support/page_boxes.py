"""A mailbox as the page of a phone asks for it, by a client of HTTP that is no browser's."""

from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import IO, Any
from urllib.parse import urlsplit

import trio

from sync.errors import Unreached
from sync.mailbox.http_files import Calling, HttpAnswer, HttpCall
from sync.mailbox.webdav import WebdavFiles


class PageBox:
    """What `samemind.phone.mail` asks of a folder, asked over a plain connection."""

    def __init__(self, url: str, user: str | None, password: str | None) -> None:
        self._files = WebdavFiles(url, user, password)

    async def put(self, name: str, data: bytes) -> None:
        await self._do(self._files.put(name, data))

    async def names(self) -> Mapping[str, int]:
        found: Mapping[str, int] = await self._do(self._files.names())
        return found

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        await self._do(self._files.get(name, bytes_max, into))

    async def remove(self, name: str) -> None:
        await self._do(self._files.remove(name))

    async def bell(self) -> None:
        await trio.sleep(0.2)

    async def aclose(self) -> None:
        pass

    async def _do(self, calling: Calling[Any]) -> Any:
        answer = None
        while True:
            try:
                call = calling.send(answer)
            except StopIteration as end:
                return end.value
            answer = await trio.to_thread.run_sync(request, call)


def request(call: HttpCall) -> HttpAnswer:
    """Make a request as `fetch` would."""
    parts = urlsplit(call.url)
    connection = HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request(call.method, parts.path, call.body or None, dict(call.headers))
        answer = connection.getresponse()
        body = answer.read(call.bytes_max)
        return HttpAnswer(answer.status, body, answer.headers.get("retry-after", ""))
    except (OSError, HTTPException) as error:
        raise Unreached(str(error)) from None
    finally:
        connection.close()
