"""Add a mailbox: a folder, WebDAV (such as Nextcloud), an S3 or Azure bucket, or a NATS server."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from samemind.commands.mailbox._parts import MailboxView, mailbox_line
from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.errors import NotFound, Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device
    from sync.mailbox.places import MailboxAddress

# How other programs write what is a folder, or WebDAV, here.
_ALSO_WRITTEN: Final = {
    "file": "folder",
    "http": "webdav+http",
    "https": "webdav+https",
    "dav": "webdav+http",
    "davs": "webdav+https",
    "webdav": "webdav+http",
    "webdavs": "webdav+https",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMailbox:
    """Add a mailbox: a folder, WebDAV (such as Nextcloud), an S3 or Azure bucket, or a NATS server."""

    url: str | None = argument("its address, without a secret", metavar="URL", optional=True)
    name: str | None = option("--name", "what to call it here", metavar="NAME")
    secret_file: str | None = option(
        "--secret-file", "a file that holds its password, secret key or seed, on one line", takes=Takes.PATH
    )
    invitation: str | None = option(
        "--invitation",
        "a file with what `mailbox invite` printed on another device; it replaces the address and the other options",
        takes=Takes.PATH,
    )
    certificate: str | None = option(
        "--certificate",
        "the server's certificate (PEM), if it is self-signed",
        takes=Takes.PATH,
    )
    megabytes: int | None = option(
        "--megabytes", "above this size, this device rewrites its files as fewer ones", metavar="MB", least=1
    )


async def run(device: "Device", options: AddMailbox) -> MailboxView:
    """Save a mailbox, and use it from now on."""
    from samemind.commands.mailbox._using import use_mailbox

    place, name = _place(options)
    _check(place)
    bytes_max = None if options.megabytes is None else options.megabytes * 1_000_000
    return await use_mailbox(device, place, options.name or name, bytes_max)


def _place(options: AddMailbox) -> "tuple[MailboxAddress, str | None]":
    """Return where it is, and what whoever invited calls it. Secrets lie in files: others see what is on a line."""
    from samemind.commands.mailbox._using import invited_to, read_secret
    from sync.mailbox.places import MailboxAddress

    if options.invitation is not None:
        if (options.url, options.secret_file, options.certificate) != (None, None, None):
            raise Usage(
                "expected --invitation by itself: it holds the address and the secret", code="invalid"
            )
        return invited_to(read_secret(options.invitation))
    if options.url is None:
        raise Usage("expected the address of a mailbox, or --invitation FILE", code="invalid")
    if "://" not in options.url and Path(options.url).is_dir():
        raise Usage(
            f"expected the address of a mailbox, got a folder: {options.url}",
            code="invalid",
            hint=f"samemind mailbox add {shlex.quote(f'folder://{Path(options.url).absolute()}')}",
        )
    secret = None if options.secret_file is None else read_secret(options.secret_file)
    pin = None if options.certificate is None else read_secret(options.certificate)
    return MailboxAddress(options.url, secret, pin), None


def _check(place: "MailboxAddress") -> None:
    """Refuse a folder that is not there (nobody would find out that it is mistyped), and say where a secret goes."""
    from sync.mailbox.places import SecretMissing, check_place, folder_of

    try:
        parts = urlsplit(check_place(place).url)
    except ValueError as error:
        secret = isinstance(error, SecretMissing)
        hint = "put it on one line of a file: --secret-file FILE" if secret else _meant(place.url)
        raise Usage(str(error), code="invalid", hint=hint) from None
    if parts.scheme == "folder" and not Path(folder := folder_of(parts.path)).is_dir():
        raise NotFound(
            f"expected a folder at {folder}, there is none",
            code="no_folder",
            hint=f"mount it, or make it: mkdir -p {shlex.quote(folder)}",
        )


def _meant(url: str) -> str:
    """Return the command for a path, or for an address as other programs write it; nothing for any other."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        if not url.startswith("/"):
            return ""
        meant = f"folder://{url}"
    elif scheme in _ALSO_WRITTEN and "@" not in rest:  # before an @ may be a password: it is not shown
        meant = f"{_ALSO_WRITTEN[scheme]}://{rest}"
    else:
        return ""
    return f"samemind mailbox add {shlex.quote(meant)}"


def render(document: Document) -> list[str]:
    name = document["name"]
    return [mailbox_line(document), f"to look into it now: samemind mailbox look {shlex.quote(name)}"]


COMMAND: Final = Command(
    "mailbox add",
    AddMailbox,
    MailboxView,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method("add_mailbox", "Add a mailbox: a folder, WebDAV, a bucket, or a NATS server."),
    place=1,
)
