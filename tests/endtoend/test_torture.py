"""A home whose user is killed at random moments, in any weather: nothing that was acknowledged is lost.

`make torture` kills five hundred times; a few are enough to see that the device still stands it, and that the torture
still tells a loss.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.torture import Expected

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the torture forks")
def test_verbs_and_the_daemon_may_be_killed_at_any_moment_in_any_weather(tmp_path: Path) -> None:
    """In a process of its own: a fork takes no threads along, so the one who forks must have none."""
    seed = random.SystemRandom().randrange(2**32)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.torture", str(tmp_path / "home"), "6", str(seed)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, f"python -m tests.support.torture HOME 6 {seed}\n{done.stderr}"
    assert "none was lost" in done.stdout


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("ack remember a words", {}),
        ("ack edit a words", {"a": "older words"}),
        ("ack forget a", {"a": "words"}),
    ],
    ids=["a memory is gone", "an edit is gone", "what was forgotten is back"],
)
def test_the_torture_tells_a_loss(said: str, found: dict[str, str]) -> None:
    expected = Expected()
    expected.hear(said)
    with pytest.raises(AssertionError, match="expected"):
        expected.check(found)


def test_what_was_under_way_when_it_was_killed_may_have_happened_or_not() -> None:
    for found in ({"a": "words"}, {}):
        expected = Expected()
        expected.hear("ack remember a words")
        expected.hear("try forget a")
        expected.check(found)
