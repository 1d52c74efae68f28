"""Serve the reminders as a calendar to programs that subscribe to it, which can't log in: their address is a secret.

It opens that one calendar and nothing else. To any other address below it the answer is that of a page that is not
there, whether there is a feed or not. Whoever has the address may ask as often as they like: what was made is kept
until the store changes, and nobody has it made twice at once.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cognition.days import DAY_MS
from samemind.commands.keeping.calendar import feed_reminders, feed_text
from samemind.home.calendar_feed import CALENDAR
from samemind.panel.access import same

if TYPE_CHECKING:
    from samemind.panel.opened import Panel


class _Made(NamedTuple):
    """A calendar, and what the log and the day were when it was made."""

    news: int
    day: int
    body: bytes
    tag: str


def feed_route(panel: "Panel", *, otherwise: Callable[[Request, Exception], Awaitable[Response]]) -> Route:
    """Return the route of the calendar; `otherwise` answers whoever does not have its address."""
    calendar = _Calendar(panel)

    async def answer(request: Request) -> Response:
        feed = panel.feed
        if feed is None or not same(request.path_params["token"], feed.token):
            return await otherwise(request, LookupError(CALENDAR))
        made = await calendar.current()
        # A program asks by its tag whether there is a newer one; nobody on the way keeps a copy.
        headers = {"etag": made.tag, "cache-control": "private, no-cache"}
        asked = request.headers.get("if-none-match", "").split(",")
        if {made.tag, "*"} & {each.strip().removeprefix("W/") for each in asked}:
            return Response(status_code=304, headers=headers)
        return Response(made.body, media_type="text/calendar", headers=headers)

    return Route(f"{CALENDAR}/{{token}}.ics", answer, methods=["GET"])


class _Calendar:
    """The calendar as it is now, made when somebody asks and something has changed."""

    def __init__(self, panel: "Panel") -> None:
        self._panel = panel
        self._made: _Made | None = None
        self._making = trio.Lock()

    async def current(self) -> _Made:
        async with self._making:
            device, now_ms = self._panel.device, self._panel.now_ms()
            news, day = device.replica.news, now_ms // DAY_MS  # which reminders are the nearest, a day later
            if self._made is None or (self._made.news, self._made.day) != (news, day):
                told = await device.replica.read(lambda connection: feed_reminders(connection, now_ms))
                body = (await device.apart(feed_text, told, now_ms)).encode()
                self._made = _Made(news, day, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
            return self._made
