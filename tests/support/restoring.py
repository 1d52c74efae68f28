"""Restore a backup as the command does, in this process."""

from collections.abc import Mapping
from typing import Any

from samemind.commands.keeping_safe.restore import Restore, Restored, run
from samemind.config import Home


async def _unheard(said: Mapping[str, Any]) -> None:
    pass


def restore(home: Home, options: Restore) -> Restored:
    """Restore, and hear nothing of how far it is."""
    return run(home, options, _unheard)
