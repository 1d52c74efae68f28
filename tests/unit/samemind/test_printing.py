"""What whoever sits at a terminal sees while a verb is at work; and that nobody else sees anything."""

import csv
import io
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samemind.catalog import NAMES, verb_named
from samemind.cli import main, printing
from samemind.cli.formats import formatted
from samemind.cli.printing import Printer
from samemind.cli.terminal import cells_of
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
    with Printer(json=False, raw=False).waiting(verb_named("verify")):
        assert screen.drawn.wait(60)
    assert "verify" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K"), "and takes it away again"


def test_progress_that_is_told_is_drawn_in_the_same_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)
    printer = Printer(json=False, raw=False)
    with printer.waiting(verb_named("import")):
        assert screen.drawn.wait(60)
        printer.said(verb_named("import"), {"progress": {"done": 250, "total": 1_000}})
    assert "25%" in screen.getvalue()


@pytest.mark.parametrize("why", ["json", "piped", "goes on"])
def test_nobody_else_sees_a_bar(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    screen = watched(monkeypatch)
    printer = Printer(json=why == "json", raw=False)
    if why == "piped":
        monkeypatch.setattr(screen, "isatty", lambda: False)
    with printer.waiting(verb_named("pair" if why == "goes on" else "verify")):
        if why != "goes on":
            printer.said(verb_named("verify"), {"progress": {"done": 1, "total": 2}})
    assert screen.getvalue() == ""


def test_whoever_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = watched(monkeypatch)

    def drawn() -> str:
        screen.truncate(0)
        printer = Printer(json=False, raw=False)
        with printer.waiting(verb_named("import")):
            printer.said(verb_named("import"), {"progress": {"done": 250, "total": 1_000}})
        return screen.getvalue()

    assert "\x1b[3" in drawn()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in drawn()


def test_every_line_of_a_hint_stands_under_what_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    Printer(json=False, raw=False).failed(Usage("no such option", hint="usage: so\nhelp tells more"))
    assert capsys.readouterr().err == "samemind: no such option\n  usage: so\n  help tells more\n"


def test_what_a_command_waits_for_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("samemind.cli.printing.PROGRESS_LINES_S", 0.0)
    told = {"progress": {"done": 40_000, "total": 200_000}, "taking_in": True}
    Printer(json=False, raw=False).said(verb_named("remember"), told)
    assert capsys.readouterr().err == "taking in what another device sent: 40,000 of 200,000\n"


def test_where_no_terminal_is_progress_is_a_line_every_few_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 100.0
    monkeypatch.setattr("samemind.cli.printing.time.monotonic", lambda: now_s)
    printer = Printer(json=False, raw=False)
    with printer.waiting(verb_named("import")):
        for done in range(0, 20_000, 1_000):
            printer.said(verb_named("import"), {"progress": {"done": done, "total": 20_000}})
            now_s += 1.0
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"import: {done:,} of 20,000" for done in (5_000, 10_000, 15_000)]


def test_every_verb_that_takes_long_says_what_ctrl_c_left() -> None:
    """Those whose words are an answer, such as the codes of `pair`, have told it by then."""
    silent = {
        name for name in NAMES if (verb := verb_named(name)).streams and not verb.news and not verb.kept
    }
    assert silent == set()
    assert all(verb_named(name).kept for name in ("think", "backup", "sync", "remember-many"))


def test_what_an_interrupted_import_left_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for json_asked in (False, True):
        printer = Printer(json=json_asked, raw=False)
        with printer.waiting(verb_named("import")):
            pass
        printer.interrupted()
        told = capsys.readouterr()
        assert "import the same files again to go on" in (told.out if json_asked else told.err)
    printer = Printer(json=False, raw=False)
    with printer.waiting(verb_named("recall")):
        pass
    printer.interrupted()
    assert capsys.readouterr().err == ""


ROWS: list[dict[str, Any]] = [
    {"rid": "a", "text": 'line\nbreak, and "quotes"', "tags": ["x"], "score": 0.5, "device": "d" * 64},
    {"rid": "b", "text": "\x1b[2Jclears", "tags": [], "score": None, "device": "d" * 64},
]


def test_records_are_printed_as_a_table_rows_or_a_document() -> None:
    document = {"results": ROWS, "took_ms": 1}
    read = list(csv.DictReader(io.StringIO(formatted("csv", document, ROWS))))
    assert [row["text"] for row in read] == [row["text"] for row in ROWS]
    assert (read[0]["tags"], read[1]["score"]) == ('["x"]', "")
    assert [json.loads(line) for line in formatted("jsonl", document, ROWS).splitlines()] == ROWS
    assert json.loads(formatted("json", document, ROWS)) == document
    timed = [{"rid": "01ab", "created_at": "2026-11-26T12:55:51.698Z", "updated_at": "2026-11-26T12:55:51Z"}]
    assert formatted("table", {}, timed).splitlines()[1].split() == ["01ab", "2026-11-26", "12:55Z"]
    table = formatted("table", document, ROWS)
    assert len(table.splitlines()) == 3
    assert "\x1b" not in table
    assert "d" * 64 not in table
    for each in ("table", "csv", "jsonl"):
        assert formatted(each, {"results": []}, []).strip() == ""


FORMULAS = ['=HYPERLINK("http://x")', "+1|cmd", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\uff1d1", "'=1", "''-x"]
HARMLESS = ["-5", "+4.5", "2 = 1 + 1", "'tis", "", "\n=1", " =1"]


@pytest.mark.parametrize("text", FORMULAS + HARMLESS)
def test_a_spreadsheet_runs_nothing_that_somebody_told_and_nothing_is_lost(text: str) -> None:
    ((cell,),) = list(csv.reader(io.StringIO(formatted("csv", {}, [{"text": text}]) + "\n", newline="")))[
        1:
    ] or [[""]]
    assert cell == (f"'{text}" if text in FORMULAS else text)
    assert re.sub(r"^'(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])", "", cell) == text
    (row,) = formatted("csv", {}, [{"score": -0.5, "tags": ["=1"]}]).splitlines()[1:]
    assert row == '-0.5,"[""=1""]"'


@pytest.mark.parametrize("columns", [12, 40, 60, 80, 200])
def test_a_table_fits_its_terminal_and_says_what_is_in_nested_values(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """What has no room is left out from the end, rather than all of it cut; what an id is of stays."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", Screen())
    rows = [
        {
            "id": "0f9383de88df02a20b60bb1218fff025",
            "a": {"rid": "1", "value": "Porto", "text": "Ann moved to Porto"},
            "told_at": "2026-11-26T12:55:51.698Z",
            "tags": ["home", "日本語" * 30],
            "score": 0.123456789,
            "meta": {"k": 1},
        }
    ] * 3
    head, *lines = formatted("table", {}, rows).splitlines()
    assert len(lines) == 3
    assert max(map(cells_of, (head, *lines))) <= max(columns, len("0f9383de88df  Porto"))
    assert head.split()[0] == "id"
    assert lines[0].startswith("0f9383de88df")
    assert "Porto" in lines[0]
    assert ("2026-11-26 12:55Z" in lines[0]) == (columns >= 40)
    assert ("0.1235" in lines[0] and '{"k": 1}' in lines[0] and "home, 日本語" in lines[0]) == (columns >= 80)


def test_a_table_of_many_rows_is_quick() -> None:
    rows = [
        {"rid": f"{number:08x}", "text": f"number {number}", "at": "2026-11-26T12:55Z"}
        for number in range(20_000)
    ]
    began = time.process_time()
    assert len(formatted("table", {}, rows).splitlines()) == 20_001
    assert time.process_time() - began < 5, "what draws boxes takes three times that"


def test_an_invitation_to_a_mailbox_is_drawn_for_a_camera_where_somebody_sits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the certificate of a server of one's own, which is the longest there is."""
    read_terminal = pytest.importorskip("tests.support.camera").read_terminal
    said = "samemind-mailbox:" + "eyJuYW1lIjogImhvbWUi" * 46
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    Printer(json=False, raw=False).result("mailbox invite", {"text": said})
    assert said in screen.getvalue()
    assert read_terminal(screen.getvalue()) == said
    plain = Screen()
    plain.isatty = lambda: False  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", plain)
    Printer(json=False, raw=False).result("mailbox invite", {"text": said})
    assert plain.getvalue() == said + "\n"


@pytest.mark.parametrize("verb", ["up", "panel"])
def test_who_types_what_keeps_the_terminal_is_told_how_it_ends(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And hears of no bug when it has ended."""
    for at_a_terminal in (True, False):
        screen = Screen()
        screen.isatty = lambda sits=at_a_terminal: sits  # type: ignore[method-assign, misc]
        monkeypatch.setattr(sys, "stdout", screen)
        printer = Printer(json=False, raw=False)
        up: dict[str, Any] = dict.fromkeys(("revoked_by", "panel_url", "mcp_url", "think", "clone"))
        up |= {"name": "laptop", "device_id": "8c" * 32, "running": True, "address": "", "pid": 1}
        up |= {"peers": [], "mailboxes": [], "incidents": []}
        opened = {"url": "http://127.0.0.1:1/", "fingerprint": None}
        printer.said(verb_named(verb), opened if verb == "panel" else up)
        printer.result(verb, {"device_id": "8c" * 32, "pid": 1})
        assert screen.getvalue().endswith("\nended\n")
        told = capsys.readouterr().err
        assert told.count("\n") == (1 if at_a_terminal else 0)
        assert ("Ctrl-C" in told and "samemind up --background" in told) is at_a_terminal


class _OlderDaemon:
    """The program that holds the store, of a release whose status says less."""

    def ask(self, verb: str, options: dict[str, Any]) -> Iterator[tuple[None, dict[str, Any]]]:
        yield None, {"running": True, "device_id": "8c" * 32, "name": "laptop", "home": "", "pid": 1}

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("held", "hint"), [(True, "`samemind down`, then `samemind up`"), (False, "this is a bug of samemind")]
)
def test_an_answer_of_an_older_daemon_says_to_restart_it(
    held: bool, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SAMEMIND_DEBUG", raising=False)
    monkeypatch.setattr("samemind.cli.main.Control.connect", lambda _home: _OlderDaemon())
    monkeypatch.setattr("samemind.home.lock.is_held", lambda _home: held)
    assert main.main(["--home", str(tmp_path / "home"), "status"]) == 1
    assert hint in capsys.readouterr().err
