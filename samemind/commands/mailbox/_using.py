"""Save where a mailbox is, and read what says so: a secret, or what whoever invites hands over."""

import base64
import os
from collections.abc import Mapping
from typing import Final

from replica.json_text import parse_json
from samemind.commands.mailbox._parts import MailboxView
from samemind.commands.mailbox._views import mailbox_view
from samemind.device import Device
from samemind.errors import NotFound, Usage
from samemind.home.mailboxes import new_mailbox, read_mailboxes, unusable_mailboxes, write_mailboxes
from sync.mailbox.places import MailboxAddress

# A password, key or certificate on one line or a few.
SECRET_BYTES_MAX: Final = 16_384
INVITATION: Final = "samemind-mailbox:"


async def use_mailbox(
    device: Device, place: MailboxAddress, name: str | None, bytes_max: int | None
) -> MailboxView:
    """Save where a mailbox is, and use it from now on."""
    out = await device.replica.run(
        lambda core, _: tuple(sorted(each.hex() for each in core.membership.revoked))
    )
    before = read_mailboxes(device.home)
    reserved = [one.name for one in unusable_mailboxes(device.home)]
    settled = new_mailbox(before, name, place, bytes_max, out, reserved=reserved)
    after = [one for one in before if one.name != settled.name] + [settled]
    write_mailboxes(device.home, after, instead_of=settled.name)
    if device.mailboxes is not None:
        device.mailboxes.keep(settled)
    return await mailbox_view(device, settled)


def invited_to(text: str) -> tuple[MailboxAddress, str | None]:
    """Return where the mailbox of an invitation is, and what whoever invites calls it."""
    said = _read_invitation(text)
    return MailboxAddress(said["url"], said.get("secret"), said.get("pin")), said.get("name")


def _read_invitation(text: str) -> Mapping[str, str]:
    body = text.removeprefix(INVITATION).strip()
    try:
        said = parse_json(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except ValueError:
        said = None
    if not (
        isinstance(said, dict)
        and isinstance(said.get("url"), str)
        and all(isinstance(each, str) for each in said.values())
    ):
        raise Usage("expected what `samemind mailbox invite` printed, got something else", code="invalid")
    return said


def read_secret(file: str) -> str:
    try:
        with open(file, "rb") as source:
            data = source.read(SECRET_BYTES_MAX + 1)
    except OSError as error:
        raise NotFound(
            f"{file} cannot be read: {os.strerror(error.errno or 0)}", code="cannot_read"
        ) from None
    try:
        text = data.decode("utf-8").strip()
    except UnicodeDecodeError:
        text = ""
    if not text or len(data) > SECRET_BYTES_MAX:
        raise Usage(f"expected a file with a secret or a certificate in it: {file}", code="invalid")
    return text
