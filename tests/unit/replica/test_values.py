"""Values made by `replica.values` are what `dataclasses` would have made."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import field
from math import nan
from typing import Any, get_type_hints

import pytest

from replica.values import dataclass


@dataclass(frozen=True, slots=True)
class Nothing:
    """Has no fields."""


@dataclass(frozen=True, slots=True)
class One:
    """Has one."""

    weight: float | None


@dataclass(frozen=True, slots=True)
class Several:
    """Has fields of every sort."""

    text: str
    parts: tuple[int, ...] = ()
    notes: dict[str, int] = field(default_factory=dict, compare=False)
    secret: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByName:
    """Takes its fields by name."""

    limit: int = 5
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class More(ByName):
    """Has the fields of another, and one of its own."""

    place: str = "here"


@dataclass(frozen=True, slots=True)
class Checked:
    """Refuses what cannot be."""

    count: int

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError("expected 0 or more")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checked)


def standard(cls: type[Any], bases: tuple[type[Any], ...] = (), *, kw_only: bool = False) -> type[Any]:
    """Return the same class as the standard library makes it."""
    body = {
        name: each
        for name, each in vars(cls).items()
        if name in ("__doc__", "__post_init__", "__eq__", "__qualname__")
        and (name != "__eq__" or cls is Checked)
    }
    body["__annotations__"] = inspect.get_annotations(
        cls
    )  # newer Pythons do not keep them among the names of the class
    for one in dataclasses.fields(cls):
        if one.name in cls.__annotations__:
            body[one.name] = field(
                default=one.default,
                default_factory=one.default_factory,
                repr=one.repr,
                compare=one.compare,
                kw_only=one.kw_only,
            )
    return dataclasses.dataclass(frozen=True, slots=True, kw_only=kw_only)(type(cls.__name__, bases, body))


BASE = standard(ByName, kw_only=True)
THEIRS = {
    Nothing: standard(Nothing),
    One: standard(One),
    Several: standard(Several),
    ByName: BASE,
    More: standard(More, (BASE,), kw_only=True),
    Checked: standard(Checked),
}
CASES: list[tuple[type[Any], tuple[Any, ...], Mapping[str, Any]]] = [
    (Nothing, (), {}),
    (One, (None,), {}),
    (One, (nan,), {}),
    (Several, ("a",), {}),
    (Several, ("a", (1, 2), {"b": 1}), {"secret": b"c"}),
    (ByName, (), {"text": "a"}),
    (More, (), {"text": "a", "limit": 3, "place": "there"}),
    (Checked, (3,), {}),
]


@pytest.mark.parametrize(("cls", "by_place", "by_name"), CASES)
def test_a_value_is_and_does_what_the_standard_one_does(
    cls: type[Any], by_place: tuple[Any, ...], by_name: Mapping[str, Any]
) -> None:
    ours, again, theirs = (each(*by_place, **by_name) for each in (cls, cls, THEIRS[cls]))
    assert repr(ours) == repr(theirs)
    assert (ours == again, hash(ours)) == (True, hash(theirs) if cls is not Checked else hash(again))
    assert ours != theirs or cls is Checked
    assert dataclasses.asdict(ours).keys() == dataclasses.asdict(theirs).keys()
    assert [one.name for one in dataclasses.fields(ours)] == [one.name for one in dataclasses.fields(theirs)]
    assert cls.__match_args__ == THEIRS[cls].__match_args__
    assert not hasattr(ours, "__dict__")
    for same in (
        copy.copy(ours),
        copy.deepcopy(ours),
        pickle.loads(pickle.dumps(ours)),
        dataclasses.replace(ours),
    ):
        assert repr(same) == repr(ours)


@pytest.mark.parametrize("cls", THEIRS)
def test_it_is_made_as_the_standard_one_is(cls: type[Any]) -> None:
    """The parameters, their order, their types and which may be missing."""
    ours, theirs = (inspect.signature(each) for each in (cls, THEIRS[cls]))
    assert [(one.name, one.kind) for one in ours.parameters.values()] == [
        (one.name, one.kind) for one in theirs.parameters.values()
    ]
    assert get_type_hints(cls.__init__) == get_type_hints(THEIRS[cls].__init__)
    for made in (cls, THEIRS[cls]):
        with pytest.raises(TypeError, match="unexpected keyword argument 'unknown'"):
            made(unknown=1)


@pytest.mark.parametrize("name", ["text", "unknown"])
def test_nothing_of_it_can_be_changed(name: str) -> None:
    value = Several("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(value, name, "b")
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(value, name)


def test_what_refuses_a_value_is_asked_for_each() -> None:
    with pytest.raises(ValueError, match="expected 0 or more"):
        Checked(-1)
    with pytest.raises(ValueError, match="expected 0 or more"):
        dataclasses.replace(Checked(1), count=-1)


def test_what_is_made_anew_for_each_is_not_shared() -> None:
    one, other = Several("a"), Several("a")
    one.notes["b"] = 1
    assert other.notes == {}
    assert one == other


def test_a_class_of_one_kind_is_no_base_for_one_of_the_other() -> None:
    """It would be frozen in part."""
    with pytest.raises(TypeError, match="cannot inherit"):
        dataclasses.dataclass(frozen=True)(type("Sub", (ByName,), {}))
    with pytest.raises(TypeError, match="cannot inherit"):
        dataclass(frozen=True, slots=True)(type("Sub", (BASE,), {}))
