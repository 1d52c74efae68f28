"""Whoever asks on a machine means its days: so do questions, and the words of `--since` and `--until`."""

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

import samemind
from samemind.formats.times import read_before, read_since

# Six in the evening of the 29th in Los Angeles, and eleven in the morning of the 30th in Tokyo.
NOW = "2026-11-30T02:00:00+00:00"
NOW_MS = int(datetime.fromisoformat(NOW).timestamp() * 1_000)
TOLD = {
    "planted the garlic": "2026-11-28T08:30:00Z",  # on the 28th, half an hour after midnight in Los Angeles
    "planted the leeks": "2026-11-29T14:30:00Z",  # on the 29th, half an hour before midnight in Tokyo
}
OTHERS = ["the wifi password is on the fridge", "Ann plays chess on Tuesdays", "planted the beans in spring"]


@pytest.fixture(params=[("America/Los_Angeles", "garlic"), ("Asia/Tokyo", "leeks"), ("UTC", "leeks")])
def yesterdays(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    zone, planted = request.param
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    yield planted
    monkeypatch.undo()
    time.tzset()


def test_yesterday_is_that_of_this_machine(tmp_path: Path, yesterdays: str) -> None:
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        for text, at in TOLD.items():
            mind.remember(text, at=datetime.fromisoformat(at))
        for text in OTHERS:
            mind.remember(text, at=datetime.fromisoformat("2026-04-01T12:00:00Z"))
        mind.wait_for_queue()
        hits = mind.recall("what did I plant yesterday?", now=NOW).results
        assert yesterdays in hits[0].text


def test_words_of_since_and_until_name_the_same_day(yesterdays: str) -> None:
    since_ms = read_since("yesterday", name="since", now_ms=NOW_MS)
    until_ms = read_before("yesterday", name="until", now_ms=NOW_MS)
    inside = [
        text
        for text, at in TOLD.items()
        if since_ms <= datetime.fromisoformat(at).timestamp() * 1_000 < until_ms
    ]
    assert inside == [f"planted the {yesterdays}"]
