import sqlite3

from cognition.ranking.query import Query
from cognition.ranking.vocabulary import TABLES, WordGroups, used, with_own


def test_a_group_is_found_by_its_name_its_words_in_any_form_and_its_stems() -> None:
    vocabulary = WordGroups({"sail": "sail steer naveg*"})
    assert vocabulary.of("sailing") == vocabulary.of("steered") == vocabulary.of("navegamos") == {"sail"}
    assert vocabulary.of("navel") == frozenset()
    assert vocabulary.groups(["the", "steering"]) == {"sail"}
    assert vocabulary.groups([]) == frozenset()


def test_a_word_belongs_to_every_group_that_has_it_or_a_beginning_of_it() -> None:
    vocabulary = WordGroups(
        {"sail": "nav* navegar", "rule": "navega*", "ship": "navega", "other": "navegarem*"}
    )
    assert vocabulary.of("navegar") == {"sail", "rule"}
    assert vocabulary.of("navega") == {"sail", "rule", "ship"}  # a beginning may be the whole word
    assert vocabulary.of("nav") == {"sail"}
    assert vocabulary.of("na") == frozenset()


def test_every_word_of_the_tables_is_a_query_that_sqlite_accepts() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    for vocabulary in (*TABLES, used):
        for name in vocabulary._groups:
            connection.execute(
                "SELECT * FROM t WHERE t MATCH ?", (" OR ".join(vocabulary.asked_for([name])),)
            )


def test_a_query_without_a_known_verb_asks_for_nothing_more() -> None:
    assert Query("is the walrus blue").synonyms == []
    assert '"based"' in Query("where does she live").synonyms
    assert '"жив" *' in Query("where does she live").synonyms


def test_entities_are_names_as_typed_and_words_with_a_capital() -> None:
    entities = Query("does ann know Mary Jane at stripe").entities
    assert {"Mary Jane", "ann", "Ann", "Stripe"} <= set(entities)


def test_own_words_join_the_group_of_that_name_or_make_a_new_one() -> None:
    tables = with_own(
        {"Live": ["habit*", "Asu"], "finances": ["Kohle", "finanz*"], "database": ["cassandra"]}
    )
    assert tables.verbs.of("habitait") == tables.verbs.of("asu") == tables.verbs.of("moved") == {"live"}
    assert tables.bridges.of("kohle") == tables.bridges.of("Finanzen".casefold()) == {"finances"}
    assert tables.bridges.of("finances") == {"finances"}
    assert tables.bridges.of("cassandra") == tables.bridges.of("postgres") == {"database"}
    assert TABLES.bridges.of("cassandra") == TABLES.verbs.of("asu") == frozenset()
    asked = Query("how are our finances", tables).synonyms
    assert {'"kohle"', '"finanz" *', '"finances"'} <= set(asked)
