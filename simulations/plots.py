"""Draw line plots as SVG: a logarithmic axis across, a plain one up, and every line named where it ends."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH: Final = 760
HEIGHT: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 60, 50
# Told apart by eyes that do not tell red from green, and by shape of the line.
LOOKS: Final = (("#0b5cad", ""), ("#c2410c", "7 4"), ("#6b7280", "2 4"))


@dataclass(frozen=True, slots=True)
class Series:
    """One line."""

    name: str
    points: tuple[tuple[float, float], ...]


def line_plot(title: str, across: str, up: str, series: Sequence[Series]) -> str:
    """Return a plot with a title, named axes and a legend."""
    xs = [x for each in series for x, _ in each.points]
    ys = [y for each in series for _, y in each.points]
    low, high, top = min(xs), max(xs), _round_up(max(ys, default=1) or 1)

    def place(x: float, y: float) -> tuple[float, float]:
        span = math.log(high / low) or 1
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / low) / span,
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / top,
        )

    parts = [
        (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{escape(title)}" '
            'font-family="system-ui, sans-serif" font-size="13">'
        ),
        f'<text x="{LEFT}" y="20" font-size="16" font-weight="600">{escape(title)}</text>',
    ]
    for step in range(5):
        y = top * step / 4
        _, at = place(low, y)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e3e7ea"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{y:,.4g}</text>')
    for x in sorted(set(xs)):
        at, _ = place(x, 0)
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:,.0f}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>')
    parts.append(
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(up)}</text>'
    )
    shown = LEFT
    for (color, dashes), each in zip(LOOKS, series, strict=False):
        placed = [place(x, y) for x, y in each.points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in placed]
        parts.append(
            f'<line x1="{shown}" x2="{shown + 24}" y1="38" y2="38" stroke="{color}" stroke-width="2" '
            f'stroke-dasharray="{dashes}"/><text x="{shown + 30}" y="42">{escape(each.name)}</text>'
        )
        shown += 50 + 7 * len(each.name)
    return "".join([*parts, "</svg>"])


def _round_up(value: float) -> float:
    """Return the next number that people count in."""
    power = 10 ** math.floor(math.log10(value))
    return float(next(power * step for step in (1, 2, 4, 5, 8, 10) if power * step >= value))
