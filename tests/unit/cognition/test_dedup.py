"""Near repetition: who is nominated, and what becomes of a new text."""

from random import Random
from typing import Any

import numpy as np
import pytest

from cognition import StaticEmbedder
from cognition.dedup import COSINE_MIN, NEAR_MAX, Deduplicator, Verdict, decide, merged, reinforced
from cognition.memories import Shown
from cognition.minhash import PERMUTATIONS, NearTexts, bands, bands_of, bands_of_some, signature
from replica import DeviceId, Memory, MemoryId, Remember, Write, new_memory_id
from tests.support.minds import Home


def held(text: str, **fields: Any) -> Shown:
    """Return a memory that is held."""
    return Shown(1, 0, DeviceId(bytes(32)), Memory(bytes(16), text, fields, 0, 0, 1, 0, 0))


def verdict(text: str, known: str, cosine: float = 0.95, **fields: Any) -> Verdict:
    """Return what becomes of a text beside one that is held, of the same fields."""
    return decide(text, fields, [(held(known, **fields), cosine)]).verdict


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


def test_ml_37_pairs_that_share_four_fifths_are_found_and_those_that_share_one_fifth_are_not() -> None:
    random = Random(37)
    assert PERMUTATIONS == 200
    assert pairs(0.8, 300, random) >= 0.95 * 300
    assert pairs(0.2, 300, random) <= 0.05 * 300


def test_ml_50_a_nominee_is_one_of_similar_wording() -> None:
    near = NearTexts(1_000)
    near.add([1, 2, 3], ["Ann loves hiking in the mountains", "The deploy runs at noon", "Bob bakes bread"])
    assert near.nominate("Ann really loves hiking in the mountains") == [1]
    assert near.nominate("something else entirely") == []


def test_a_repetition_of_something_old_is_found_by_its_words() -> None:
    """Beyond the newest two thousand no signatures are kept."""
    home = Home()
    old = home.remember("Ann loves hiking in the mountains of Madeira", type="factual")
    short = home.remember("Shibboleth", type="factual")
    random = Random(3)
    fillers = [
        Write(Remember(random.randbytes(12).hex(), {}), new_memory_id(home.now_ms, random))
        for _ in range(NEAR_MAX + 50)
    ]
    home.commit(*fillers)
    dedup = Deduplicator(StaticEmbedder())

    def about(text: str) -> MemoryId | None:
        decision = dedup.decide(home.connection, text, {"type": "factual"})
        return decision.about.rid if decision.about is not None else None

    assert about("Ann really loves hiking in the mountains of Madeira") == old
    # One of the two longest words is another, and the two behind these are the same.
    assert about("Ann loves hiking in the wonderful mountains of Madeira") == old
    assert about("Madeira: Ann loves hiking") is None
    assert about("Shibboleth!") == short
    assert about("Bob really loves hiking in the mountains of Madeira") is None
    for nothing in ("!?", "a", "the of and", '"AND" OR (NOT'):
        assert about(nothing) is None


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


def test_me_11_a_cosine_of_0_921_merges_and_one_of_0_919_inserts() -> None:
    assert COSINE_MIN == 0.92
    assert verdict("Ann really loves hiking", "Ann loves hiking", 0.921) is Verdict.UPDATE
    assert verdict("Ann really loves hiking", "Ann loves hiking", 0.919) is Verdict.ADD


@pytest.mark.parametrize(
    "other", [{"type": "social"}, {"speaker": "Bob"}, {"workspace": "w"}, {"turn": "D1:2"}, {"told_at": 5}]
)
def test_me_11_another_type_speaker_or_moment_is_another_memory(other: dict[str, Any]) -> None:
    known = held("Ann loves hiking", type="factual", speaker="Ann")
    fields = {"type": "factual", "speaker": "Ann", **other}
    assert decide("Ann really loves hiking", fields, [(known, 0.99)]).verdict is Verdict.ADD


@pytest.mark.parametrize(
    ("text", "known", "wanted"),
    [
        ("Bob bakes bread", "Ann loves hiking in the hills", Verdict.ADD),
        ("Ann loves hiking in the high hills", "Ann loves hiking in the hills", Verdict.UPDATE),
        ("Ann loves hiking", "Ann loves hiking in the hills", Verdict.SKIP),
        ("Ann lives in Porto", "Ann lives in Lisbon", Verdict.CONTRADICTION),
    ],
)
def test_ml_51_rules_alone_give_each_verdict(text: str, known: str, wanted: Verdict) -> None:
    cosine = 0.3 if wanted is Verdict.ADD else 0.95
    assert verdict(text, known, cosine) is wanted


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Ann has 3 dogs", "Ann has 2 dogs"),
        ("Ann has three dogs", "Ann has two dogs"),
        ("Ann met Bob at the pool", "Ann met Eve at the pool"),
        ("Ann does not eat fish", "Ann does eat fish"),
        ("Ann doesn't eat fish", "Ann does eat fish"),
    ],
)
def test_texts_that_differ_in_a_number_a_name_or_a_not_are_both_kept(text: str, known: str) -> None:
    assert verdict(text, known, 0.999) is Verdict.ADD


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Bob lives in Porto", "Ann lives in Lisbon"),
        ("Ann likes Porto", "Ann likes Lisbon"),
        ("Ann works at Google", "Ann lives in Lisbon"),
    ],
)
def test_e_15_only_the_same_subject_and_relation_contradict_however_alike_two_texts_are(
    text: str, known: str
) -> None:
    assert verdict(text, known, 0.999) is Verdict.ADD


def test_e_15_a_contradiction_needs_no_likeness() -> None:
    assert verdict("Ann lives in Porto", "Ann lives in Lisbon", 0.1) is Verdict.CONTRADICTION


def test_lo_08_confidence_grows_with_each_repetition_up_to_certainty() -> None:
    grown = [0.8]
    for _ in range(3):
        grown.append(reinforced(grown[-1]))
    assert grown == [0.8, 0.95, 1.0, 1.0]


def test_ml_52_a_repetition_is_counted_and_its_labels_join_the_others() -> None:
    known: dict[str, Any] = {"type": "factual", "tags": ["a"], "certainty": 0.8, "meta": {"k": 1}}
    changed = merged({"type": "factual", "tags": ["b"], "topic": "hills"}, known)
    assert changed == {
        "topic": "hills", "tags": ["a", "b"], "certainty": 0.95, "meta": {"k": 1, "mentions": 2},
    }  # fmt: skip
    assert merged({}, {**known, **changed})["meta"] == {"k": 1, "mentions": 3}
