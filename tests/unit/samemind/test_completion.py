"""Completion, asked as shells ask, and tried in those that are on this machine."""

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from samemind.cli.completion import SHELLS, completion_script
from samemind.errors import Usage
from tests.support import cli


def offered(line: str, shell: str = "zsh", **more: str) -> dict[str, str]:
    """What is offered for the last word of a line, each with what is said of it: argcomplete's protocol, by a file."""
    read, write = os.pipe()
    done = subprocess.run(
        [sys.executable, "-c", f"import os; os.dup2({write}, 8); from samemind.cli.main import main; main()"],
        pass_fds=[write],
        capture_output=True,
        env=cli.environment(
            _ARGCOMPLETE="1",
            _ARGCOMPLETE_SHELL=shell,
            _ARGCOMPLETE_IFS="\n",
            _ARGCOMPLETE_SUPPRESS_SPACE="1",
            COMP_LINE=line,
            COMP_POINT=str(len(line.encode())),
            **more,
        ),
        timeout=cli.SECONDS_MAX,
        check=False,
    )
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        said = pipe.read()
    assert done.stdout == b"", "completion prints nothing beside its answer"
    lines = [each.partition(":") for each in said.splitlines() if each]
    return {name: told for name, _, told in lines}


@pytest.mark.parametrize(
    ("line", "wanted", "unwanted"),
    [
        ("samemind re", {"recall", "remember"}, {"list", "remember-many"}),
        ("samemind recall --s", {"--speaker", "--since"}, {"--type"}),
        ("samemind --", {"--home", "--json"}, set()),
        ("samemind peers r", {"rename", "revoke"}, {"list"}),
        ("samemind --home /x --json remember --type e", {"episodic"}, {"semantic"}),
        ("samemind remember --b", {"--batch"}, set()),
        ("samemind calendar --", {"--feed", "--new", "--off", "--output"}, {"--batch"}),
        ("samemind help d", {"digest", "demo"}, {"recall"}),
        ("samemind help contradictions r", {"resolve", "review"}, {"list"}),
        ("samemind completion ", set(SHELLS), set()),
        ("samemind contradictions --at", {"--attention"}, {"--keep"}),
        ("samemind remember Ann", set(), {"Ann"}),
        ("samemind nonsense ", set(), {"recall"}),
    ],
)
def test_verbs_second_words_options_and_choices_are_completed(
    line: str, wanted: set[str], unwanted: set[str]
) -> None:
    found = set(offered(line))
    assert wanted <= found
    assert not unwanted & found


def test_what_is_offered_says_what_it_does() -> None:
    assert offered("samemind rec")["recall"] == "Search memories by words and meaning."
    assert "what this person said" in offered("samemind recall --s")["--speaker"]


def test_ids_and_names_of_devices_are_completed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    rid = cli.run(home, "remember", "Ann moved to Lisbon", "--json").json["rid"]
    cli.run(home, "init", "--json")
    name = cli.run(home, "status", "--json").json["name"]
    line = f"samemind --home {home} "
    short = rid[:13]
    assert offered(f"{line}get ")[short] == "Ann moved to Lisbon"
    assert offered(f"{line}get {rid[:5]}") == {short: "Ann moved to Lisbon"}
    assert offered(f"{line}forget {rid[:20]}") == {rid: "Ann moved to Lisbon"}
    assert not offered(f"{line}get ffffffffff")
    assert name in offered(f"{line}sync ")


def test_an_id_is_completed_as_what_the_command_takes(tmp_path: Path) -> None:
    """No memory's, where it is that of a device, or of what the family of the command lists."""
    home = tmp_path / "home"
    rids = [
        cli.run(home, "remember", f"I live in {city}", "--json").json["rid"] for city in ("Bern", "Basel")
    ]
    cli.run(home, "remember", "My wifi password is hunter2secret99")
    (asked,) = cli.run(home, "contradictions", "--json").json["contradictions"]
    (held,) = cli.run(home, "held", "--json").json["held"]
    name = cli.run(home, "status", "--json").json["name"]
    line = f"samemind --home {home} "
    assert offered(f"{line}contradictions resolve {asked['id'][:4]}") == {asked["id"]: "owner lives_in"}
    assert set(offered(f"{line}held drop {held['id'][:20]}")) == {held["id"]}
    assert not offered(f"{line}triggers dismiss {rids[0][:8]}")
    for words in ("peers revoke", "peers rename", "phone --replacing", "carry export --since-peer"):
        assert name in offered(f"{line}{words} "), words
        assert not offered(f"{line}{words} {rids[0][:8]}"), words
    assert offered(f"{line}group rebuild --keep {rids[0][:13]}")


def test_nothing_is_made_where_there_is_no_store(tmp_path: Path) -> None:
    home = tmp_path / "none"
    offered(f"samemind --home {home} get ")
    assert not home.exists()


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_a_shell_that_is_not_known_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(Usage, match="bash, zsh, fish"):
        completion_script(words)


@pytest.fixture
def path_with_the_command(tmp_path: Path) -> str:
    """A PATH on which `samemind` is this one."""
    command = tmp_path / "bin" / "samemind"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m samemind "$@"\n')
    command.chmod(0o755)
    return f"{command.parent}:{os.environ['PATH']}"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_bash_completes_by_its_script(path_with_the_command: str) -> None:
    script = f"""{completion_script(["bash"])}
COMP_LINE='samemind recall --sp'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=(samemind recall --sp); COMP_CWORD=2
_python_argcomplete samemind
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True, text=True, check=True, timeout=60, env=cli.environment(PATH=path_with_the_command),
    )  # fmt: skip
    assert done.stdout.split() == ["--speaker"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not on this machine")
def test_fish_completes_by_its_script(path_with_the_command: str) -> None:
    script = f"{completion_script(['fish'])}\ncomplete -C 'samemind recall --sp'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        capture_output=True, text=True, check=True, timeout=60, env=cli.environment(PATH=path_with_the_command),
    )  # fmt: skip
    assert done.stdout == "--speaker\tonly what this person said\n"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not on this machine")
def test_zsh_completes_by_its_script_at_a_terminal(path_with_the_command: str, tmp_path: Path) -> None:
    """zsh completes at a terminal alone: what is typed, and a tab, are written to one of its own."""
    (tmp_path / ".zshrc").write_text(
        f"PS1='ready> '\nautoload -Uz compinit && compinit -u -d {tmp_path}/dump\n{completion_script(['zsh'])}\n"
    )
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-i"],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env=cli.environment(PATH=path_with_the_command, ZDOTDIR=str(tmp_path), TERM="dumb"),
    )  # fmt: skip
    os.close(theirs)
    try:
        assert "ready> " in read_until(ours, "ready> ")
        os.write(ours, b"samemind recall --sp\t")
        assert "--speaker" in read_until(ours, "--speaker")
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


def read_until(terminal: int, wanted: str) -> str:
    """Read what a terminal shows until that stands there, or nothing more comes for a while."""
    shown = ""
    while wanted not in shown:
        ready, _, _ = select.select([terminal], [], [], cli.SECONDS_MAX)
        if not ready:
            break
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
