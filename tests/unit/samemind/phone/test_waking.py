"""What a start does while nobody asks for anything."""

import sqlite3

import pytest

from samemind.phone import host
from samemind.phone.waking import rehearse


def test_a_rehearsal_tells_and_reads_in_small_steps_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[host.Phone] = []
    plain = host.Phone.open

    def watched(*given: object, **options: object) -> host.Phone:
        assert given[0] == ":memory:"
        opened.append(plain(*given, **options))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr(host.Phone, "open", watched)
    steps = rehearse()
    for _ in range(8):
        next(steps)
    (device,) = opened
    assert device.status()["memories"] == 6
    assert device.has_unread
    assert len([*steps]) > 3
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        device.status()
