"""Nominees for a telling, and which of them it is linked to."""

from random import Random

import numpy as np
import pytest

from cognition.ingest.linking import NEAR_MAX, Linker
from cognition.ingest.minhash import PERMUTATIONS, NearTexts, bands, bands_of, bands_of_some, signature
from cognition.ingest.sameness import SAME_WORDS
from cognition.tellings import _FEW, CLASSES_MAX, groups_of
from replica import MemoryId, Remember, SaysSame, Value, Write, new_memory_id
from tests.support.minds import Home
from tests.support.published import published


def pairs(share: float, count: int, random: Random) -> int:
    """Return how many of `count` pairs of sets that share this much are nominated."""
    found = 0
    for _ in range(count):
        grams = [random.getrandbits(63) for _ in range(120)]
        common = round(share * 120)
        rest = (120 - common) // 2
        one = grams[: common + rest]
        other = grams[:common] + grams[common + rest : common + 2 * rest]
        assert len({*one} & {*other}) / len({*one, *other}) == pytest.approx(share, abs=0.02)
        ours, theirs = (bands(signature(np.array(each, np.uint64))) for each in (one, other))
        found += bool((ours == theirs).any())
    return found


@published("ML-37")
def test_pairs_that_share_four_fifths_are_found_and_those_that_share_one_fifth_are_not() -> None:
    random = Random(37)
    assert PERMUTATIONS == 200
    assert pairs(0.8, 300, random) >= 0.95 * 300
    assert pairs(0.2, 300, random) <= 0.05 * 300


@published("ML-50")
def test_a_nominee_is_one_of_similar_wording() -> None:
    near = NearTexts(1_000)
    near.add([1, 2, 3], ["Ann loves hiking in the mountains", "The deploy runs at noon", "Bob bakes bread"])
    assert near.nominate("Ann really loves hiking in the mountains") == [1]
    assert near.nominate("something else entirely") == []


def test_a_repetition_of_something_old_is_found_by_its_words() -> None:
    """Beyond the newest two thousand no signatures are kept."""
    home = Home()
    old = home.remember("Ann loves hiking in the mountains of Madeira")
    short = home.remember("Shibboleth")
    random = Random(3)
    fillers = [
        Write(Remember(random.randbytes(12).hex(), {}), new_memory_id(home.now_ms, random))
        for _ in range(NEAR_MAX + 50)
    ]
    home.commit(*fillers)
    linker = Linker()

    def about(text: str) -> MemoryId | None:
        link = linker.find(home.connection, text, {}).link
        return link[0] if link is not None else None

    assert about("Ann really loves hiking in the mountains of Madeira") == old
    assert about("Madeira: Ann loves hiking") is None
    assert about("Shibboleth!") == short
    assert about("Bob really loves hiking in the mountains of Madeira") is None
    for nothing in ("!?", "a", "the of and", '"AND" OR (NOT'):
        assert about(nothing) is None


def test_the_surest_is_linked_and_of_these_the_newest() -> None:
    home = Home()
    home.remember("I paid Ann 20 euros for tickets")
    rids = [home.remember(f"I paid Ann 20 euros for {words}") for words in ("the tickets!", "a tickets")]
    link = Linker().find(home.connection, "I really paid Ann 20 euros for tickets", {}).link
    assert link is not None
    assert link[0] == rids[1]


@published("ME-11")
@pytest.mark.parametrize(
    ("held", "told"),
    [
        ({"speaker": "Ann"}, {"speaker": "Bob"}),
        ({"workspace": "w"}, {}),
        ({"type": "social"}, {"type": "factual"}),
        ({"event_start": 5, "event_end": 6}, {"event_start": 7, "event_end": 8}),
        ({"turn": "D1:4"}, {}),
        ({}, {"position": 4}),
        ({"goal": "open"}, {}),
        ({}, {"block": "persona"}),
    ],
)
def test_another_speaker_space_type_or_time_is_another_telling(
    held: dict[str, Value], told: dict[str, Value]
) -> None:
    home = Home()
    home.remember("Ann loves hiking in the mountains", **held)
    linker = Linker()
    assert linker.find(home.connection, "Ann really loves hiking in the mountains", told).rids == ()
    if "type" not in held:
        assert linker.find(home.connection, "Ann loves hiking in the mountains", told).rids == ()


def test_the_same_words_need_no_link_and_are_named_the_newest_first() -> None:
    home = Home()
    rids = [home.remember("Milk is in the fridge") for _ in range(3)]
    again = Linker().find(home.connection, "Milk is in the fridge", {})
    assert (again.same, again.link, again.writes(rids[0])) == (tuple(rids[::-1]), None, [])
    assert Linker().find(home.connection, "milk is in  the fridge", {}).link == (rids[0], SAME_WORDS)


def test_a_telling_is_linked_to_the_head_of_a_group_while_that_has_room() -> None:
    home, linker = Home(), Linker()
    rids = []
    for n in range(CLASSES_MAX + 3):
        text = "Milk is in the fridge" + "!" * n
        again = linker.find(home.connection, text, {})
        rids.append(home.remember(text))
        home.commit(*again.writes(rids[-1]))
        if 0 < n < CLASSES_MAX:
            assert again.rids == (rids[0],)
    of = groups_of(home.connection, map(home.number, rids))
    assert len({of[home.number(rid)] for rid in rids[:CLASSES_MAX]}) == 1
    assert len({of[home.number(rid)] for rid in rids[CLASSES_MAX:]} - {of[home.number(rids[0])]}) == 1


def test_a_link_names_the_smaller_id_first() -> None:
    home = Home()
    old = home.remember("Milk is in the fridge")
    new = MemoryId(bytes(16))
    (write,) = Linker().find(home.connection, "The milk is in the fridge", {}).writes(new)
    assert write == Write(SaysSame((new, old), 95))


def test_what_was_changed_since_is_judged_by_what_it_says_now() -> None:
    home, linker = Home(), Linker()
    rid = home.remember("Milk is in the fridge")
    assert linker.find(home.connection, "The milk is in the fridge", {}).rids == (rid,)
    home.commit(*home.core.edits_of(rid, "Milk is in the cellar"))
    assert linker.find(home.connection, "The milk is in the fridge", {}).rids == ()


def test_many_at_once_have_the_bands_that_each_has_alone() -> None:
    random = Random(5)
    letters = "abcde fghij 漢字かな😀ß"
    for shortest, longest in (
        (0, 9),
        (9, 20),
        (9, 80),
        (9, 600),
    ):  # short ones and long ones are taken singly
        texts = ["".join(random.choices(letters, k=random.randint(shortest, longest))) for _ in range(16)]
        texts[3] += "in the mountains"
        alone = np.stack([bands_of(text) for text in texts], axis=1)
        assert (bands_of_some(texts) == alone).all()
        near = NearTexts(100)
        near.add(range(40), [*texts, *texts, *texts[:8]])
        assert near.nominate(texts[3]) == [35, 19, 3]


def test_only_the_newest_are_kept() -> None:
    near = NearTexts(300)
    for start in range(0, 900, 100):
        near.add(
            list(range(start, start + 100)),
            [f"{Random(n).randbytes(20).hex()}" for n in range(start, start + 100)],
        )
    kept = [n for n in range(900) if near.nominate(Random(n).randbytes(20).hex()) == [n]]
    assert kept == list(range(600, 900))


@pytest.mark.parametrize("others", [0, _FEW])
def test_a_telling_is_found_in_its_group_however_many_groups_there_are(others: int) -> None:
    home = Home()
    for n in range(others):
        home.remember(f"Box {n} is in the attic")
        home.remember(f"Box {n} is in the attic")
    milk = [home.number(home.remember("Milk is in the fridge")) for _ in range(2)]
    tea = [home.number(home.remember("Tea is on the shelf")) for _ in range(2)]
    alone = home.number(home.remember("Bread is on the table"))
    assert groups_of(home.connection, [alone]) == {}
    of = groups_of(home.connection, [milk[0], alone, milk[1], tea[0]])
    assert of.keys() == {*milk, tea[0]}
    assert of[milk[0]] == of[milk[1]] != of[tea[0]]
