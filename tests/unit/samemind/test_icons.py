"""The pictures by which a phone shows the panel and the phone's page among its programs: iPhones take no SVG."""

import json
import re
import struct
from pathlib import Path

import pytest

import samemind

FOLDERS = [Path(samemind.__file__).parent / each for each in ("panel/static", "phone/page")]
# What iPhones want, and the largest that Android does.
TOUCH_PIXELS = 180
LARGE_PIXELS = 512


def pixels(file: Path) -> tuple[int, int]:
    """Return how wide and high a PNG says to be."""
    head = file.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n"), file
    width, height = struct.unpack(">II", head[16:])
    return width, height


@pytest.mark.parametrize("folder", FOLDERS, ids=["panel", "phone"])
def test_every_icon_is_there_in_the_size_that_is_told(folder: Path) -> None:
    told = json.loads((folder / "app.webmanifest").read_text())["icons"]
    pictures = {
        each["sizes"]: folder / each["src"].lstrip("/") for each in told if each["type"] == "image/png"
    }
    assert pictures.keys() == {f"{LARGE_PIXELS}x{LARGE_PIXELS}"}
    assert {pixels(file) for file in pictures.values()} == {(LARGE_PIXELS, LARGE_PIXELS)}
    (touch,) = re.findall(
        r'<link rel="apple-touch-icon" href="/?([^"]+)">', (folder / "index.html").read_text()
    )
    assert pixels(folder / touch) == (TOUCH_PIXELS, TOUCH_PIXELS)


def test_panel_and_phone_show_the_same_icons() -> None:
    of_panel, of_phone = (
        {file.name: file.read_bytes() for file in [*folder.glob("icon*")]} for folder in FOLDERS
    )
    assert of_panel == of_phone
