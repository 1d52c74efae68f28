"""Which lists and which languages a word belongs to: as they are written, and in sets that words share."""

from collections import defaultdict

from cognition.grammar import lexicon


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
