"""Serve reminders as a calendar that programs subscribe to, at an address with a secret in it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Failed, Unreachable, Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device
    from samemind.home.calendar_feed import FeedPlace
    from samemind.panel.served import PanelOpener, ServedPanel


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeCalendar:
    """Serve reminders as a calendar that programs subscribe to, and show its address.

    Whoever has the address reads the reminders, and nothing else.
    """

    feed: bool = option("--feed", "serve it, and show its address", default=False, hidden_from=("panel",))
    new: bool = option("--new", "make a new address: the one before stops working", default=False)
    off: bool = option("--off", "stop serving it: no address works any more", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarFeed:
    """Where calendar programs find the reminders: `url`, or any other of `urls`; null and empty once it is off.

    `trust`: the page that makes a phone trust this device; `fingerprint`: the SHA-256 of the authority to trust there.
    Both are null where only this machine reaches the address, and where the owner's own certificate is served there is
    none to trust. `note`: what to know about the address.
    """

    url: str | None = None
    urls: list[str] = field(default_factory=list)
    trust: str | None = None
    fingerprint: str | None = None
    note: str | None = None


async def run(device: "Device", options: ServeCalendar) -> CalendarFeed:
    """Keep the feed's address, serve it from now on, and return it."""
    from samemind.home.calendar_feed import FeedPlace, new_token

    if options.new and options.off:
        raise Usage("expected --new or --off, not both", code="invalid")
    if options.off:
        device.home.calendar.unlink(missing_ok=True)
        if device.panels is not None and device.panels.panel is not None:
            device.panels.panel.feed = None
        return CalendarFeed()
    if device.panels is None:
        raise Unreachable(
            f"expected a daemon, which serves the calendar, but none runs for {device.home.shown()}",
            code="not_running",
            hint="samemind up --background, then samemind calendar --feed",
        )
    kept = FeedPlace.kept(device.home)
    panel = await _opened(device.panels, kept)
    token = new_token(device.random) if kept is None or options.new else kept.token
    panel.feed = FeedPlace(token, panel.host, panel.port)
    if panel.feed != kept:
        panel.feed.keep(device.home)
    return _shown(panel, panel.feed, None if options.new else kept)


async def _opened(panels: "PanelOpener", kept: "FeedPlace | None") -> "ServedPanel":
    """Return the panel, opened where programs look for it, or at a port that will be free at the next start too."""
    from samemind.home.calendar_feed import OPENED_AT

    try:
        return await panels.open(OPENED_AT if kept is None else (kept.host, kept.port))
    except Failed as error:
        if error.code != "cannot_listen":
            raise
        if kept is None:
            return await panels.open()  # several devices may share a machine
        hint = (
            "end what listens there; or, for another address, at which programs have to subscribe anew: "
            "samemind calendar --feed --off, then samemind calendar --feed"
        )
        raise Failed(str(error), code=error.code, hint=hint) from None


def _shown(panel: "ServedPanel", feed: "FeedPlace", before: "FeedPlace | None") -> CalendarFeed:
    notes = []
    if before is not None and (before.host, before.port) != (feed.host, feed.port):
        notes.append(
            f"Programs that subscribed while the panel was at {before.where} do not find it any more: give them this "
            "address. Or, to be there again: samemind down, then samemind up --background --panel "
            f"{before.where}, then samemind calendar --feed."
        )
    if panel.is_local:
        urls = [panel.url.rstrip("/") + feed.path]
        notes.append(
            "Only programs on this machine reach this address. For a phone: samemind down, then samemind up "
            "--background --panel 0.0.0.0:7412, then samemind calendar --feed."
        )
        return CalendarFeed(url=urls[0], urls=urls, note=" ".join(notes))
    origins = [panel.place.origin, *(url.rstrip("/") for url in panel.urls())]
    urls = [origin + feed.path for origin in dict.fromkeys(origins)]
    return CalendarFeed(
        url=urls[0],
        urls=urls,
        trust=f"{panel.place.origin}/phone/trust",
        fingerprint=None if panel.authority is None else panel.authority.fingerprint,
        note=" ".join(notes) or None,
    )


def render(document: Document) -> list[str]:
    if document["url"] is None:
        return ["no calendar is served any more"]
    lines = [
        document["url"],
        *(f"or {url}" for url in document["urls"][1:]),
        "",
        "Subscribe to this address in a calendar program. Whoever has it reads your reminders: tell it to nobody.",
        "From now on the daemon serves it at each start. --new makes another address, --off ends it.",
    ]
    if document["fingerprint"] is not None:
        lines += [
            f"A phone has to trust this device first: {document['trust']} shows how. It has to show this SHA-256:",
            document["fingerprint"],
        ]
    if document["note"] is not None:
        lines += ["", document["note"]]
    return lines


COMMAND: Final = Command(
    "calendar-feed",
    ServeCalendar,
    CalendarFeed,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=Agents.NEVER,
    panel=True,
    library=None,
    opens_mind=False,
    place=6,
)
