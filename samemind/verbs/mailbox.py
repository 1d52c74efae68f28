"""Use mailboxes: places that are always there, through which devices agree that are never up together."""

import base64
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import trio

from replica import Core
from samemind.device import Device
from samemind.durable import whole_file
from samemind.errors import Failed, NotFound, Usage
from samemind.mailboxes import (
    Settled,
    keeper_of,
    mailbox_named,
    new_mailbox,
    read_mailboxes,
    told_of,
    write_mailboxes,
)
from samemind.results.mailbox import (
    MailboxesListed,
    MailboxesLooked,
    MailboxInvitation,
    MailboxLooked,
    MailboxPeer,
    MailboxRemoved,
    MailboxView,
    ServerConfig,
)
from samemind.surface.mailbox import (
    AddMailbox,
    InviteToMailbox,
    ListMailboxes,
    LookIntoMailbox,
    RemoveMailbox,
    ServeConfig,
)
from samemind.times import at_ms
from sync.carrier.shelf import Shelf, State
from sync.carrier.visit import Looked
from sync.errors import MailboxError
from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.places import Place
from sync.mailbox.serving import DROP_IN, SETTINGS, certificate_command, drop_in, server_settings
from sync.mailbox.visiting import forget_shelf

# A password, key or certificate on one line or a few.
SECRET_BYTES_MAX: Final = 16_384
INVITATION: Final = "samemind-mailbox:"
PORT_MAX: Final = 65_535


async def mailbox_add(device: Device, options: AddMailbox) -> MailboxView:
    """Save a mailbox, and use it from now on."""
    place, name = _place(options)
    bytes_max = None if options.megabytes is None else options.megabytes * 1_000_000
    if bytes_max is not None and bytes_max <= 0:
        raise Usage(f"expected a number of megabytes, got {options.megabytes}", code="invalid")
    return await use_mailbox(device, place, options.name or name, bytes_max)


async def use_mailbox(device: Device, place: Place, name: str | None, bytes_max: int | None) -> MailboxView:
    """Save where a mailbox is, and use it from now on."""
    out = await device.replica.run(
        lambda core, _: tuple(sorted(each.hex() for each in core.membership.revoked))
    )
    before = read_mailboxes(device.home)
    settled = new_mailbox(before, name, place, bytes_max, out)
    write_mailboxes(device.home, [one for one in before if one.name != settled.name] + [settled])
    if device.mailboxes is not None:
        device.mailboxes.keep(settled)
    return await _view(device, settled)


async def mailbox_list(device: Device, options: ListMailboxes) -> MailboxesListed:
    """Return them all."""
    return MailboxesListed(mailboxes=await mailbox_views(device))


async def mailbox_remove(device: Device, options: RemoveMailbox) -> MailboxRemoved:
    """Use it no more, and remember nothing of it."""
    before = read_mailboxes(device.home)
    settled = mailbox_named(before, options.name)
    write_mailboxes(device.home, [one for one in before if one.name != settled.name])
    if device.mailboxes is not None:
        device.mailboxes.drop(settled.name)
    await forget_shelf(device.replica, settled.key)
    return MailboxRemoved(name=settled.name)


async def mailbox_look(device: Device, options: LookIntoMailbox) -> MailboxesLooked:
    """Look now, through the daemon's connections or through ones that are made for it."""
    mailboxes = read_mailboxes(device.home)
    wanted = mailboxes if options.name is None else [mailbox_named(mailboxes, options.name)]
    done = []
    for settled in wanted:
        try:
            done.append(_looked(settled.name, await _look(device, settled)))
        except MailboxError as error:
            raise told_of(settled.name, error) from None
    return MailboxesLooked(mailboxes=done)


async def mailbox_invite(device: Device, options: InviteToMailbox) -> MailboxInvitation:
    """Return everything that another device needs, as one word."""
    settled = mailbox_named(read_mailboxes(device.home), options.name)
    said = {"name": settled.name, "url": settled.url, "secret": settled.secret, "pin": settled.pin}
    plain = json.dumps({key: value for key, value in said.items() if value is not None})
    return MailboxInvitation(text=INVITATION + base64.urlsafe_b64encode(plain.encode()).decode().rstrip("="))


async def mailbox_serve_config(device: Device, options: ServeConfig) -> ServerConfig:
    """Return what a server needs; the group's key is made if there is none."""
    key_file = device.home.mailbox_key if options.key_file is None else Path(options.key_file)
    if options.key_file is not None:
        device.home.check_foreign(key_file)
    if not 0 < options.port <= PORT_MAX:
        raise Usage(f"expected a port from 1 to {PORT_MAX}, got {options.port}", code="invalid")
    try:
        seed = _read_secret(str(key_file))
    except NotFound:
        seed = new_seed(secrets.token_bytes(32))
        try:
            with whole_file(key_file) as scratch:
                scratch.write_text(seed + "\n", "ascii")
        except OSError as error:
            raise Failed(f"{key_file} could not be written: {error.strerror}", code="cannot_write") from None
    try:
        nkey = public_nkey(read_seed(seed))
        settings = server_settings(nkey, listen=f"0.0.0.0:{options.port}", tls=not options.no_tls)
        scheme = "nats" if options.no_tls else "nats+tls"
        url = f"{scheme}://{options.host}:{options.port}"
        new_mailbox([], None, Place(url, seed), None, ())
    except ValueError as error:
        raise Usage(str(error), code="invalid") from None
    return ServerConfig(
        settings_path=SETTINGS,
        settings=settings,
        drop_in_path=DROP_IN,
        drop_in=drop_in(),
        certificate_command="" if options.no_tls else certificate_command(options.host),
        key_file=str(key_file),
        url=url,
    )


async def mailbox_views(device: Device) -> list[MailboxView]:
    """Return how it stands with each mailbox."""
    return [await _view(device, settled) for settled in read_mailboxes(device.home)]


async def _look(device: Device, settled: Settled) -> Looked:
    if device.mailboxes is not None and settled.name in device.mailboxes.keepers:
        return await device.mailboxes.keepers[settled.name].look()
    keeper = keeper_of(settled, device.replica, device.identity, device.host, device.random, _nobody)
    try:
        return await keeper.look()
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(1):
            await keeper.aclose()


async def _nobody() -> None:
    """There is no link to tell what came."""


def _looked(name: str, looked: Looked) -> MailboxLooked:
    return MailboxLooked(
        name=name,
        files=looked.files,
        bytes=looked.size,
        fetched=looked.fetched,
        taken=looked.taken,
        ops=looked.ops,
        wrote=len(looked.wrote),
        removed=len(looked.removed),
        refused=list(dict.fromkeys(looked.refused)),
    )


async def _view(device: Device, settled: Settled) -> MailboxView:
    keeper = None if device.mailboxes is None else device.mailboxes.keepers.get(settled.name)
    if keeper is None:
        return MailboxView(name=settled.name, url=settled.url, bytes_max=settled.bytes_max)
    standing = keeper.standing
    found = await device.replica.run(lambda core, _: _peers(core, keeper.shelf))
    return MailboxView(
        name=settled.name,
        url=settled.url,
        looked_at=None if standing.looked_ms is None else at_ms(standing.looked_ms),
        wrote_at=None if standing.wrote_ms is None else at_ms(standing.wrote_ms),
        files=standing.files,
        bytes=standing.size,
        bytes_max=settled.bytes_max,
        unread=sum(kept.state is not State.TAKEN for kept in list(keeper.shelf.kept.values())),
        stale=found["stale"],
        foreign=found["foreign"],
        putting_off=standing.putting_off,
        trouble=None if standing.trouble is None else str(standing.trouble),
        trouble_since=None if standing.trouble_ms is None else at_ms(standing.trouble_ms),
        peers=found["peers"],
    )


def _peers(core: Core, shelf: Shelf) -> dict[str, Any]:
    """Return the devices that files tell of, and how many files should not be there for long."""
    membership, heard = core.membership, dict[bytes, int]()
    foreign = 0
    for kept in list(shelf.kept.values()):
        if kept.filed is None:
            continue
        maker = kept.filed.maker
        foreign += maker in membership.revoked
        if maker != core.device and maker in membership.members and maker not in membership.revoked:
            heard[maker] = max(heard.get(maker, 0), kept.filed.made_ms)
    held, stale = core.feeds.held(), shelf.stale(core)
    seen = {each: at for each, ms in heard.items() if (at := at_ms(ms)) is not None}
    peers = [
        MailboxPeer(
            device_id=each.hex(),
            name=member.name,
            heard_at=seen[each],
            in_step=each in core.contacts
            and all(core.contacts[each].folded.get(no, 0) >= seq for no, seq in held.items()),
            stale=stale[each],
        )
        for each, member in sorted(membership.members.items())
        if each in seen
    ]
    return {"peers": peers, "foreign": foreign, "stale": stale.total()}


def _place(options: AddMailbox) -> tuple[Place, str | None]:
    """Return where it is, and what whoever invited calls it. Secrets lie in files: others see what is on a line."""
    if options.invitation is not None:
        if (options.url, options.secret_file, options.certificate) != (None, None, None):
            raise Usage(
                "expected --invitation by itself: it holds the address and the secret", code="invalid"
            )
        return invited_to(_read_secret(options.invitation))
    if options.url is None:
        raise Usage("expected the address of a mailbox, or --invitation FILE", code="invalid")
    secret = None if options.secret_file is None else _read_secret(options.secret_file)
    pin = None if options.certificate is None else _read_secret(options.certificate)
    return Place(options.url, secret, pin), None


def invited_to(text: str) -> tuple[Place, str | None]:
    """Return where the mailbox of an invitation is, and what whoever invites calls it."""
    said = _read_invitation(text)
    return Place(said["url"], said.get("secret"), said.get("pin")), said.get("name")


def _read_invitation(text: str) -> Mapping[str, str]:
    body = text.removeprefix(INVITATION).strip()
    try:
        said = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except ValueError:
        said = None
    if not (
        isinstance(said, dict)
        and isinstance(said.get("url"), str)
        and all(isinstance(each, str) for each in said.values())
    ):
        raise Usage("expected what `samemind mailbox invite` printed, got something else", code="invalid")
    return said


def _read_secret(file: str) -> str:
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
