"""Which lists and which languages a word belongs to: as they are written, and in sets that words share."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from cognition.grammar import lexicon

_CHANGES = [phrase for told in lexicon._told().values() for phrase in told["change"].splitlines()]
_SPOKEN = [phrase.replace("*", "en").replace("N", "5").replace("H", "7") for phrase in _CHANGES]


def test_the_words_that_tell_a_language_are_those_written_for_it() -> None:
    told: dict[str, set[str]] = defaultdict(set)
    for name, lists in lexicon._told().items():
        for phrase in (each for key in ("small", *lexicon._TELLING) for each in lists[key].splitlines()):
            for word in lexicon._ALONE.findall(lexicon.level(phrase)):
                told[word].add(name)
    assert lexicon._small() == told


def test_words_of_the_same_lists_share_one_set() -> None:
    for sets in (lexicon._heads().begins.values(), lexicon._small().values()):
        assert len({id(each) for each in sets}) == len(set(sets)) < len(sets) / 10


def test_a_list_is_one_text() -> None:
    """As strings of their own the phrases of all languages took 0.7 MB of every process that recalls."""
    held = [value for lists in lexicon._told().values() for value in lists.values()]
    held += [part for value in held if isinstance(value, dict) for part in value.values()]
    assert {type(value) for value in held} == {dict, str, int}


@given(
    st.lists(
        st.sampled_from([*_CHANGES, *_SPOKEN, "I", "we", "ich", "la", "я", "x", "5", "'", "-"]), max_size=4
    )
)
def test_a_phrase_is_held_where_the_pattern_of_its_whole_list_finds_it(said: list[str]) -> None:
    for text in (" ".join(said), "".join(said)):
        plain = lexicon.level(text)
        whole = lexicon.lists_of(lexicon.languages_of(plain))["change"]
        assert lexicon.holds("change", plain) == (whole.search(plain) is not None)


def test_the_pattern_of_each_phrase_of_a_list_is_kept() -> None:
    assert len(set(_CHANGES)) <= lexicon._PHRASES_KEPT
