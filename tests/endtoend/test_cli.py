"""The command line where no daemon runs: every verb, its JSON, its exit code."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from replica.file_system import MODES_COUNT
from samemind.catalog import NAMES
from samemind.cli.line import TYPED
from tests.support import cli
from tests.support.calling import Call, remember
from tests.support.published import published


def test_what_is_remembered_is_recalled_by_its_words(call: Call) -> None:
    rid = remember(call, "Ann moved to Lisbon", "--speaker", "Ann")
    remember(call, "Bob bakes bread")
    recalled = call("recall", "who lives in Lisbon?", "--json").json
    assert recalled["query"] == "who lives in Lisbon?"
    assert recalled["took_ms"] >= 0
    (hit,) = [each for each in recalled["results"] if each["rid"] == rid]
    assert hit["text"] == "Ann moved to Lisbon"
    assert hit["speaker"] == "Ann"
    assert {"score", "type", "session", "turn", "created_at", "device", "origin"} <= hit.keys()


def test_words_of_a_text_need_no_quotes_and_a_dash_reads_standard_input(call: Call) -> None:
    assert call("remember", "the", "boat", "is", "blue", "--json").code == 0
    assert call("remember", "-", "--json", stdin="line one\nline two\n").code == 0
    texts = [memory["text"] for memory in call("list", "--json").json["memories"]]
    assert texts == ["line one\nline two", "the boat is blue"]


@published("ML-09")
def test_every_field_comes_back_as_it_was_given(call: Call) -> None:
    rid = remember(
        call, "Ann won the race",
        "--type", "episodic", "--importance", "0.75", "--valence", "-0.5", "--certainty", "1", "--half-life", "3600",
        "--domain", "sport", "--project", "running", "--topic", "races", "--speaker", "Ann", "--session", "chat 1",
        "--turn", "D1:3", "--event-start", "2023-05-07T09:00Z", "--event-end", "2023-05-07T11:30Z",
        "--at", "2023-05-08T13:56Z", "--source", "diary", "--tag", "win", "--tag", "may", "--meta", "k=v",
        "--meta", "confidence:=0.9", "--pin", "--workspace", "home",
    )  # fmt: skip
    memory = call("get", rid, "--json").json
    expected = {
        "type": "episodic", "importance": 0.75, "valence": -0.5, "certainty": 1.0, "half_life": 3600.0,
        "domain": "sport", "project": "running", "topic": "races", "speaker": "Ann", "session": "chat 1",
        "turn": "D1:3", "event_start": "2023-05-07T09:00:00.000Z", "event_end": "2023-05-07T11:30:00.000Z",
        "told_at": "2023-05-08T13:56:00.000Z", "source": "diary", "tags": ["may", "win"],
        "meta": {"confidence": 0.9, "k": "v"}, "pinned": True, "workspace": "home", "archived": False,
        "accesses": 0, "last_access": None, "parent": None, "position": None,
    }  # fmt: skip
    assert {name: memory[name] for name in expected} == expected


@published("ML-09")
def test_a_memory_without_fields_has_nulls_for_them(call: Call) -> None:
    memory = call("get", remember(call, "nothing but words"), "--json").json
    for name in (
        "type",
        "importance",
        "speaker",
        "session",
        "told_at",
        "event_start",
        "event_end",
        "workspace",
    ):
        assert memory[name] is None
    assert (memory["tags"], memory["meta"]) == ([], {})


@published("ML-08")
def test_typed_items_edges_and_what_belongs_to_them_are_read_back(call: Call) -> None:
    rids = {
        kind: remember(call, f"a {kind} thing", "--type", kind)
        for kind in ("episodic", "factual", "procedural")
    }
    for kind, rid in rids.items():
        assert [each["rid"] for each in call("list", "--type", kind, "--json").json["memories"]] == [rid]
    assert call("relate", "Ann", "lives in", "Lisbon", "--weight", "0.5").code == 0
    assert call("relate", rids["factual"], "about", "Ann").code == 0
    graph = call("graph", "Lisbon", "--hops", "2", "--json").json
    edge = {"source": "Ann", "relation": "lives in", "target": "Lisbon", "weight": 0.5, "replaced": False}
    assert edge in graph["edges"]
    assert graph["entities"] == sorted(["Ann", "Lisbon", rids["factual"]])


@published("ML-55")
def test_a_raw_line_is_found_by_its_session_and_sequence(call: Call, tmp_path: Path) -> None:
    lines = tmp_path / "chat.jsonl"
    lines.write_text(
        "".join(
            json.dumps(
                {"text": f"line {i}", "session": "chat 7", "turn": f"t{i}", "position": i, "speaker": "Ann"}
            )
            + "\n"
            for i in range(20)
        )
    )
    assert call("remember", "--batch", str(lines), "--json").json["count"] == 20
    memories = call("list", "--session", "chat 7", "--json").json["memories"]
    by_position = {memory["position"]: memory for memory in memories}
    assert by_position[13]["text"] == "line 13"
    assert (by_position[13]["session"], by_position[13]["turn"]) == ("chat 7", "t13")


@published("PM-71")
def test_a_batch_is_one_call_with_all_ids_in_order_and_one_bad_line_keeps_all_of_it_out(
    call: Call,
) -> None:
    lines = [json.dumps({"text": f"fact {i}", "importance": i / 100}) for i in range(100)]
    bad = [*lines[:50], json.dumps({"text": "fact 50", "importance": 7}), *lines[51:]]
    refused = call("remember", "--batch", "-", "--json", stdin="\n".join(bad))
    assert refused.code == 2
    assert "line 51" in refused.json["error"]["message"]
    cut = call("remember", "--batch", "-", "--json", stdin=f"{lines[0]}\n{lines[1][:9]}").json["error"]
    assert (
        cut["message"]
        == "line 2: expected a text or an object in JSON, which this is not from character 10 on"
    )
    half = call("remember", "--batch", "-", "--json", stdin=f'{lines[0]}\n{{"text": "half \\ud83d"}}')
    assert half.json["error"]["message"] == "line 2: expected text, got half of a letter"
    assert call("digest", "--json").json["memories"] == 0

    rids = call("remember", "--batch", "-", "--json", stdin="\n".join(lines)).json["rids"]
    assert len(set(rids)) == 100
    assert [call("get", rids[i], "--json").json["text"] for i in (0, 42, 99)] == [
        "fact 0",
        "fact 42",
        "fact 99",
    ]
    ops = call("log", "-n", "200", "--json").json["ops"]
    assert [op["rid"] for op in ops if op["kind"] == "remember"] == rids
    assert [op["signed"] for op in ops] == [False] * 99 + [True], "one commit, signed once"


def test_what_is_known_already_is_stored_again_and_shown_once(call: Call) -> None:
    rid = remember(call, "Ann likes tea")
    again = call("remember", "Ann likes tea", "--no-dedup", "--json").json
    assert (again["duplicate_of"], again["says_same"]) == (None, [rid])
    assert again["op_id"] is not None
    for other in (("--speaker", "Bob"), ("--workspace", "work")):
        assert call("remember", "Ann likes tea", *other, "--json").json["says_same"] == []
    assert call("digest", "--json").json["memories"] == 4
    shown = call("list", "--json").json
    assert (shown["total"], shown["memories"][-1]["rid"]) == (3, again["rid"])
    assert shown["memories"][-1]["same"] == [rid]
    assert "(told 2 times)" in call("recall", "tea").out
    loud = call("remember", "ann  likes TEA", "--json").json
    assert call("forget", again["rid"], "--json").json["tellings"] == 4, "all that hold this text"
    assert [view["rid"] for view in call("list", "--json").json["memories"]] == [loud["rid"]]


def test_a_link_is_withdrawn_and_the_tellings_stand_apart(call: Call) -> None:
    one = remember(call, "The rent is 950 euros")
    assert call("remember", "Rent is 950 euros", "--json").json["says_same"] == [one]
    assert call("list", "--json").json["total"] == 1
    assert call("unlink", one, "--json").json["rid"] == one
    assert call("list", "--json").json["total"] == 2
    assert call("unlink", one, "--json").json["error"]["code"] == "no_link"


def test_fields_are_set_cleared_tagged_pinned_and_archived(call: Call) -> None:
    rid = remember(call, "Ann likes tea", "--meta", "k=v")
    view = call("set", rid, "importance=0.5", "topic=drinks", "meta.pages=5", "session=chat 1", "--json").json
    assert (view["importance"], view["topic"], view["session"]) == (0.5, "drinks", "chat 1")
    assert view["meta"] == {"k": "v", "pages": "5"}
    view = call("set", rid, "topic=", "meta.k=", "--json").json
    assert (view["topic"], view["meta"]) == (None, {"pages": "5"})
    assert call("tag", rid, "warm", "green", "--json").json["tags"] == ["green", "warm"]
    assert call("tag", rid, "warm", "--remove", "--json").json["tags"] == ["green"]
    assert call("pin", rid, "--json").json["pinned"] is True
    assert call("unpin", rid, "--json").json["pinned"] is False
    assert call("archive", rid, "--json").json["archived"] is True
    assert call("list", "--json").json["total"] == 0
    assert call("list", "--include-cold", "--json").json["total"] == 1
    assert call("unarchive", rid, "--json").json["archived"] is False


def test_an_edit_keeps_the_id_and_changes_the_words(call: Call) -> None:
    rid = remember(call, "Ann lives in Porto")
    assert call("edit", rid, "Ann lives in Lisbon", "--json").json["text"] == "Ann lives in Lisbon"
    assert call("recall", "Lisbon", "--json").json["results"][0]["rid"] == rid


def test_forgetting_takes_what_says_the_same_along(call: Call) -> None:
    one = remember(call, "my code is 1234")
    two = remember(call, "My code is  1234", "--no-dedup")
    remember(call, "something else")
    assert call("forget", one, "--json").json["rids"] == sorted([one, two])
    assert not {one, two} & {hit["rid"] for hit in call("recall", "code", "--json").json["results"]}
    assert call("get", two, "--json").json["error"]["code"] == "forgotten"
    assert call("get", two).code == 3


@published("ME-15")
def test_a_unique_prefix_is_enough_and_an_ambiguous_one_lists_up_to_five(call: Call, tmp_path: Path) -> None:
    rid = remember(call, "first")
    assert call("get", rid[:13], "--json").json["rid"] == rid
    assert call("get", rid.replace("-", "").upper(), "--json").json["rid"] == rid
    lines = [
        json.dumps({"text": f"x {i}", "rid": f"abcdef00-0000-8000-8000-00000000000{i}"}) for i in range(8)
    ]
    (tmp_path / "same.jsonl").write_text("\n".join(lines))
    assert call("import", str(tmp_path / "same.jsonl")).code == 0
    said = call("get", "abcdef", "--json")
    assert said.code == 2
    assert said.json["error"]["code"] == "ambiguous"
    assert len(said.json["error"]["candidates"]) == 5
    assert all(each.startswith("abcdef00-") for each in said.json["error"]["candidates"])
    assert call("get", "abcdef00-0000-8000-8000-000000000003", "--json").json["text"] == "x 3"
    assert call("get", "abcde").code == 2, "five characters are too few"
    assert call("get", "fffffffff").code == 3


@published("ME-17")
def test_raw_is_one_bare_line(call: Call) -> None:
    remember(call, "first line\nsecond \x1b[31mred\x1b[0m line")
    remember(call, "another thing")
    for words in (["recall", "line"], ["list"], ["stats"], ["digest"], ["doctor"], ["log"], ["status"]):
        said = call("--raw", *words)
        assert said.code == 0
        assert said.out.count("\n") == 1, words
        assert "\x1b" not in said.out, words
    rid = call("remember", "a third thing", "--raw").out.strip()
    assert call("get", rid, "--raw").out == f"{rid} a third thing\n"


def test_what_is_printed_for_people_obeys_no_escape_sequence(call: Call) -> None:
    rid = remember(call, "evil \x1b]0;title\x07 text")
    for words in (["get", rid], ["list"], ["recall", "evil"]):
        assert "\x1b" not in call(*words).out


def test_help_describes_every_verb_and_option_as_json_and_as_text(call: Call) -> None:
    described = call("help", "--json").json
    assert {verb["name"] for verb in described["verbs"]} == set(NAMES)
    (recall,) = [verb for verb in described["verbs"] if verb["name"] == "recall"]
    assert {"query", "k", "speaker", "since"} <= {option["name"] for option in recall["options"]}
    assert recall["result"][:5] == ["query", "took_ms", "results", "unembedded", "trace"]
    assert {"begins", "put_away", "empty", "held", "events"} == set(recall["result"][5:])
    (told,) = [verb for verb in described["verbs"] if verb["name"] == "remember"]
    assert [option["name"] for option in told["options"] if option["flag"] is None] == ["text"], (
        "what only a program can say is not listed"
    )
    (many,) = [verb for verb in described["verbs"] if verb["name"] == "remember-many"]
    assert [option["name"] for option in many["options"] if option["required"]] == ["batch"]
    overview = call("help").out
    assert all(f"  {TYPED.get(name, name)} " in overview for name in NAMES)
    assert "--importance" in call("remember", "--help").out
    assert "--importance" in call("help", "remember").out


def test_a_verb_that_does_not_exist_is_a_usage_error(call: Call) -> None:
    said = call("rember", "x", "--json")
    assert said.code == 2
    assert "rember" in said.json["error"]["message"]


def test_behind_two_dashes_everything_is_text(call: Call) -> None:
    rid = remember(call, "plain")
    assert call("--json", "edit", rid, "--", "--json is a flag").json["text"] == "--json is a flag"


def in_bash(script: str) -> subprocess.CompletedProcess[str]:
    """Run what only a shell can say, such as where streams go."""
    return subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env=cli.environment(),
        check=False,
        timeout=240,
    )


def test_a_reader_that_has_seen_enough_is_no_crash(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(f"memory {i} " * 50) for i in range(3_000))
    assert cli.run(tmp_path, "remember", "--batch", "-", stdin=lines).code == 0
    script = f'{sys.executable} -m samemind --home "{tmp_path}" export | head -n 1'
    done = in_bash(script)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        ("remember - <&-", 2, "expected some text to remember"),
        ("remember - </dev/null 2>&-", 2, ""),
        ("doctor >&- 2>&- <&-", 0, ""),
    ],
)
def test_a_standard_stream_that_is_closed_is_an_empty_one(
    tmp_path: Path, closed: str, code: int, said: str
) -> None:
    """Python has None in its place, which was told as a bug."""
    done = in_bash(f'exec {sys.executable} -m samemind --home "{tmp_path / "home"}" {closed}')
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("remember told", 1, "`remember` was done: do not ask for it again"),
        ("--json remember told", 1, "`remember` was done: do not ask for it again"),
        ("--json list", 1, "standard output takes nothing"),
        ("--json get nonsense", 2, "expected the id of a memory"),
        ("--json get nonsense 2>/dev/full", 2, ""),
        ("--json get nonsense > >(true)", 2, ""),
    ],
)
def test_what_cannot_be_printed_is_told_for_what_it_is(
    tmp_path: Path, line: str, code: int, said: str
) -> None:
    """It ended in a traceback, or as if the store's disk were full, so that what was done was done again."""
    home = tmp_path / "home"
    program = f'{sys.executable} -m samemind --home "{home}"'
    done = in_bash(f"exec >/dev/full; {program} {line}")
    assert done.returncode == code, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if "remember" in line:
        assert len(cli.run(home, "list", "--json").json["memories"]) == 1


def test_init_says_again_which_device_it_is(call: Call) -> None:
    said = call("init", "--name", "laptop", "--json").json
    assert (said["name"], len(said["device_id"])) == ("laptop", 64)
    assert call("init", "--name", "laptop", "--json").json == said
    assert call("init", "--json").json == said


def test_progress_is_shown_on_a_terminal_only_and_never_in_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps({"text": f"memory {i}"}) + "\n" for i in range(5_000)))
    quiet = cli.run(tmp_path / "one", "import", str(file), "--json")
    assert (quiet.json["imported"], quiet.err) == (5_000, "")
    terminal, end = pty.openpty()
    watched = subprocess.Popen(
        [*cli.COMMAND, "--home", str(tmp_path / "two"), "import", str(file)],
        stdout=subprocess.PIPE, stderr=end, text=True, env=cli.environment(TERM="xterm"),
    )  # fmt: skip
    os.close(end)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # Linux says so when the other end has closed
            break
    os.close(terminal)
    out, _ = watched.communicate(timeout=cli.SECONDS_MAX)
    assert "5000" in out
    assert b"%" in shown, "a bar, with how far it is"


@pytest.mark.skipif(not MODES_COUNT, reason="the system has no modes of files")
def test_a_key_that_others_can_read_is_warned_about_in_a_line_with_what_to_do(tmp_path: Path) -> None:
    cli.run(tmp_path, "remember", "The sky is wide")
    key = tmp_path / "identity.pem"
    key.chmod(0o644)
    told = cli.run_afresh(tmp_path, "list", PYTHONWARNINGS="default")  # tests make errors of warnings
    assert told.err == (
        f"samemind: {key} holds this device's key, and others can read it: expected mode 600, found 644; "
        f"chmod 600 {key}\n"
    )
    assert "The sky is wide" in told.out
