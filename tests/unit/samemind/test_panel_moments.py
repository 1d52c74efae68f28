"""A large store is counted as a whole once: what came, changed or left is put in its place."""

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


async def read_as_a_whole(_: Moments) -> Any:
    raise AssertionError("a large store is read as a whole for one memory")


def test_only_what_changed_is_read_where_ops_say_what_they_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moments, "AT_ONCE_MAX", 2)  # as if these few were very many

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop, trio.open_nursery() as nursery:
            first = await laptop.mind.remember("Bread at eight", no_facts=True, read=False)
            for text in ("Zebras graze", "Tax forms in May", "Snow on the roof"):
                await laptop.mind.remember(text, speaker="Ann", no_facts=True, read=False)
            shown = Moments(laptop.device, nursery)
            await shown.warm()
            monkeypatch.setattr(Moments, "_read", read_as_a_whole)
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

            await laptop.mind.tag(later.rid, "fence")
            page = await browse(shown, {"limit": 1, "facets": True})
            assert {"value": "fence", "count": 1} in page["facets"]["label"]

            await laptop.mind.forget(later.rid)  # a row is gone
            page = await browse(shown, {"limit": 1, "facets": True})
            assert (page["stale"], page["total"]) == (False, 4)
            assert page["facets"]["label"] == []

            await laptop.mind.edit(first.rid, "Bread at nine")
            page = await browse(shown, {"limit": 9})
            assert not page["stale"]
            assert "Bread at nine" in {each["text"] for each in page["memories"]}

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
