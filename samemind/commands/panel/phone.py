"""Show a phone where it opens the app, and take it in."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Failed, Locked, NotFound
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, clock

if TYPE_CHECKING:
    from samemind.config import Home
    from samemind.control.server import Say
    from samemind.device import Device
    from samemind.home.phone_place import PhonePlace
    from samemind.panel.served import ServedPanel
    from sync.meeting import CodeOffered


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPhone:
    """Add a phone: show the app's address, also as a QR code, and wait until the phone has joined."""

    at: str | None = option(
        "--at",
        "by which name phones reach this device, for good; NAME.local unless given",
        metavar="NAME[:PORT]",
    )
    replacing: str | None = option(
        "--replacing",
        "a phone that is gone, by its id or name: revoked once the new one has joined",
        metavar="ID",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneAway:
    """A device that is not linked, and that nobody can call, as it is with a browser."""

    device_id: str
    name: str
    last_sync: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneShown:
    """Where a phone opens the app, and the code that takes it in; `invitation` is both, for a QR code.

    `trust`: the page that makes its browser trust this device, so that the app opens without a network too.
    `fingerprint`: the SHA-256 of the authority to trust there. Both are null on loopback, and where the owner's own
    certificate is served there is none to trust. `note`: what to know about the address. `away`: phones of the group
    that are not here, whoever was away longest first; one whose browser was cleared never comes back.
    """

    url: str
    invitation: str
    code: str
    expires_at: datetime
    trust: str | None = None
    fingerprint: str | None = None
    note: str | None = None
    away: list[PhoneAway] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneJoined:
    """A phone joined the group; both ends show the same words. `url`: where it opens the app.

    `replaced`: the id of the phone that was put out for it.
    """

    url: str
    device_id: str
    name: str
    words: str
    replaced: str | None = None


async def run(device: "Device", options: ShowPhone, say: "Say") -> PhoneJoined:
    """Open the panel for phones, if it is not open yet, and show address and code until one phone has joined."""
    from replica import DeviceId
    from samemind.commands.group._offering import offer_code
    from samemind.commands.group.peers_revoke import RevokePeer
    from samemind.commands.group.peers_revoke import run as peers_revoke
    from samemind.formats.times import at_ms
    from samemind.home.phone_place import APP_HINT, APP_MISSING, PhonePlace, has_app
    from sync.identity import fingerprint

    if device.panels is None:
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}, which is no daemon",
            hint="end that program, or start the daemon: samemind up --background",
        )
    if not has_app():  # before anything is opened to the network
        raise Failed(APP_MISSING, code="extra_missing", hint=APP_HINT)
    place = None if options.at is None else PhonePlace.parse(options.at)
    away = await _away(device)
    gone = None if options.replacing is None else _named(away, options.replacing)
    panel = await _opened(device, place)
    origin, note = _origin(panel, device.home, PhonePlace.kept(device.home), place)
    expected = fingerprint(device.identity.certificate).hex()

    def shown(offer: "CodeOffered") -> PhoneShown:
        return PhoneShown(
            url=f"{origin}/phone/",
            invitation=f"{origin}/phone/#pair={offer.code}&with={expected}",
            code=offer.code,
            expires_at=at_ms(offer.expires_ms),  # type: ignore[arg-type]
            trust=None if panel.is_local else f"{origin}/phone/trust",
            fingerprint=None if panel.authority is None else panel.authority.fingerprint,
            note=note,
            away=away,
        )

    async with device.linked() as syncer:
        old = None if gone is None else DeviceId(bytes.fromhex(gone.device_id))
        partner: Any = await offer_code(syncer, say, shown, replacing=old)
    if partner.device_id == old:  # it was not gone after all
        gone = None
    if gone is not None:  # which was done as the new one came; here it is told where that does not count
        await peers_revoke(device, RevokePeer(device=gone.device_id))
    return PhoneJoined(
        url=f"{origin}/phone/",
        device_id=partner.device_id.hex(),
        name=partner.name,
        words=" ".join(partner.words),
        replaced=None if gone is None else gone.device_id,
    )


async def _away(device: "Device") -> list[PhoneAway]:
    from samemind.commands.group._peers import peer_views

    phones = [each for each in await peer_views(device) if each.state == "away" and each.address is None]
    phones.sort(key=lambda each: 0.0 if each.last_sync is None else each.last_sync.timestamp())
    return [PhoneAway(device_id=each.device_id, name=each.name, last_sync=each.last_sync) for each in phones]


def _named(away: list[PhoneAway], text: str) -> PhoneAway:
    found = [each for each in away if each.name == text] or [
        each for each in away if each.device_id.startswith(text.lower())
    ]
    if len(found) == 1 and text:
        return found[0]
    shown = ", ".join(f"{each.name} ({each.device_id[:DEVICE_DIGITS]})" for each in away) or "none"
    raise NotFound(
        f"expected one phone that is not here, got {text[:40]!r}; there are: {shown}",
        code="no_such_phone",
        hint="samemind peers lists all devices, and samemind peers revoke removes one",
    )


async def _opened(device: "Device", asked: "PhonePlace | None") -> "ServedPanel":
    from samemind.home.phone_place import EVERYWHERE, PORT, PhonePlace

    assert device.panels is not None
    kept = PhonePlace.kept(device.home)
    if device.panels.panel is not None or asked is None:
        return await device.panels.open((EVERYWHERE, PORT if kept is None else kept.port))
    asked.keep(device.home)  # before it opens: the panel asks for a certificate of that name
    try:
        return await device.panels.open((EVERYWHERE, asked.port))
    except Failed:
        device.home.phones.unlink() if kept is None else kept.keep(device.home)
        raise


def _origin(
    panel: "ServedPanel", home: "Home", kept: "PhonePlace | None", asked: "PhonePlace | None"
) -> tuple[str, str | None]:
    """Keep where phones find the panel from now on; return its origin, and what a person should know about it."""
    from samemind.home.phone_place import EVERYWHERE
    from sync.dialling import ANY

    if panel.is_local:
        if asked is not None:
            raise Failed(
                f"expected to show phones {asked.origin}, but the panel answers this machine only",
                code="local_panel",
                hint="samemind down, then samemind up without --panel, or with --panel 0.0.0.0:7412",
            )
        return panel.url.rstrip("/"), (
            "The panel answers this machine only: a browser here can be the phone, another machine cannot. "
            "For a phone, start the daemon with `samemind up --panel 0.0.0.0:7412`"
        )
    if asked is not None and (asked.port != panel.port or asked.name not in panel.names):
        raise Failed(
            f"expected to show phones {asked.origin}, but the panel was opened for {panel.place.origin}",
            code="opened_elsewhere",
            hint=f"samemind down, then samemind up --background, then samemind phone --at {asked.name}:{asked.port}",
        )
    if asked is not None or kept is None:
        panel.place = asked or panel.place
        panel.place.keep(home)
        return panel.place.origin, None
    if kept == panel.place:
        return kept.origin, None
    return panel.place.origin, (
        f"Phones that joined before know {kept.origin} and do not find this device here. To be there again: "
        f"samemind down, then samemind up --panel {EVERYWHERE if panel.host in ANY else panel.host}:{kept.port}. "
        f"To stay here for good: samemind phone --at {panel.place.name}:{panel.place.port}"
    )


def render(document: Document) -> list[str]:
    lines = [
        f"paired with {one_line(document['name'])} ({document['device_id'][:DEVICE_DIGITS]})",
        f"both devices show these words: {document['words']}",
    ]
    if document["replaced"] is not None:
        lines.append(f"{document['replaced'][:DEVICE_DIGITS]} is out of the group")
    return lines


def render_said(document: Document) -> list[str]:
    if "refused" in document:
        return [f"somebody was turned away: {document['refused']}"]
    lines = [
        f"address  {document['url']}",
        f"code     {document['code']}",
        "",
        "Point the phone's camera at the QR code, or open the address in its browser and type the code.",
    ]
    if document["fingerprint"] is not None:
        lines += [
            "Its browser warns, since it does not know this device yet. Have it trust the device, and the app opens",
            f"without a network, too: {document['trust']} shows how. The phone has to show this SHA-256:",
            document["fingerprint"],
        ]
    if document["note"] is not None:
        lines += ["", document["note"]]
    if document["away"]:
        lines += ["", "Not here: " + ", ".join(map(_seen, document["away"])) + "."]
        lines.append(
            "Is one of them gone, or was its browser cleared? samemind phone --replacing ID revokes it."
        )
    return [*lines, "", f"Waiting until {clock(document['expires_at'])}."]


def _seen(phone: Document) -> str:
    seen = "never synced" if phone["last_sync"] is None else f"synced {clock(phone['last_sync'])}"
    return f"{one_line(phone['name'])} ({phone['device_id'][:DEVICE_DIGITS]}, {seen})"


COMMAND: Final = Command(
    "phone",
    ShowPhone,
    PhoneJoined,
    run=run,
    render=render,
    render_said=render_said,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="opens the panel to other machines, which is decided where the device is",
    library=None,
    says=PhoneShown,
    news=True,
    streams=True,
    place=2,
)
