"""The catalogue of a list: what it counts is what a plain look at every memory would count."""

from collections import Counter
from random import Random

import pytest

from cognition.entities import EntityTables, keep, read_some, unread
from samemind.panel.catalogue import (
    BARS,
    FACETS,
    VALUES_MAX,
    Catalogue,
    CatalogueReader,
    FacetQuery,
    read_catalogue,
)
from tests.support.minds import NOW_MS, Home

WHO = ("Ann", "ann", "Bob", None)
LABELS = ("home", "Work", "garden")
DAY_MS = 86_400_000


def catalogue_of(home: Home) -> Catalogue:
    EntityTables().migrate(home.connection)
    return read_catalogue(home.connection)


def filled(count: int, seed: int) -> tuple[Home, list[dict[str, object]]]:
    """A home with memories of random fields; the fields, by row."""
    home, random = Home(seed), Random(seed)
    told = []
    for number in range(count):
        fields: dict[str, object] = {"told_at": NOW_MS - random.randrange(400) * DAY_MS}
        if (who := random.choice(WHO)) is not None:
            fields["speaker"] = who
        if labels := random.sample(LABELS, random.randrange(3)):
            fields["tags"] = sorted(labels)
        home.now_ms += 1_000
        home.remember(f"Note {number}", **fields)  # type: ignore[arg-type]
        told.append(fields)
    return home, told


@pytest.mark.parametrize("seed", range(5))
def test_pages_and_counts_are_those_of_a_plain_look(seed: int) -> None:
    print(f"pytest {__file__} -k 'plain_look and {seed}'")
    home, told = filled(60, seed)
    catalogue = catalogue_of(home)
    wanted = FacetQuery({"speaker": ("ANN",), "label": ("work", "home")}, since_ms=NOW_MS - 300 * DAY_MS)

    def fits(fields: dict[str, object], *facets: str) -> bool:
        labels = {str(each).lower() for each in fields.get("tags", ())}  # type: ignore[attr-defined]
        return (
            fields["told_at"] >= NOW_MS - 300 * DAY_MS  # type: ignore[operator]
            and ("speaker" not in facets or str(fields.get("speaker")).lower() == "ann")
            and ("label" not in facets or bool(labels & {"work", "home"}))
        )

    expected = [row for row, fields in enumerate(told, start=1) if fits(fields, "speaker", "label")]
    expected.sort(key=lambda row: (-told[row - 1]["told_at"], -row))  # type: ignore[operator]
    ids, total = catalogue.page(wanted, offset=0, limit=100)
    assert (ids, total) == (expected, len(expected))
    assert catalogue.page(wanted, offset=2, limit=3) == (expected[2:5], len(expected))
    assert catalogue.among(wanted, [*range(1, 80), 10**9]) == set(expected)
    counts = catalogue.counted(wanted)
    assert set(counts) == set(FACETS)
    speakers = Counter(
        str(fields["speaker"]).lower() for fields in told if fits(fields, "label") and "speaker" in fields
    )
    assert {name.lower(): count for name, count in counts["speaker"]} == dict(speakers)
    labels = Counter(
        each
        for fields in told
        if fits(fields, "speaker")
        for each in fields.get("tags", ())  # type: ignore[attr-defined]
    )
    assert dict(counts["label"]) == dict(labels)


@pytest.mark.parametrize("page", [1, 7, 60])
def test_it_is_read_in_pages_and_comes_to_the_same(page: int) -> None:
    """However large a store is, nothing that is asked meanwhile waits for more than one page."""
    home, _ = filled(60, 2)
    whole = catalogue_of(home)
    for texts in iter(lambda: unread(home.connection, limit=20), []):
        keep(home.connection, texts, read_some(texts))
    named = read_catalogue(home.connection)
    reader, reads = CatalogueReader(page), 0
    rows: list[tuple[object, ...]] = []

    def note(_: object, row: tuple[object, ...]) -> tuple[object, ...]:
        rows.append(row)
        return row

    home.connection.row_factory = note
    while reader.read_page(home.connection):
        reads += 1
        assert len(rows) <= page
        rows.clear()
    home.connection.row_factory = None
    assert reads >= 60 // page
    read = reader.catalogue()
    wanted = FacetQuery({"label": ("work",)}, since_ms=NOW_MS - 300 * DAY_MS)
    assert read.page(wanted, offset=0, limit=60) == whole.page(wanted, offset=0, limit=60)
    assert read.counted(wanted) == named.counted(wanted)


@pytest.mark.parametrize("seed", range(6))
def test_what_came_later_is_put_behind_the_rest_and_comes_to_the_same(seed: int) -> None:
    """Also where it was said earlier than what is there, or at the same time, or by names in another case."""
    print(f"pytest {__file__} -k 'came_later and {seed}'")
    home, _ = filled(40, seed)
    before = catalogue_of(home)
    random = Random(seed)
    for number in range(random.randrange(1, 30)):
        told_at = NOW_MS - random.randrange(400) * DAY_MS
        home.remember(
            f"Later {number}", told_at=told_at, speaker=random.choice(("ANN", "Eve")), tags=["WORK", "new"]
        )
    for texts in iter(lambda: unread(home.connection, limit=20), []):
        keep(home.connection, texts, read_some(texts))
    whole = read_catalogue(home.connection)
    joined = before.with_later(read_catalogue(home.connection, after=before.last))
    for wanted in (
        FacetQuery(),
        FacetQuery({"speaker": ("ann",)}),
        FacetQuery({"label": ("work",), "speaker": ("eve",)}, since_ms=NOW_MS - 200 * DAY_MS),
    ):
        assert joined.page(wanted, offset=0, limit=100) == whole.page(wanted, offset=0, limit=100)
        counted, expected = joined.counted(wanted), whole.counted(wanted)
        for facet in set(FACETS) - {
            "person"
        }:  # names in what was there before are read as a whole again, later
            assert {name.lower(): count for name, count in counted[facet]} == {
                name.lower(): count for name, count in expected[facet]
            }
    assert before.with_later(read_catalogue(home.connection, after=whole.last)) is before


def test_bars_count_every_memory_once() -> None:
    home, _ = filled(40, 3)
    catalogue = catalogue_of(home)
    bars = catalogue.bars(FacetQuery(), NOW_MS + DAY_MS)
    assert bars is not None
    assert (sum(bars.counts), len(bars.counts)) == (40, BARS)
    assert bars.last_ms > NOW_MS
    assert catalogue.bars(FacetQuery({"speaker": ("nobody",)}), NOW_MS) is None
    assert catalogue.first_written_ms() == NOW_MS + 1_000


def test_what_is_chosen_is_told_however_rare_it_is() -> None:
    home = Home()
    for number in range(VALUES_MAX + 5):
        for again in range(2 if number else 1):
            home.remember(f"Note {number}.{again}", speaker=f"Person {number}")
    counts = catalogue_of(home).counted(FacetQuery({"speaker": ("person 0",)}))["speaker"]
    assert len(counts) == VALUES_MAX + 1
    assert counts[-1] == ("person 0", 1)


def test_facts_stand_under_their_memory_and_tellings_under_the_latest_and_the_archived_are_away() -> None:
    home = Home()
    rid = home.remember("Alice lives in Berlin and likes tea")
    fact = home.remember("Alice lives in Berlin", parent=bytes(rid))
    home.now_ms += 5
    orphan = home.remember("Alice likes tea", parent=bytes(16))
    home.remember("Put away", archived=True)
    again = home.remember("Alice lives in Berlin and likes tea")
    ids, total = catalogue_of(home).page(FacetQuery(), offset=0, limit=10)
    assert (set(ids), total) == ({home.number(again), home.number(orphan)}, 2)
    assert home.number(fact) not in ids


def test_names_are_known_once_texts_were_read() -> None:
    home = Home()
    number = home.number(home.remember("Ann met Bob in Lisbon"))
    assert catalogue_of(home).counted(FacetQuery())["person"] == []
    page = unread(home.connection)
    keep(home.connection, page, read_some(page))
    catalogue = catalogue_of(home)
    assert {"Bob", "Lisbon"} <= {name for name, _ in catalogue.counted(FacetQuery())["person"]}
    assert catalogue.page(FacetQuery({"person": ("bob",)}), offset=0, limit=5) == ([number], 1)


def test_an_empty_store_has_an_empty_list() -> None:
    catalogue = catalogue_of(Home())
    assert catalogue.page(FacetQuery({"label": ("x",)}), offset=0, limit=5) == ([], 0)
    assert catalogue.among(FacetQuery(), [1]) == set()
    assert (len(catalogue), catalogue.first_written_ms()) == (0, None)
    assert all(values == [] for values in catalogue.counted(FacetQuery()).values())


def test_a_day_of_other_years_is_found() -> None:
    home = Home()
    home.remember("then", told_at=NOW_MS - 366 * DAY_MS)
    home.remember("not then", told_at=NOW_MS - 364 * DAY_MS)
    catalogue = catalogue_of(home)
    assert catalogue.on_days([(NOW_MS - 366 * DAY_MS, NOW_MS - 365 * DAY_MS)]) == [1]
