"""One setting is put into the file of settings, and whatever else stands there stays."""

import tomllib
from dataclasses import fields

import pytest

from samemind.config import Settings, bound_of, slip, with_setting
from samemind.errors import Usage
from samemind.panel.settings import GROUPS, danger

WRITTEN = """# mine
name = "ada" # the old one

# at night
quiet_hours = "22:00-07:00"

[words]
live = ["habit*"]
"""


@pytest.mark.parametrize("told", ["", "\n", WRITTEN, 'notify = "all"', "[words]\nlive = ['habit*']\n"])
@pytest.mark.parametrize(("key", "value"), [("notify", "off"), ("notify", None), ("history_days", 30)])
def test_a_setting_is_put_in_or_taken_out_and_the_rest_stays(told: str, key: str, value: object) -> None:
    made = with_setting(told, key, value)
    before = {name: each for name, each in tomllib.loads(told).items() if name != key}
    assert tomllib.loads(made) == (before if value is None else {**before, key: value})
    assert [line for line in told.splitlines() if line.startswith("#")] == [
        line for line in made.splitlines() if line.startswith("#")
    ]


def test_a_setting_keeps_its_place() -> None:
    assert with_setting(WRITTEN, "quiet_hours", "23:00-06:00") == WRITTEN.replace(
        "22:00-07:00", "23:00-06:00"
    )


@pytest.mark.parametrize("told", ['notify = """\nall"""\n', "'notify' = 'all'\n"])
def test_what_is_written_otherwise_is_left_to_its_owner(told: str) -> None:
    with pytest.raises(Usage, match="on a line of its own"):
        with_setting(told, "notify", "off")


def test_every_setting_is_on_the_page_but_the_two_that_are_written_in_the_file() -> None:
    shown = [key for keys in GROUPS.values() for key in keys]
    assert sorted([*shown, "name", "words"]) == sorted(each.name for each in fields(Settings))


def test_what_holds_without_a_setting_is_within_its_bound_and_beyond_it_is_refused() -> None:
    for key in (key for keys in GROUPS.values() for key in keys):
        bound, default = bound_of(key), getattr(Settings(), key)
        if default is not None:
            assert slip(key, default) == "", key
        if bound.kind == "number":
            assert bound.most is not None
            assert bound.least is not None
            assert slip(key, bound.most + 1) != ""
            assert slip(key, bound.least - 1) != ""
        elif bound.kind == "choice":
            assert slip(key, "neither") != "", key
        else:
            assert slip(key, 5) != "", key


def test_what_cannot_be_taken_back_or_sends_words_elsewhere_is_dangerous() -> None:
    usual = Settings()
    for key, value in (
        ("contradictions", "newer"), ("history_days", 1), ("embedder", "small"), ("model_url", "https://a.example"),
        ("hub_url", "https://b.example"), ("model_comparisons", 1),
    ):  # fmt: skip
        assert danger(key, usual, Settings(**{key: value})), key  # type: ignore[arg-type]
    for key, value in (("contradictions", "ask"), ("history_days", 400), ("notify", "off")):
        assert not danger(key, usual, Settings(**{key: value})), key  # type: ignore[arg-type]
    assert not danger("model_url", Settings(model_url="https://a.example"), usual)
    assert not danger("model_comparisons", Settings(model_comparisons=10), Settings(model_comparisons=20))
