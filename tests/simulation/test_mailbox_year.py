"""A month of a few devices at a mailbox: `python -m simulations.mailbox_year` plays a year of twenty."""

from functools import partialmethod

import pytest

from simulations.mailbox_year import FILES_A_DEVICE_MAX, Year
from sync.carrier import shelf
from sync.carrier.shelf import Shelf

DEVICES, DAYS = 3, 30


def test_what_is_written_stays_within_three_times_the_news_and_a_base_a_week() -> None:
    """Once 64 files in one visit only stated the group: each was left out for a larger one that was left out itself."""
    written = Year(1, DEVICES, looks_a_day=6).run(DAYS)
    assert written.erasures == DAYS // 14
    assert written.memories > 150
    assert 0 < written.news < written.news + written.others <= written.bound
    assert written.files_most <= FILES_A_DEVICE_MAX // 2
    assert written.left <= written.bound


def test_devices_that_merge_at_every_visit_or_never_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "_merging", lambda own, *_: set(own) if len(own) > 1 else set())
        patch.setattr(shelf._Place, "replaced", lambda _self, _names, merging: merging)
        often = Year(1, 2, looks_a_day=6).run(3 * DAYS)
    assert often.news + often.others > often.bound
    begin = Shelf.__init__
    monkeypatch.setattr(Shelf, "__init__", partialmethod(begin, merge_at=10_000))
    never = Year(1, DEVICES, looks_a_day=18, erased_every_days=DAYS + 1).run(DAYS // 2)
    assert never.files_most > FILES_A_DEVICE_MAX
