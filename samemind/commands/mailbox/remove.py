"""Stop using a mailbox; its files stay there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.printable import one_line
from samemind.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMailbox:
    """Stop using a mailbox; its files stay there."""

    name: str = argument("its name", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRemoved:
    """This device uses it no more; what lies in it was left there."""

    name: str


async def run(device: "Device", options: RemoveMailbox) -> MailboxRemoved:
    """Use it no more, and remember nothing of it."""
    from samemind.mailboxes import mailbox_named, read_mailboxes, write_mailboxes
    from sync.mailbox.visiting import forget_shelf

    before = read_mailboxes(device.home)
    settled = mailbox_named(before, options.name)
    write_mailboxes(device.home, [one for one in before if one.name != settled.name])
    if device.mailboxes is not None:
        device.mailboxes.drop(settled.name)
    await forget_shelf(device.replica, settled.key)
    return MailboxRemoved(name=settled.name)


def render(document: Document) -> list[str]:
    return [f"mailbox {one_line(document['name'])} is no longer used"]


COMMAND: Final = Command(
    "mailbox remove",
    RemoveMailbox,
    MailboxRemoved,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method("remove_mailbox"),
    place=3,
)
