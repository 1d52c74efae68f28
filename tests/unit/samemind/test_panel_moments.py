"""A large store is counted as a whole once: what only came later is put behind that, and all else is counted anew."""

from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.panel import moments
from samemind.panel.browsing import browse
from samemind.panel.moments import Moments
from tests.support.devices import run
from tests.support.doors import opened


async def counted_anew(shown: Moments) -> dict[str, Any]:
    """Return a page once all is counted; what reads texts in the background may have written meanwhile."""
    for _ in range(100):
        await shown.warm()
        page = await browse(shown, {"limit": 5, "facets": True})
        if not page["stale"]:
            return page
    raise AssertionError("it is never counted")


def test_only_what_came_later_is_read_where_nothing_else_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moments, "AT_ONCE_MAX", 2)  # as if these few were very many

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop, trio.open_nursery() as nursery:
            for text in ("Bread at eight", "Zebras graze", "Tax forms in May", "Snow on the roof"):
                await laptop.mind.remember(text, speaker="Ann", no_facts=True, read=False)
            shown = Moments(laptop.device, nursery)
            await shown.warm()
            later = await laptop.mind.remember(
                "Paint the fence", speaker="Eve", tag=["house"], no_facts=True, read=False
            )

            page = await browse(shown, {"limit": 1, "facets": True})
            assert (page["stale"], page["total"]) == (False, 5)
            assert page["memories"][0]["text"] == "Paint the fence"
            assert {"value": "house", "count": 1} in page["facets"]["label"]
            assert {"value": "Eve", "count": 1} in page["facets"]["speaker"]

            again = await browse(shown, {"limit": 1})
            assert (again["stale"], again["total"]) == (False, 5)

            await laptop.mind.forget(later.rid)  # a row is gone
            assert (await browse(shown, {"limit": 1}))["stale"]
            page = await counted_anew(shown)
            assert page["total"] == 4
            assert page["facets"]["label"] == []

    run(main)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gate code is 4711", "The gate code is 4711."),  # told again: the later one stands for both
        ("I work at Barclays", "I just started at Stripe"),  # replaced: no op says so of the first
    ],
)
def test_a_memory_that_hides_another_is_no_mere_addition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    monkeypatch.setattr(moments, "AT_ONCE_MAX", 0)

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop, trio.open_nursery() as nursery:
            await laptop.mind.remember(first, wait=True)
            shown = Moments(laptop.device, nursery)
            await shown.warm()
            await laptop.mind.remember(second, wait=True)
            assert (await browse(shown, {"limit": 5}))["stale"]
            page = await counted_anew(shown)
            assert [each["text"] for each in page["memories"]] == [second]

    run(main)
