"""Errors of the library name methods and parameters: what a program can call."""

from pathlib import Path

import pytest

import samemind
from samemind.errors import Failed, Locked
from samemind.library.in_python import say_in_python


@pytest.mark.parametrize(
    ("asked", "hint", "told"),
    [
        ("triggers act", "`samemind triggers list --all` shows them", "`triggers(all=True)` shows them"),
        ("", "`samemind contradictions` lists them", "`contradictions()` lists them"),
        ("", "`recall` and `samemind held release ID`", "`recall()` and `release_held(ID)`"),
        ("", "choose another data directory with --home", "choose another data directory"),
        ("", "choose one with --home DIR or SAMEMIND_HOME, or chown it", "choose one, or chown it"),
        ("contradictions resolve", "--keep-a, --keep RID or --no", "`keep_a`, `keep` or --no"),
        ("import", '`--format markdown` reads "`text`"', '`format="markdown"` reads "`text`"'),
        ("", "`samemind up`, `samemind help import`, `samemind list --nothing`", ""),
    ],
)
def test_what_is_typed_becomes_what_is_called(asked: str, hint: str, told: str) -> None:
    error = Failed(hint, hint=hint)
    for _ in ("once", "twice is the same"):
        say_in_python(error, asked)
        assert (error.hint, error.message, str(error)) == (told or hint,) * 3


def test_an_unknown_trigger_names_the_method_that_lists_them(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind, pytest.raises(samemind.NotFound) as raised:
        mind.act("019900")
    assert raised.value.hint == "`triggers(all=True)` shows them"


def test_a_home_that_cannot_be_opened_names_no_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samemind.config.system.owner_of", lambda found: 5)
    with pytest.raises(Locked) as raised:
        samemind.open_blocking(tmp_path).__enter__()
    assert "--home" not in raised.value.hint
    assert "chown" in raised.value.hint
