"""The panel that is open: who may come in, what waits to be forgotten, and where it is."""

from typing import TYPE_CHECKING, Final

import trio

from replica.news import NewsCounter
from samemind.home.calendar_feed import FeedPlace
from samemind.home.mailboxes import SavedMailbox
from samemind.home.phone_mailboxes import told_to_phones
from samemind.home.phone_place import PhonePlace, place_of
from samemind.panel.access import BrowserSession, Doorkeeper, is_loopback
from samemind.panel.authority import Authority
from samemind.panel.carrying import Carrying
from samemind.panel.certificate import Certificate, ensure_certificate
from samemind.panel.forgetting import forget_what_is_left
from samemind.panel.moments import Moments
from samemind.panel.serving import Door, machine_names
from samemind.panel.settings import PanelSettings
from samemind.panel.undo import UndoWindows
from sync.dialling import ANY
from sync.network import own_addresses, url_hosts

if TYPE_CHECKING:
    from samemind.device import Device

# A browser that let its session run out is noticed by then.
_LEFT_EVERY_S: Final = 60.0


class Panel:
    """One panel that is open: who may come in, what waits to be forgotten, and where it is."""

    def __init__(self, device: "Device", nursery: trio.Nursery, host: str, port: int) -> None:
        self.device = device
        self.host = host
        self.port = port
        self.is_local = is_loopback(host)
        self.certificate: Certificate | None = None
        self.keeper = Doorkeeper(device.random)
        self.left = NewsCounter()
        self.door = Door()
        self.undo = UndoWindows(nursery, lambda rids: forget_what_is_left(device, rids), device.random)
        self.moments = Moments(device, nursery)
        self.carrying = Carrying(device)
        self.settings = PanelSettings(device)
        self.place = place_of(PhonePlace.kept(device.home), port)
        """Where phones find it, if other machines do."""
        self.feed = FeedPlace.kept(device.home)
        """What the calendar that programs subscribe to is served under, if it is."""
        self.names = frozenset() if self.is_local else machine_names() | {self.place.name}
        # Cookies know no ports: two devices on one machine need two names.
        self.cookie_name = f"samemind_{device.device_id.hex()[:12]}"

    def now_ms(self) -> int:
        """Return the time."""
        return self.device.now_ms()

    async def until_closing(self, scope: trio.CancelScope) -> None:
        """Cancel when the device stops."""
        await self.device.stop.wait()
        scope.cancel()

    async def until_left(self, session: BrowserSession, scope: trio.CancelScope) -> None:
        """Cancel when a browser has signed out, or made room for another one."""
        while self.keeper.knows(session, self.now_ms()):
            news = self.left.count
            with trio.move_on_after(_LEFT_EVERY_S):
                await self.left.after(news)
        scope.cancel()

    @property
    def fingerprint(self) -> str | None:
        """The SHA-256 of the certificate that other machines are shown; None on loopback."""
        return None if self.certificate is None else self.certificate.fingerprint

    @property
    def authority(self) -> Authority | None:
        """Whom phones can be made to trust; None on loopback, and where the owner's own certificate is served."""
        return None if self.certificate is None else self.certificate.authority

    def certify(self) -> None:
        """Have a certificate that is good for now; where it is another than before, serve that from now on."""
        hosts = {*self.names, "localhost", *own_addresses()}
        before = self.certificate
        self.certificate = ensure_certificate(
            self.device.home, hosts, self.now_ms(), chosen={self.host} - ANY
        )
        if before is not None and before.fingerprint != self.certificate.fingerprint:
            self.door.serve_anew(str(self.device.home.certificate))

    def _for_phones(self) -> list[SavedMailbox]:
        mailboxes = self.device.mailboxes
        return [] if mailboxes is None else [one for one in mailboxes.saved.values() if one.phones]

    def phone_origins(self) -> list[str]:
        """Return where the page of a phone may connect to beside this device: its mailboxes, if it was given any."""
        return sorted({one.phones for one in self._for_phones() if one.phones})

    def told_of_mailboxes(self) -> bytes:
        """Return what a phone of the group is told of the mailboxes that it may use, secrets included."""
        return told_to_phones(self._for_phones())

    @property
    def url(self) -> str:
        """Where it is, for browsers; the likeliest address where there are several."""
        return self.urls()[0]

    def urls(self) -> list[str]:
        """Every address at which a browser reaches it."""
        scheme = "http" if self.is_local else "https"
        hosts = [self.host]
        if self.host in ANY:
            hosts = url_hosts() or ["127.0.0.1"]
        return [f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}/" for host in hosts]

    def launch(self) -> list[str]:
        """Return addresses that let one browser in, once, whichever of them it opens."""
        token = self.keeper.launch(self.now_ms())
        return [f"{url}#launch={token}" for url in self.urls()]
