"""Stand in for a library's own store, so that its own tests drive ours: copied beside them as their `conftest.py`.

It names nothing of our tests, since theirs are a package of that name too.
"""

import asyncio
import inspect
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import samemind
from samemind.library.blocking import BlockingMind

_OPEN = ExitStack()
_BY_PLACE: dict[str, BlockingMind] = {}


def mind_at(place: str | None = None) -> BlockingMind:
    """Return a fresh memory, or the one of a place."""
    if place is None or place not in _BY_PLACE:
        folder = Path(_OPEN.enter_context(tempfile.TemporaryDirectory()))
        mind = _OPEN.enter_context(samemind.open_blocking(folder / "memory.db"))
        if place is None:
            return mind
        _BY_PLACE[place] = mind
    return _BY_PLACE[place]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    _BY_PLACE.clear()
    _OPEN.pop_all().close()


def pytest_configure(config: pytest.Config) -> None:
    """Take their marks as known."""
    config.addinivalue_line("markers", "asyncio: a coroutine")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutines, for which they have a plugin."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(pyfuncitem.obj(**given))
    return True


def _for_langgraph() -> None:
    import langgraph.store.memory

    from samemind.adapters.langgraph import SamemindStore

    class Store(SamemindStore):
        def __init__(self, *, index: dict[str, Any] | None = None) -> None:
            told = index or {}
            super().__init__(mind_at(), fields=tuple(told.get("fields") or told.get("text_fields") or ()))

        def setup(self) -> None: ...

        @classmethod
        @contextmanager
        def from_conn_string(cls, place: str, index: dict[str, Any] | None = None) -> Iterator["Store"]:
            yield cls(index=index)

    langgraph.store.memory.InMemoryStore = Store
    sqlite, base = types.ModuleType("langgraph.store.sqlite"), types.ModuleType("langgraph.store.sqlite.base")
    sqlite.SqliteStore = Store  # type: ignore[attr-defined]
    base.__getattr__ = lambda name: type(name, (), {})  # type: ignore[method-assign]
    mock = types.ModuleType("pytest_mock")
    mock.MockerFixture = object  # type: ignore[attr-defined]
    sys.modules |= {
        "langgraph.store.sqlite": sqlite,
        "langgraph.store.sqlite.base": base,
        "pytest_mock": mock,
    }


def _for_agents() -> None:
    import agents

    from samemind.adapters.openai_agents import SamemindSession

    class Session(SamemindSession):
        def __init__(self, session_id: str, place: Any = ":memory:", session_settings: Any = None) -> None:
            mind = mind_at(None if str(place) == ":memory:" else str(place))
            super().__init__(session_id, mind, session_settings=session_settings)

        def close(self) -> None: ...

    agents.SQLiteSession = Session


_for_langgraph()
_for_agents()
