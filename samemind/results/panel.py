"""What the verb of the web panel returns."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOpened:
    """Where the panel is. `url` lets one browser in, once, within ten minutes, and so do `urls` in its place.

    `fingerprint` is the SHA-256 of the certificate that a browser on another machine is shown; null on loopback.
    """

    url: str
    urls: list[str]
    fingerprint: str | None = None
