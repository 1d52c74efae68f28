"""Keep the daemon's log: what it did and what failed, and never what is remembered.

The file lies in the home, is its owner's alone, and is put aside at a megabyte; three of those are kept. It is for
the day on which somebody asks why two devices did not meet last night.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from typing import Final

from samemind.config import Home
from samemind.formats.printable import safe
from samemind.platform import system

# Months of coming and going; a phone has room for four of them.
BYTES_MAX: Final = 1 << 20
KEPT: Final = 3
_LINE: Final = "%(asctime)s.%(msecs)03dZ %(levelname)-7s %(message)s"
_TIME: Final = "%Y-%m-%dT%H:%M:%S"
# What is logged below the daemon belongs here too: why a peer was not reached, what could not be written down.
_PACKAGES: Final = ("replica", "sync", "cognition", "samemind")


@contextmanager
def logged(home: Home) -> Iterator[logging.Logger]:
    """Log to the home's file for the block; how the block ended is the last line."""
    logger = logging.getLogger(f"samemind.daemon.{home.shown()}")
    logger.propagate = False  # or the package's would write each line once more
    home.create()
    handler = _OwnersFile(home.log, maxBytes=BYTES_MAX, backupCount=KEPT, encoding="utf-8")
    formatter = _OneLine(_LINE, _TIME)
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    below = [logging.getLogger(name) for name in _PACKAGES]
    levels = [each.level for each in below]
    for each in (logger, *below):
        each.addHandler(handler)
        each.setLevel(logging.INFO)
    try:
        yield logger
    except Exception:
        logger.exception("ended by an error")
        raise
    finally:
        for each, level in zip(below, levels, strict=True):
            each.removeHandler(handler)
            each.setLevel(level)
        logger.removeHandler(handler)
        with suppress(OSError):  # what was left of a line that found no room
            handler.close()


class _OneLine(logging.Formatter):
    """Lines that hold what others chose, such as names, and nothing in it that a terminal would obey."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as the library calls it
        """Return the line of a record."""
        return safe(super().formatMessage(record)).replace("\n", " ")


class _OwnersFile(RotatingFileHandler):
    """A rotating file that nobody else can read, from its first byte on.

    A line that cannot be written, as on a full disk, is left out: what went wrong is told by whoever it stopped.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Say nothing: Python would print a traceback of logging's insides."""

    def _open(self):  # type: ignore[no-untyped-def]
        os.close(system.open_file(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
        return super()._open()
