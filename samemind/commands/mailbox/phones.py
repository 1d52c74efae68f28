"""Let phones use a mailbox, too, or no more: their browsers reach it at an address of its server."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.errors import Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ServePhones:
    """Let phones use a mailbox, too (their browsers get its secret), or stop that; by itself: say if they may."""

    name: str = argument("its name", metavar="NAME")
    at: str | None = option(
        "--at",
        "the address at which browsers reach its server: https://HOST[:PORT] of WebDAV, wss://HOST[:PORT] of NATS",
        metavar="ADDRESS",
    )
    off: bool = option("--off", "phones stop using it", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonesServed:
    """Where the browsers of phones reach a mailbox; null where they may not use it."""

    name: str
    at: str | None = None


async def run(device: "Device", options: ServePhones) -> PhonesServed:
    """Save it; phones hear of it when they are linked next."""
    from samemind.home.mailboxes import mailbox_named, read_mailboxes, write_mailboxes
    from samemind.home.phone_mailboxes import check_for_phones

    if options.off and options.at is not None:
        raise Usage("expected --at or --off, not both", code="invalid")
    settled = mailbox_named(device.home, options.name)
    if options.at is None and not options.off:
        return PhonesServed(name=settled.name, at=settled.phones)
    phones = None if options.at is None else check_for_phones(settled.place, options.at)
    changed = replace(settled, phones=phones)
    write_mailboxes(device.home, [changed if one == settled else one for one in read_mailboxes(device.home)])
    if device.mailboxes is not None:
        device.mailboxes.saved[changed.name] = changed
    return PhonesServed(name=changed.name, at=changed.phones)


def render(document: Document) -> list[str]:
    name = one_line(document["name"])
    if document["at"] is None:
        return [f"phones do not use the mailbox {name}"]
    return [
        f"phones use the mailbox {name} at {document['at']}",
        "They hear of it when they meet this device next; the server has to let their page in: see the manual.",
    ]


COMMAND: Final = Command(
    "mailbox phones",
    ServePhones,
    PhonesServed,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="gives a secret to browsers",
    library=Method("share_mailbox_with_phones", "Let phones use a mailbox, too, or stop that."),
    place=7,
)
