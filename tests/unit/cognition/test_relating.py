"""Edges that follow from likeness, relations between memories, and triples that are found by their words."""

from pathlib import Path

import numpy as np
import pytest
import trio

import samemind
from cognition.embedding.index import VectorIndex
from cognition.entities import EntityTables, find_triples, keep, read_some, unread
from cognition.errors import InvalidQuery
from cognition.fulltext import FulltextQuery
from cognition.recall.relating import COSINE_ABOVE, RELATED_MAX, RELATIONS, check_relation, related, vector_of
from cognition.words import any_of, words
from replica import Core, Erase, MemoryId, SqliteStore, Write
from tests.support.minds import Home
from tests.support.published import published

WIDTH = 8
SPACE = 1


class Related(Home):
    """Memories with vectors at chosen cosines to the first axis."""

    def __init__(self) -> None:
        super().__init__()
        self.index = VectorIndex(WIDTH)
        self.connection.execute("INSERT INTO vector_space VALUES (?, 'test')", (SPACE,))

    def place(self, text: str, cosine: float, **fields: object) -> MemoryId:
        """Write a memory that is this much like the first axis."""
        rid = self.remember(text, **fields)  # type: ignore[arg-type]
        vector = np.zeros(WIDTH, np.float32)
        vector[0], vector[1] = cosine, np.sqrt(1 - cosine**2)
        number = self.number(rid)
        self.connection.execute(
            "INSERT INTO vector VALUES (?, ?, ?)", (number, SPACE, vector.astype(np.float16).tobytes())
        )
        self.connection.execute("DELETE FROM embed_queue WHERE id = ?", (number,))
        self.index.add([number], vector[None, :])
        return rid

    def of(self, rid: MemoryId) -> list[MemoryId]:
        vector = vector_of(self.connection, rid, SPACE)
        if vector is None:
            return []
        return [other for other, _ in related(self.connection, self.index, rid, vector)]


@published("ML-41")
def test_a_memory_relates_to_the_three_most_like_it_above_one_half() -> None:
    home = Related()
    one = home.place("one", 1.0)
    near = [home.place(f"near {cosine}", cosine) for cosine in (0.6, 0.9, 0.7, 0.8)]
    assert RELATED_MAX == 3
    assert home.of(one) == [near[1], near[3], near[2]]
    other = Related()
    one = other.place("one", 1.0)
    other.place("half", 0.5)
    above = other.place("above", 0.51)
    assert COSINE_ABOVE == 0.5
    assert other.of(one) == [above]


def test_its_own_facts_its_parent_its_duplicates_and_the_archived_are_no_news() -> None:
    home = Related()
    one = home.place("one", 1.0)
    fact = home.place("a fact of one", 0.99, parent=one)
    home.place("one", 0.98)
    home.place("archived", 0.97, archived=True)
    other = home.place("other", 0.9)
    home.place("other", 0.9)
    assert home.of(one) == [other]
    assert one not in home.of(fact)
    assert home.of(MemoryId(bytes(16))) == []


@published("ML-40")
def test_five_relations_hold_between_memories_and_others_need_a_name_of_their_own(
    tmp_path: Path,
) -> None:
    assert RELATIONS == ("relates_to", "contradicts", "updates", "causes", "temporal_sequence")
    with pytest.raises(InvalidQuery, match="expected one of relates_to"):
        check_relation("blocks")
    with samemind.open_blocking(tmp_path / "home") as mind:
        one, other = mind.remember("The bridge was closed").rid, mind.remember("We took the ferry").rid
        for relation in (*RELATIONS, "mine:blocks"):
            mind.relate(one, relation, other)
        told = {edge.relation for edge in mind.graph(one).edges if edge.target == other}
        assert told == {*RELATIONS, "mine:blocks"}
        with pytest.raises(samemind.Usage, match="expected one of relates_to"):
            mind.relate(one, "blocks", other)
        assert mind.relate("Ann", "works at", "Google").relation == "works at"


@published("ML-41")
def test_the_graph_of_a_memory_shows_what_it_relates_to(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        one = mind.remember("Ann loves hiking in the mountains", wait=True).rid
        other = mind.remember("Ann enjoys mountain hikes", wait=True, no_dedup=True).rid
        mind.remember("The invoice is due on Tuesday", wait=True)
        (edge,) = mind.graph(one).edges
        assert (edge.source, edge.relation, edge.target) == (one, "relates_to", other)
        assert 0.5 < edge.weight < 1
        mind.forget(other)
        with pytest.raises(samemind.NotFound, match="nothing is related"):
            mind.graph(one)


class Read(Home):
    """Memories with entity tables, read to the end."""

    def __init__(self) -> None:
        super().__init__()
        self.core = Core(
            SqliteStore(self.connection, [EntityTables()]),
            device=self.identity.device_id, sign=self.identity.sign, random=self.random,
        )  # fmt: skip

    def found(self, query: str) -> list[int]:
        while page := unread(self.connection):
            keep(self.connection, page, read_some(page))
        return [
            number
            for number, _ in find_triples(self.connection, FulltextQuery(any_of(words(query))), limit=10)
        ]


@published("ML-38")
def test_a_triple_is_found_by_subject_by_predicate_and_by_object() -> None:
    home = Read()
    rid = home.remember("Alice lives in Berlin, and she likes it there. Nobody else does.")
    home.remember("It rained. Nothing else happened on that long and quiet day at the lake.")
    number = home.number(rid)
    for query in ("alice", "lives", "living", "berlin", "where does Alice live"):
        assert home.found(query) == [number], query
    assert home.found("lake") == []


@published("ML-38")
def test_a_triple_that_a_model_told_is_one_too_and_nonsense_is_none() -> None:
    home = Read()
    told = home.remember("She went there.", meta={"triple": '["Zoe", "moved_to", "Oslo"]'})
    for nonsense in ("[", "[1, 2, 3]", '["she", "is", "here"]', '["a", "b"]', "5", "null"):
        home.remember(f"Nothing {nonsense}", meta={"triple": nonsense})
    assert home.found("oslo") == [home.number(told)]
    assert home.connection.execute("SELECT count(*) FROM triple").fetchone() == (1,)


def test_triples_of_what_changed_or_was_erased_are_gone_with_their_words(tmp_path: Path) -> None:
    home = Read()
    changed = home.remember("Alice lives in Berlin these days. She likes it there very much.")
    erased = home.remember("Bob lives in Zanzibar these days. He likes it there very much.")
    assert len(home.found("lives")) == 2
    home.commit(
        *home.core.edits_of(changed, "Alice lives in Lisbon these days. She likes it there very much.")
    )
    home.commit(Write(Erase((erased,))))
    EntityTables().purge(home.connection)
    assert home.found("berlin") == home.found("zanzibar") == []
    assert home.found("lisbon") == [home.number(changed)]
    blocks = home.connection.execute(
        "SELECT group_concat(CAST(block AS TEXT)) FROM triple_text_data"
    ).fetchone()
    assert "zanzibar" not in str(blocks)


def test_names_are_read_in_the_background_so_that_triples_answer(tmp_path: Path) -> None:
    async def main() -> None:
        async with samemind.open(tmp_path / "home") as mind:
            await mind.remember("Alice lives in Berlin these days. She likes it there very much.")
            with trio.fail_after(20):
                while True:
                    (hit, *_) = await mind.recall("Where does Alice live?", explain=True)
                    assert hit.why is not None
                    if "triples" in {reason["channel"] for reason in hit.why["found"]}:
                        break
                    await trio.sleep(0.1)

    trio.run(main)
