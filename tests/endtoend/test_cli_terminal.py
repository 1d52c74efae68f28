"""What somebody at a terminal sees, in a pseudo-terminal."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sync.words import WORDS
from tests.support import cli


def watched(home: Path, *words: str, errors: bool = False, **more: str) -> str:
    """Return all that a command shows at a terminal, with or without its errors and progress."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), *words],
        stdin=subprocess.DEVNULL, stdout=end, stderr=end if errors else subprocess.DEVNULL,
        env=cli.environment(**{"TERM": "xterm", "COLUMNS": "60"} | more),
    )  # fmt: skip
    os.close(end)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # Linux says so when the other end has closed
            break
    os.close(terminal)
    process.wait(cli.SECONDS_MAX)
    return shown.decode()


@pytest.mark.parametrize("with_a_daemon", [False, True])
def test_a_terminal_is_shown_short_ids_that_can_be_typed_again(tmp_path: Path, with_a_daemon: bool) -> None:
    """Also where many came in at one moment, whose ids begin alike: `remember --batch`."""
    home = tmp_path / "home"
    lines = "".join(json.dumps({"text": f"number {i} of many"}) + "\n" for i in range(200))
    cli.run(home, "remember", "--batch", "-", stdin=lines)
    whole = [each["rid"] for each in cli.run(home, "list", "-n", "200", "--json").json["memories"]]

    def look() -> None:
        shown = [line.split()[0] for line in watched(home, "list", "-n", "200", NO_COLOR="1").splitlines()]
        assert len(set(shown)) == 200
        assert [rid for rid, short in zip(whole, shown, strict=True) if not rid.startswith(short)] == []
        for short in shown[::150]:
            assert "of many" in cli.run(home, "get", short).out

    if with_a_daemon:
        with cli.daemon(home):
            look()
    else:
        look()


def test_colour_is_for_terminals_that_want_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "Ann moved to Lisbon")
    assert "\x1b[2m" in watched(home, "list")
    assert "\x1b[" not in watched(home, "list", NO_COLOR="1")
    assert "\x1b[" not in cli.run(home, "list").out
    assert "\x1b[31msamemind:" in watched(home, "get", "zz", errors=True)
    assert "\x1b[31m" not in watched(home, "get", "zz", errors=True, NO_COLOR="1")


def test_what_a_terminal_would_obey_is_not_let_through_with_the_colours(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "ring \x1b[31mred\x07 bell")
    shown = watched(home, "recall", "bell")
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def test_rows_of_a_list_fit_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "longstory" * 30)
    (row,) = watched(home, "list", NO_COLOR="1").splitlines()
    assert len(row) == 60
    assert row.endswith("…")


def test_a_list_says_what_is_remembered_on_the_narrowest_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "Ann moved to Lisbon, and all her books came along")
    for words in ((), ("--format", "table")):
        assert "Ann moved to Lis" in watched(home, "list", *words, COLUMNS="20", NO_COLOR="1")


def test_the_command_alone_says_the_next_step_and_a_dozen_verbs(tmp_path: Path) -> None:
    cli.run(tmp_path / "home", "remember", "Ann likes green tea")
    shown = watched(tmp_path / "home")
    assert "Next: samemind up --background" in shown
    verbs = re.findall(r"^  ([a-z]+)  ", shown.replace("\r", ""), re.MULTILINE)
    assert 10 <= len(verbs) <= 14
    assert {"remember", "recall", "list", "forget", "import", "panel"} <= set(verbs)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        *((word, verb) for verb, words in (
            ("recall", ("search", "find", "recalll")), ("remember", ("add", "save")), ("forget", ("rm", "delete")),
            ("get", ("show",)), ("list", ("ls",)),
        ) for word in words),
        ("remember --importanse 1 x", "--importance"),
    ],
)  # fmt: skip
def test_a_slip_or_a_word_of_another_tool_is_answered_with_ours(
    tmp_path: Path, words: str, meant: str
) -> None:
    assert f"did you mean {meant!r}?".replace("'--importance'", "--importance") in watched(
        tmp_path / "home", *words.split(), errors=True
    ).replace("\r", "").replace("\n    ", " ")


def test_records_come_as_a_table_or_rows_at_a_terminal_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "Ann likes green tea")
    (row,) = csv.DictReader(watched(home, "list", "--format", "csv").splitlines())
    assert row["text"] == "Ann likes green tea"
    assert json.loads(watched(home, "list", "--format", "jsonl"))["rid"] == row["rid"]
    assert json.loads(watched(home, "list", "--format", "json"))["total"] == 1
    table = watched(home, "list", "--format", "table", NO_COLOR="1").splitlines()
    assert table[0].split()[:2] == ["rid", "text"]
    assert "Ann likes green tea" in table[1]
    assert max(map(len, table)) <= 60
    assert "\x1b[1mrid" in watched(home, "list", "--format", "table")


def test_a_dry_run_says_what_would_come_in_and_changes_nothing(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes.jsonl"
    notes.write_text('{"text": "one"}\n{"text": "two"}\n', "utf-8")
    assert "2" in watched(home, "import", str(notes), "--dry-run")
    assert cli.run(home, "list", "--json").json["total"] == 0


def test_a_place_of_the_system_gets_a_hint(tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.run(home, "remember", "Ann likes green tea")
    for words in (("export", "-o", "/proc/foo"), ("backup", "/proc/foo"), ("--home", "/proc/foo", "list")):
        ran = cli.run(home, *words)
        assert ran.code == 2, ran.err
        assert "expected a path where a f" in ran.err
        assert re.search("another folder|another one with --home", ran.err)
    ran = cli.run(home, "import", "/proc/version", "--dry-run")
    assert "unpack" not in ran.err


def test_an_import_that_is_piped_says_how_far_it_is_and_ctrl_c_what_it_left(tmp_path: Path) -> None:
    """And what came in by then is found, with how many wait to be found by meaning."""
    home, lines = (
        tmp_path / "home",
        200_000,
    )  # a quick machine takes 60,000 in before it has to say how far it is
    notes = tmp_path / "notes.jsonl"
    # Long enough that the queue outlasts the moment before it says how far it is, however few came in.
    more = " ".join(WORDS[at] for at in range(0, len(WORDS), 20))
    notes.write_text(
        "".join(f'{{"text": "note {each} of the house, {more}"}}\n' for each in range(lines)), "utf-8"
    )
    words = [*cli.COMMAND, "--home", str(home), "import", str(notes)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(words, env=cli.environment(), **streams)  # type: ignore[call-overload]
    assert re.fullmatch(rf"import: [\d,]+ of {lines:,}\n", process.stderr.readline())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=cli.SECONDS_MAX)
    assert (process.returncode, out) == (130, "")
    assert "what came in so far is kept; import the same files again to go on" in err
    waiting = subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), "queue", "wait"], env=cli.environment(), **streams
    )  # type: ignore[call-overload]
    assert waiting.stderr.readline().startswith("queue wait: ")
    waiting.send_signal(signal.SIGINT)
    assert "`samemind queue wait` goes on from there" in waiting.communicate(timeout=cli.SECONDS_MAX)[1]
    kept = cli.run(home, "list", "-n", "1", "--json").json["total"]
    assert 0 < kept < lines
    shown = watched(home, "recall", "house note", "-k", "1", errors=True).replace("\r\n", " ")
    assert re.search(r"\d+ memories wait to be embedded, found by words alone", " ".join(shown.split()))


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_export_that_is_ended_says_so_and_leaves_no_plain_text_behind(tmp_path: Path, name: str) -> None:
    """By Ctrl-C, by `kill`, or since its terminal was closed: at the next page, and not when all of it is written."""
    home, out = tmp_path / "home", tmp_path / "out"
    out.mkdir()
    assert cli.run(home, "remember", "Ann likes green tea").code == 0
    # What writes the lines is loaded once the file is open: there the process is ended, wherever its main thread is.
    ends = (
        "import builtins, os, pathlib, signal, sys, time\n"
        "def load(name, *rest, load=builtins.__import__):\n"
        "    if name == 'samemind.portable' and not done:\n"
        "        done.extend(pathlib.Path(sys.argv[-1]).parent.iterdir())\n"
        f"        os.kill(os.getpid(), signal.{name}); time.sleep(1)\n"
        "    return load(name, *rest)\n"
        "done = []\n"
        "builtins.__import__ = load\n"
        "sys.argv[0] = '/usr/bin/samemind'\n"
        "from samemind.__main__ import main\n"
        "code = main()\n"
        "assert [each.name for each in done] == ['.all.jsonl.part'], done\n"
        "sys.exit(code)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", ends, "--home", str(home), "export", "-o", str(out / "all.jsonl")],
        capture_output=True,
        text=True,
        check=False,
        env=cli.environment(),
    )
    assert ended.returncode == 128 + getattr(signal, name), ended
    assert ended.stderr.startswith("samemind: interrupted: a file appears only when it is whole")
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("module", ["importlib.util", "samemind.cli.main", "samemind.cli.line"])
def test_ctrl_c_while_the_command_loads_says_nothing_of_what_was_loaded(tmp_path: Path, module: str) -> None:
    """Python itself and the script that an installer made run before anything of ours: theirs is what they say."""
    # What is loaded asks for the interruption itself, at a place of its own: no test can aim at a millisecond.
    loads = (
        "import builtins, os, signal, sys\n"
        "def load(name, *rest, load=builtins.__import__, at=(sys.argv.pop(),)):\n"
        "    if name == at[0] and not done:\n"
        "        done.append(name); os.kill(os.getpid(), signal.SIGINT)\n"
        "    return load(name, *rest)\n"
        "done = []\n"
        "builtins.__import__ = load\n"
        "sys.argv[0] = '/usr/bin/samemind'\n"
        "from samemind.__main__ import main\n"
        "sys.exit(main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", loads, "--home", str(tmp_path), "list", module],
        capture_output=True,
        text=True,
        check=False,
        env=cli.environment(),
    )
    assert ended.returncode in (-signal.SIGINT, 130)
    assert (ended.stdout, ended.stderr) == ("", "")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_has_done_its_work_is_ended_without_a_traceback(tmp_path: Path, name: str) -> None:
    """A daemon that ends by itself is often ended by whoever started it, too."""
    ends = (
        "import gc, os, signal, sys\n"
        "def freeze(real=gc.freeze, calls=[]):\n"
        "    calls.append(real())\n"
        "    if len(calls) == 2:  # once all is loaded, and at the end\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "gc.freeze = freeze\n"
        "sys.argv[0] = '/usr/bin/samemind'\n"
        "from samemind.__main__ import main\n"
        "sys.exit(main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", ends, "--home", str(tmp_path / "home"), "list"],
        capture_output=True,
        text=True,
        check=False,
        env=cli.environment(),
    )
    assert ended.returncode == -getattr(signal, name)
    assert "Traceback" not in ended.stderr
