"""What is written into the settings of programs that run agents."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samemind.agents import editing
from samemind.agents.programs import PROGRAMS
from samemind.agents.protocol import VERSION, protocol_text
from samemind.catalog import NAMES
from samemind.cli.line import find_verb, parser_of, read_line, read_words
from samemind.commands.agents.connect import PROGRAM_NAMES, Connect, Connected
from samemind.commands.agents.connect import run as connect
from samemind.config import Home
from samemind.errors import Failed, Usage
from tests.support.published import published

Connecting = Callable[..., Connected]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with nothing in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


@pytest.fixture
def connecting(user: Path) -> Connecting:
    def run(program: str, **options: Any) -> Connected:
        return connect(Home.at(user / "memory"), Connect(program=program, **options))

    return run


def test_nothing_is_written_where_the_agents_server_could_not_start(
    connecting: Connecting, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Failed, match="MCP SDK") as caught:
        connecting("claude")
    assert caught.value.code == "extra_missing"
    assert caught.value.hint.startswith("pip install 'mcp")
    assert list(user.iterdir()) == []


def read(path: str | Path) -> Any:
    text = Path(path).read_text(encoding="utf-8")
    return tomllib.loads(text) if str(path).endswith(".toml") else json.loads(text)


@published("PM-56")
@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_connecting_twice_makes_one_entry_and_keeps_the_rest_and_a_backup(
    connecting: Connecting, program: str
) -> None:
    path = PROGRAMS[program].settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    others = (
        'model = "o9" # mine\n\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\ntheme = "dark"\n'
        if program == "codex"
        else json.dumps({"z": 1, "mcpServers": {"other": {"command": "x"}}, "a": ["ü", 2.5]}, indent=4)
    )
    path.write_text(others, encoding="utf-8")
    path.chmod(0o640)
    first = connecting(program)
    assert first.changed
    assert first.hint
    kept = first.files[0].backup
    assert kept is not None
    assert Path(kept).read_text(encoding="utf-8") == others
    found, before = read(path), tomllib.loads(others) if program == "codex" else json.loads(others)
    place = found
    for key in PROGRAMS[program].keys[:-1]:
        place = place[key]
    entry = place.pop("samemind")
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert words[-1] == "mcp"
    assert Path(words[0]).exists()
    if not place:
        found.pop(PROGRAMS[program].keys[0])
    assert found == before
    assert path.stat().st_mode & 0o777 == 0o640
    written = path.read_text(encoding="utf-8")
    again = connecting(program)
    assert not again.changed
    assert path.read_text(encoding="utf-8") == written
    assert len(list(path.parent.glob(f"{path.name}.*"))) == 1
    removed = connecting(program, remove=True)
    assert removed.changed
    assert read(path) == before or read(path) == {**before, PROGRAMS[program].keys[0]: {}}
    if program == "codex":
        assert path.read_text(encoding="utf-8") == others


@published("PM-63")
def test_the_installed_text_names_what_should_make_an_agent_recall(
    connecting: Connecting, user: Path
) -> None:
    connecting("claude")
    rules = (user / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")
    assert "the user speaks of themselves" in rules
    for trigger in ("my sister", "as I said", "where do I live?"):
        assert trigger in rules
    assert "recall" in rules


@published("ME-20")
def test_the_protocol_is_installed_once_brought_up_to_date_and_undone(
    connecting: Connecting, user: Path
) -> None:
    rules = user / ".claude" / "CLAUDE.md"
    rules.parent.mkdir()
    rules.write_text("# Mine\n\nBe brief.\n", encoding="utf-8")
    home = Home.at(user / "memory")
    shown = connect(home, Connect(show=True))
    assert shown.text.startswith(f"<!-- samemind:begin v{VERSION} -->")
    assert not shown.changed
    nothing = connect(home, Connect())
    assert not nothing.files
    assert "samemind connect PROGRAM" in nothing.hint
    connecting("claude")
    installed = rules.read_text(encoding="utf-8")
    assert installed == f"# Mine\n\nBe brief.\n\n{shown.text}\n"
    assert not connect(home, Connect()).changed
    rules.write_text(
        installed.replace(f"begin v{VERSION}", "begin v0").replace("You have", "You had"), encoding="utf-8"
    )
    assert connect(home, Connect()).changed, "an older version gives way"
    assert rules.read_text(encoding="utf-8") == installed
    undone = connect(home, Connect(remove=True))
    assert undone.changed
    assert rules.read_text(encoding="utf-8") == "# Mine\n\nBe brief.\n"
    assert read(user / ".claude.json") == {"mcpServers": {}}
    assert not connect(home, Connect(remove=True)).changed


@published("ME-21")
def test_the_protocol_names_tools_that_exist() -> None:
    named = set(re.findall(r"`(\w+)`", protocol_text())) - {
        "samemind",
        "speaker",
        "project",
        "source",
        "changed",
    }
    tools = {"correct", "resolve", "contradictions"} | {name.replace(" ", "_") for name in NAMES}
    assert named <= tools
    assert {"recall", "remember", "correct", "forget", "why", "context"} <= named
    for heading in ("Search", "Store", "Clean up", "Distrust"):
        assert f"**{heading}" in protocol_text()


def test_what_cannot_be_read_is_left_alone(connecting: Connecting, user: Path) -> None:
    settings = user / ".cursor" / "mcp.json"
    settings.parent.mkdir()
    for text in ('{"mcpServers": {} // mine\n}', "[1]", '{"mcpServers": 5}'):
        settings.write_text(text, encoding="utf-8")
        with pytest.raises(Failed, match=re.escape(str(settings))):
            connecting("cursor")
        assert settings.read_text(encoding="utf-8") == text
    assert list(settings.parent.iterdir()) == [settings]


def test_a_link_to_the_settings_stays_a_link(connecting: Connecting, user: Path) -> None:
    real = user / "dotfiles.json"
    real.write_text("{}", encoding="utf-8")
    (user / ".claude.json").symlink_to(real)
    connecting("claude", workspace="work", share=("open",), profile="full")
    assert (user / ".claude.json").is_symlink()
    assert read(real)["mcpServers"]["samemind"]["args"][-7:] == [
        "mcp", "--profile", "full", "--workspace", "work", "--share", "open",
    ]  # fmt: skip
    with pytest.raises(Usage):
        connecting("claude", share=("open",))


def test_the_programs_that_are_named_on_the_command_line_are_those_that_are_known() -> None:
    assert tuple(PROGRAMS) == PROGRAM_NAMES


_WORDS = st.text("abcxyz", min_size=1, max_size=5)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(
    document=st.dictionaries(_WORDS, _VALUES, max_size=4),
    servers=st.dictionaries(_WORDS, st.dictionaries(_WORDS, _WORDS)),
)
def test_any_settings_keep_all_that_is_not_ours(document: dict[str, Any], servers: dict[str, Any]) -> None:
    before = json.dumps({**document, "servers": servers})
    entry = {"command": "m", "args": ["mcp"]}
    put = editing.with_json(before, ("servers", "ours"), entry)
    assert json.loads(put) == {**document, "servers": {**servers, "ours": entry}}
    assert editing.with_json(put, ("servers", "ours"), entry) == put
    assert json.loads(editing.without_json(put, ("servers", "ours"))) == json.loads(before)
    toml = "".join(f'[s.{name}]\nv = "{name}" # [s.ours]\n\n' for name in servers)
    assert (
        editing.without_toml(editing.with_toml(toml, ("s", "ours"), entry), ("s", "ours")).strip()
        == toml.strip()
    )
    assert tomllib.loads(editing.with_toml(toml, ("s", "ours"), entry))["s"]["ours"] == entry


@given(text=st.text(max_size=60))
def test_any_standing_instructions_are_what_they_were_when_ours_are_taken_out(text: str) -> None:
    put = editing.with_block(text, "be good", 2)
    assert editing.with_block(put, "be good", 2) == put
    assert editing.with_block(editing.with_block(text, "be bad", 1), "be good", 2) == put
    assert editing.without_block(put).strip() == text.strip()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("setup", {}),
        ("setup --show", {"show": True}),
        ("setup --undo", {"remove": True}),
        ("connect --remove", {"remove": True}),
    ],
)
def test_setup_goes_on_working_as_the_command_that_it_was_folded_into(
    typed: str, meant: dict[str, bool]
) -> None:
    """It is in scripts of 0.1.0; nothing lists it any more."""
    line = read_line(typed.split())
    verb = find_verb(line)
    assert (verb.name, read_words(verb, line.words)) == ("connect", meant)
    assert "setup" not in NAMES
    assert "--undo" not in parser_of(verb).format_help()


@pytest.mark.parametrize(
    "given", [{"show": True, "remove": True}, {"profile": "full"}, {"workspace": "work"}]
)
def test_what_cannot_be_meant_of_all_programs_is_refused(user: Path, given: dict[str, Any]) -> None:
    with pytest.raises(Usage, match=r"expected (--show or --remove|a program)"):
        connect(Home.at(user / "memory"), Connect(**given))
