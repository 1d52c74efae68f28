"""Offer a code to whoever wants to join, for a command line and for a phone."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import trio

from samemind.control.server import Say
from samemind.plain import to_json

if TYPE_CHECKING:
    from replica import DeviceId
    from sync.meeting import CodeOffered
    from sync.syncer import Syncer


async def offer_code(
    syncer: "Syncer",
    say: Say,
    shown: Callable[["CodeOffered"], Any],
    *,
    replacing: "DeviceId | None" = None,
) -> Any:
    """Have a code shown, say what `shown` makes of it and whatever becomes of it, and return who proved it.

    `replacing`: whom that one comes in place of, and who is revoked along with its coming.
    """
    from sync.meeting import CodeOffered, PairingRefusal  # here: whoever lists devices loads no links

    telling, told = trio.open_memory_channel[CodeOffered | PairingRefusal](16)

    async def pass_on() -> None:
        async for news in told:
            if isinstance(news, PairingRefusal):
                await say({"refused": str(news.error)})
            else:
                await say(to_json(shown(news)))

    def tell(news: CodeOffered | PairingRefusal) -> None:
        try:
            telling.send_nowait(news)
        except trio.WouldBlock:
            pass  # nobody reads; a code comes after at most two refusals, so none of those is lost

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on)
        with telling:
            return await syncer.offer_pairing(tell, replacing=replacing)
