"""Add mailboxes by a page: what the command line reads from files, a page has in its fields.

A page names no file of this machine, neither for a secret nor as a mailbox: a folder is added by the command line. What
was typed goes into `mailboxes.json` and nowhere else, and no answer holds a secret.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from samemind.commands.mailbox._using import SECRET_BYTES_MAX, invited_to, use_mailbox
from samemind.errors import Usage
from samemind.formats.plain import to_json
from sync.mailbox.places import MailboxAddress

if TYPE_CHECKING:
    from samemind.device import Device

_FIELDS: Final = frozenset({"url", "name", "secret", "certificate", "invitation"})


async def add_mailbox(device: "Device", asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Use the mailbox that fields name: an address with a secret, or an invitation instead of all that."""
    given = _given(asked)
    if "invitation" in given:
        if given.keys() & {"url", "secret", "certificate"}:
            raise Usage(
                "expected an invitation by itself: it holds the address and the secret", code="invalid"
            )
        place, name = invited_to(given["invitation"])
    elif "url" in given:
        place, name = MailboxAddress(given["url"], given.get("secret"), given.get("certificate")), None
    else:
        raise Usage("expected the address of a mailbox, or an invitation", code="invalid")
    if place.scheme == "folder":
        raise Usage(
            "expected a mailbox that is reached over a network: a page names no folder of this machine",
            code="not_here",
            hint="samemind mailbox add folder:///…",
        )
    document: Mapping[str, Any] = to_json(await use_mailbox(device, place, given.get("name") or name, None))
    return document


def _given(asked: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that are not empty."""
    if unknown := sorted(asked.keys() - _FIELDS):
        raise Usage(f"expected only {', '.join(sorted(_FIELDS))}, got {', '.join(unknown)}", code="invalid")
    for name, value in asked.items():
        if value is not None and (not isinstance(value, str) or len(value.encode()) > SECRET_BYTES_MAX):
            raise Usage(f"expected a text of at most {SECRET_BYTES_MAX} bytes as {name}", code="invalid")
    return {name: value.strip() for name, value in asked.items() if value and value.strip()}
