"""Draw a text as a QR code: in a terminal, or as rows of dark and light for a page to draw.

The lowest error correction makes the fewest squares: a screen has no stains, and a terminal has few lines.
"""

import sys

import segno

# A code beyond this is a poster; an invitation has some 200 characters.
QR_TEXT_BYTES_MAX = 1_000


def print_qr(text: str) -> None:
    """Draw it on the terminal, if a code can hold so much: an invitation may have a certificate in it."""
    try:
        segno.make(text, error="l").terminal(compact=True)
    except segno.DataOverflowError:
        sys.stdout.write("(more than a QR code holds: copy the text)\n")


def qr_rows(text: str) -> list[str]:
    """Return its rows from above, `1` for each dark square; the margin is the page's."""
    if len(text.encode()) > QR_TEXT_BYTES_MAX:
        raise ValueError(f"expected at most {QR_TEXT_BYTES_MAX} bytes in a QR code, got {len(text.encode())}")
    return ["".join("1" if dark else "0" for dark in row) for row in segno.make(text, error="l").matrix]
