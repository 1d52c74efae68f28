"""Install the daemon as a service of this machine, take it out again, and say how it stands.

The file is written in any case and shown by its path. Where the machine's service manager answers, it is told at
once; where it does not (a container, a login without a session bus), the answer says which command is still to be
run.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import list2cmdline
from typing import Final

from samemind.commands.service._parts import Service
from samemind.config import Home
from samemind.errors import Failed
from samemind.home.lock import Holder
from samemind.home.passphrase import VARIABLE, is_kept
from samemind.platform import system, windows
from samemind.service.units import (
    launch_agent,
    launch_label,
    scheduled_task,
    suffix,
    systemd_unit,
    termux_run,
)
from samemind.starting import COMMAND, own_command

# A manager that has not answered by then is not going to.
SECONDS_MAX: Final = 20
TASK_SCHEDULER: Final = "task-scheduler"
_PASSPHRASE_NOTE: Final = (
    f"the store is encrypted and the keychain has no passphrase for it: put it into {VARIABLE} in the service's own "
    "environment, or the daemon does not start"
)


@dataclass(frozen=True, slots=True)
class Manager:
    """One kind of machine: where the file goes, what it says, and the commands that make it count."""

    kind: str
    path: Path
    text: str
    mode: int
    install: tuple[tuple[str, ...], ...]
    uninstall: tuple[tuple[str, ...], ...]
    running: tuple[str, ...]
    note: str = ""
    encoding: str = "utf-8"


def manager_of(home: Home, listen: str | None) -> Manager:
    """Return how this machine starts services."""
    options = ["--home", home.shown(), "up", *([] if listen is None else ["--listen", listen])]
    tail = suffix(home.folder / home.prefix, _usual_home())
    if system.KIND == "windows":
        return task_scheduler(
            windows.profile(), [*system.without_window(Path(sys.executable), COMMAND), *options], tail
        )
    command = [*own_command(home), *options[2:]]
    if "com.termux" in os.environ.get("PREFIX", ""):
        folder = Path(os.environ["PREFIX"]) / "var" / "service" / f"samemind{tail}"
        return Manager(
            "termux", folder / "run", termux_run(command), 0o700,
            (("sv-enable", folder.name), ("sv", "up", folder.name)),
            (("sv", "down", folder.name), ("sv-disable", folder.name)),
            ("sv", "status", folder.name), "pkg install termux-services, once, and restart Termux",
        )  # fmt: skip
    if sys.platform == "darwin":
        label = launch_label(tail)
        path = Path.home() / "Library" / "LaunchAgents" / f"{label}.plist"
        domain = f"gui/{system.user_id()}"
        return Manager(
            "launchd", path, launch_agent(command, label), 0o644,
            (("launchctl", "bootstrap", domain, str(path)),),
            (("launchctl", "bootout", f"{domain}/{label}"),),
            ("launchctl", "print", f"{domain}/{label}"),
        )  # fmt: skip
    if not sys.platform.startswith("linux"):
        raise Failed(
            f"expected systemd, launchd, Termux or Windows, found {sys.platform}",
            code="no_service_manager",
            hint="start `samemind up` in another way",
        )
    unit = f"samemind{tail}.service"
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    control = ("systemctl", "--user")
    return Manager(
        "systemd", config / "systemd" / "user" / unit, systemd_unit(command), 0o644,
        ((*control, "daemon-reload"), (*control, "enable", "--now", unit)),
        ((*control, "disable", "--now", unit), (*control, "daemon-reload")),
        (*control, "is-active", "--quiet", unit),
        "on a server, let it run while nobody is logged in: loginctl enable-linger",
    )  # fmt: skip


def task_scheduler(profile: Path, command: Sequence[str], tail: str) -> Manager:
    """Return how Windows is told: the file is kept to be looked at, and the scheduler takes what it says."""
    name = f"samemind{tail}"
    path = profile / "samemind-service" / f"{name}.xml"
    user = "\\".join(filter(None, (os.environ.get("USERDOMAIN"), os.environ.get("USERNAME"))))
    # `schtasks /Query` answers in the system's language; this one says a state that has a name in all of them.
    running = f"if ((Get-ScheduledTask -TaskName '{name}').State -ne 'Running') {{ exit 1 }}"
    return Manager(
        TASK_SCHEDULER, path, scheduled_task(command, user), 0o600,
        (("schtasks", "/Create", "/TN", name, "/XML", str(path), "/F"), ("schtasks", "/Run", "/TN", name)),
        (("schtasks", "/End", "/TN", name), ("schtasks", "/Delete", "/TN", name, "/F")),
        ("powershell", "-NoProfile", "-NonInteractive", "-Command", running),
        "untested on Windows itself: tell us what it did", "utf-16",
    )  # fmt: skip


def _usual_home() -> Path:
    from platformdirs import user_data_path

    return user_data_path("samemind", appauthor=False)


def ask(commands: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Run commands in their order; return those that are left when one could not be run."""
    for at, command in enumerate(commands):
        if not succeeds(command):
            return tuple(commands[at:])
    return ()


def succeeds(command: tuple[str, ...]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def told(home: Home, manager: Manager, *, changed: bool, left: Sequence[tuple[str, ...]]) -> Service:
    installed = manager.path.exists()
    holder = Holder.of(home)
    return Service(
        kind=manager.kind,
        path=str(manager.path),
        installed=installed,
        running=installed and succeeds(manager.running),
        changed=changed,
        holder=None if holder is None else str(holder),
        text=manager.path.read_text(manager.encoding, "replace") if installed else "",
        left=[
            list2cmdline(command) if manager.kind == TASK_SCHEDULER else " ".join(command) for command in left
        ],
        note=_note(home, manager) if installed else "",
    )


def _note(home: Home, manager: Manager) -> str:
    """Say what to know of such a service, and of one that has no terminal at which it could ask."""
    return "\n".join(filter(None, (manager.note, "" if is_kept(home) else _PASSPHRASE_NOTE)))
