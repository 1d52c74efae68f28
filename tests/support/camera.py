"""Read a QR code as a phone's camera does: from a picture, or from what stands in a terminal."""

import io

import zxingcpp
from PIL import Image

# Pixels for each square of a terminal's code: a decoder wants more than one.
_SCALE = 4
# The half blocks in which a terminal draws two rows of squares as one line: which of the two are light.
_LIGHT = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}


def read_picture(picture: bytes) -> str | None:
    """Return what the code in a picture says; None if there is none."""
    return _read(Image.open(io.BytesIO(picture)).convert("L"))


def read_terminal(shown: str) -> str | None:
    """Return what the code in a terminal says, whatever else stands there; None while there is none."""
    lines = [line.rstrip("\r") for line in shown.split("\n")]
    drawn = [line for line in lines if len(line) > 20 and set(line) <= _LIGHT.keys()]
    if not drawn or len(set(map(len, drawn))) > 1:
        return None
    rows = [[_LIGHT[each][half] for each in line] for line in drawn for half in (0, 1)]
    picture = Image.new("L", (len(rows[0]), len(rows)))
    picture.putdata([255 if light else 0 for row in rows for light in row])
    return _read(picture.resize((picture.width * _SCALE, picture.height * _SCALE), Image.Resampling.NEAREST))


def _read(picture: Image.Image) -> str | None:
    # Of all kinds at once it may take part of a picture for a bar code.
    found = zxingcpp.read_barcode(picture, formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode))
    return None if found is None else found.text
