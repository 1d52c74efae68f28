"""Strangers at one daemon, for minutes: `make strangers MINUTES=60`.

Outside of `make test`, which lets them at it for some seconds (`tests/security/test_strangers.py`). Announcements, the
listener of links, pairing and the panel are bothered all at once; the daemon answers its owner throughout.
"""

import os
import random
from pathlib import Path

from tests.support.netns import needs_netns
from tests.support.strangers import besieged

# What it may have grown by: caches of what was announced are bounded, and what strangers say is kept nowhere.
GROWN_MB_MAX = 150


@needs_netns
def test_a_daemon_answers_its_owner_whatever_strangers_do(tmp_path: Path) -> None:
    minutes = float(os.environ.get("MINUTES", "60"))
    seed = int(os.environ.get("SEED", str(random.randrange(2**32))))
    print(f"seed {seed}")
    siege = besieged(tmp_path, 60 * minutes, seed)
    print(f"{minutes:g} minutes: {siege}")
    assert siege.last_mb < siege.first_mb + GROWN_MB_MAX
