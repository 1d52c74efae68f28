"""Make frozen values as `dataclasses` does, in a third of the time.

Before Python 3.13 `dataclasses` compiles each of the six methods of a frozen class by itself. A command loads sixty to
a hundred such classes, and that took an eighth of its CPU time. Here one method a class is compiled, and the others
read its fields. Type checkers see the `dataclass` of the standard library, and `fields`, `replace`, `asdict`, `copy`
and `pickle` take a value of either kind. A class of one kind is no base for one of the other.
"""

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
        """Return what makes a class one of frozen values with slots; for all others there is `dataclasses`."""
        assert (frozen, slots) == (True, True), "expected a class of frozen values with slots"
        return lambda plain: _frozen(plain, kw_only=kw_only)


__all__ = ["dataclass"]


def _frozen(plain: type[Any], *, kw_only: bool) -> Any:
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(plain)
    declared = dataclasses.fields(cls)
    values = _reader([one.name for one in declared if one.compare])

    def equals(self: Any, other: Any) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    methods = {
        "__init__": _initialiser(cls, declared),
        "__eq__": equals,
        "__hash__": lambda self: hash(values(self)),
        "__repr__": _shown,
        "__setattr__": _refuse_to_assign,
        "__delattr__": _refuse_to_delete,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, method in methods.items():
        if plain.__dict__.get(name) is None:  # beside an `__eq__` of its own, Python puts None for the hash
            setattr(cls, name, method)
    return cls


def _reader(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads these fields of a value, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)  # returns a tuple for two and more
    return lambda value: tuple(getattr(value, name) for name in names)


def _initialiser(cls: type[Any], declared: Sequence["dataclasses.Field[Any]"]) -> Callable[..., None]:
    """Compile the one method that would be too slow if it read the fields anew for each value."""
    known: dict[str, Any] = {"_missing": dataclasses.MISSING}
    by_place: list[str] = []
    by_name, lines = ["*"], list[str]()
    for one in declared:
        given, value = one.name, one.name
        if one.default is not dataclasses.MISSING:
            given, known[f"_{one.name}"] = f"{one.name}=_{one.name}", one.default
        elif one.default_factory is not dataclasses.MISSING:
            given, known[f"_{one.name}"] = f"{one.name}=_missing", one.default_factory
            value = f"_{one.name}() if {one.name} is _missing else {one.name}"
        (by_name if one.kw_only else by_place).append(given)
        # What puts a value into a slot is in the class: to look it up by its name for each value takes as long again.
        known[f"_put_{one.name}"] = getattr(cls, one.name).__set__
        lines.append(f" _put_{one.name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = ", ".join(["self", *by_place, *(by_name if len(by_name) > 1 else ())])
    exec(f"def __init__({parameters}):\n" + "\n".join(lines or [" pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {one.name: one.type for one in declared} | {"return": None}
    return made


def _shown(self: Any) -> str:
    told = (f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({', '.join(told)})"


def _refuse_to_assign(self: Any, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _restore(self: Any, state: Sequence[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
