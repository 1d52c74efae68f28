"""The catalogue of a list: what it counts is what a plain look at every memory would count."""

from collections import Counter
from random import Random

import pytest

from cognition.entities import EntityTables, keep, read_some, unread
from replica import Forget, MemoryId, Propose, Remember, Set, Tag, Untag, Write, new_memory_id
from replica.fields import MS_MAX
from samemind.panel import moments
from samemind.panel.catalogue import (
    BARS,
    BARS_YEARS_MAX,
    FACETS,
    VALUES_MAX,
    Catalogue,
    CatalogueReader,
    FacetQuery,
    read_catalogue,
)
from samemind.panel.moments import WholeCatalogue, changed_since, standing_of
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


def read_names(home: Home, limit: int) -> None:
    keep(home.connection, page := unread(home.connection, limit=limit), read_some(page))


def happens(home: Home, random: Random, rids: list[MemoryId]) -> None:
    """Something that a person or another device does: what is new may be older, or of the same time, or a fact."""
    told_at = NOW_MS - random.randrange(40) * DAY_MS
    rid = random.choice(rids)
    home.now_ms += 1
    match random.randrange(9):
        case 0:
            home.commit(Write(Forget((rid,))))
            rids.remove(rid)
        case 1:
            home.commit(
                *home.core.edits_of(
                    rid, f"Carol met Dora in {random.choice(('Rome', 'Oslo'))} {random.random()}"
                )
            )
        case 2:
            home.commit(Write(Tag(tuple(sorted(random.sample(("WORK", "new", "home"), 2)))), rid))
        case 3:
            home.commit(Write(Untag(("Work", "home")), rid))
        case 4:
            home.commit(Write(Set("archived", random.random() < 0.5), rid))
        case 5:
            home.commit(Write(Set("told_at", told_at), rid), Write(Set("speaker", "ANN"), rid))
        case 6:  # a fact; what it stands beside may come after it, and may leave
            parent = rid if random.random() < 0.5 else new_memory_id(home.now_ms, random)
            rids.append(home.remember(f"A fact {random.random()}", parent=bytes(parent)))
            if parent != rid:
                home.commit(Write(Remember(f"Where it is from {random.random()}", {}), parent))
                rids.append(parent)
        case _:
            who = random.choice(("ANN", "Eve"))
            rids.append(
                home.remember(f"{who} saw {random.random()}", told_at=told_at, speaker=who, tags=["New"])
            )


@pytest.mark.parametrize("seed", range(16))
def test_what_changed_is_put_in_its_place_and_comes_to_the_same(seed: int) -> None:
    """Whatever was told, edited, labelled, put away or forgotten, and whichever names were read meanwhile."""
    print(f"pytest {__file__} -k 'in_its_place and {seed}'")
    home, _ = filled(40, seed)
    EntityTables().migrate(home.connection)
    random = Random(seed)
    read_names(home, random.randrange(1, 60))
    rids = [MemoryId(rid) for (rid,) in home.connection.execute("SELECT rid FROM memory ORDER BY id")]
    before = standing_of(home.core.position, 0, home.connection)
    whole = WholeCatalogue(before, read_catalogue(home.connection))
    for _ in range(random.randrange(1, 12)):
        for _ in range(random.randrange(1, 6)):
            happens(home, random, rids)
        if random.random() < 0.5:
            read_names(home, random.randrange(1, 30))
        since = changed_since(whole, home.core.position, home.connection)
        assert since is not None
        assert not since.outgrown
        joined, counted = (
            whole.catalogue.with_changed(since.read, since.changed),
            read_catalogue(home.connection),
        )
        for wanted in (
            FacetQuery(),
            FacetQuery({"speaker": ("ann",), "label": ("nothing",)}),
            FacetQuery({"label": ("work", "new"), "person": ("eve", "dora")}),
            FacetQuery({"speaker": ("eve",)}, since_ms=NOW_MS - 20 * DAY_MS),
        ):
            assert joined.page(wanted, offset=0, limit=200) == counted.page(wanted, offset=0, limit=200)
            assert joined.counted(wanted) == counted.counted(wanted)
            assert joined.bars(wanted, NOW_MS, written=True) == counted.bars(wanted, NOW_MS, written=True)
        if random.random() < 0.3:  # and it may go on from there
            before = standing_of(home.core.position, 0, home.connection)
            whole = WholeCatalogue(before, joined)


def test_what_hides_others_says_not_which_rows_it_changed() -> None:
    home = Home()
    rid = home.remember("The gate code is 4711")
    EntityTables().migrate(home.connection)
    whole = WholeCatalogue(
        standing_of(home.core.position, 0, home.connection), read_catalogue(home.connection)
    )
    home.remember("The gate code is 4711")  # told again: the first is hidden by it
    assert changed_since(whole, home.core.position, home.connection) is None
    whole = WholeCatalogue(
        standing_of(home.core.position, 0, home.connection), read_catalogue(home.connection)
    )
    home.commit(Write(Propose((rid,))))
    assert changed_since(whole, home.core.position, home.connection) is None
    assert (
        changed_since(whole, home.core.position + 1, home.connection) is None
    )  # an op that is there no more


def test_a_store_of_many_unread_texts_is_read_anew_once_they_were_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moments, "_LATER_OPS_MAX", 10)
    home, _ = filled(30, 4)
    EntityTables().migrate(home.connection)
    whole = WholeCatalogue(
        standing_of(home.core.position, 0, home.connection), read_catalogue(home.connection)
    )
    for left, outgrown in ((12, False), (0, True)):
        read_names(home, 18 if left else 100)
        since = changed_since(whole, home.core.position, home.connection)
        assert since is not None
        assert since.outgrown is outgrown


def test_values_that_differ_in_case_are_one_and_written_as_they_mostly_are() -> None:
    home = Home()
    for speaker in ("Zoe", "ZOE", "zoe", "zoe", "Bob", "bob", "Carl"):
        home.remember(f"Note by {speaker}, {home.random.random()}", speaker=speaker)
    assert catalogue_of(home).counted(FacetQuery())["speaker"] == [("zoe", 4), ("Bob", 2), ("Carl", 1)]


def test_bars_count_every_memory_once() -> None:
    home, _ = filled(40, 3)
    catalogue = catalogue_of(home)
    bars = catalogue.bars(FacetQuery(), NOW_MS + DAY_MS)
    assert bars is not None
    assert (sum(bars.counts), len(bars.counts)) == (40, BARS)
    assert bars.last_ms > NOW_MS
    assert catalogue.bars(FacetQuery({"speaker": ("nobody",)}), NOW_MS) is None
    assert catalogue.first_written_ms() == NOW_MS + 1_000


def test_a_memory_dated_thousands_of_years_away_leaves_the_others_their_bars() -> None:
    home = Home()
    for told_at in (-MS_MAX, MS_MAX, NOW_MS - 300 * DAY_MS, NOW_MS - 10 * DAY_MS):
        home.remember(f"Told at {told_at}", told_at=told_at)
    catalogue = catalogue_of(home)
    bars = catalogue.bars(FacetQuery(), NOW_MS)
    assert bars is not None
    assert (bars.first_ms, bars.last_ms) == (NOW_MS - BARS_YEARS_MAX * 366 * DAY_MS, NOW_MS + 1)
    assert (sum(bars.counts), bars.counts[0], bars.counts[-1]) == (4, 1, 2)
    assert bars.counts[-2] == 1, "each bar is of some months"


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
