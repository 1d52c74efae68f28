"""Print an invitation to a mailbox, for another device; it holds the secret, so show it to nobody else."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteToMailbox:
    """Print an invitation to a mailbox, for another device; it holds the secret, so show it to nobody else."""

    name: str = argument("its name", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxInvitation:
    """What another device needs to use the same mailbox, with its secret: `samemind mailbox add` takes the text."""

    text: str


async def run(device: "Device", options: InviteToMailbox) -> MailboxInvitation:
    """Return everything that another device needs, as one word."""
    import base64

    from samemind.commands.mailbox._using import INVITATION
    from samemind.home.mailboxes import mailbox_named

    settled = mailbox_named(device.home, options.name)
    said = {"name": settled.name, "url": settled.url, "secret": settled.secret, "pin": settled.pin}
    plain = json.dumps({key: value for key, value in said.items() if value is not None})
    return MailboxInvitation(text=INVITATION + base64.urlsafe_b64encode(plain.encode()).decode().rstrip("="))


def render(document: Document) -> list[str]:
    return [document["text"]]


COMMAND: Final = Command(
    "mailbox invite",
    InviteToMailbox,
    MailboxInvitation,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method(
        "invite_to_mailbox", "Return an invitation to a mailbox, for another device; it holds the secret."
    ),
    place=5,
)
