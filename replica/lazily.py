"""Load what a package exports when it is asked for: a command that only lists memories loads no ranking.

A package's head names its exports in an `if TYPE_CHECKING:` block, for type checkers and readers. What stands below
that, `__all__` and the table for `exports`, is written from it by `python -m samemind._tools.generate`.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def exports(package: str, names_by_module: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package (PEP 562): it loads the module that a name comes from, and keeps the name.

    The modules are named without the package. `AttributeError` for a name that none of them has.
    """
    module_by_name = {name: module for module, names in names_by_module.items() for name in names}

    def load(name: str) -> Any:
        module = module_by_name.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{module}"), name)
        setattr(sys.modules[package], name, found)  # the next time, it is found without asking here
        return found

    return load
