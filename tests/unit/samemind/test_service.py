"""The service: the file for each kind of machine, put there once and taken away again."""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path, PurePath
from xml.etree import ElementTree

import pytest

from samemind.commands.service import _work
from samemind.commands.service.install import InstallService
from samemind.commands.service.install import run as service_install
from samemind.commands.service.status import ShowService
from samemind.commands.service.status import run as service_status
from samemind.commands.service.uninstall import UninstallService
from samemind.commands.service.uninstall import run as service_uninstall
from samemind.config import Home
from samemind.platform import windows
from samemind.service.units import launch_agent, scheduled_task, suffix, systemd_unit, termux_run

WORDS = ["/opt/my tools/samemind", "--home", '/tmp/100% "mine"; $HOME', "up"]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, and a PATH with nothing on it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("XDG_CONFIG_HOME", "PREFIX"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    return tmp_path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is Linux's")
def test_installing_writes_the_unit_once_and_says_what_is_left_where_no_manager_answers(user: Path) -> None:
    home = Home.at(user / "memory")
    first = service_install(home, InstallService(listen="0.0.0.0:7411"))
    assert (first.kind, first.installed, first.changed, first.running) == ("systemd", True, True, False)
    assert first.path.startswith(str(user / ".config" / "systemd" / "user" / "samemind-"))
    assert first.left[-1].startswith("systemctl --user enable --now samemind-")
    assert f"--home {home.folder} up --listen 0.0.0.0:7411\n" in first.text
    again = service_install(home, InstallService(listen="0.0.0.0:7411", no_start=True))
    assert not again.changed
    assert service_status(home, ShowService()).installed
    gone = service_uninstall(home, UninstallService())
    assert gone.changed
    assert not Path(first.path).exists()
    assert not service_uninstall(home, UninstallService()).changed
    assert not service_status(home, ShowService()).installed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is Linux's")
def test_a_manager_that_answers_is_told_at_once_and_ends_what_the_file_before_started(user: Path) -> None:
    told = user / "told"
    manager = user / "bin" / "systemctl"
    manager.write_text(
        # It keeps count of what it started as the real one does: enabled is on, disabled is off.
        f'#!/bin/sh\necho "$@" >> {told}\n'
        f"case $2 in enable) : > {told}.on;; disable) /bin/rm {told}.on;; is-active) [ -e {told}.on ];; esac\n",
        encoding="utf-8",
    )
    manager.chmod(0o755)
    service = service_install(Home.at(user / "memory"), InstallService())
    name = Path(service.path).name
    assert service.left == []
    assert service.running
    start = ["--user daemon-reload", f"--user enable --now {name}"]
    asked = f"--user is-active --quiet {name}"
    assert told.read_text(encoding="utf-8").splitlines() == [asked, *start, asked]
    told.unlink()
    assert service_install(Home.at(user / "memory"), InstallService(listen="0.0.0.0:7411")).running
    end = [f"--user disable --now {name}", "--user daemon-reload"]
    assert told.read_text(encoding="utf-8").splitlines() == [asked, *end, *start, asked]


def test_termux_gets_a_run_script_that_a_shell_reads_as_it_is_meant(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFIX", str(user / "data" / "com.termux" / "usr"))
    service = service_install(Home.at(user / "memory"), InstallService())
    assert service.kind == "termux"
    assert Path(service.path).stat().st_mode & 0o100
    assert service_uninstall(Home.at(user / "memory"), UninstallService()).changed
    assert not Path(service.path).parent.exists()
    line = next(line for line in termux_run(WORDS).splitlines() if line.startswith("exec "))
    assert shlex.split(line) == ["exec", *WORDS, "2>&1"]


def test_a_launch_agent_is_a_property_list_with_the_words_as_they_are() -> None:
    found = plistlib.loads(launch_agent([*WORDS, "<&>"], "local.samemind").encode())
    assert found["ProgramArguments"] == [*WORDS, "<&>"]
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert found["Umask"] == 0o077


TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


def test_a_task_is_xml_with_the_words_as_windows_takes_them_apart() -> None:
    """The text alone: the scheduler itself was not here to be asked."""
    found = ElementTree.fromstring(
        scheduled_task([r"C:\my tools\pythonw.exe", *WORDS[1:], "<&>"], r"DESK\ann & co")
    )
    action = found.find(f".//{TASK}Exec")
    assert action is not None
    assert action.findtext(f"{TASK}Command") == r"C:\my tools\pythonw.exe"
    assert action.findtext(f"{TASK}Arguments") == r'--home "/tmp/100% \"mine\"; $HOME" up <&>'
    assert [each.text for each in found.iter(f"{TASK}UserId")] == [r"DESK\ann & co"] * 2
    settings = found.find(f"{TASK}Settings")
    assert settings is not None
    said = {each.tag.removeprefix(TASK): each.text for each in settings}
    assert said["ExecutionTimeLimit"] == "PT0S", "it is not ended after three days"
    assert said["StopIfGoingOnBatteries"] == said["DisallowStartIfOnBatteries"] == "false"
    assert found.findtext(f".//{TASK}RunLevel") == "LeastPrivilege"


def test_windows_is_told_by_a_file_that_its_scheduler_reads(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(user / "my profile"))
    monkeypatch.setenv("USERDOMAIN", "DESK")
    monkeypatch.setenv("USERNAME", "ann")
    monkeypatch.setattr(_work, "system", windows)
    monkeypatch.setattr(sys, "executable", str(user / "python.exe"))
    (user / "pythonw.exe").touch()
    home = Home.at(user / "memory")
    service = service_install(home, InstallService(listen="0.0.0.0:7411"))
    assert (service.kind, service.installed, service.running) == ("task-scheduler", True, False)
    name = Path(service.path).stem
    assert service.left == [
        f'schtasks /Create /TN {name} /XML "{service.path}" /F',
        f"schtasks /Run /TN {name}",
    ]
    held = Path(service.path).read_bytes()
    assert held[:2] in (b"\xff\xfe", b"\xfe\xff"), "UTF-16 with its mark, as it says itself"
    words = ElementTree.fromstring(held).findtext(f".//{TASK}Arguments")
    assert words == f"-m samemind --home {home.folder} up --listen 0.0.0.0:7411"
    assert not service_install(home, InstallService(listen="0.0.0.0:7411", no_start=True)).changed
    assert service_status(home, ShowService()).text == service.text
    assert service_uninstall(home, UninstallService()).left[0] == f"schtasks /End /TN {name}"
    assert not Path(service.path).exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    tool = tmp_path / "my tools; 100%"
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    unit = tmp_path / "samemind.service"
    unit.write_text(systemd_unit([str(tool), *WORDS[1:]]), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_two_homes_have_services_of_two_names() -> None:
    usual = PurePath("/data/samemind")
    assert suffix(usual, usual) == ""
    assert len({suffix(PurePath(f"/{name}"), usual) for name in "abc"}) == 3


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is Linux's")
def test_a_service_of_an_encrypted_store_says_that_it_is_not_asked_for_a_passphrase(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon failed at every boot, and only the log of the service manager said why."""
    home = Home.at(user / "memory")
    home.create()
    assert "passphrase" not in service_install(home, InstallService(no_start=True)).note
    home.store.write_bytes(os.urandom(4_096))  # nothing tells it from what is encrypted
    note = service_status(home, ShowService()).note
    assert "enable-linger" in note
    assert "the keychain has no passphrase for it: put it into SAMEMIND_PASSPHRASE" in note
    monkeypatch.setattr(_work, "is_kept", lambda _: True)
    assert "passphrase" not in service_status(home, ShowService()).note
