"""Call JavaScript from Python: the one module that knows there is a browser around.

`page/vendor.js` leaves `globalThis.samemind` there before anything here is asked for.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any


@lru_cache(1)
def javascript() -> Any:
    """Return the functions of `page/vendor.js`, by name."""
    return import_module("js").samemind


@lru_cache(1)
def javascript_error() -> type[Exception]:
    """Return the class of what JavaScript throws."""
    error: type[Exception] = import_module("pyodide.ffi").JsException
    return error


def given(data: bytes) -> Any:
    """Return bytes as JavaScript takes them: a copy, since Python's own memory may move."""
    return import_module("pyodide.ffi").to_js(bytes(data))


def got(answer: Any) -> bytes:
    """Return bytes that JavaScript answered with."""
    return bytes(answer.to_bytes())


def listed(values: list[Any]) -> Any:
    """Return values of JavaScript as an array of it."""
    return import_module("pyodide.ffi").to_js(values)
