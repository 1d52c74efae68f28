"""Command lines, read."""

import io
import re
from pathlib import Path

import pytest

from samemind._catalog import ELSEWHERE
from samemind.catalog import COMMANDS, NAMES, verb_named
from samemind.cli.help import show_help
from samemind.cli.line import find_verb, parser_of, read_line, read_words
from samemind.cli.printing import Printer
from samemind.errors import Usage


def test_home_json_and_raw_are_taken_from_anywhere() -> None:
    for words in (
        ["--json", "--home", "/h", "recall", "x", "-k", "3"],
        ["recall", "--home=/h", "x", "--json", "-k", "3"],
        ["recall", "x", "-k", "3", "--json", "--home", "/h"],
    ):
        line = read_line(words)
        assert (line.home, line.json, line.raw, line.verb) == ("/h", True, False, "recall")
        assert read_words(find_verb(line), line.words) == {"query": "x", "k": 3}


def test_the_version_is_told_as_by_every_other_command_and_is_no_word_of_a_verb() -> None:
    assert read_line(["--json", "--version"]).verb == "version"
    assert read_line(["remember", "--version"]).words == ("--version",)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["recall", "where", "does", "Ann", "live", "-k", "1"], {"query": "where does Ann live", "k": 1}),
        (["recall", "-k", "1", "where does Ann live"], {"query": "where does Ann live", "k": 1}),
        (["context", "where", "is", "Ann"], {"query": "where is Ann"}),
        (["context"], {"query": None}),
        (["goals", "add", "Run", "a", "marathon"], {"text": "Run a marathon"}),
        (["remember", ""], {"text": ""}),
        (["recall", "green", "-k", "3", "tea"], {"query": "green tea", "k": 3}),
        (
            ["remember", "Ann", "--tag", "home", "moved", "--pin", "away"],
            {"text": "Ann moved away", "tag": ["home"], "pin": True},
        ),
    ],
)
def test_a_sentence_needs_no_quotes_where_nothing_else_follows_it(
    words: list[str], found: dict[str, object]
) -> None:
    line = read_line(words)
    given = read_words(find_verb(line), line.words)
    assert given == found or {**given, "query": None} == found


def test_text_that_is_not_utf8_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell of another time passes bytes on, and Python keeps them as halves of letters."""
    for words in (["remember", "caf\udce9"], ["remember", "x", "--tag", "\udcff"]):
        line = read_line(words)
        with pytest.raises(Usage, match=r"expected text in UTF-8 for (text|tag)"):
            read_words(find_verb(line), line.words)
    for errors in ("strict", "surrogateescape"):  # as the locale has it
        piped = io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8", errors=errors)
        monkeypatch.setattr("sys.stdin", piped)
        with pytest.raises(Usage, match="expected text in UTF-8"):
            read_words(find_verb(read_line(["remember", "-"])), ["-"])
    line = read_line(["import", "caf\udce9.jsonl"])
    assert read_words(find_verb(line), line.words)["files"][0].endswith("caf\udce9.jsonl")


def test_in_a_folder_that_is_gone_a_path_from_the_root_still_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    export = find_verb(read_line(["export"]))
    assert read_words(export, ["-o", str(tmp_path)]) == {"output": str(tmp_path)}
    with pytest.raises(Usage, match=r"the current folder is gone: all\.jsonl"):
        read_words(export, ["-o", "all.jsonl"])


def test_behind_two_dashes_nothing_is_a_flag() -> None:
    line = read_line(["recall", "--", "--json"])
    assert not line.json
    assert read_words(find_verb(line), line.words) == {"query": "--json"}


def test_a_second_word_belongs_to_the_verb_where_there_is_such_a_verb() -> None:
    assert find_verb(read_line(["peers"])).name == "peers list"
    assert find_verb(read_line(["peers", "rename", "a", "b"])).name == "peers rename"
    assert find_verb(read_line(["remember", "--batch", "f"])).name == "remember-many"
    assert find_verb(read_line(["remember", "batch"])).name == "remember"


def test_storing_many_is_listed_and_explained_as_it_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    show_help(read_line(["help"]), Printer(json=False, raw=False))
    listed = capsys.readouterr().out
    assert "  remember --batch FILE " in listed
    assert "remember-many" not in listed
    show_help(read_line(["help", "remember-many"]), Printer(json=False, raw=False))
    assert capsys.readouterr().out.startswith("usage: samemind remember --batch FILE [--workspace")
    line = read_line(["remember-many", "notes.jsonl"])
    with pytest.raises(Usage, match="required: --batch") as caught:
        read_words(find_verb(line), line.words)
    assert caught.value.hint.startswith("usage: samemind remember --batch FILE ")


def test_many_words_make_one_text_and_repeated_options_a_list() -> None:
    line = read_line(["remember", "Ann", "--wording", "she lives elsewhere", "--wording", "new flat"])
    assert read_words(find_verb(line), line.words)["wordings"] == ["she lives elsewhere", "new flat"]
    line = read_line(["remember", "Ann", "moved", "--tag", "a", "--tag", "b", "--pin"])
    assert read_words(find_verb(line), line.words) == {"text": "Ann moved", "tag": ["a", "b"], "pin": True}


def test_paths_are_taken_from_where_the_command_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon stands in another folder."""
    monkeypatch.chdir(tmp_path)
    line = read_line(["import", "a.jsonl", "/b.json"])
    assert read_words(find_verb(line), line.words)["files"] == [str(tmp_path / "a.jsonl"), "/b.json"]
    line = read_line(["export", "-o", "out.jsonl"])
    assert read_words(find_verb(line), line.words)["output"] == str(tmp_path / "out.jsonl")


def test_a_conversation_that_is_no_text_is_a_usage_error_with_its_name(tmp_path: Path) -> None:
    binary = tmp_path / "talk.bin"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    line = read_line(["context", "--window", "4096", "--conversation", str(binary)])
    with pytest.raises(Usage, match=rf"^{re.escape(str(binary))}: expected text in UTF-8") as caught:
        read_words(find_verb(line), line.words)
    assert caught.value.code == "unreadable"


@pytest.mark.parametrize(
    "words",
    [
        ["recall"],
        ["get", "a", "b"],
        ["recall", "x", "-k"],
        ["recall", "x", "--colour"],
        ["recall", "x", "-k", "many"],
        ["recall", "x", "--spea", "Ann"],
        ["list", "--type", "mood"],
    ],
)
def test_what_cannot_be_read_is_a_usage_error_with_the_usage_as_a_hint(words: list[str]) -> None:
    line = read_line(words)
    with pytest.raises(Usage) as caught:
        read_words(find_verb(line), line.words)
    assert caught.value.hint.startswith(f"usage: samemind {words[0]}")


def test_a_long_usage_is_told_short_and_a_slip_in_a_verb_is_guessed() -> None:
    with pytest.raises(Usage) as caught:
        read_words(find_verb(read_line(["recall"])), [])
    assert (
        caught.value.hint
        == "usage: samemind recall [OPTIONS] QUERY\n`samemind help recall` tells the options"
    )
    with pytest.raises(Usage) as caught:
        read_words(find_verb(read_line(["context"])), ["--colour"])
    assert caught.value.hint.startswith("usage: samemind context [OPTIONS] [QUERY]\n")
    with pytest.raises(Usage) as caught:
        read_words(find_verb(read_line(["forget", "--colour"])), ["--colour"])
    assert caught.value.hint.startswith("usage: samemind forget [--erase]")
    with pytest.raises(Usage, match=r"got 'rekall'; did you mean 'recall'\?$"):
        find_verb(read_line(["rekall", "x"]))
    for slip, meant in (
        ("peer", "peers"),
        ("demoo", "demo"),
        ("hlep", "help"),
        ("snooze", "contradictions snooze' or 'triggers snooze"),
        ("reopen", "contradictions reopen"),
    ):
        with pytest.raises(Usage, match=rf"did you mean '{meant}'\?$"):
            find_verb(read_line([slip, "list"]))
    with pytest.raises(Usage, match=r"got 'quux'$"):
        find_verb(read_line(["quux"]))
    with pytest.raises(Usage, match=r"unrecognized arguments: --explian; did you mean --explain\?$"):
        read_words(find_verb(read_line(["recall"])), ["x", "--explian"])
    for verb, typed, meant in (
        ("recall", "-n", "-k"), ("recall", "--limit", "-k"), ("list", "-k", "-n"), ("sessions", "--count", "-n"),
        ("export", "--out", "--output"), ("list", "--label", "--tag"), ("list", "--from", "--since"),
    ):  # fmt: skip
        with pytest.raises(Usage, match=rf"unrecognized arguments: {typed} 3; did you mean {meant}\?$"):
            read_words(find_verb(read_line([verb])), [*(["x"] if verb == "recall" else []), typed, "3"])
    with pytest.raises(Usage, match=r"unrecognized arguments: -q$"):
        read_words(find_verb(read_line(["list"])), ["-q"])
    with pytest.raises(Usage, match=r"unrecognized arguments: --jsno; did you mean --json\?$"):
        read_words(find_verb(read_line(["list"])), ["--jsno"])


def test_what_other_tools_call_a_verb_is_answered_by_ours() -> None:
    assert set(ELSEWHERE).isdisjoint({name.split()[0] for name in [*NAMES, *COMMANDS]})
    for theirs, ours in ELSEWHERE.items():
        with pytest.raises(Usage, match=rf"got '{theirs}'; did you mean '{ours}'\?$"):
            find_verb(read_line([theirs, "x"]))
        assert find_verb(read_line([ours])).name


@pytest.mark.parametrize("typed", [["config"], ["settings", "set", "mdns=false"]])
def test_who_looks_for_a_verb_for_settings_is_told_of_their_file(typed: list[str]) -> None:
    with pytest.raises(Usage, match=f"expected a verb, got '{typed[0]}'$") as caught:
        find_verb(read_line(typed))
    assert "config.toml" in caught.value.hint


def test_the_command_alone_says_the_next_step_and_the_verbs_of_every_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--home", str(tmp_path)]
    show_help(read_line(words), Printer(json=False, raw=False))
    fresh = capsys.readouterr().out
    assert "Next: samemind remember" in fresh
    assert fresh.count("\n") < 40
    (tmp_path / "memory.db").touch()
    show_help(read_line(words), Printer(json=False, raw=False))
    assert "Next: samemind up" in capsys.readouterr().out
    (tmp_path / "control.sock").touch()
    show_help(read_line(words), Printer(json=False, raw=False))
    assert "Next: samemind recall" in capsys.readouterr().out


def test_only_verbs_that_answer_with_records_take_a_format() -> None:
    for name in NAMES:
        verb = verb_named(name)
        assert ("--format" in parser_of(verb).format_help()) == (
            bool(verb.rows) or name in ("import", "export")
        )
        if isinstance(verb.rows, str) and verb.rows:
            assert verb.rows in verb.result.__dataclass_fields__


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["carry"], "got 'carry': behind 'carry' goes one of export, import"),
        (["peers", "x"], "got 'peers x': behind 'peers' goes one of list, rename, add, revoke"),
        (["queue", "wat"], "got 'queue wat'; did you mean 'queue wait'?"),
        (["carry", "expor", "a.samemind"], "got 'carry expor'; did you mean 'carry export'?"),
    ],
)
def test_a_slip_in_a_second_word_is_named_as_one(words: list[str], said: str) -> None:
    with pytest.raises(Usage) as caught:
        find_verb(read_line(words))
    assert caught.value.message == f"expected a verb, {said}"
    assert caught.value.hint == f"`samemind help {words[0]}` tells them"
    assert find_verb(read_line(["peers", "--json"])).name == "peers list"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["help", "queue", "wait"], "usage: samemind queue wait\n"),
        (["queue", "wait", "--help"], "usage: samemind queue wait\n"),
        (["help", "carry"], "\n  carry export "),
        (["peers", "--help"], "\n  peers revoke "),
        (["help", "completion"], "usage: samemind completion SH\n"),
        (["help"], "\n  service install "),
    ],
)
def test_help_is_of_what_was_named(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_help(read_line(words), Printer(json=False, raw=False))
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(("columns", "most"), [("60", 60), ("80", 80), ("200", 100)])
def test_help_is_no_wider_than_the_terminal_and_than_what_is_easily_read(
    columns: str, most: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words in [[], ["peers"], *(name.split() for name in NAMES)]:
        show_help(read_line(["help", *words]), Printer(json=False, raw=False))
        assert max(map(len, capsys.readouterr().out.splitlines())) <= most, words


def test_a_home_without_a_folder_is_a_usage_error() -> None:
    with pytest.raises(Usage, match="--home"):
        read_line(["list", "--home"])
