"""A command loads what it needs and nothing else: most of what a short one costs is loading modules."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.cli import daemon, environment, run

# Says which modules a command has loaded by its end.
SCRIPT = (
    "import gc, json, sys; from samemind.__main__ import main; looked = gc.get_stats(); code = main();"
    "looked = [now['collections'] - was['collections'] for now, was in zip(gc.get_stats(), looked)];"
    "print(json.dumps([sorted(sys.modules), sum(looked), len(gc.get_objects())]), file=sys.stderr); sys.exit(code)"
)
# Says whether what finds others is loaded by the time that a syncer begins to look for them.
ONLINE = """
import sys, trio
from pathlib import Path
from sync.syncer import Supervisor, open_syncer
from tests.support.devices import devices, introduce_to
Supervisor.keep = lambda *_: print("zeroconf" in sys.modules)
async def main(folder, *peers):
    async with devices(Path(folder), "phone") as (phone,):
        for peer in peers:
            await introduce_to(phone, peer)
        async with open_syncer(phone.replica, phone.identity, phone.host, name="phone", dials=False):
            pass
trio.run(main, *sys.argv[1:])
"""
# What ranks, reads, embeds and links; and libraries that are large.
NEVER = (
    "cognition.embedding",
    "cognition.extraction",
    "cognition.mind",
    "cognition.ranking",
    "cryptography.x509",
    "hypercorn",
    "mcp",
    "numpy",
    "pycrdt",
    "pydantic",
    "rich",
    "starlette",
    "sync.link",
    "sync.syncer",
    "wordllama",
    "zeroconf",
)
# A loop, and what only a loop is for.
LOOPS = ("aiosqlite", "asyncio", "attr", "logging", "ssl", "trio")
# Without a store to open.
NOTHING_OPENED = (*NEVER, *LOOPS, "cognition", "cryptography", "nacl", "sqlite3")
READING = (
    "cognition.judging.comparing",
    "cognition.contradictions.reading",
    "cognition.extraction.engine",
    "cognition.grammar.typed",
    "cognition.judging",
    "cognition.judging.noticing",
    "cognition.steps",
)
# What names an embedder, and what holds BLAS to one thread where it has more: each takes longer than the question.
NOT_FOR_A_QUESTION = ("email", "importlib.metadata", "threadpoolctl", "cognition.extraction.secrets")
# 0.1.0 loaded 773 for each of the first two. Raise a number only for what the command cannot do without.
# Three are the lock, the control channel and files as each system does them. A question stems its
# words, finds what repeats by each of its days, and reads what is kept aside: four more. JSON has one
# reader with a bound. Which event a question names is read by expressions that are compiled late: two.
# Each folder of cognition that it goes through is one. Python 3.13 loads two more of its own for the same.
OPENING_MAX = 330
ASKING_MAX = 150
RECALLING_MAX = 722
EXPLAINING_MAX = 142
# Those of this script; a list alone leaves 60,000.
OBJECTS_MAX = 1_000


class Ended(NamedTuple):
    """What is left of a command at its end."""

    modules: set[str]
    looked: int
    """How often it looked for cycles."""
    looked_at: int
    """How many objects the interpreter looks through before it ends."""


def loaded(home: Path, *words: str) -> set[str]:
    """Run a command to its end, and return the modules that it loaded."""
    return ended(home, *words).modules


def ended(home: Path, *words: str) -> Ended:
    """Run a command to its end, and return what is left of it."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "--home", str(home), *words],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    modules, looked, looked_at = json.loads(done.stderr.splitlines()[-1])
    return Ended(set(modules), looked, looked_at)


def among(modules: set[str], named: tuple[str, ...]) -> list[str]:
    """Return those of the modules that are named, or stand under one that is."""
    return sorted(each for each in modules if any(f"{each}.".startswith(f"{name}.") for name in named))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A device with a memory."""
    home = tmp_path_factory.mktemp("home")
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    # Reads what a slow machine left unread when it was told, and whom it names: the next command may begin with it.
    assert run(home, "entities").code == 0
    return home


@pytest.mark.parametrize("words", [["list"], ["status"], ["peers"], ["group"], ["get", "@"]], ids=" ".join)
def test_a_command_that_shows_what_is_there_loads_no_cognition_and_no_loop(
    home: Path, words: list[str]
) -> None:
    """Not the embedder, not the ranking and not the grammar, and no links either."""
    if "@" in words:
        words = ["get", run(home, "--raw", "list").out.split()[0]]
    modules = loaded(home, *words)
    assert among(modules, (*NEVER, *LOOPS, "tomllib")) == []  # it has no settings to read
    assert "sqlite3" in modules
    assert len(modules) <= OPENING_MAX


@pytest.mark.parametrize("question", ["Lisbon", "Who presides over the chess club?"])
def test_a_question_loads_what_ranks_and_nothing_that_reads_texts(home: Path, question: str) -> None:
    """What is told was read by whoever told it; and where no answer is likely, nothing is quarantined here."""
    modules = loaded(home, "recall", question)
    assert among(modules, (*READING, *NOT_FOR_A_QUESTION)) == []
    assert {"cognition.ranking", "trio"} <= modules
    assert len(modules) <= RECALLING_MAX


def test_a_device_alone_loads_nothing_that_pairs_or_finds_others(home: Path) -> None:
    """What pairs computes its groups as it is loaded, which takes half as long as a first sync."""
    modules = loaded(home, "sync")
    assert "sync.syncer" in modules
    assert among(modules, ("spake2", "zeroconf")) == []


@pytest.mark.parametrize("peers", [[], ["laptop"]], ids=["alone", "of a group"])
def test_what_finds_others_is_loaded_before_anybody_is_called(peers: list[str], tmp_path: Path) -> None:
    """In the midst of a handshake the other side would wait for it."""
    done = subprocess.run(
        [sys.executable, "-c", ONLINE, str(tmp_path), *peers],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == [str(bool(peers))]


def test_whoever_looks_for_damage_reads_nothing_first(home: Path) -> None:
    """A full disk keeps nothing of what is read, and it would be read again each time."""
    assert among(loaded(home, "verify"), (*READING, *NOT_FOR_A_QUESTION, "cognition.mind")) == []


@pytest.mark.parametrize("words", [["list"], ["recall", "Lisbon"]], ids=" ".join)
def test_a_short_command_never_looks_for_cycles(home: Path, words: list[str]) -> None:
    """Nor does the interpreter at its end: that took a seventh of a recall."""
    left = ended(home, *words)
    assert left.looked == 0
    assert left.looked_at < OBJECTS_MAX


def test_a_command_that_may_go_on_looks_for_cycles(home: Path) -> None:
    """What it leaves behind would stay for as long as it runs."""
    assert ended(home, "remember", "Ben moved to Porto").looked > 0


def test_help_opens_nothing(home: Path) -> None:
    """Nor does it load what would."""
    modules = loaded(home, "--help")
    assert among(modules, NOTHING_OPENED) == []
    assert len(modules) <= EXPLAINING_MAX


def test_beside_a_daemon_a_command_loads_a_socket_and_little_else(home: Path) -> None:
    """The daemon has loaded everything; a command only asks it."""
    with daemon(home):
        for words in (["list"], ["status"], ["recall", "Lisbon"]):
            modules = loaded(home, *words)
            assert among(modules, NOTHING_OPENED) == [], words
            assert len(modules) <= ASKING_MAX, words
