"""Draw how one figure grows with the store, as an SVG that needs nothing else: both axes by powers of ten."""

import math
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 120, 40, 45
_COLOURS = {
    "samemind": "#0b7285",
    "yantrikdb": "#c2410c",
    "sqlite-vec": "#5f3dc4",
    "chroma": "#2b8a3e",
    "floor": "#868e96",
}


def draw(title: str, row: str, found: Sequence[dict[str, Any]]) -> str:
    """Return the picture of one row: a line for each contestant."""
    points = [(each["size"], each[row], each["name"]) for each in found if each.get(row)]
    if not points:
        return ""
    xs, ys = [math.log10(x) for x, _, _ in points], [math.log10(y) for _, y, _ in points]
    low_x, high_x = min(xs), max(max(xs), min(xs) + 0.1)
    low_y, high_y = math.floor(min(ys)), max(math.ceil(max(ys)), math.floor(min(ys)) + 1)

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - low_x) / (high_x - low_x) * (_WIDTH - _LEFT - _RIGHT)
        up = (math.log10(y) - low_y) / (high_y - low_y) * (_HEIGHT - _TOP - _BOTTOM)
        return round(_LEFT + across, 1), round(_HEIGHT - _BOTTOM - up, 1)

    frame = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}"'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="22" font-size="14" font-weight="600" fill="#212529">{escape(title)}</text>',
    ]
    for power in range(low_y, high_y + 1):
        _, y = at(points[0][0], 10.0**power)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="#e9ecef"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end" fill="#495057">{10.0**power:,g}</text>'
        )
    for size in sorted({x for x, _, _ in points}):
        x, _ = at(size, 10.0**low_y)
        parts.append(
            f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle" fill="#495057">{size:,}</text>'
        )
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle" fill="#495057">memories</text>')
    for name in dict.fromkeys(each[2] for each in points):
        line = sorted((x, y) for x, y, whose in points if whose == name)
        colour = _COLOURS.get(name, "#495057")
        places = " ".join(f"{px},{py}" for px, py in (at(x, y) for x, y in line))
        parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{px}" cy="{py}" r="3" fill="{colour}"/>' for px, py in (at(x, y) for x, y in line)
        ]
        px, py = at(*line[-1])
        parts.append(f'<text x="{px + 8}" y="{py + 4}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
