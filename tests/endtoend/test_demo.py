"""`make demo`, which is the main job of the whole."""

import time
from pathlib import Path

import pytest

from tests.support import cli


@pytest.mark.slow
def test_the_demonstration_ends_with_two_devices_that_agree(tmp_path: Path) -> None:
    began = time.monotonic()
    ran = cli.run(tmp_path, "demo")
    assert ran.code == 0, ran
    assert "\x1b" not in ran.out, "colours only on a terminal"
    for step in ("Two devices", "Pair them", "Each learns", "find each other", "recalls", "travels", "agree"):
        assert step in ran.out, step
    digests = [line.split()[1] for line in ran.out.splitlines() if "…" in line and "memories" in line]
    assert len(digests) == 2
    assert digests[0] == digests[1]
    assert "by mDNS" in ran.out or "dialled" in ran.out, "it says how they found each other"
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind, in the home that was named least of all"
    print(f"{time.monotonic() - began:.1f} s")
