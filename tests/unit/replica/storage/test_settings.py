"""Settings that all devices share, as the tables of a store show them."""

from replica.codec import pack
from replica.ops import Set
from replica.storage.settings import read_settings
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from tests.support.replicas import core_of, say


def test_settings_are_read_by_how_their_names_begin() -> None:
    connection = connect(":memory:")
    core = core_of("ann", SqliteStore(connection))
    for name in ("alias", "name.first", "name.last", "zone"):
        say(core, Set(name, name.upper()))
    assert read_settings(connection, "name.") == {"first": "NAME.FIRST", "last": "NAME.LAST"}


def test_a_setting_that_nobody_wrote_is_found() -> None:
    connection = connect(":memory:")
    store = SqliteStore(connection)
    connection.execute("INSERT INTO setting (name, value, hlc) VALUES ('theme', ?, 1)", [pack("dark")])
    assert list(store.check([])) == ["the setting 'theme' shows, but was never folded"]
