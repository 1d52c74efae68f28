"""Draw one world as a space-time diagram: a line for each device, time to the right, ops as arrows between lines.

Events are spread evenly, not to scale: a world is long stretches of nothing and moments of much.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from simulations.trace import LEGEND, Event

STEP: Final = 14
ROW: Final = 70
LEFT: Final = 50
TOP: Final = 40
# What is worth a mark of its own, with its sign and colour.
MARKS: Final[dict[str, tuple[str, str]]] = {
    "writes": ("●", "#0b5cad"),
    "crash": ("✕", "#b91c1c"),
    "torn": ("✕", "#b91c1c"),
    "disk full": ("▽", "#b45309"),
    "refused": ("▽", "#b45309"),
    "rolled back": ("↶", "#b91c1c"),
    "restored": ("↶", "#b45309"),
    "image": ("▫", "#6b7280"),
    "twin": ("◇", "#7c3aed"),
    "wiped": ("○", "#b91c1c"),
    "joins": ("◆", "#15803d"),
    "revokes": ("⊘", "#b91c1c"),
    "clock": ("◔", "#b45309"),
    "lies": ("≈", "#b91c1c"),
    "floods": ("≋", "#b91c1c"),
    "upgrade": ("↑", "#15803d"),
    "compacts": ("▬", "#15803d"),
    "absorbs": ("▣", "#15803d"),
    "link lost": ("⌇", "#6b7280"),
    "violation": ("!", "#b91c1c"),
}
# What happens to all devices at once.
MOMENTS: Final = {"heal": "faults are off", "settled": "all agree"}


def space_time(events: Sequence[Event]) -> str:
    """Return the diagram of a whole trace."""
    devices = sorted({event.device for event in events if event.device}, key=lambda name: (len(name), name))
    shown = [
        event
        for event in events
        if event.what in MARKS or event.what in MOMENTS or event.what in ("takes", "partition")
    ]
    line_of = {name: TOP + ROW * at for at, name in enumerate(devices)}
    width, height = LEFT + STEP * (len(shown) + 6), TOP + ROW * len(devices)
    parts = [
        (
            f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            'aria-label="space-time diagram" font-family="system-ui, sans-serif" font-size="13">'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" '
            'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="#64748b"/></marker></defs>'
        )
    ]
    parts += _bands(shown, width, height)
    for name, y in line_of.items():
        parts.append(f'<line x1="{LEFT}" x2="{width}" y1="{y}" y2="{y}" stroke="#94a3b8"/>')
        parts.append(f'<text x="10" y="{y + 5}" font-weight="600">{escape(name)}</text>')
    parts.append(f'<text x="{LEFT}" y="14" fill="#6b7280">time →</text>')
    last_at: dict[str, int] = {}
    for at, event in enumerate(shown):
        x = LEFT + STEP * (at + 1)
        told = f"<title>{escape(str(event))}</title>"
        if event.what == "takes" and event.other in line_of:
            start = max(last_at.get(event.other, 0), at - 4)
            parts.append(
                f'<g><line x1="{LEFT + STEP * (start + 1)}" y1="{line_of[event.other]}" x2="{x}" '
                f'y2="{line_of[event.device]}" stroke="#64748b" stroke-width="{1 + min(3, event.ops / 8):.1f}" '
                f'marker-end="url(#head)"/>{told}</g>'
            )
        elif event.what in MARKS and event.device in line_of:
            sign, color = MARKS[event.what]
            parts.append(
                f'<text x="{x}" y="{line_of[event.device] + 5}" text-anchor="middle" fill="{color}">{sign}{told}</text>'
            )
        elif event.what in MOMENTS:
            parts.append(
                f'<line x1="{x}" x2="{x}" y1="16" y2="{height}" stroke="#15803d" stroke-dasharray="3 3"/>'
                f'<text x="{x + 4}" y="14" fill="#15803d">{MOMENTS[event.what]}</text>'
            )
        if event.device:
            last_at[event.device] = at
    parts.append("</svg>")
    met = {event.what for event in shown}
    signs = "".join(
        f'<span style="color:{color}">{sign}</span>&nbsp;{word}: {escape(LEGEND[word])}<br>'
        for word, (sign, color) in MARKS.items()
        if word in met
    )
    return "".join(parts) + f"<p>{signs}</p>"


def _bands(shown: Sequence[Event], width: int, height: int) -> list[str]:
    """Return a grey band for each stretch in which some could not reach others."""
    bands, begun = [], None
    for at, event in enumerate(shown):
        x = LEFT + STEP * (at + 1)
        if event.what in ("partition", "heal"):
            if begun is not None:
                start, told = begun
                bands.append(
                    f'<rect x="{start}" y="22" width="{x - start}" height="{height}" fill="#eef0f3">'
                    f"<title>{escape(told)}</title></rect>"
                    f'<text x="{start + 3}" y="36" fill="#6b7280" font-size="11">apart</text>'
                )
            apart = event.what == "partition" and event.detail != "none"
            begun = (x, str(event)) if apart else None
    if begun is not None:
        bands.append(
            f'<rect x="{begun[0]}" y="22" width="{width - begun[0]}" height="{height}" fill="#eef0f3"/>'
        )
    return bands
