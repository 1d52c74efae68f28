"""A machine that lets a device down: the device opens or says what to do, and verify tells the truth."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom

import pytest

import samemind
from samemind.config import STATE_VARIABLE, Home, Settings
from samemind.errors import Failed
from tests.support import cli, mounts
from tests.support.faults import failing_fsync, spoiled, why_no_preload
from tests.support.hearing import next_line

NOTES = 25
# How often each file is spoiled in a run: a second each, and a fresh seed every time.
TIMES = 3


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A home that was closed well, and one as a kill leaves it, with everything in the log beside the store.

    What is kept outside of homes is theirs alone: it is put back with them each time.
    """
    base = tmp_path_factory.mktemp("faults")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(STATE_VARIABLE, str(base / "outside"))
        for home in (base / "well", base / "killed"):
            Home.at(home).create()
            Settings(name="laptop", mdns=False).save(Home.at(home))
            with samemind.open_blocking(home) as mind:
                for number in range(NOTES):
                    mind.remember(f"note {number:03}", no_dedup=True)
                mind.relate("Ann", "knows", "Ben")
                shutil.copytree(home, base / "as it was", ignore=shutil.ignore_patterns("*.sock"))
            if home.name == "killed":
                shutil.rmtree(home)
                (base / "as it was").rename(home)
            else:
                shutil.rmtree(base / "as it was")
        yield {"well": base / "well", "killed": base / "killed"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"),
    [("well", "memory.db"), ("killed", "memory.db-wal"), ("well", "identity.pem"), ("well", "config.toml")],
)
def test_flipped_bits_are_told_or_harmless(
    homes: dict[str, Path], tmp_path: Path, kind: str, name: str
) -> None:
    """Nothing is shown that was never told, and verify says that all is well only of what was told."""
    told = [f"note {number:03}" for number in range(NOTES)]
    first = SystemRandom().randrange(2**32)
    for number, found in enumerate(spoiled(homes[kind], name, TIMES, first)):
        replay = f"python -m tests.support.faults HOME {name} 1 {first + number}: {found}"
        if found.code:
            assert found.code in ("store_corrupt", "store_failed", "identity_unreadable", "bad_settings"), (
                replay
            )
            assert found.hint, replay
        elif found.ok:
            assert list(found.texts) == told, replay
        elif name.endswith("-wal"):
            # The log ends for SQLite where the damage begins: what is left is what was told first, and verify says so.
            assert list(found.texts) == told[: len(found.texts)], replay


def test_a_memory_whose_table_and_index_have_parted_is_damage_and_no_bug(tmp_path: Path) -> None:
    """A bit that flipped in an id: what is found by one is not in the other, and that was called a bug of ours."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        rid = bytes.fromhex(mind.remember("the only note").rid.replace("-", ""))
    store = Home.at(tmp_path / "home").store
    whole = store.read_bytes()
    places = [at for at in range(len(whole)) if whole.startswith(rid, at)]
    told: set[str] = set()
    for at in places:
        store.write_bytes(whole[:at] + bytes([whole[at] ^ 2]) + whole[at + 1 :])
        try:
            with samemind.open_blocking(tmp_path / "home") as mind:
                mind.list()
                told.add("harmless" if mind.verify().ok else "by verify")
        except samemind.SamemindError as error:
            told.add(error.code if error.hint else "no hint")
    assert told & {"store_corrupt", "by verify"}, "of some places it is told"
    assert told <= {"store_corrupt", "by verify", "harmless"}, "and never as a bug"
    store.write_bytes(whole)
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert [view.text for view in mind.list().memories] == ["the only note"]


def test_a_schema_that_no_text_can_quote_is_damage(tmp_path: Path) -> None:
    """SQLite quotes the damaged words in what it says, and Python could not read that: it was told as bad input."""
    with samemind.open_blocking(tmp_path / "home"):
        pass
    store = Home.at(tmp_path / "home").store
    whole = store.read_bytes()
    store.write_bytes(whole.replace(b"CREATE TABLE member", b"CREATE \xf3ABLE member"))
    with pytest.raises(Failed, match="SQLite cannot read the file") as told:
        samemind.open_blocking(tmp_path / "home").__enter__()
    assert told.value.code == "store_corrupt"


def test_a_key_with_another_devices_certificate_is_said_to_be_that(tmp_path: Path) -> None:
    """It was told as "not paired: pair the devices", which nobody can do without a key."""
    mine, other = tmp_path / "mine", tmp_path / "other"
    for home in (mine, other):
        with samemind.open_blocking(home):
            pass
    begins = "-----BEGIN CERTIFICATE-----"
    key, certificate = ((home / "identity.pem").read_text().partition(begins) for home in (mine, other))
    forged = certificate[2].replace("MIIB", "MIIC", 1)
    for spoiled_certificate in (certificate[2], forged):
        (mine / "identity.pem").write_text(key[0] + begins + spoiled_certificate)
        with pytest.raises(Failed, match="cannot be read") as told, samemind.open_blocking(mine):
            pass
        assert told.value.code == "identity_unreadable"


WRITER = """
import sys, samemind
from samemind.errors import SamemindError
acknowledged = 0
try:
    with samemind.open_blocking(sys.argv[1]) as mind:
        for number in range(60):
            mind.remember(f"on failing disk {sys.argv[2]}, note {number:03}")
            acknowledged += 1
except SamemindError as error:
    print(error.code, error.hint, file=sys.stderr)
finally:
    print(acknowledged)
"""


@pytest.mark.slow
@pytest.mark.skipif(why_no_preload() is not None, reason=str(why_no_preload()))
def test_a_disk_that_fails_to_sync_is_told_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """The write that could not be made durable fails; those before are there."""
    library, home = failing_fsync(tmp_path), tmp_path / "home"
    with samemind.open_blocking(home) as mind:
        mind.remember("before", no_dedup=True)
    chance, total, failed = Random(9), 1, 0
    for turn in range(2):
        done = subprocess.run(
            [sys.executable, "-c", WRITER, str(home), str(turn)],
            capture_output=True, text=True, check=False, timeout=cli.SECONDS_MAX,
            env=cli.environment(LD_PRELOAD=str(library), FSYNCS_LEFT=str(chance.randrange(2, 40))),
        )  # fmt: skip
        total += int(done.stdout or 0)
        if done.stderr:
            failed += 1
            assert done.stderr.startswith(("store_failed", "io")), done.stderr
        with samemind.open_blocking(home) as mind:
            there = mind.list(limit=1000).total
            assert there >= total, f"{there} are left of {total}"
            assert mind.verify().ok
            total = there  # one that failed at its very end may have been written after all
    assert failed, "no sync failed: the test has lost its point"


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of another process are Linux's")
def test_a_daemon_that_runs_out_of_descriptors_answers_again_when_there_are_some(tmp_path: Path) -> None:
    with cli.daemon(tmp_path) as up:
        rid = cli.run(tmp_path, "remember", "kept", "--json").json["rid"]
        held = len(os.listdir(f"/proc/{up.process.pid}/fd"))
        _, hard = resource.prlimit(up.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(up.process.pid, resource.RLIMIT_NOFILE, (held + 4, hard))
        crowd = []
        try:
            for _ in range(40):
                one = socket.socket(socket.AF_UNIX)
                one.settimeout(cli.SECONDS_MAX)
                one.connect(str(Home.at(tmp_path).control))
                crowd.append(one)
        finally:
            for one in crowd:
                one.close()
        assert cli.run(tmp_path, "get", rid, "--json").json["text"] == "kept"
        resource.prlimit(up.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
        assert cli.run(tmp_path, "remember", "and on", "--json").code == 0
        assert cli.run(tmp_path, "verify", "--json").json["ok"]


@pytest.mark.slow
def test_of_two_daemons_that_start_at_once_on_one_home_one_is_up_and_the_other_says_so(
    tmp_path: Path,
) -> None:
    words = [*cli.COMMAND, "--home", str(tmp_path), "--json", "up", "--no-mdns", "--listen", "127.0.0.1:0"]
    both = [
        subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=cli.environment()) for _ in range(2)
    ]
    try:
        said = [json.loads(next_line(each)) for each in both]
        assert sorted("error" in each for each in said) == [False, True], said
        (refused,) = [each["error"] for each in said if "error" in each]
        assert refused["code"] == "locked"
        assert cli.run(tmp_path, "remember", "kept", "--json").code == 0
    finally:
        for each in both:
            each.terminate()
            each.wait(cli.SECONDS_MAX)
            assert each.stdout is not None
            each.stdout.close()


@pytest.mark.slow
def test_a_disk_that_fills_up_and_one_that_turns_read_only_are_told_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    """Whatever is asked of them is done, or it is said what to do; when there is room again, all is there."""
    if reason := mounts.why_not(tmp_path):
        pytest.skip(reason)
    seed = SystemRandom().randrange(2**32)
    process = subprocess.Popen(
        ["unshare", "--mount", sys.executable, "-m", "tests.support.mounts", str(tmp_path), str(seed)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=cli.SECONDS_MAX)
    finally:
        with suppress(ProcessLookupError):  # what it started ends with it, also when it hangs
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, f"seed {seed}: {err}"
    said = json.loads(out)
    assert said["error"].startswith(("store_failed ", "io ")), f"seed {seed}: {said}"
    for each in (*said["full"], *said["read_only"]):
        if each["error"] is None:
            # Only doctor leaves with 1 without an error, where it says of some check what to do.
            assert each["code"] == (1 if each["advice"] else 0), f"seed {seed}: {each}"
            assert all(each["advice"]), f"seed {seed}: {each}"
        else:
            assert each["code"] != 0, f"seed {seed}: {each}"
            assert each["error"]["code"] in ("store_failed", "io"), f"seed {seed}: {each}"
            assert each["error"]["hint"], f"seed {seed}: {each}"
        assert not each["problems"], f"seed {seed}: {each}"
    assert said["found"] >= said["acknowledged"], f"seed {seed}: {said}"
    assert said["verified"]["code"] == 0, f"seed {seed}: {said}"
