"""Run what a page of the documents shows: the commands in its `console` blocks, and compare what they print.

A line `$ COMMAND` is run by a shell; the lines below it are what it must print. `laptop$` and `phone$` are two
machines: each has a home of its own, and everything on it is run there.

What cannot be the same twice is written as an example: an id, a digest, a code, an address, a time. An example stands
for whatever of its kind is printed in its place, and for the same thing all over the page: the id that one command
printed is the id that the next one is given. `…` is any text, and a line of its own any number of lines.

    ```console            runs the commands one after the other
    ```console eventually runs it again until it prints what it must, for a while
    ```console goes-on    leaves it running when it has printed the lines above the first `…`; the rest must have been
                          printed when the page ends

The machines look for nobody by multicast, so that a page means the same on every network.
"""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from tests.support.cli import SECONDS_MAX, environment
from tests.support.forking import can_fork, loaded

# A daemon starts within two seconds, and on a machine that is busy with other tests within ten.
EVENTUALLY_SECONDS: Final = 30.0
ANYTHING: Final = "…"
_FENCE: Final = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT: Final = re.compile(r"^(\w*)\$ (.*)$")

# Examples that stand for one thing all over a page.
_NAMED: Final = {
    "memory": r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    "digest": r"\b[0-9a-f]{64}\b",
    "device": r"\b[0-9a-f]{12}\b",
    "address": r"\b\d+\.\d+\.\d+\.\d+:\d+\b",
    "code": r"\b\d{1,3}-[a-z]+-[a-z]+\b",
    "words": r"(?<=these words: )[a-z]+(?: [a-z]+){3}",
}
# Examples that stand for anything of their kind.
_LOOSE: Final = {
    "time": r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "minute": r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b",
    "score": r"\b\d\.\d{3,4}\b",
    "process": r"(?<=process )\d+",
    "amount": r"\b\d+(?=(?: bytes| MB| ms| in,))",
}
_EXAMPLE: Final = re.compile(
    "|".join(f"(?P<{kind}>{shape})" for kind, shape in (_NAMED | _LOOSE).items()) + f"|{ANYTHING}"
)
_BEGINNING: Final = re.compile(r"\b[0-9a-f]{6,8}(?:-[0-9a-f]{1,12})*\b")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a page, and what it must print. `line` is where it stands in the page."""

    machine: str
    text: str
    printed: str
    how: str
    line: int


def fenced(page: Path, language: str) -> Iterator[tuple[str, str, int]]:
    """Return every block in a language: what is said beside the language, the block, and its first line's number."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if found[1] == language:
            yield found[2].strip(), found[3], text.count("\n", 0, found.start(3)) + 1


def commands(page: Path) -> list[Command]:
    """Return the commands of a page, in their order."""
    found: list[Command] = []
    for how, block, first in fenced(page, "console"):
        assert how in ("", "eventually", "goes-on"), f"{page.name}:{first}: {how}"
        for number, line in enumerate(block.splitlines(), first):
            prompt = _PROMPT.match(line)
            if prompt is not None:
                found.append(Command(prompt[1] or "here", prompt[2], "", how, number))
            else:
                assert found, f"{page.name}:{number}: output before a command"
                last = found[-1]
                found[-1] = Command(last.machine, last.text, f"{last.printed}{line}\n", last.how, last.line)
    return found


class Examples:
    """What the examples of a page stand for, so far."""

    def __init__(self) -> None:
        self._actual: dict[str, str] = {}

    def in_command(self, text: str) -> str:
        """Return a command with what its examples stand for; the beginning of an id is one too."""

        def actual(found: re.Match[str]) -> str:
            return self._actual.get(found[0], found[0])

        def beginning(found: re.Match[str]) -> str:
            whole = [each for each in self._actual if each.startswith(found[0]) and len(each) > len(found[0])]
            return self._actual[whole[0]][: len(found[0])] if len(whole) == 1 else found[0]

        return _BEGINNING.sub(beginning, _EXAMPLE.sub(actual, text))

    def pattern(self, printed: str) -> tuple[re.Pattern[str], dict[str, str]]:
        """Return what the output must match, and the group in which each new example is found."""
        groups: dict[str, str] = {}
        parts: list[str] = []
        for line in printed.splitlines(keepends=True):
            if line.strip() == ANYTHING:
                parts.append(r"(?:.*\n)*?")
                continue
            end = 0
            for found in _EXAMPLE.finditer(line):
                parts.append(re.escape(line[end : found.start()]))
                parts.append(self._part(found, groups))
                end = found.end()
            parts.append(re.escape(line[end:]))
        return re.compile("".join(parts)), groups

    def learn(self, found: re.Match[str], groups: dict[str, str]) -> None:
        """Take what the new examples turned out to stand for."""
        for example, group in groups.items():
            twin = next((each for each, actual in self._actual.items() if actual == found[group]), None)
            assert twin is None, f"{example} and {twin} are two examples of one thing, {found[group]}"
            self._actual[example] = found[group]

    def _part(self, found: re.Match[str], groups: dict[str, str]) -> str:
        example, kind = found[0], found.lastgroup
        if kind is None:
            return ".*?"
        if kind in _LOOSE:
            return _LOOSE[kind]
        if example in self._actual:
            return re.escape(self._actual[example])
        if example in groups:
            return f"(?P={groups[example]})"
        groups[example] = f"example_{len(groups)}"
        return f"(?P<{groups[example]}>{_NAMED[kind]})"


@dataclass(slots=True)
class Going:
    """A command that was left running, and what it has printed so far."""

    command: Command
    process: subprocess.Popen[str]
    printed: str = ""
    reader: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.printed += line

    def end(self) -> None:
        """Ask it to end, as Ctrl-C does not reach it, and wait."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(SECONDS_MAX)
        self.reader.join(SECONDS_MAX)
        if self.process.stdout is not None:
            self.process.stdout.close()


def play(page: Path, folder: Path) -> None:
    """Run a page in a folder; AssertionError says which line printed something else."""
    examples = Examples()
    with ExitStack() as stack:
        going: list[Going] = []
        for command in commands(page):
            machine = folder / command.machine
            if not machine.exists():
                _set_up(machine)
            text = examples.in_command(command.text)
            where = f"{page.name}:{command.line}"
            if command.how == "goes-on":
                going.append(stack.enter_context(_left_running(command, text, machine)))
                head = "".join(_until_anything(command.printed))
                assert head, f"{where}: nothing says when it is ready"
                _wait(going[-1], examples, head, f"{where}: {text}", whole=False)
            else:
                _run(command, text, machine, examples, where)
        for each in going:
            _wait(each, examples, each.command.printed, f"{page.name}:{each.command.line}", whole=True)


def run_python(source: str, machine: Path) -> str:
    """Run a Python block on a machine and return what it printed."""
    if not machine.exists():
        _set_up(machine)
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=machine,
        env=_environment(machine),
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _set_up(machine: Path) -> None:
    home = machine / "memory"
    home.mkdir(parents=True)
    name = "laptop" if machine.name == "here" else machine.name
    settings = f'name = "{name}"\nlisten = "127.0.0.1:0"\nmdns = false\n'
    (home / "config.toml").write_text(settings, encoding="utf-8")


def _environment(machine: Path) -> dict[str, str]:
    folders = [Path(sys.executable).parent, os.environ.get("PATH", os.defpath)]
    if can_fork(os.environ):
        folders.insert(0, loaded().commands)
    path = os.pathsep.join(map(str, folders))
    # Wide enough that no usage line is broken; and no zone, so that times are the machine's in all of them. Unpacking
    # the model takes a second and 79 MB, and is no part of what a page shows: all machines share what is unpacked.
    return environment(
        HOME=str(machine),
        SAMEMIND_HOME=str(machine / "memory"),
        XDG_CACHE_HOME=str(user_cache_path()),
        PATH=path,
        COLUMNS="100",
    )


def _run(command: Command, text: str, machine: Path, examples: Examples, where: str) -> None:
    deadline = time.monotonic() + (EVENTUALLY_SECONDS if command.how == "eventually" else 0)
    pattern, groups = examples.pattern(command.printed)
    while True:
        done = subprocess.run(
            text,
            shell=True,
            cwd=machine,
            env=_environment(machine),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
        found = pattern.fullmatch(done.stdout)
        if found is not None:
            break
        assert time.monotonic() < deadline, (
            f"{where}: {text}\nmust print:\n{command.printed}\nprinted:\n{done.stdout}"
        )
        time.sleep(0.1)
    complains = any(line.startswith("samemind: ") for line in command.printed.splitlines())
    assert (done.returncode != 0) == complains, f"{where}: {text} left with {done.returncode}"
    examples.learn(found, groups)


@contextmanager
def _left_running(command: Command, text: str, machine: Path) -> Iterator[Going]:
    process = subprocess.Popen(
        f"exec {text}",
        shell=True,
        cwd=machine,
        env=_environment(machine),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    going = Going(command, process)
    try:
        yield going
    finally:
        going.end()


def _until_anything(printed: str) -> Iterator[str]:
    for line in printed.splitlines(keepends=True):
        if line.strip() == ANYTHING:
            return
        yield line


def _wait(going: Going, examples: Examples, printed: str, where: str, *, whole: bool) -> None:
    pattern, groups = examples.pattern(printed)
    deadline = time.monotonic() + EVENTUALLY_SECONDS
    while (found := (pattern.fullmatch if whole else pattern.match)(going.printed)) is None:
        assert time.monotonic() < deadline, f"{where}\nmust print:\n{printed}\nprinted:\n{going.printed}"
        time.sleep(0.02)
    examples.learn(found, groups)
