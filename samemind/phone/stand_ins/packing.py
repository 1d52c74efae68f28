"""Stand in for `msgpack` while a memory is prepared that later starts go on from.

Such a memory can hold no library that was loaded beside the interpreter. So what packs is the library's own Python at
first, and the compiled library from when `load` was called.
"""

import sys
from importlib import import_module
from typing import Any, Final

_LIBRARY: Final = "msgpack._cmsgpack"
_GIVEN: "Final[list[Packer]]" = []


class Packer:
    """A packer whose `pack` others may keep: what it calls is exchanged beneath it."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self.use(import_module("msgpack.fallback").Packer)
        _GIVEN.append(self)

    def use(self, packer: Any) -> None:
        """Pack by this class from now on."""
        self._pack = packer(**self._options).pack

    def pack(self, value: Any) -> bytes:
        """Return a value as bytes."""
        packed: bytes = self._pack(value)
        return packed


def put_off() -> None:
    """Let `msgpack` be imported without its library; to be called before anything else imports it."""
    modules: dict[str, Any] = sys.modules
    modules[_LIBRARY] = None  # which `import` takes for one that is not there
    msgpack: Any = import_module("msgpack")
    del modules[_LIBRARY]
    msgpack.Packer = Packer


def load() -> None:
    """Load the library, and let everything that was given before use it."""
    library = import_module(_LIBRARY)
    msgpack: Any = import_module("msgpack")
    msgpack.unpackb, msgpack.Unpacker, msgpack.Packer = library.unpackb, library.Unpacker, library.Packer
    for packer in _GIVEN:
        packer.use(library.Packer)
