"""A disk that fills up while an older store is upgraded, or anything long is done: nothing is lost, and it is told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import cli, mounts
from tests.support.full_disk import FROZEN, IMPORTED, ROOMS


@pytest.mark.slow
def test_whatever_finds_no_room_says_so_loses_nothing_and_goes_on_when_there_is_some(tmp_path: Path) -> None:
    """Upgrading and making a backup were told in SQLite's words, with the advice to ask `doctor`."""
    if reason := mounts.why_not(tmp_path):
        pytest.skip(reason)
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-m", "tests.support.full_disk", str(tmp_path)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=3 * cli.SECONDS_MAX,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == sum(map(len, ROOMS.values()))
    wire = json.loads((FROZEN / "wire.json").read_text())
    of_old = len(wire["texts"])
    for each in found:
        if each["error"] is not None:
            assert each["code"] == 1, each
            assert each["error"]["code"] in ("store_failed", "io"), each
            assert "make room" in each["error"]["hint"], each
            assert each["digest"] == wire["digest"] or each["verb"] == "import", each
            assert each["left"] == [], each
        assert each["again"] == 0, each
        assert each["verified"] == 0, each
        told = {"remember": 1 + (each["error"] is None), "import": IMPORTED}.get(each["verb"], 0)
        assert each["memories"] == of_old + told, each
    assert {each["verb"] for each in found if each["error"]} == ROOMS.keys()
