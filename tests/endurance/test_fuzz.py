"""Spoil the input of every decoder for minutes: `make fuzz MINUTES=10`.

Outside of `make test`, which tries a few seeds of each.
"""

import os
import random
import time

import pytest

from tests.support.fuzzing import TARGETS, failure

FAILURES_SHOWN_MAX = 3


@pytest.mark.parametrize("name", TARGETS)
def test_no_spoiled_input_ends_in_an_error_of_ours(name: str) -> None:
    minutes = float(os.environ.get("MINUTES", "10"))
    seed = int(os.environ.get("SEED", str(random.randrange(2**32))))
    began, calls, found = time.monotonic(), 0, list[str]()
    while time.monotonic() < began + 60 * minutes and len(found) < FAILURES_SHOWN_MAX:
        if (wrong := failure(name, seed + calls)) is not None:
            found.append(wrong)
        calls += 1
    print(f"{name}: {calls} calls from seed {seed}, {len(found)} failures")
    assert not found, "\n".join(found)
