"""Decide which names of files every system takes. Pure.

A folder that is copied to a stick or to Windows should arrive whole: there a name is no name that a device of MS-DOS
had, whatever ending it has, nor one that ends in a dot or a blank, and a colon begins another part of the file.
"""

import re
from typing import Final

_DEVICES: Final = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE
)
_UNFIT: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
BYTES_MAX: Final = 255


def is_portable(name: str) -> bool:
    """Say whether a file or a folder can have this name on POSIX and on Windows."""
    return (
        0 < len(name.encode("utf-8", "surrogatepass")) <= BYTES_MAX
        and not name.endswith((".", " "))
        and _UNFIT.search(name) is None
        and _DEVICES.fullmatch(name) is None
    )
