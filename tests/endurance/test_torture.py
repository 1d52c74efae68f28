"""Kill whatever has the home open, again and again: `make torture KILLS=500`.

Outside of `make test`, which kills a few times.
"""

import os
import random
from pathlib import Path

from tests.endtoend.test_killed_imports import imported_under
from tests.support.torture import torture


def test_nothing_that_was_acknowledged_is_lost_however_often_it_is_killed(tmp_path: Path) -> None:
    kills, seed = (
        int(os.environ.get("KILLS", "500")),
        int(os.environ.get("SEED", str(random.randrange(2**32)))),
    )
    print(f"seed {seed}, {kills} kills")
    fell, acknowledged = torture(tmp_path / "home", kills, seed)
    print(f"{fell} kills fell into work; {acknowledged} changes were acknowledged, and none was lost")


def test_an_import_loses_and_doubles_nothing_however_often_it_is_killed(tmp_path: Path) -> None:
    kills, seed = int(os.environ.get("KILLS", "500")) // 10, random.randrange(2**32)
    print(f"seed {seed}, {kills} kills")
    imported_under(kills, tmp_path, seed)
