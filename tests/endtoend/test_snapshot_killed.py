"""A daemon that is killed in the midst of a snapshot: what it had kept is not sent again, as the next sync says."""

import json
import random
import signal
import sqlite3
import string
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import samemind
from samemind.config import Home, Settings
from sync.wire.messages import BASE_PART_BYTES
from tests.support import cli
from tests.support.hearing import next_line

TEXTS = 200
# No word of it comes twice, so that packing cannot make one part of it all.
TEXT_CHARACTERS = 30_000
# So many parts are kept before the kill: without resuming, at least one more would come than may.
KEPT_MIN = 2
# Greetings, and what frames the parts.
TALK_BYTES_MAX = 64 << 10
# How many times a machine that is busy may come too late to kill.
ATTEMPTS = 5
SECONDS_MAX = 120.0
# Between two looks: without it, looking takes a core from those who are looked at. A part takes longer to come.
LOOK_SECONDS = 0.005
# Of what each daemon says of itself, where no snapshot came.
LOG_CHARACTERS = 3_000


def kept(home: Path) -> tuple[int, int, bool]:
    """How many parts of a snapshot a store holds, of how many, and whether it was taken; read beside its writer."""
    with closing(sqlite3.connect(f"{Home.at(home).store.as_uri()}?mode=ro", uri=True)) as store:
        found: tuple[int, int, bool] = store.execute(
            "SELECT count(*), coalesce(max(parts), 0), EXISTS (SELECT 1 FROM memory) FROM part"
        ).fetchone()
        return found


def made(folder: Path, name: str) -> Path:
    """A device with a home of its own."""
    home = Home.at(folder / name)
    home.create()
    Settings(name=name, mdns=False).save(home)
    return home.folder


def killed_midway(laptop: Path, phone: Path) -> tuple[int, int] | None:
    """Pair a phone whose daemon is killed once it has kept parts; None where everything came before the signal."""
    with cli.daemon(phone) as up, verb(laptop, "pair") as offering:
        offer = json.loads(next_line(offering))
        with verb(phone, "pair", offer["code"], "--address", offer["address"]) as joining:
            began = time.monotonic()
            while not (found := kept(phone))[2] and found[0] < KEPT_MIN:
                if joining.poll():
                    pytest.fail(f"the pairing ended: {''.join(joining.communicate())}")
                if time.monotonic() - began > SECONDS_MAX:
                    logs = [(home / "daemon.log").read_text()[-LOG_CHARACTERS:] for home in (phone, laptop)]
                    pytest.fail(f"no snapshot came ({found}, pairing {joining.poll()}): {logs}")
                time.sleep(LOOK_SECONDS)
            joining.kill()  # first, since without a daemon it would open the store itself
            assert up.end(signal.SIGKILL) == -signal.SIGKILL
    held, parts, taken = kept(phone)
    return None if taken else (held, parts)


@contextmanager
def verb(home: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a command, and end it with the block."""
    with subprocess.Popen(
        [*cli.COMMAND, "--home", str(home), "--json", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cli.environment(),
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_parts_of_a_snapshot_that_came_before_a_kill_are_not_sent_again(tmp_path: Path) -> None:
    chance = random.Random()
    laptop = made(tmp_path, "laptop")
    letters = string.ascii_letters + string.digits
    with samemind.open_blocking(laptop) as mind:
        mind.remember_many(
            [{"text": "".join(chance.choices(letters, k=TEXT_CHARACTERS))} for _ in range(TEXTS)]
        )
        assert mind.compact().ops == 0, "nothing but the base is left to send"
    with cli.daemon(laptop):
        for attempt in range(ATTEMPTS):
            phone = made(tmp_path, f"phone{attempt}")
            if found := killed_midway(laptop, phone):
                break
        else:
            pytest.fail(f"{ATTEMPTS} times all of the snapshot came before the kill: make it longer")
        held, parts = found
        assert KEPT_MIN <= held < parts
        said = cli.run(phone, "sync", "--json").json
        assert "peers" in said, said
        (report,) = said["peers"]
        assert kept(phone) == (0, 0, True)
        digests = [cli.run(home, "digest", "--json").json["digest"] for home in (laptop, phone)]
    print(f"{held} of {parts} parts were kept, {report['bytes_in']} bytes came afterwards")
    assert report["refused"] == []
    rest = (parts - held) * BASE_PART_BYTES
    assert rest - BASE_PART_BYTES < report["bytes_in"] < rest + TALK_BYTES_MAX
    assert digests[0] == digests[1]
