"""A machine that lets a device down: bytes that flip while nobody looks, a disk that does not keep what it was given.

    python -m tests.support.faults HOME FILE TIMES SEED

spoils one file of a home, again and again, and says each time, in a line of JSON, what a user who comes back would
see; then the home, and what is kept outside of it, are put back. A program of its own, since it forks: a fork takes no
threads along, so the one who forks must have none.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import trio

from samemind.config import Home
from samemind.device import open_device
from samemind.errors import explain
from samemind.library.mind import Mind
from samemind.local import Local
from tests.support.torture import fork, heard, tell

ROOT: Final = Path(__file__).parents[2]
# After so many good ones, every fsync fails; the store says so and goes on when the disk does.
FAILING_FSYNC: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
static long left = -1;
static int fails(void) {
    if (left < 0) left = atol(getenv("FSYNCS_LEFT"));
    if (left == 0) { errno = EIO; return 1; }
    left--;
    return 0;
}
int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return fails() ? -1 : real(fd);
}
int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    return fails() ? -1 : real(fd);
}
"""


def why_no_preload() -> str | None:
    """Why a library cannot be put before the system's own here; None where it can."""
    if not sys.platform.startswith("linux"):
        return "LD_PRELOAD is Linux's"
    return None if shutil.which("gcc") else "gcc is missing: no library that fails fsync can be built"


def failing_fsync(folder: Path) -> Path:
    """Build the library."""
    source, library = folder / "fsync.c", folder / "fsync.so"
    source.write_text(FAILING_FSYNC)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
    return library


@dataclass(frozen=True, slots=True)
class Examined:
    """What a user sees: an error, or what verify says, the digest, and the texts."""

    code: str = ""
    message: str = ""
    hint: str = ""
    ok: bool = False
    digest: str = ""
    texts: tuple[str, ...] = ()


def examined(home: Path) -> Examined:
    """Open a home that something was done to, and look at all of it."""
    pid, lines = fork(lambda out: trio.run(partial(_look, home, out)))
    said = dict(line.split(" ", 1) for line in heard(lines) if " " in line)
    os.waitpid(pid, 0)
    if "code" in said:
        return Examined(said["code"], said.get("message", ""), said.get("hint", ""))
    assert "digest" in said, said
    texts = tuple(said["texts"].split("|")) if "texts" in said else ()
    return Examined(ok=said["ok"] == "True", digest=said["digest"], texts=texts)


async def _look(home: Path, out: int) -> None:
    try:
        async with open_device(Home.at(home), program="a test", answers=False) as device:
            mind = Mind(Local(device))
            verified = await mind.verify()
            digest = await mind.digest()
            memories = (await mind.list(limit=100_000, include_cold=True)).memories
            await mind.recall("note", k=3)
            await mind.doctor()
            await mind.remember("and it can be written to", no_dedup=True)
            tell(out, f"ok {verified.ok}\ndigest {digest.digest}")
            if memories:
                tell(out, "texts " + "|".join(sorted(each.text for each in memories)))
    except Exception as error:
        told = explain(error)
        tell(out, f"code {told.code}\nmessage {told.message.splitlines()[0]}\nhint {told.hint}")


def spoiled(home: Path, name: str, times: int, seed: int) -> list[Examined]:
    """Look at a home so many times, one file of it spoiled each time, with seeds that count up."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.faults", str(home), name, str(times), str(seed)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=240,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Examined(**json.loads(line)) for line in done.stdout.splitlines()]


def flipped(random: Random, path: Path) -> None:
    """Flip a few bits of a file, or cut it short."""
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 1, 4, 30))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    if random.random() < 0.1:
        del data[random.randrange(len(data)) :]
    path.write_bytes(data)


def main(home: Path, name: str, times: int, seed: int) -> None:
    """Spoil, look, and tell."""
    places = {"home": home, "outside": Home.at(home).outside}
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        for kept, place in places.items():
            shutil.copytree(place, Path(folder) / kept, ignore=shutil.ignore_patterns("*.sock"))
        for each in range(seed, seed + times):
            flipped(Random(each), home / name)
            print(json.dumps(asdict(examined(home))), flush=True)
            for kept, place in places.items():
                shutil.rmtree(place)
                shutil.copytree(Path(folder) / kept, place)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
