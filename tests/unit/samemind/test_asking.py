"""A folder of many notes comes in if somebody at a terminal agreed, and goes again by the command that is told then."""

import io
import json
import shlex
import sys
from pathlib import Path

import pytest

import samemind
from samemind.cli.asking import NOTES_UNASKED_MAX
from samemind.cli.main import main


class Terminal(io.StringIO):
    """Somebody who sits there."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with more notes than come in unasked."""
    folder = tmp_path / "vault"
    (folder / ".hidden").mkdir(parents=True)
    (folder / ".hidden" / "draft.md").write_text("not meant")
    for number in range(NOTES_UNASKED_MAX + 1):
        (folder / f"{number}.md").write_text(f"Thought {number} about [[boats]]")
    return folder


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: str) -> Terminal:
    """Sit somebody there who gives this answer; return what they are shown beside the results, without colour."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    return shown


@pytest.mark.parametrize("answer", ["\n", "no\n", ""])
def test_whoever_does_not_agree_keeps_the_notes_out(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    home = tmp_path / "home"
    shown = at_a_terminal(monkeypatch, answer)
    assert main(["--home", str(home), "import", str(vault)]) == 4
    assert f"{vault} holds {NOTES_UNASKED_MAX + 1} Markdown notes" in shown.getvalue()
    assert "samemind: nothing was imported" in shown.getvalue()
    assert not home.exists(), "asked before anything is opened"


@pytest.mark.parametrize(
    ("words", "answer"), [([], "y\n"), (["--yes"], ""), (["--json"], ""), (["--raw"], "")]
)
def test_they_come_in_for_who_agrees_or_asks_as_a_program_does(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], answer: str
) -> None:
    shown = at_a_terminal(monkeypatch, answer)
    assert main(["--home", str(tmp_path / "home"), "import", str(vault), *words]) == 0
    assert ("Bring them in?" in shown.getvalue()) is (not words)
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.stats().memories == NOTES_UNASKED_MAX + 1


@pytest.mark.parametrize("one_by_one", [True, False])
def test_all_that_was_named_together_is_counted(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: bool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for note in sorted(vault.glob("*.md"))[::2]:
        note.rename(other / note.name)
    named = [*vault.glob("*.md"), *other.glob("*.md")] if one_by_one else [vault, other]
    shown = at_a_terminal(monkeypatch, "no\n")
    assert main(["--home", str(tmp_path / "home"), "import", *map(str, named)]) == 4
    assert f"and so on, holds {NOTES_UNASKED_MAX + 1} Markdown notes" in shown.getvalue()


def test_a_name_that_is_empty_is_no_folder(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is what an unset variable leaves, and would stand for the working directory."""
    monkeypatch.chdir(vault)
    assert main(["--home", str(tmp_path / "home"), "import", "", "--yes"]) == 2
    assert "expected the path of a file, got nothing" in capsys.readouterr().err
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.Usage, match="got nothing"):
            mind.import_("")
        assert mind.stats().memories == 0


def test_few_notes_and_a_pipe_ask_nobody(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (vault / "0.md").unlink()
    shown = at_a_terminal(monkeypatch, "")
    assert main(["--home", str(tmp_path / "home"), "import", str(vault)]) == 0
    (vault / "0.md").write_text("Thought 0 about [[boats]]")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["--home", str(tmp_path / "home"), "import", str(vault)]) == 0
    assert "Bring" not in shown.getvalue()
    assert (
        "\n1 imported, 100 known already, 0 failed\nto take that back: samemind retract"
        in capsys.readouterr().out
    )


def test_an_import_is_taken_back_by_the_command_that_it_ends_with_and_nothing_else_goes(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, early = tmp_path / "home", tmp_path / "early.md"
    early.write_text("An earlier note about [[ships]]")
    with samemind.open_blocking(home) as mind:
        mind.import_(early)
        kept = [mind.remember("Ann has a boat").rid, *(each.rid for each in mind.list().memories)]
        mind.relate("Ann", "owns", "boat")
        undo = mind.import_(vault, facts=True).undo
        assert undo is not None
        assert mind.import_(vault).undo is None, "nothing came in"
    program, *words = shlex.split(undo)
    assert program == "samemind"
    monkeypatch.setenv("SAMEMIND_HOME", str(tmp_path / "another"))
    assert main(["--json", *words, "--dry-run"]) == 0
    would_go = json.loads(capsys.readouterr().out)
    assert len(would_go["rids"]) == NOTES_UNASKED_MAX + 1
    assert main(["--json", *words]) == 0
    with samemind.open_blocking(home) as mind:
        assert {each.rid for each in mind.list(limit=1000).memories} == {*kept}
        edges = {(each.source, each.target) for each in mind.graph("boat").edges}
        assert edges == {("Ann", "boat")}
        assert [each.target for each in mind.graph("early").edges] == ["ships"]
        assert mind.import_(vault).imported == 0, "taken back is forgotten"


def test_an_import_of_nothing_that_can_be_read_has_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, home = tmp_path / "in.jsonl", str(tmp_path / "home")
    file.write_text("garbage\n")
    assert main(["--home", home, "import", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["failed"], "the result is told all the same"
    file.write_text('garbage\n{"text": "and a memory"}\n')
    assert [main(["--home", home, "import", str(file)]) for _ in range(2)] == [0, 0]
    file.write_text("")
    assert main(["--home", home, "import", str(file)]) == 0, "nothing was asked for, and nothing failed"
