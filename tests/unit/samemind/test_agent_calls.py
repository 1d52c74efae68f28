"""What agents read and wrote: written down within bounds, one log for those from elsewhere and one for those here."""

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import Implementation

from samemind.agents.calls import RIDS_NOTED_MAX, AgentActivity, CallingAgent, CallLog
from samemind.commands.agents.list import LOCAL_MAX
from samemind.config import Home
from samemind.control.server import Say
from samemind.mcp.noting import (
    CLIENT_CHARACTERS_MAX,
    HERE,
    VERSION_CHARACTERS_MAX,
    NotedStore,
    client_of,
    rids_in,
)
from samemind.mcp.tools import full
from tests.support import cli

NOW = 1_000_000_000_000
DESK = CallingAgent(agent="1", name="desk")


def tools(log: CallLog) -> list[str]:
    return [each.tool for each in log.noted()]


def test_what_agents_did_is_kept_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samemind.agents.calls.LOG_BYTES_MAX", 2_000)
    log = CallLog(tmp_path / "agents.log")
    for number in range(100):
        log.note(
            CallingAgent(agent="1", name=f"a{number}"), "recall", ["r"], wrote=False, now_ms=NOW + number
        )
    with log.path.open("ab") as file:
        file.write(b'{"at": "half')
    noted = list(log.noted())
    assert noted[-1].caller.name == "a99"
    assert noted == sorted(noted, key=lambda each: each.at)
    log.note(DESK, "after the power cut", ["r"], wrote=False, now_ms=NOW + 100)
    assert tools(log)[-2:] == ["recall", "after the power cut"]
    assert sum(path.stat().st_size for path in tmp_path.glob("agents.log*")) < 6_000


def test_of_two_that_find_the_log_full_at_once_one_begins_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one put the log that had just begun in the place of the full one, and all of that was lost."""
    log = CallLog(tmp_path / "agents.log")
    log.note(DESK, "remember", ["r"], wrote=True, now_ms=NOW)
    monkeypatch.setattr("samemind.agents.calls.LOG_BYTES_MAX", log.path.stat().st_size - 1)
    both = threading.Barrier(2)

    def replace_file(scratch: Path, target: Path) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(0.1)  # for the other one, which may not come here now
        scratch.replace(target)

    monkeypatch.setattr("samemind.agents.calls.replace_file", replace_file)
    with ThreadPoolExecutor(2) as threads:
        for _ in range(2):
            threads.submit(log.note, DESK, "recall", ["r"], wrote=False, now_ms=NOW)
    assert sorted(tools(log)) == ["recall", "recall", "remember"]


def test_calls_are_counted_over_both_files_and_again_when_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samemind.agents.calls.LOG_BYTES_MAX", 2_000)
    log = CallLog(Home.at(tmp_path).local_agents_log)
    for number in range(30):
        name = "odd" if number % 2 else "even"
        here = CallingAgent(agent=None, name=name, version=str(number))
        log.note(here, "recall", [], wrote=False, now_ms=NOW + number * 1_000)
        calls = list(log.noted())
        mine = [each for each in calls if each.caller.name == name]
        seen = log.seen()
        assert seen[None, name] == AgentActivity(calls=len(mine), last=mine[-1].at, version=str(number))
        assert sum(each.calls for each in seen.values()) == len(calls)
    assert log.path.with_name(f"{log.path.name}.1").exists()
    listed = cli.run(tmp_path, "--json", "agents").json["local"]
    assert [(each["name"], each["version"]) for each in listed] == [("odd", "29"), ("even", "28")]


def test_a_program_that_has_another_name_each_time_fills_no_page(tmp_path: Path) -> None:
    log = CallLog(Home.at(tmp_path).local_agents_log)
    for number in range(LOCAL_MAX + 20):
        here = CallingAgent(agent=None, name=f"a{number}")
        log.note(here, "recall", [], wrote=False, now_ms=NOW + number * 1_000)
    listed = [each["name"] for each in cli.run(tmp_path, "--json", "agents").json["local"]]
    assert listed == [f"a{number}" for number in range(LOCAL_MAX + 19, 19, -1)]


def test_agents_on_this_device_push_out_nothing_that_remote_ones_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samemind.agents.calls.LOG_BYTES_MAX", 2_000)
    home = Home.at(tmp_path)
    CallLog(home.agents_log).note(DESK, "remember", ["r"], wrote=True, now_ms=NOW)
    for number in range(100):
        here = CallingAgent(agent=None, name="desk", version="1")
        CallLog(home.local_agents_log).note(here, "recall", [], wrote=False, now_ms=NOW + number)
    assert tools(CallLog(home.agents_log)) == ["remember"]
    shown = cli.run(tmp_path, "--json", "agents", "log", "desk", "--where", "remote").json["calls"]
    assert [(each["agent"], each["tool"]) for each in shown] == [("1", "remember")]
    here_alone = cli.run(tmp_path, "--json", "agents", "log", "desk", "--where", "here").json["calls"]
    assert {(each["agent"], each["version"]) for each in here_alone} == {(None, "1")}
    both = cli.run(tmp_path, "--json", "agents", "log", "-n", "1000").json["calls"]
    assert len(both) == 1 + len(here_alone)
    assert both == sorted(both, key=lambda each: each["at"])
    nobody = cli.run(tmp_path, "agents", "log", "chair", "--where", "here")
    assert nobody.code != 0
    assert "no agent on this device is called 'chair'" in nobody.err


def test_a_call_takes_one_line_and_follows_half_a_line_on_one_of_its_own(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "agents.log")
    for half in ("", "", '{"at": "2026'):
        with log.path.open("a") as file:
            file.write(half)
        log.note(DESK, "recall", [], wrote=False, now_ms=NOW)
    lines = log.path.read_text().split("\n")
    assert [line[:1] for line in lines] == ["{"] * 4 + [""]
    assert tools(log) == ["recall"] * 3


def test_a_log_of_before_and_lines_that_are_no_call_are_read(tmp_path: Path) -> None:
    """One crooked line, whoever wrote it, hides none of the others."""
    log = CallLog(tmp_path / "agents.log")
    before = {"at": "2026-01-01T00:00:00.000+00:00", "agent": "1", "name": "desk", "tool": "recall"}
    whole = {**before, "wrote": False, "rids": ["a", "b"]}
    crooked: list[Any] = [
        before, [], 7, None, {**whole, "at": 7}, {**whole, "at": "x"}, {**whole, "rids": 7}, {**whole, "count": "x"},
        {**whole, "count": None}, {**whole, "at": "0001-01-01T00:00:00+23:00"},
    ]  # fmt: skip
    log.path.write_text("".join(f"{json.dumps(line)}\n" for line in [*crooked, whole]) + "[" * 100_000)
    (call,) = log.noted()
    assert (call.caller, call.rids, call.count) == (DESK, ["a", "b"], 2)


@given(
    name=st.text(), version=st.text(), tool=st.text(), rids=st.lists(st.text(), max_size=3), wrote=st.booleans()
)  # fmt: skip
def test_whatever_was_written_down_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    version: str,
    tool: str,
    rids: list[str],
    wrote: bool,
) -> None:
    log = CallLog(tmp_path_factory.mktemp("log") / "agents.log")
    caller = CallingAgent(agent=None, name=name, version=version)
    log.note(caller, tool, rids, wrote=wrote, now_ms=NOW)
    (call,) = log.noted()
    assert (call.caller, call.tool, call.rids, call.count) == (caller, tool, rids, len(rids))
    assert (call.wrote, call.at.timestamp() * 1_000) == (wrote, NOW)


@given(name=st.text(), version=st.text())
def test_a_program_is_called_what_it_says_as_far_as_that_can_be_shown(name: str, version: str) -> None:
    caller = client_of(Implementation(name=name, version=version))
    assert len(caller.name) <= CLIENT_CHARACTERS_MAX
    assert len(caller.version or "") <= VERSION_CHARACTERS_MAX
    assert caller.agent is None
    assert "\n" not in caller.name + (caller.version or "")
    assert client_of(Implementation(name=caller.name, version=caller.version or "")) == caller


class Store:
    """A store that names many memories, whatever it is asked."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []

    async def ask(
        self, verb: str, options: Mapping[str, Any], *, again: bool, hear: Say | None = None
    ) -> Mapping[str, Any]:
        self.asked.append(options)
        return {"results": [{"rid": f"r{number}"} for number in range(RIDS_NOTED_MAX + 20)]}


def test_of_many_memories_the_first_are_written_down_and_how_many_they_were(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "agents.local.log")
    noted = NotedStore(Store(), log, HERE.get, lambda: NOW)
    trio.run(lambda: noted.ask("recall", {}, again=True))
    (call,) = log.noted()
    assert (len(call.rids), call.count) == (RIDS_NOTED_MAX, RIDS_NOTED_MAX + 20)
    shown = cli.run(tmp_path, "agents", "log").out
    assert "here    (no name)        read   recall" in shown
    assert shown.rstrip().endswith("r49 and 20 more")


@pytest.mark.parametrize("agent", [None, "1"])
def test_a_log_that_takes_no_writes_keeps_remote_agents_out_and_no_program_of_this_device(
    tmp_path: Path, agent: str | None
) -> None:
    """Who could read the store's file itself is kept from nothing by an error here."""
    log = CallLog(tmp_path / "agents.log")
    log.path.mkdir()
    store = Store()
    noted = NotedStore(store, log, lambda: CallingAgent(agent=agent, name="desk"), lambda: NOW)

    async def ask() -> None:
        if agent is None:
            assert "results" in await noted.ask("recall", {}, again=True)
        else:
            with pytest.raises(OSError, match="directory"):
                await noted.ask("recall", {}, again=True)

    trio.run(ask)
    assert store.asked == [{}]


# These are named beside a memory that is counted, and say nothing more than what it is part of.
BESIDE = {
    *(("recall", f".results[].claim.{part}[].rid") for part in ("earlier", "against", "now")),
    ("contradictions list", ".contradictions[].beliefs[].rid"),
    ("contradictions show", ".beliefs[].rid"),
}


def paths_to_memories(kind: Any, path: str = "", above: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield where a result of that type names memories."""
    for part in get_args(kind):
        yield from paths_to_memories(part, f"{path}[]" if get_origin(kind) is list else path, above)
    if is_dataclass(kind) and kind not in above:
        types = get_type_hints(kind)
        for one in fields(kind):
            if one.name in ("rid", "rids"):
                yield f"{path}.{one.name}"
            else:
                yield from paths_to_memories(types[one.name], f"{path}.{one.name}", (*above, kind))


def at(path: str) -> Any:
    """Return a document that names the memory "r" there."""
    found: Any = ["r"] if path.endswith("s") else "r"
    for name in reversed(path.removeprefix(".").split(".")):
        found = {name.removesuffix("[]"): [found] if name.endswith("[]") else found}
    return found


READING = [
    (tool.verb, path)
    for tool in full()
    if tool.read_only
    for path in dict.fromkeys(paths_to_memories(tool.declared().result))
]


@pytest.mark.parametrize(("verb", "path"), READING)
def test_each_memory_that_a_tool_shows_is_written_down(verb: str, path: str) -> None:
    """By what the results of the tools are declared with, so that a new one is counted or is said not to be."""
    assert rids_in(at(path), wrote=False) == ([] if (verb, path) in BESIDE else ["r"])


def test_what_a_call_wrote_is_not_mixed_with_what_it_showed_beside_that() -> None:
    document = {"rid": "new", "rids": ["too"], "nominees": [{"rid": "old"}], "changed": True}
    assert rids_in(document, wrote=True) == ["new", "too"]
    assert rids_in(document, wrote=False) == ["new", "too", "old"]


def test_a_crooked_line_says_nothing_to_the_terminal(tmp_path: Path) -> None:
    """Whatever program wrote it: the file lies open to all of this user's."""
    log = CallLog(Home.at(tmp_path).local_agents_log)
    caller = CallingAgent(agent=None, name="a\x1b[2J")
    log.note(caller, "\x1b]0;x\x07", ["r\x1b[31m\nr"], wrote=False, now_ms=NOW)
    (line,) = cli.run(tmp_path, "agents", "log").out.splitlines()
    assert line.isprintable()
