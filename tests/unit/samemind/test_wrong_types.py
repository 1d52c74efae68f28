"""What callers who check no types pass by mistake: each method names the argument, what it expects and what it got."""

import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import samemind
from samemind.errors import SamemindError


class _NamesANumber:
    rid = id = 5


WRONG: Final[tuple[Any, ...]] = (
    None, 5, -1, 1.5, float("nan"), True, b"x", object(), [], ["x"], [5], [None], {}, {"a": object()}, {5: 6}, ("x", 5),
    "", "\0", "\ud800", _NamesANumber(), date(2020, 1, 1), timedelta(1), {1, 2}, range(3), len, 10**30, [["x"]],
    datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC),
)  # fmt: skip
# They wait for somebody, or look around this machine; their arguments are few and plain.
WAITS: Final = frozenset({"wait_for_queue", "pair", "doctor", "straight"})
METHODS: Final = [
    name
    for name, method in inspect.getmembers(samemind.BlockingMind, callable)
    if not name.startswith("_") and name not in WAITS
]


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[samemind.BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("home")) as opened:
        yield opened


def calls(method: Any, known: dict[str, Any]) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Give each parameter of a method each wrong value, the others what they want."""
    parameters = inspect.signature(method).parameters.values()
    for spoilt in parameters:
        for value in WRONG:
            by_place: list[Any] = []
            by_name: dict[str, Any] = {}
            for one in parameters:
                given = value if one is spoilt else known.get(one.name, "x")
                if one is not spoilt and (one.default is not one.empty or one.kind in (2, 4)):
                    continue
                if one.kind is one.VAR_KEYWORD:
                    by_name["speaker"] = given
                elif one.kind is one.KEYWORD_ONLY or one.default is not one.empty:
                    by_name[one.name] = given
                else:
                    by_place.append(given)
            yield spoilt.name, by_place, by_name


@pytest.mark.parametrize("name", METHODS)
def test_no_wrong_type_raises_an_error_of_the_inside(
    mind: samemind.BlockingMind, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = mind.remember("Ann lives in Lisbon")
    known = {"rid": told.rid, "relevant": True, "items": ["a"], "conversation": [], "output": "out"}
    refused = []
    for spoilt, by_place, by_name in calls(getattr(mind, name), known):
        try:
            getattr(mind, name)(*by_place, **by_name)
        except SamemindError as error:
            refused.append((error.code, spoilt))
    assert {code for code, _ in refused}.isdisjoint({"internal", "store_failed", "store_corrupt"}), refused


def test_the_argument_what_it_expects_and_what_it_got_are_named(mind: samemind.BlockingMind) -> None:
    wrong: Any = mind
    told = mind.remember("Ben lives in Bonn")
    asked: list[tuple[Callable[[], Any], tuple[str, ...]]] = [
        (lambda: wrong.forget([told.rid]), ("rid", "text", f"['{told.rid}'")),
        (lambda: wrong.get(None), ("get", "RID", "missing")),
        (lambda: wrong.edit(5, "x"), ("edit", "rid", "text", "5")),
        (lambda: wrong.remember_many(5), ("items", "texts", "5")),
        (lambda: wrong.remember_many(["a", object()]), ("item 2", "JSON", "<object")),
        (lambda: wrong.remember("a", meta={"a": object()}), ("meta['a']", "JSON", "<object")),
        (lambda: wrong.remember("a", meta=5), ("meta", "mapping", "5")),
        (lambda: wrong.remember("a", tag=5), ("tag", "list", "5")),
        (lambda: wrong.set(told.rid, speaker=object()), ("speaker", "JSON", "<object")),
        (lambda: wrong.set_profile(name=5), ("name", "text", "5")),
        (lambda: wrong.restore_group(5), ("code", "text", "5")),
        (lambda: wrong.export(5), ("path", "5")),
        (lambda: wrong.import_(b"x"), ("path", "b'x'")),
        (lambda: wrong.context(conversation=5), ("conversation", "messages", "5")),
        (lambda: wrong.sense(5), ("text", "5")),
        (lambda: wrong.sense("a", kind="smell"), ("kind", "turn", "smell")),
    ]
    for call, words in asked:
        with pytest.raises(samemind.Usage) as raised:
            call()
        for word in words:
            assert word in str(raised.value)
    assert mind.get(told.rid).text == "Ben lives in Bonn"


def test_what_was_remembered_is_named_where_it_is_no_item(mind: samemind.BlockingMind) -> None:
    """To show all of it, what is found in it was asked for, on the thread that would have had to answer."""
    told: Any = mind.remember("Ben lives in Bonn")
    with pytest.raises(samemind.Usage, match=rf"item 1 to be JSON, got Remembered\(rid='{told.rid}'"):
        mind.remember_many([told])
    assert "facts=" in repr(told)


@pytest.mark.parametrize("path", [None, 5, b"x", [], object()])
def test_a_home_is_a_path(path: Any) -> None:
    with pytest.raises(samemind.Usage, match="expected the path of a data directory"):
        samemind.open_blocking(path).__enter__()


def test_the_name_of_a_device_is_text(tmp_path: Path) -> None:
    wrong: Any = 5
    with pytest.raises(samemind.Usage, match="printable name of 1 to 256 bytes, got 5"):
        samemind.open_blocking(tmp_path, name=wrong).__enter__()
