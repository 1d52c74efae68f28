"""What can go wrong in cognition, and whose fault it is.

CognitionError
├ ModelUnavailable     the embedder's files are missing or unreadable: install them; recall by words goes on
├ IndexStale           vectors of another space, or of another width, were offered: embed again
└ InvalidQuery         what was asked cannot be asked: an unknown type, k below zero, an upside-down window

Nothing here loses anything: every table of cognition can be rebuilt from the memories.
"""


class CognitionError(Exception):
    """Root of everything cognition raises on purpose."""


class ModelUnavailable(CognitionError):
    """An embedder cannot be had on this machine as it is."""


class IndexStale(CognitionError):
    """Vectors do not fit the index they were offered to."""


class InvalidQuery(CognitionError):
    """What was asked cannot be asked."""
