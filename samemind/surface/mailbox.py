"""The verbs about mailboxes: places that are always there, for devices that are never up together."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.results.mailbox import (
    MailboxesListed,
    MailboxesLooked,
    MailboxInvitation,
    MailboxRemoved,
    MailboxView,
    ServerConfig,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMailbox:
    """Use a mailbox: a folder, WebDAV (Nextcloud), a bucket of S3's kind, or a NATS server."""

    url: str | None = argument("its address, without a secret", metavar="URL", optional=True)
    name: str | None = option("--name", "what to call it here", metavar="NAME")
    secret_file: str | None = option(
        "--secret-file", "a file that holds its password, secret key or seed, on one line", takes=Takes.PATH
    )
    invitation: str | None = option(
        "--invitation",
        "a file that holds what `mailbox invite` printed elsewhere, instead of all this",
        takes=Takes.PATH,
    )
    certificate: str | None = option(
        "--certificate",
        "the server's own certificate (PEM), where no authority vouches for it",
        takes=Takes.PATH,
    )
    megabytes: int | None = option(
        "--megabytes", "above so much, this device writes its files anew as few", metavar="MB"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMailboxes:
    """List the mailboxes, and how it stands with each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMailbox:
    """Use a mailbox no more; its files are left there."""

    name: str = argument("its name", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookIntoMailbox:
    """Look into a mailbox now: take what is new, write what it lacks."""

    name: str | None = argument("its name; without it, all", metavar="NAME", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteToMailbox:
    """Print what another device needs to use the same mailbox, secret included: show it to nobody else."""

    name: str = argument("its name", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Print the settings of a NATS server that keeps a mailbox for this group."""

    host: str = argument("the name or address by which devices reach the server", metavar="HOST")
    key_file: str | None = option(
        "--key-file", "where the group's key is kept, and made if it is not there", takes=Takes.PATH
    )
    port: int = option("--port", "where the server listens", default=4222, metavar="PORT")
    no_tls: bool = option("--no-tls", "without TLS, as inside a VPN", default=False)


_MODULE: Final = "samemind.verbs.mailbox"

ADD: Final = Command(
    "mailbox add",
    AddMailbox,
    MailboxView,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method("add_mailbox", "Use a mailbox: a folder, WebDAV, a bucket, or a NATS server."),
    place=1,
)
LIST: Final = Command(
    "mailbox list",
    ListMailboxes,
    MailboxesListed,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel=True,
    library=Method("mailboxes", "Return the mailboxes of this device, and how it stands with each."),
    rows="mailboxes",
    place=2,
    short=True,
)
REMOVE: Final = Command(
    "mailbox remove",
    RemoveMailbox,
    MailboxRemoved,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method("remove_mailbox", "Use a mailbox no more; its files are left there."),
    place=3,
)
LOOK: Final = Command(
    "mailbox look",
    LookIntoMailbox,
    MailboxesLooked,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=Method(
        "look_into_mailboxes",
        "Look into a mailbox now, or into all: take what is new, write what is lacking.",
    ),
    place=4,
)
INVITE: Final = Command(
    "mailbox invite",
    InviteToMailbox,
    MailboxInvitation,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method(
        "invite_to_mailbox", "Return what another device needs to use the same mailbox, secret included."
    ),
    place=5,
)
SERVE_CONFIG: Final = Command(
    "mailbox serve-config",
    ServeConfig,
    ServerConfig,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method(
        "mailbox_server_config", "Return the settings of a NATS server that keeps a mailbox for this group."
    ),
    place=6,
)
