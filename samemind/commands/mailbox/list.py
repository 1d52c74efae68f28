"""List mailboxes, and the state of each."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.commands.mailbox._parts import MailboxView, UnusableMailboxView, standing
from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMailboxes:
    """List mailboxes, and the state of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesListed:
    """The mailboxes of this device. `unusable`: entries of its file that it left alone, and why."""

    mailboxes: list[MailboxView]
    unusable: list[UnusableMailboxView] = field(default_factory=list)


async def run(device: "Device", options: ListMailboxes) -> MailboxesListed:
    """Return them all."""
    from samemind.commands.mailbox._views import mailbox_views
    from samemind.home.mailboxes import mend, unusable_mailboxes

    home = device.home
    unusable = [
        UnusableMailboxView(name=one.name, why=one.why, fix=mend(home, one))
        for one in unusable_mailboxes(home)
    ]
    return MailboxesListed(mailboxes=await mailbox_views(device), unusable=unusable)


def render(document: Document) -> list[str]:
    unusable = [
        line
        for each in document["unusable"]
        for line in (
            f"mailbox {one_line(each['name'])} cannot be used: {one_line(each['why'])}",
            f"  {one_line(each['fix'])}",
        )
    ]
    return standing(document["mailboxes"]) + unusable or ["no mailbox: samemind mailbox add"]


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
