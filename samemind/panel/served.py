"""What commands see of the panel: how to open it, and where it is then (`samemind.panel.opened`)."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from samemind.home.calendar_feed import FeedPlace
    from samemind.home.phone_place import PhonePlace
    from samemind.panel.authority import Authority


class ServedPanel(Protocol):
    """The panel while it is served."""

    host: str
    port: int
    place: "PhonePlace"
    """Where phones find it."""
    feed: "FeedPlace | None"
    """What the calendar that programs subscribe to is served under, if it is."""

    @property
    def is_local(self) -> bool:
        """Whether it answers this machine only."""
        ...

    @property
    def names(self) -> Collection[str]:
        """By which names other machines find it."""
        ...

    @property
    def fingerprint(self) -> str | None:
        """The SHA-256 of the certificate that other machines are shown; None on loopback."""
        ...

    @property
    def authority(self) -> "Authority | None":
        """Whom phones can be made to trust; None on loopback, and where the owner's own certificate is served."""
        ...

    @property
    def url(self) -> str:
        """Where it is, for browsers; the likeliest address where there are several."""
        ...

    def urls(self) -> Sequence[str]:
        """Return every address at which a browser reaches it."""
        ...

    def launch(self) -> list[str]:
        """Return addresses that let one browser in, once, whichever of them it opens."""
        ...


class PanelOpener(Protocol):
    """The daemon's panel, open or not yet."""

    @property
    def panel(self) -> ServedPanel | None:
        """The panel, where it is open."""
        ...

    async def open(self, place: tuple[str, int] = ...) -> ServedPanel:
        """Return the panel; where it is not open yet, it is opened at that host and port."""
        ...
