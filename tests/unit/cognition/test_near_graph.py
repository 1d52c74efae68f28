"""A graph of near vectors names what is checked, answers where it is ahead, and keeps nothing that is gone."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import trio

import cognition.embedding.index
from cognition import Cognition, HashedEmbedder
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import VectorIndex
from cognition.errors import IndexStale
from cognition.near_graph import graph as graphs
from cognition.near_graph import keeper
from cognition.near_graph.graph import GraphStamp, HnswGraph, about_file, basis_of, erase_in_file, stamp_of
from replica import Forget, MemoryId, Replica, Write
from sync import Identity
from tests.support.minds import open_memory, remember, unit_rows

pytest.importorskip("hnswlib", reason="the extra `ann` is not installed")

WIDTH = 128
STAMP = GraphStamp(41, "hashed", WIDTH)
# As many memories as these tests call many.
MANY = 300


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three hundred vectors be as many as else a million: the same code, in a second."""
    monkeypatch.setattr(cognition.embedding.index, "ALL_MAX", 64)
    monkeypatch.setattr(cognition.embedding.index, "SHORTLIST_MIN", 16)
    monkeypatch.setattr(cognition.embedding.index, "SHORTLIST_EACH", 4)
    monkeypatch.setattr(keeper, "ALL_MAX", 64)


def rows_of(count: int, seed: int = 1) -> Vectors:
    """Return vectors about a dozen topics, of numbers such as 16 bits hold."""
    chance = np.random.default_rng(seed)
    rows = unit_rows(12, WIDTH, 7)[chance.integers(0, 12, count)] + 0.7 * unit_rows(count, WIDTH, seed)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float16).astype(np.float32)


def made(rows: Vectors, start: int = 1) -> HnswGraph:
    graph = HnswGraph(basis_of(rows), len(rows))
    graph.add(np.arange(start, start + len(rows)), rows.astype(np.float16))
    return graph


def with_graph(rows: Vectors) -> tuple[VectorIndex, HnswGraph]:
    index = VectorIndex(WIDTH)
    index.add(range(1, len(rows) + 1), rows)
    index.begin()
    graph = made(rows)
    index.attach(graph)
    return index, graph


def test_what_a_graph_names_is_multiplied_as_it_is() -> None:
    rows = rows_of(2_000)
    index, _ = with_graph(rows)
    assert index.has_graph
    assert index.beside == 0
    missed = 0
    for query in rows_of(20, seed=3):
        found = index.search(query, 10)
        cosines = rows @ query
        assert np.allclose([cosine for _, cosine in found], [cosines[number - 1] for number, _ in found])
        assert [cosine for _, cosine in found] == sorted((cosine for _, cosine in found), reverse=True)
        missed += len({*(np.argsort(-cosines)[:10] + 1).tolist()} - {number for number, _ in found})
    assert missed <= 4  # of two hundred


def test_what_comes_and_goes_counts_at_once_and_the_graph_follows() -> None:
    rows = rows_of(MANY)
    index, graph = with_graph(rows)
    fresh = unit_rows(2, WIDTH, 99).astype(np.float16).astype(np.float32)
    index.add([1_000, 5], fresh)
    index.remove([7])
    assert index.search(fresh[0], 1)[0][0] == 1_000
    assert index.search(fresh[1], 1)[0][0] == 5
    assert 7 not in [number for number, _ in index.search(rows[6], 20)]
    assert index.beside == 2
    assert index.follow(2) == 1
    assert index.follow(16) == 0
    held, _ = graph.held()
    assert 1_000 in held
    assert 7 not in held
    assert graph.erased == 1
    assert index.search(fresh[1], 1)[0][0] == 5
    index.add([7], rows[6:7])  # and comes back under its number
    assert index.search(rows[6], 1)[0][0] == 7
    assert index.follow(16) == 0
    assert 7 in graph.held()[0]
    assert graph.erased == 0
    assert index.search(rows[6], 1)[0][0] == 7


def test_what_came_while_a_graph_was_made_stands_beside_it() -> None:
    rows = rows_of(MANY)
    index = VectorIndex(WIDTH)
    index.add(range(1, MANY + 1), rows)
    index.begin()
    graph = made(rows)
    other = unit_rows(1, WIDTH, 99)
    index.add([3], other)
    index.remove([4])
    index.attach(graph)
    assert index.beside == 1
    assert index.search(other[0], 1)[0][0] == 3
    assert index.follow(16) == 0
    assert 4 not in graph.held()[0]


def test_where_too_much_stands_beside_a_graph_signatures_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cognition.embedding.index, "BESIDE_MAX", 3)
    rows = rows_of(MANY)
    index, graph = with_graph(rows)
    monkeypatch.setattr(graph, "near", lambda query, count: pytest.fail("expected nobody to ask the graph"))
    index.add(range(1_000, 1_004), unit_rows(4, WIDTH, 99))
    assert index.search(rows[8], 1)[0][0] == 9


def test_a_graph_that_leads_to_too_few_is_no_answer() -> None:
    rows = rows_of(MANY)
    index, graph = with_graph(rows)
    graph.erase(range(1, MANY - 4))
    assert graph.near(rows[0], 50) is None
    assert index.search(rows[8], 1)[0][0] == 9


def test_a_graph_that_was_saved_names_the_same(tmp_path: Path) -> None:
    rows = rows_of(MANY)
    graph = made(rows)
    graph.erase([5])
    graph.save(tmp_path / "m.graph", STAMP)
    again = HnswGraph.load(tmp_path / "m.graph", STAMP)
    assert [again.near(row, 20) for row in rows[:20]] == [graph.near(row, 20) for row in rows[:20]]
    assert [one.tolist() for one in again.held()] == [one.tolist() for one in graph.held()]
    again.add(np.array([1_000]), unit_rows(1, WIDTH, 99).astype(np.float16))
    assert len(again) == MANY + 1
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.graph", "m.graph.about"]


@pytest.mark.parametrize("stamp", [STAMP._replace(generation=42), STAMP._replace(space="another")])
def test_a_graph_of_something_else_is_not_read(tmp_path: Path, stamp: GraphStamp) -> None:
    made(rows_of(MANY)).save(tmp_path / "m.graph", STAMP)
    with pytest.raises(IndexStale, match="expected a graph of"):
        HnswGraph.load(tmp_path / "m.graph", stamp)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.999])
@pytest.mark.parametrize("which", ["", ".about"])
def test_a_spoiled_file_is_found_before_it_is_believed(tmp_path: Path, share: float, which: str) -> None:
    made(rows_of(MANY)).save(tmp_path / "m.graph", STAMP)
    file = tmp_path / f"m.graph{which}"
    data = bytearray(file.read_bytes())
    data[int(share * len(data))] ^= 0x55
    file.write_bytes(data)
    if which:
        try:
            HnswGraph.load(tmp_path / "m.graph", STAMP)
        except IndexStale:
            pass  # a few bytes of that file mean nothing, such as the date of a member
    else:
        with pytest.raises(IndexStale):
            HnswGraph.load(tmp_path / "m.graph", STAMP)
    file.write_bytes(data[: int(share * len(data))])
    with pytest.raises(IndexStale):
        HnswGraph.load(tmp_path / "m.graph", STAMP)


def test_an_erased_vector_is_nowhere_in_the_file(tmp_path: Path) -> None:
    rows = rows_of(MANY)
    graph = made(rows)
    file = tmp_path / "m.graph"
    graph.save(file, STAMP)
    gone = graph._hnsw.get_items([41], return_type="numpy").astype(np.float32).tobytes()
    assert gone in file.read_bytes()
    size = file.stat().st_size
    erase_in_file(file, [41, 12_345])
    held = file.read_bytes()
    assert len(held) == size
    assert not any(gone[at : at + 8] in held for at in range(0, len(gone) - 8, 4))
    again = HnswGraph.load(file, STAMP)
    assert 41 not in again.held()[0]
    assert all(41 not in (again.near(row, 20) or ()) for row in rows[30:50])
    assert again.near(rows[50], 1) == [51]
    again.erase([12])
    again.save(file, STAMP)
    assert len(HnswGraph.load(file, STAMP).held()[0]) == MANY - 2


def test_what_is_erased_in_memory_is_not_saved(tmp_path: Path) -> None:
    rows = rows_of(MANY)
    graph = made(rows)
    gone = graph._hnsw.get_items([41], return_type="numpy").astype(np.float32).tobytes()
    graph.erase([41])
    graph.save(tmp_path / "m.graph", STAMP)
    held = (tmp_path / "m.graph").read_bytes()
    assert not any(gone[at : at + 8] in held for at in range(0, len(gone) - 8, 4))


def test_a_file_that_does_not_hold_what_is_said_of_it_is_not_written_into(tmp_path: Path) -> None:
    rows = rows_of(MANY)
    made(rows).save(tmp_path / "m.graph", STAMP)
    made(rows_of(40), start=500).save(tmp_path / "other.graph", STAMP)
    shutil.copy(tmp_path / "other.graph", tmp_path / "m.graph")
    with pytest.raises(IndexStale):
        erase_in_file(tmp_path / "m.graph", [41])
    (tmp_path / "m.graph").unlink()
    with pytest.raises(IndexStale):
        erase_in_file(tmp_path / "m.graph", [41])


open_many = partial(open_memory, embedder=HashedEmbedder(WIDTH), identity=Identity.create())


async def asked(mind: Cognition, text: str = "tea and scones") -> list[str]:
    return [hit.memory.text for hit in await mind.recall(text)]


async def settled(mind: Cognition, says: str) -> None:
    """Ask until something is said of what finds near vectors."""
    with trio.fail_after(30):
        while says not in mind.graph.says():
            await asked(mind)
            await trio.sleep(0.01)


async def told(replica: Replica, mind: Cognition) -> list[MemoryId]:
    rids = await remember(
        replica, *(f"note {n} of {n * 7 % 31} and {n * 11 % 43} things" for n in range(MANY))
    )
    await mind.settle()
    return rids


def test_a_device_builds_a_graph_in_the_background_and_finds_the_same_after_it_was_closed(
    tmp_path: Path,
) -> None:
    store, file = tmp_path / "m.db", tmp_path / "m.db.graph"

    async def main() -> None:
        async with open_many(store, index="signatures", graph=file) as (replica, mind):
            await told(replica, mind)
            before = await asked(mind, "note 5 of 4 things")
            assert 'index = "signatures" is set' in mind.graph.says()
        async with open_many(store, index="auto", graph=file) as (_, mind):
            await asked(mind)
            assert f"from {keeper.GRAPH_MIN} on" in mind.graph.says()
        async with open_many(store, index="hnsw", graph=file) as (_, mind):
            assert "no vectors were read yet" in mind.graph.says()
            await settled(mind, "a graph of 300 vectors (hnswlib")
            assert await asked(mind, "note 5 of 4 things") == before
            assert mind.graph.trouble is None
        saved = file.stat().st_mtime_ns
        async with open_many(store, index="hnsw", graph=file) as (replica, mind):
            await settled(mind, "a graph of 300 vectors (hnswlib")
            assert await asked(mind, "note 5 of 4 things") == before
            await remember(replica, "tea and scones at five")
            await mind.settle()
            assert (await asked(mind))[0] == "tea and scones at five"
        assert file.stat().st_mtime_ns == saved
        async with open_many(store, index="signatures", graph=file) as (_, mind):
            await asked(mind)
        assert not file.exists()
        assert not about_file(file).exists()

    trio.run(main)


@pytest.mark.parametrize("recalled", [True, False])
def test_a_forgotten_memory_leaves_the_file_also_where_nobody_asks(tmp_path: Path, recalled: bool) -> None:
    store, file = tmp_path / "m.db", tmp_path / "m.db.graph"

    async def main() -> None:
        async with open_many(store, index="hnsw", graph=file) as (replica, mind):
            rids = await told(replica, mind)
            await settled(mind, "a graph of")
        async with open_many(store, index="hnsw", graph=file) as (replica, mind):
            if recalled:
                await settled(mind, "a graph of")
            number, vector = await replica.read(
                lambda connection: connection.execute(
                    "SELECT v.id, v.data FROM vector v JOIN shown_memory m ON m.id = v.id WHERE m.rid = ?",
                    (rids[40],),
                ).fetchone()
            )
            await replica.run(lambda core, _: core.commit([Write(Forget((rids[40],)))], replica.now_ms()))
            await trio.sleep(0.05)
        found = graphs._GraphDescription.read(file)
        narrow = np.frombuffer(vector, np.float16).astype(np.float32) @ found.basis
        held = file.read_bytes()
        assert not any(narrow.tobytes()[at : at + 8] in held for at in range(0, 88, 4))
        assert number not in found.order[found.sums != 0]
        async with open_many(store, index="hnsw", graph=file) as (replica, mind):
            await settled(mind, "a graph of 299")
            left = await replica.read(
                lambda connection: connection.execute("SELECT count(*) FROM graph_gone").fetchone()
            )
            assert left == (0,)

    trio.run(main)


@pytest.mark.parametrize("spoil", ["bytes", "none", "other"])
def test_a_wrong_file_is_removed_or_built_again(tmp_path: Path, spoil: str) -> None:
    store, file = tmp_path / "m.db", tmp_path / "m.db.graph"

    async def main() -> None:
        async with open_many(store, index="hnsw", graph=file) as (replica, mind):
            await told(replica, mind)
            await settled(mind, "a graph of")
        whole = file.stat().st_size
        if spoil == "bytes":
            data = bytearray(file.read_bytes())
            data[whole // 2] ^= 1
            file.write_bytes(data)
        elif spoil == "none":
            file.unlink()
        else:
            made(rows_of(MANY)).save(file, STAMP)
        async with open_many(store, index="hnsw", graph=file) as (_, mind):
            await settled(mind, "a graph of 300")
            assert mind.graph.trouble is None
        assert file.stat().st_size > whole // 2

    trio.run(main)


def test_without_the_library_or_a_place_signatures_answer_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, file = tmp_path / "m.db", tmp_path / "m.db.graph"

    async def main() -> None:
        async with open_many(store, index="hnsw", graph=None) as (replica, mind):
            await told(replica, mind)
            await asked(mind)
            assert "the store is encrypted" in mind.graph.says()
        monkeypatch.setattr(graphs, "is_installed", lambda: False)
        async with open_many(store, index="hnsw", graph=file) as (_, mind):
            await asked(mind)
            assert f"pip install {graphs.PACKAGES}" in mind.graph.says()
            assert mind.embedding.index is not None
            assert not mind.embedding.index.has_graph

    trio.run(main)


def test_where_a_graph_cannot_be_made_signatures_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise MemoryError("no room")

    async def main() -> None:
        monkeypatch.setattr(HnswGraph, "add", fails)
        async with open_many(tmp_path / "m.db", index="hnsw", graph=tmp_path / "m.db.graph") as (
            replica,
            mind,
        ):
            await told(replica, mind)
            await settled(mind, "a graph could not be made: no room")
            assert await asked(mind, "note 5 of 4 things")

    trio.run(main)


def test_where_there_is_no_graph_nothing_is_loaded_to_tell_a_spoiled_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`zipfile` takes a third of a megabyte, and hardly any store has a graph."""
    monkeypatch.setattr(graphs, "_unreadable", lambda: pytest.fail("looked for what spoils a file"))
    with pytest.raises(IndexStale):
        stamp_of(tmp_path / "graph")
