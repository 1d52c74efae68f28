"""List mailboxes, and the state of each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.mailbox._parts import MailboxView, standing
from samemind.declaring import Agents, Command, Effects, Method
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMailboxes:
    """List mailboxes, and the state of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesListed:
    """The mailboxes of this device."""

    mailboxes: list[MailboxView]


async def run(device: "Device", options: ListMailboxes) -> MailboxesListed:
    """Return them all."""
    from samemind.commands.mailbox._views import mailbox_views

    return MailboxesListed(mailboxes=await mailbox_views(device))


def render(document: Document) -> list[str]:
    return standing(document["mailboxes"]) or ["no mailbox: samemind mailbox add"]


COMMAND: Final = Command(
    "mailbox list",
    ListMailboxes,
    MailboxesListed,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=Method("mailboxes", "Return the mailboxes of this device, and the state of each."),
    opens_mind=False,
    rows="mailboxes",
    place=2,
    short=True,
)
