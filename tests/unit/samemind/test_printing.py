"""What whoever sits at a terminal sees while a verb is at work; and that nobody else sees anything."""

import io
import sys
import threading

import pytest

from samemind.cli import printing
from samemind.cli.printing import Printer
from samemind.errors import Usage


class Screen(io.StringIO):
    """A terminal, as far as a program can tell."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text.strip():
            self.drawn.set()
        return super().write(text)


def watched(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Put standard error on a terminal, before which nobody has any patience."""
    found = Screen()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(printing, "PATIENCE_S", 0.0)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return found


def test_a_verb_that_takes_its_time_shows_that_it_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    with Printer(json=False, raw=False).waiting("verify"):
        assert screen.drawn.wait(60)
    assert "verify" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K"), "and takes it away again"


def test_progress_that_is_told_is_drawn_in_the_same_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    printer = Printer(json=False, raw=False)
    with printer.waiting("import"):
        assert screen.drawn.wait(60)
        printer.said("import", {"progress": {"done": 250, "total": 1_000}})
    assert "25%" in screen.getvalue()


@pytest.mark.parametrize("why", ["json", "piped", "goes on"])
def test_nobody_else_sees_a_bar(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    screen = watched(monkeypatch)
    printer = Printer(json=why == "json", raw=False)
    if why == "piped":
        monkeypatch.setattr(screen, "isatty", lambda: False)
    with printer.waiting("pair" if why == "goes on" else "verify"):
        if why != "goes on":
            printer.said("verify", {"progress": {"done": 1, "total": 2}})
    assert screen.getvalue() == ""


def test_whoever_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)

    def drawn() -> str:
        screen.truncate(0)
        printer = Printer(json=False, raw=False)
        with printer.waiting("import"):
            printer.said("import", {"progress": {"done": 250, "total": 1_000}})
        return screen.getvalue()

    assert "\x1b[3" in drawn()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in drawn()


def test_every_line_of_a_hint_stands_under_what_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    Printer(json=False, raw=False).failed(Usage("no such option", hint="usage: so\nhelp tells more"))
    assert capsys.readouterr().err == "samemind: no such option\n  usage: so\n  help tells more\n"
