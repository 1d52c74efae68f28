"""What outside readers broke 0.1.0 with, where no other test here is about it; and that each attack has its test."""

import ast
import re
import time
from pathlib import Path
from random import Random

import samemind
from replica.core import Core
from replica.ids import MemoryId
from replica.limits import ACCESSES_MAX
from replica.membership import introduce
from replica.ops import Access, Relate, Remember, Write
from samemind.cli.printing import show
from samemind.formats.plain import to_json
from sync.identity import Identity
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, sqlite_store

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
# Of the readers' scripts; what they share and use beside those (`evil`, `hz`, `world`) attacks nothing by itself.
SCRIPTS = {
    "a1", "a2", "a3", "a4", "a5", "a6", "chaos", "det", "drill", "oracle", "p1", "yj3",
    "kd2", "loc", "mcp2", "mdns", "mdns2", "newc", "onepkt", "s1", "s2", "s3", "s5", "s6", "s8", "solo", "spoof", "upg",
    "xss4",
}  # fmt: skip


def test_each_attack_of_the_outside_readers_is_named_with_a_test_that_exists() -> None:
    page = (ROOT / "docs/benchmarks/attacks.md").read_text(encoding="utf-8")
    section = page.partition("## What outside readers broke 0.1.0 with")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    scripts = {name for row in rows for name in re.findall(r"`(\w+)", row.split("|")[1])}
    assert scripts == SCRIPTS
    for row in rows:
        named = _NAMED.findall(row)
        assert named, row
        for path, test in named:
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            assert any(isinstance(each, functions) and each.name == test for each in tree.body), row


def opened(home: Path) -> Core:
    """The replica of a home, between two programs that use it."""
    with samemind.open_blocking(home):
        pass
    key = Identity.load(home / "identity.pem")
    return Core(sqlite_store(str(home / "memory.db")), device=key.device_id, sign=key.sign, random=Random(1))


def know(core: Core, home: Path, *names: str) -> None:
    """Let the device of a home introduce members."""
    key = Identity.load(home / "identity.pem")
    core.learn(
        [
            introduce(
                key.sign,
                key.device_id,
                public_key=identity(name).public_key,
                certificate=identity(name).certificate,
                name=name,
            )
            for name in names
        ],
        [],
    )


def test_recalls_that_fill_every_number_leave_the_list_and_the_ranking(tmp_path: Path) -> None:
    """Hundreds of chains each say that a memory was recalled as often as can be said."""
    home = tmp_path / "home"
    core = opened(home)
    know(core, home, "eve")
    core.commit([Write(Remember("hot memory", {}), MemoryId(bytes(16)))], NOW_MS)
    seen = core.frontier().heads
    taken = 0
    for n in range(200):
        hand = Hand("eve", n.to_bytes(8), salts=Random(n))
        op = hand.write(Access(((MemoryId(bytes(16)), ACCESSES_MAX, NOW_MS),)), seen=seen)
        taken += core.take(hand.frame(op), NOW_MS).ops
    assert taken == 200
    del core
    with samemind.open_blocking(home) as mind:
        (memory,) = mind.list().memories
        assert memory.accesses == 200 * ACCESSES_MAX
        assert [each.text for each in mind.recall("hot memory")] == ["hot memory"]
        assert mind.verify().ok


def test_a_hub_of_thousands_of_edges_is_walked_and_recalled(tmp_path: Path) -> None:
    home = tmp_path / "home"
    core = opened(home)
    know(core, home, "eve")
    hand = Hand("eve")
    ops = [hand.write(Relate("hub", f"r{n % 3}", f"n{n}", 1.0), ends=n == 17_999) for n in range(18_000)]
    assert core.take(hand.frame(*ops), NOW_MS).ops == len(ops)
    core.commit([Write(Remember("hub and spokes", {}), MemoryId(bytes(16)))], NOW_MS)
    del core
    with samemind.open_blocking(home) as mind:
        began = time.process_time()
        assert mind.graph("hub", hops=3).edges
        assert [each.text for each in mind.recall("hub and spokes")] == ["hub and spokes"]
        assert time.process_time() - began < 20, "it is bounded, whatever a member relates"


def test_a_name_that_a_member_made_up_moves_no_cursor_and_forges_no_line(tmp_path: Path) -> None:
    """Whatever name an introduction holds, it is shown as one line of harmless characters, or not taken at all."""
    home = tmp_path / "home"
    core = opened(home)
    know(core, home, "eve")
    eve, other = identity("eve"), identity("other")
    core.learn(
        [
            introduce(
                eve.sign,
                eve.device_id,
                public_key=other.public_key,
                certificate=other.certificate,
                name="x\n2026-01-01T00:00:00Z INFO    forged line\x1b[31m\x07\u202e",
            )
        ],
        [],
    )
    del core
    with samemind.open_blocking(home) as mind:
        peers, found = to_json(mind.peers()), to_json(mind.doctor())
    lines = [*show("peers list", peers), *show("doctor", found)]
    assert len(show("peers list", peers)) == 2
    assert any("forged line" in line for line in lines)
    assert not any(mark in line for line in lines for mark in ("\x1b", "\x07", "\n", "\u202e"))
