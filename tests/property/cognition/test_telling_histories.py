"""Nothing told is lost, in random histories on both stores; and each way to lose something is seen to be seen."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any

import pytest

import cognition.listing
import cognition.recall.stages
import simulations.checkers.tellings
from cognition.filters import Filters
from cognition.ingest.linking import Again
from cognition.recall.marking import with_both_sides
from cognition.recall.stages import RankedMemory
from replica import MemoryId, Write
from replica.ops import Forget, Tag
from tests.support import told
from tests.support.told import STORES, Lost, StoreName, run_histories

HISTORIES = 25
SEEDS_MAX = 200


@pytest.mark.parametrize("store", STORES)
def test_what_is_told_is_there_until_it_is_forgotten_by_who_had_it(store: StoreName) -> None:
    run_histories(range(HISTORIES), store)


def skip(patch: pytest.MonkeyPatch) -> None:
    """What says the same goes again as soon as that is seen."""

    def writes(again: Again, rid: MemoryId) -> list[Write]:
        return [Write(Forget((rid,)))] if again.rids else []

    patch.setattr(Again, "writes", writes)


def overwrite(patch: pytest.MonkeyPatch) -> None:
    """A telling takes the place of what it says again."""

    def writes(again: Again, rid: MemoryId) -> list[Write]:
        return [Write(Forget((known,))) for known in again.rids[:1]]

    patch.setattr(Again, "writes", writes)


def hide(patch: pytest.MonkeyPatch) -> None:
    """The newest of a group is shown, whatever was asked."""
    patch.setattr(
        cognition.recall.stages, "own_words_first", lambda connection, asked, hits, filters, k: list(hits)
    )


def hide_in_lists(patch: pytest.MonkeyPatch) -> None:
    """A list leaves out whatever is told again."""

    def alone(condition: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
        return f"{condition} AND m.id NOT IN (SELECT id FROM telling)", [*values]

    patch.setattr(cognition.listing, "shown_once", alone)


def drop_a_tag(patch: pytest.MonkeyPatch) -> None:
    """A label is not written where another stands."""

    def first_only(rid: MemoryId, *, on: Sequence[str] = (), off: Sequence[str] = ()) -> list[Write]:
        return [Write(Tag((min(told.LABELS),)), rid)] if on else []

    patch.setattr(told, "label_writes", first_only)


def push_out_by_a_dispute(patch: pytest.MonkeyPatch) -> None:
    """The other side of a dispute takes the place of the best hit, where nothing else is not in dispute."""

    def crowded(
        connection: Connection, hits: Sequence[RankedMemory], filters: Filters, k: int
    ) -> list[RankedMemory]:
        shown = with_both_sides(connection, hits, filters, k + len(hits))
        while len(shown) > k:
            spare = [i for i, hit in enumerate(shown) if hit.contradiction is None]
            shown.pop(spare[-1] if spare else -1)
        return shown

    patch.setattr(simulations.checkers.tellings, "with_both_sides", crowded)


@pytest.mark.parametrize("plant", [skip, overwrite, hide, hide_in_lists, drop_a_tag, push_out_by_a_dispute])
def test_what_loses_a_telling_or_a_label_is_seen(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(Lost, match=r"replay: python -m tests\.support\.told 1 --first \d+ --store sqlite"):
        run_histories(range(SEEDS_MAX), "sqlite")
