"""Stop using a mailbox; its files stay there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

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
    from samemind.home.mailboxes import mailbox_named, read_mailboxes, unusable_mailboxes, write_mailboxes
    from sync.mailbox.visiting import forget_shelf

    name, before, unusable = options.name, read_mailboxes(device.home), unusable_mailboxes(device.home)
    going = {one.key for one in before if one.name == name} | {
        one.key for one in unusable if one.name == name
    }
    if not going:
        mailbox_named(device.home, name)  # says which there are
    others = [one for one in before if one.name != name]
    write_mailboxes(device.home, others, instead_of=name)
    if device.mailboxes is not None:
        device.mailboxes.drop(name)
    for key in going:
        if key is not None:
            await forget_shelf(device.replica, key)
    return MailboxRemoved(name=name)


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
