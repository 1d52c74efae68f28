"""Two systems behind one interface: what each variant does, and that nothing else knows which one it is on."""

import ast
import errno
import importlib
import inspect
import os
import socket
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from replica import file_system
from samemind.platform import interface, posix, system, windows
from tests.support.posix_names import FOLDER, MODULES, NAMES
from tests.unit.test_house import shown, sources

SEAMS = ("samemind/platform/", "replica/file_system.py")
VARIANTS = [posix, windows]
# Opened as text on Windows unless it is said; refused there where somebody has the file open.
GOES_THROUGH_THE_SEAM = {("os", "open"), ("os", "replace"), ("trio", "open_unix_socket")}


def test_nothing_outside_of_the_seam_names_what_one_system_has() -> None:
    found = []
    for path in sources():
        if shown(path).startswith((*SEAMS, "simulations/", "samemind/_tools/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names if alias.name.partition(".")[0] in MODULES]
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                named = [module] if module.partition(".")[0] in MODULES else []
                named += [alias.name for alias in node.names if alias.name in NAMES.get(module, ())]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                is_taken = node.attr in NAMES.get(owner, ()) or (owner, node.attr) in GOES_THROUGH_THE_SEAM
                named = [f"{owner}.{node.attr}"] if is_taken else []
            else:
                continue
            found += [f"{shown(path)}:{node.lineno} {each}" for each in named]
    assert found == [], "ask samemind.platform, or replica.file_system below it"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.KIND)
def test_a_variant_has_all_that_is_asked_of_one(variant: ModuleType) -> None:
    for name, asked in inspect.getmembers(interface.System, inspect.isfunction):
        if name.startswith("_"):
            continue
        parameters = list(inspect.signature(asked).parameters)[1:]
        assert list(inspect.signature(getattr(variant, name)).parameters) == parameters, name
    assert ("posix" if variant.LETS_GO_OF_OPEN_FILES else "windows") == variant.KIND


def test_this_machine_has_the_variant_that_it_can_run() -> None:
    assert ("windows" if sys.platform == "win32" else "posix") == system.KIND


def test_our_packages_take_the_other_variant_where_the_names_of_posix_are_gone() -> None:
    """And everything that a device runs can be imported so."""
    script = """
import samemind.platform
assert samemind.platform.system.KIND == "windows"
import replica.file_system
assert not replica.file_system.MODES_COUNT
import samemind.cli.main, samemind.cli.opening, samemind.daemon.run, samemind.device
import samemind.library.mind, samemind.library.blocking, samemind.demo
import samemind.mcp.server, samemind.mcp.http, samemind.panel.door, samemind.phone.host
import sync.syncer, sync.discovery.mdns, sync.mailbox.folder, sync.mailbox.jetstream
import cognition.mind, cognition.embedding.packaged
import importlib, pkgutil
for package in ("replica", "sync", "cognition", "samemind"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if found.name not in SKIPPED and not found.name.startswith(("samemind._tools", "samemind.phone.")):
            importlib.import_module(found.name)
"""
    skipped = {"samemind.platform.posix", "samemind.__main__"}
    done = subprocess.run(
        [sys.executable, "-c", f"SKIPPED = {skipped}\n{script}"],
        env={**os.environ, "PYTHONPATH": str(FOLDER)},
        capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


# -- the lock --------------------------------------------------------------------------------------------------


class Bytes:
    """What `msvcrt.locking` promises, in memory: a byte is locked by one opening, and locked twice by none."""

    LK_UNLCK, LK_LOCK, LK_NBLCK, LK_RLCK, LK_NBRLCK = range(5)

    def __init__(self) -> None:
        self.holders: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        place = (os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        assert count == 1
        if mode == self.LK_UNLCK:
            if self.holders.pop(place, None) != descriptor:
                raise OSError(errno.EACCES, "expected a lock of one's own")
        elif place in self.holders:
            raise OSError(errno.EACCES, "the byte is locked")
        else:
            self.holders[place] = descriptor


@pytest.fixture
def msvcrt(monkeypatch: pytest.MonkeyPatch) -> Bytes:
    """Stands in for the real module, which only Windows has."""
    found = Bytes()
    monkeypatch.setitem(sys.modules, "msvcrt", found)
    return found


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.KIND)
def test_one_opening_at_a_time_has_the_lock(tmp_path: Path, msvcrt: Bytes, variant: ModuleType) -> None:
    one, other = (variant.open_file(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    try:
        assert variant.try_lock(one)
        assert not variant.try_lock(other)
        variant.unlock(one)
        variant.wait_for_lock(other)
        assert not variant.try_lock(one)
        variant.unlock(other)
    finally:
        os.close(one)
        os.close(other)


def test_nobody_has_to_read_the_byte_that_is_locked(tmp_path: Path, msvcrt: Bytes) -> None:
    """On Windows a read of it fails, and who holds the store is read by others while it is held."""
    place = tmp_path / "lock"
    descriptor = windows.open_file(place, os.O_RDWR | os.O_CREAT)
    try:
        os.write(descriptor, b"{}")
        assert windows.try_lock(descriptor)
        ((_, byte),) = msvcrt.holders
        assert place.stat().st_size <= 4096 < byte < 2**31, "`locking` counts in 32 bits with a sign"
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == 0, "and what is written next stands at the beginning"
    finally:
        os.close(descriptor)


def test_a_lock_that_fails_for_another_reason_is_no_lock_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locking(*_: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with pytest.raises(OSError, match="Invalid argument"):
            windows.try_lock(descriptor)
    finally:
        os.close(descriptor)


def test_waiting_for_a_lock_ends_when_nobody_lets_go(
    tmp_path: Path, msvcrt: Bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "LOCK_SECONDS_MAX", 0.05)
    one, other = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT, 0o600) for _ in range(2))
    try:
        windows.wait_for_lock(one)
        with pytest.raises(TimeoutError, match="let go"):
            windows.wait_for_lock(other)
    finally:
        os.close(one)
        os.close(other)


# -- files -----------------------------------------------------------------------------------------------------


def test_files_are_opened_as_bytes_where_there_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags: list[int] = []

    def open_(path: Path, given: int, mode: int) -> int:
        flags.append(given)
        return 3

    monkeypatch.setattr(os, "O_BINARY", 0x8000, raising=False)
    monkeypatch.setattr(os, "open", open_)
    windows.open_file(tmp_path / "a", os.O_RDWR)
    assert flags == [os.O_RDWR | 0x8000]


def test_a_file_that_somebody_has_open_for_a_moment_is_replaced_when_they_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, refusals = os.replace, [PermissionError(13, "in use")] * 3

    def busy(*paths: Path) -> None:
        if refusals:
            raise refusals.pop()
        replace(*paths)

    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    monkeypatch.setattr(os, "replace", busy)
    with pytest.raises(PermissionError):
        file_system.replace_file(tmp_path / "new", tmp_path / "old")
    assert len(refusals) == 2, "on POSIX a refusal stands: who waits would wait for nothing"
    monkeypatch.setattr(file_system, "_OPENS_FOLDERS", False)
    file_system.replace_file(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    monkeypatch.setattr(file_system, "BUSY_SECONDS_MAX", 0.05)
    refusals += [PermissionError(13, "in use")] * 1_000
    (tmp_path / "new").write_text("newer")
    with pytest.raises(PermissionError):
        file_system.replace_file(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new", "what was there stays as it was"


def test_a_name_outlives_a_loss_of_power_by_a_flush_where_no_folder_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda each: synced.append("folder" if stat.S_ISDIR(os.fstat(each).st_mode) else "file")
    )
    (tmp_path / "a").write_text("a")
    file_system.remember_name(tmp_path / "a")
    monkeypatch.setattr(file_system, "_OPENS_FOLDERS", False)
    file_system.remember_name(tmp_path / "a")
    file_system.remember_name(tmp_path)
    file_system.sync_folder(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c").write_text("c")
    windows.put_on_disk(tmp_path)
    assert synced == ["folder", "file", "file", "file"]


def test_a_mode_says_nothing_where_python_makes_it_up(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(0o666)
    found = (tmp_path / "a").stat()
    assert (posix.open_to_others(found), windows.open_to_others(found)) == (0o066, 0)
    assert windows.owner_of(found) is None


# -- the control channel ---------------------------------------------------------------------------------------


def test_the_token_lies_in_the_profile_wherever_the_home_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "profile"))
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    places = {windows.control_place(each, "") for each in (home, tmp_path / "link", home / ".." / "home")}
    (place,) = places
    assert place.parent == tmp_path / "profile" / "samemind-control"
    assert windows.control_place(home, "notes.db.") != place != windows.control_place(tmp_path, "")
    monkeypatch.delenv("LOCALAPPDATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert windows.control_place(home, "").is_relative_to(tmp_path / "AppData" / "Local")


# -- processes -------------------------------------------------------------------------------------------------


def test_what_a_process_is_told_is_what_each_system_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    for variant, name in ((posix, "samemind"), (windows, "samemind.exe")):
        assert variant.beside_python(python, "samemind") == [str(python), "-m", "samemind"]
        (tmp_path / name).touch()
        assert variant.beside_python(python, "samemind") == [str(tmp_path / name)]
    assert posix.detached() == {"start_new_session": True}
    assert windows.detached() == {}, "here; Popen takes no flags but on Windows"
    monkeypatch.setattr(importlib.import_module("subprocess"), "STARTUPINFO", object, raising=False)
    assert windows.detached() == {"creationflags": 0x208}
    assert set(posix.ending_signals()) == set(windows.ending_signals())


def test_a_closed_listener_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variant in VARIANTS:
        place = tmp_path / variant.KIND
        listener = variant.listen(place, 1)
        assert variant.is_poured(place)
        listener.close()
        assert not place.exists()
        assert variant.connect(place, 1) is None
        assert isinstance(listener.plain, socket.socket)


@pytest.mark.parametrize(
    ("script", "zone"),
    [
        ('#!/bin/sh\necho "$1 Europe/Berlin" | sed -n "s/^persist.sys.timezone //p"\n', "Europe/Berlin"),
        ("#!/bin/sh\necho\n", None),
        ("#!/bin/sh\nexit 1\n", None),
        ("no program", None),
        (None, None),
    ],
)
def test_android_says_its_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, zone: str | None
) -> None:
    program = tmp_path / "getprop"
    if script is not None:
        program.write_text(script)
        program.chmod(0o755)
    monkeypatch.setattr(posix, "_GETPROP", program)
    assert posix.set_zone() == zone


@pytest.mark.parametrize(
    ("called", "zone"),
    [
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("India Standard Time\0ard Time\0", "Asia/Kolkata"),
        ("Tokyo Standard Time", "Asia/Tokyo"),
        ("Standard Time of Mars", None),
    ],
)
def test_windows_says_its_zone_by_a_name_of_its_own(
    monkeypatch: pytest.MonkeyPatch, called: str, zone: str | None
) -> None:
    asked = []

    def open_key(_: object, path: str) -> nullcontext[None]:
        asked.append(path)
        return nullcontext()

    def query(_: object, name: str) -> tuple[str, int]:
        asked.append(name)
        return called, 1

    registry = SimpleNamespace(HKEY_LOCAL_MACHINE=0, OpenKey=open_key, QueryValueEx=query)
    monkeypatch.setitem(sys.modules, "winreg", registry)
    assert windows.set_zone() == zone
    assert asked == [r"SYSTEM\CurrentControlSet\Control\TimeZoneInformation", "TimeZoneKeyName"]


def test_without_a_registry_windows_says_no_zone() -> None:
    assert windows.set_zone() is None
