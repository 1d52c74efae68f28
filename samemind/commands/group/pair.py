"""Pair two devices: without a code, show one and wait; with a code, join the device that shows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, ByHand, Command, Effects, argument, option
from samemind.errors import Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock, pairs

if TYPE_CHECKING:
    from replica import DeviceId
    from samemind.control.server import Say
    from samemind.device import Device
    from sync import Address
    from sync.meeting import CodeOffered
    from sync.syncer import Syncer


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Pair two devices: without a code, show one and wait; with a code, join the device that shows it."""

    code: str | None = argument("the code that the other device shows", metavar="CODE", optional=True)
    address: str | None = option(
        "--address", "the other device's address, if mDNS does not reach it", metavar="HOST:PORT"
    )
    mailbox: str | None = option(
        "--mailbox",
        "meet through this mailbox, for devices that are never on one network",
        metavar="NAME",
    )
    wait: str | None = option(
        "--wait",
        "with --mailbox: wait this long, such as 24h or 90m, with a code of three words",
        hidden_from=("agents",),
        metavar="TIME",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOffer:
    """A code that pairs one device, once, until it expires; `invitation` is the same for a QR code."""

    code: str
    address: str
    expires_at: datetime
    invitation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Another device joined the group; both ends show the same words.

    `stays_in_step`: a daemon runs here, which goes on from now.
    """

    device_id: str
    name: str
    words: str
    stays_in_step: bool = True


# The other may still be writing down who we are, and a call of its syncer or ours may take the place of this one.
FIRST_SYNC_WAITS_S: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
# The two are paired whatever comes of it: enough for some 100,000 memories, and the rest comes with the next sync.
FIRST_SYNC_SECONDS_MAX: Final = 30.0


async def run(device: "Device", options: Pair, say: "Say") -> Paired:
    """Show a code and wait for the device that proves it; or prove the code that another device shows."""
    from samemind.commands.group._by_mailbox import pair_by_mailbox
    from samemind.commands.group._offering import offer_code
    from sync import Address

    address = None if options.address is None else Address.parse(options.address)
    async with device.linked() as syncer:
        if options.wait is not None and options.mailbox is None:
            raise Usage("expected --mailbox beside --wait: on a network, both devices are up")
        if options.mailbox is not None:
            if address is not None:
                raise Usage("expected --address or --mailbox, got both")
            partner = await pair_by_mailbox(
                device, syncer, options.mailbox, options.code, wait=options.wait, say=say
            )
        elif options.code is None:
            if address is not None:
                raise Usage("expected a code beside --address: it says where the code is shown")
            partner = await offer_code(syncer, say, _shown)
        else:
            partner = await syncer.join_pairing(options.code, address=address)
            if device.syncer is None and partner.address is not None:
                await _first_sync(syncer, partner.device_id, partner.address)
    return Paired(
        device_id=partner.device_id.hex(),
        name=partner.name,
        words=" ".join(partner.words),
        stays_in_step=device.syncer is not None,
    )


async def _first_sync(syncer: "Syncer", peer: "DeviceId", address: "Address") -> None:
    """Sync before this program ends, while the other is known to be there, and learn where that is."""
    import trio

    with trio.move_on_after(FIRST_SYNC_SECONDS_MAX):
        for wait_s in FIRST_SYNC_WAITS_S:
            await trio.sleep(wait_s)
            (report,) = await syncer.sync_now(peer, address=address)
            if report.error is None:
                return


def _shown(offer: "CodeOffered") -> PairingOffer:
    from samemind.formats.times import at_ms

    return PairingOffer(
        code=offer.code,
        address=str(offer.addresses[0]),
        expires_at=at_ms(offer.expires_ms),  # type: ignore[arg-type]
        invitation=offer.invitation,
    )


def render(document: Document) -> list[str]:
    lines = [
        f"paired with {one_line(document['name'])} ({document['device_id'][:DEVICE_DIGITS]})",
        f"both devices show these words: {document['words']}",
    ]
    if not document.get("stays_in_step", True):
        lines.append("to keep them in step from now on: samemind up --background")
    return lines


def render_said(document: Document) -> list[str]:
    if "code" in document and "mailbox" in document:
        return [
            f"code     {document['code']}",
            "",
            f"On the other device:  samemind pair {document['code']} --mailbox NAME",
            "where NAME is what this mailbox is called there.",
            f"Waiting until {clock(document['expires_at'])}.",
        ]
    if "code" in document:
        return [
            f"code     {document['code']}",
            f"address  {document['address']}",
            "",
            f"On the other device:            samemind pair {document['code']}",
            f"or, where mDNS does not reach:  samemind pair {document['code']} --address {document['address']}",
            f"Waiting until {clock(document['expires_at'])}.",
        ]
    if "meets_at" in document:
        return [f"the other device reaches this mailbox at {document['meets_at']}"]
    if "refused" in document:
        return [f"somebody was turned away: {document['refused']}"]
    return pairs(document)


COMMAND: Final = Command(
    "pair",
    Pair,
    Paired,
    run=run,
    render=render,
    render_said=render_said,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel=True,
    library=ByHand("pair"),
    says=PairingOffer,
    news=True,
    streams=True,
    place=1,
    daily=True,
    elsewhere=("join", "link", "login"),
)
