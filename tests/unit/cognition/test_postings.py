"""What is ranked by the places of its words is ranked as SQLite's own full text search ranks it."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cognition import Filters, fulltext
from cognition.search import passes, postings
from cognition.search.postings import Postings, any_of, stem_of
from cognition.words import quoted
from replica import Forget, Remember, Set, Write, new_memory_id
from tests.support.minds import Home

# Some common, some rare; two that are filed under one stem, and one that is said twice and more.
WORDS = ["tea", "teas", "cake", "walrus", "Straße", "naïve", "2024", "running", "run", "bread", "salt", "sea"]
ASKED = [
    ["tea", "cake"],
    ["run", "running", "walrus"],
    ["2024"],
    ["sea", "salt", "bread", "tea", "teas", "naïve"],
]


def told(seed: int, count: int) -> Home:
    """Memories of words by chance, the first of them the commonest; a tenth is said by somebody, a tenth is gone."""
    chance, home = random.Random(seed), Home()
    weights = [2.0 ** -(place / 2) for place in range(len(WORDS))]
    rids = []
    for _ in range(count):
        text = " ".join(
            chance.choices(WORDS, weights, k=chance.randint(1, 200 if chance.random() < 0.02 else 12))
        )
        fields = {"speaker": chance.choice(WORDS)} if chance.random() < 0.1 else {}
        rids.append(new_memory_id(home.now_ms, home.random))
        home.commit(Write(Remember(text, fields), rids[-1]))
    home.commit(Write(Forget(tuple(sorted(chance.sample(rids, count // 10))))))
    return home


@pytest.mark.parametrize(
    "bounds", [(20, 5, 60, 30), (20, 5, 30, 25), (1, 0, 200, 200), (1_000, 500, 4_000, 4_000)]
)
def test_memories_are_ranked_as_full_text_search_ranks_them(
    bounds: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = told(seed=sum(bounds), count=150)
    for name, value in zip(("RANKED_MAX", "RARE_MAX", "COMMON", "NEWEST_MAX"), bounds, strict=True):
        monkeypatch.setattr(fulltext, name, value)
    monkeypatch.setattr(passes, "NEWEST_MAX", bounds[-1])
    for wanted in ASKED:
        for limit in (1, 7, 60):
            ours = passes.by_words(passes.Candidates(home.connection, Filters()), wanted, limit)
            theirs = passes.by_match(home.connection, quoted(wanted), Filters(), limit)
            assert [number for number, _ in ours] == [number for number, _ in theirs], (wanted, limit)
            # Where a processor multiplies and adds at once, the last bit may be another.
            assert [score for _, score in ours] == pytest.approx([score for _, score in theirs], rel=1e-12)


def test_a_word_is_looked_up_under_the_stem_that_it_is_filed_under() -> None:
    assert [stem_of(word) for word in ("running", "Straße", "naïve", "2024")] == [
        *("run", "straß"),
        *("naiv", "2024"),
    ]
    assert stem_of("two words") is None
    assert stem_of("…") is None


def test_a_word_that_is_no_single_stem_is_left_to_full_text_search() -> None:
    home = Home()
    home.commit(Write(Remember("two words", {}), new_memory_id(home.now_ms, home.random)))
    assert len(passes.by_words(passes.Candidates(home.connection, Filters()), ["two words"], 5)) == 1


def test_nothing_is_found_where_nothing_was_told() -> None:
    assert passes.by_words(passes.Candidates(Home().connection, Filters()), ["tea"], 5) == []
    assert passes.by_words(passes.Candidates(Home().connection, Filters()), [], 5) == []


def test_what_is_forgotten_while_it_is_looked_for_is_not_found_and_harms_nothing() -> None:
    """Each statement of a read sees a moment of its own, and another thread writes beside it."""
    home = told(seed=3, count=40)
    words = Postings()
    asked = [words.held(home.connection, word, word) for word in ("tea", "cake")]
    every = any_of(asked)
    gone = every[: len(every) // 2]
    rids = [
        rid
        for (rid,) in home.connection.execute(
            f"SELECT rid FROM memory WHERE id IN ({','.join(map(str, gone.tolist()))})"
        )
    ]
    home.commit(Write(Forget(tuple(sorted(rids)))))
    found = [number for number, _ in words.scored(home.connection, asked, every)]
    assert sorted(found) == every[len(gone) :].tolist()
    home.commit(
        Write(Forget(tuple(sorted(rid for (rid,) in home.connection.execute("SELECT rid FROM memory")))))
    )
    assert not Postings().scored(home.connection, asked, every)


@pytest.mark.parametrize("block", ["", "81", "07"])
def test_lengths_that_are_no_numbers_are_damage(block: str) -> None:
    home = told(seed=3, count=10)
    home.connection.execute("UPDATE memory_text_docsize SET sz = ?", (bytes.fromhex(block),))
    with pytest.raises(sqlite3.DatabaseError, match="damaged"):
        passes.by_words(passes.Candidates(home.connection, Filters()), ["tea"], 5)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_read_of_words_is_forgotten_when_somebody_writes(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("RANKED_MAX", 20), ("RARE_MAX", 5), ("COMMON", 60), ("NEWEST_MAX", 30)):
        monkeypatch.setattr(fulltext, name, value)
    chance, home = random.Random(seed), Home(path=str(tmp_path / "memory.db"))
    rids = [home.remember(" ".join(chance.choices(WORDS, k=6))) for _ in range(60)]
    kept = Postings()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as reader:
        for _ in range(60):
            match chance.randrange(6):
                case 0:
                    rids.append(home.remember(" ".join(chance.choices(WORDS, k=chance.randint(1, 12)))))
                case 1:
                    home.commit(Write(Forget((rids.pop(chance.randrange(len(rids))),))))
                case 2:
                    home.commit(Write(Set("speaker", chance.choice(WORDS)), chance.choice(rids)))
                case _:
                    stems = dict.fromkeys(chance.sample(["tea", "cake", "walrus", "run", "salt"], 3))
                    asked = {word: str(stem_of(word)) for word in stems}
                    assert list(kept.ranked(reader, asked)) == list(Postings().ranked(reader, asked))


def test_words_are_kept_up_to_a_bound_and_those_asked_for_last_the_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home, kept, statements = told(seed=5, count=80), Postings(), list[str]()
    held = {word: kept.held(home.connection, word, word) for word in ("tea", "cake", "salt")}
    monkeypatch.setattr(postings, "_PLACES_KEPT", sum(int(each.often.sum()) for each in held.values()))
    kept.held(home.connection, "tea", "tea")
    home.connection.set_trace_callback(
        lambda it: statements.append(it) if it.startswith("SELECT group") else None
    )
    kept.held(home.connection, "bread", "bread")
    for word in ("tea", "salt"):
        assert kept.held(home.connection, word, word).rows.tolist() == held[word].rows.tolist()
    assert len(statements) == 1
    kept.held(home.connection, "cake", "cake")
    assert len(statements) == 2


def test_where_crowds_hold_every_word_the_rarest_are_asked_for_two_at_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("RANKED_MAX", "RARE_MAX", "COMMON"):
        monkeypatch.setattr(fulltext, name, 0)  # all are common, and many
    home = told(seed=5, count=80)
    places = {
        word: int(Postings().held(home.connection, word, word).often.sum())
        for word in ("tea", "cake", "salt")
    }
    rarest = sorted(places, key=lambda word: (places[word], word))

    def ranked(*asked: str) -> list[postings.Ranking]:
        return list(Postings().ranked(home.connection, {word: word for word in asked}))

    for most, expected in (
        (0, rarest[:2]),
        (sum(places.values()) - 1, rarest[:2]),
        (sum(places.values()), rarest),
    ):
        monkeypatch.setattr(fulltext, "PLACES_MAX", most)
        assert ranked("tea", "cake", "salt") == ranked(*(word for word in places if word in expected))


@pytest.mark.parametrize("crowded", [0, 1 << 18])
def test_the_places_of_a_word_that_crowds_hold_are_not_read_where_there_are_others(
    crowded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_CROWDED", crowded)
    for name, value in (("COMMON", 20), ("RANKED_MAX", 20), ("RARE_MAX", 5)):
        monkeypatch.setattr(fulltext, name, value)
    home, words, read = told(seed=5, count=80), Postings(), list[str]()
    home.connection.set_trace_callback(
        lambda it: read.append(it) if it.startswith("SELECT group_concat(doc) FROM memory_word_at") else None
    )
    list(words.ranked(home.connection, {"tea": "tea", "sea": "sea"}))
    assert [each.partition("term = ")[2] for each in read] == (["'sea'"] if crowded == 0 else [])
    assert (
        words.holders(home.connection, {"tea": "tea"})["tea"]
        > 20
        >= words.holders(home.connection, {"sea": "sea"})["sea"]
    )


def test_how_many_hold_a_word_is_the_same_in_small_and_in_large_stores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fulltext, "COMMON", 20)
    home = told(seed=7, count=120)
    for word in (*WORDS, "nobody"):
        stem = str(stem_of(word))
        ((count,),) = home.connection.execute(
            "SELECT count(DISTINCT doc) FROM memory_word_at WHERE term = ?", (stem,)
        )
        for crowded in (0, 1 << 18):
            monkeypatch.setattr(postings, "_CROWDED", crowded)
            kept = Postings()
            for _ in range(2):  # what is remembered of a word says the same
                assert min(kept.holders(home.connection, {word: stem})[word], 21) == min(count, 21)
