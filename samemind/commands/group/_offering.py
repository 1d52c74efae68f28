"""Offer a code to whoever wants to join, for a command line and for a phone."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import trio

from samemind.control.server import Say
from samemind.formats.plain import to_json

if TYPE_CHECKING:
    from replica import DeviceId
    from sync.meeting import CodeOffered
    from sync.syncer import Syncer

# As much as one opening of pairing ever has to tell, so that no code is lost where nobody reads for long.
NEWS_MAX: Final = 128


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

    telling, told = trio.open_memory_channel[CodeOffered | PairingRefusal](NEWS_MAX)

    async def pass_on() -> None:
        async for news in told:
            if isinstance(news, PairingRefusal):
                await say({"refused": str(news.error)})
            else:
                await say(to_json(shown(news)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on)
        with telling:
            return await syncer.offer_pairing(telling.send_nowait, replacing=replacing)
