"""Strangers who do all at once: announce, knock, guess and ask the panel. `make strangers` does it for an hour."""

from pathlib import Path

import pytest

from tests.support.netns import needs_netns
from tests.support.strangers import besieged

SECONDS = 12.0


@needs_netns
@pytest.mark.slow
def test_a_daemon_under_siege_answers_its_owner_and_finds_its_peer_afterwards(tmp_path: Path) -> None:
    siege = besieged(tmp_path, SECONDS, seed=7)
    assert set(siege.done) == {"mdns", "link", "pairing", "panel"}
    assert all(siege.done.values()), siege
    assert siege.answers
