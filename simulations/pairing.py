"""Let devices of a world pair as people do: one shows a code, another types or scans it, and somebody may sit between.

The product's own machines talk here (`sync.pairing`); what is played is what TLS would be: a stream that nobody has
vouched for, at whose other end a certificate is shown. Who was proved is introduced by what the machines say of it,
so whoever comes through where nobody should is a member of the group, and shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from replica.membership import introduce
from simulations.device import Device
from simulations.world import World
from sync.code import Invitation, PairingCode
from sync.errors import SyncError
from sync.identity import Identity, certificate_key, fingerprint
from sync.pairing import Introduction, Joiner, Offerer, PairingResult, PairingWindow


@dataclass(frozen=True, slots=True)
class Met:
    """What one attempt came to on both ends: whom each believes to have met, and why it failed, if it did."""

    offerer: PairingResult | None
    joiner: PairingResult | None
    error: type[SyncError] | None

    @property
    def words(self) -> set[tuple[str, ...]]:
        """What the two screens show to be compared."""
        return {each.words for each in (self.offerer, self.joiner) if each is not None}


class Showing:
    """A device that shows a code, and whatever replaces it."""

    def __init__(self, world: World, device: Device) -> None:
        self._world = world
        self.device = device
        self.identity = Identity.of(device.key.private)
        self.window = PairingWindow(now_ms=world.now_ms, entropy=device.random.randbytes)
        world.say(device.name, "shows code", "")

    def code(self) -> PairingCode:
        """Return what is on the screen now; raises what the screen says instead."""
        return self.window.current(now_ms=self._world.now_ms)

    def picture(self) -> Invitation:
        """Return what the picture beside it says."""
        return Invitation(self.code(), fingerprint(self.identity.certificate), ())

    def tried_by(
        self,
        guest: Device,
        code: PairingCode | Invitation,
        *,
        at: Identity | None = None,
        saying: Identity | None = None,
    ) -> Met:
        """Let a device prove a code, or a picture, and introduce whoever was proved.

        `at`: who sits between, and shows a certificate of its own to the guest. `saying`: the certificate that the
        relay puts in place of the guest's. Frames are passed on as they are otherwise.
        """
        world, host, own = self._world, self.device, Identity.of(guest.key.private)
        offerer = Offerer(
            self.window,
            certificate=self.identity.certificate,
            introduction=Introduction(host.name),
            entropy=host.random.randbytes,
            revoked=host.core.membership.revoked,
        )
        joiner, error = None, None
        try:
            joiner = Joiner(
                code.code if isinstance(code, Invitation) else code,
                certificate=own.certificate,
                offerer=(at or self.identity).certificate,
                introduction=Introduction(guest.name),
                entropy=guest.random.randbytes,
                expected=code.fingerprint if isinstance(code, Invitation) else None,
                revoked=guest.core.membership.revoked,
            )
            first = joiner.start()
            if saying is not None:
                first = first.replace(own.certificate, saying.certificate)
            _converse(joiner, offerer, [first], world.now_ms)
        except SyncError as failure:
            offerer.abandon()
            error = type(failure)
        met = Met(offerer.paired, None if joiner is None else joiner.paired, error)
        for device, paired in ((host, met.offerer), (guest, met.joiner)):
            if paired is not None:
                _take_in(device, paired)
        outcome = "paired" if error is None else error.__name__
        world.say(host.name, "code tried", f"by {guest.name}: {outcome}", other=guest.name)
        return met


def _converse(joiner: Joiner, offerer: Offerer, frames: Sequence[bytes], now_ms: int) -> None:
    while frames:
        answers = [answer for frame in frames for answer in offerer.receive(frame, now_ms=now_ms)]
        frames = [answer for frame in answers for answer in joiner.receive(frame)]


def _take_in(device: Device, paired: PairingResult) -> None:
    """Introduce whom one met, as the program does."""
    certificate = paired.member.certificate
    member = introduce(
        device.key.private.sign,
        device.key.device,
        public_key=certificate_key(certificate),
        certificate=certificate,
        name=paired.member.name,
    )
    device.core.learn([member], [])
