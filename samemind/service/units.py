"""Write the file by which a machine starts the daemon and keeps it up. Pure.

systemd, launchd, Termux, or the Task Scheduler of Windows.

Each starts the daemon when its user is there, starts it again when it fails, and gives it as long to end as it says
it needs. The daemon's own log rotates (`samemind.daemon.logs`), so none of them keeps another one for it.
"""

import hashlib
from collections.abc import Sequence
from pathlib import PurePath
from subprocess import list2cmdline
from typing import Final
from xml.sax.saxutils import escape

# Twice what a shutdown may take, before somebody gets impatient.
STOP_SECONDS: Final = 5
# A daemon that fails at once, again and again, should not keep a phone awake.
RESTART_SECONDS: Final = 5
_LABEL: Final = "local.samemind"


def suffix(home: PurePath, default: PurePath) -> str:
    """Return what tells the service of this home from those of others; the usual home has none."""
    return "" if home == default else f"-{hashlib.sha256(str(home).encode()).hexdigest()[:8]}"


def systemd_unit(command: Sequence[str]) -> str:
    """Return a systemd unit for a user. It waits for no network: the daemon takes what comes and goes."""
    return f"""\
[Unit]
Description=samemind: one memory on all your devices

[Service]
Type=exec
ExecStart={" ".join(map(_systemd_word, command))}
Restart=on-failure
RestartSec={RESTART_SECONDS}
TimeoutStopSec={STOP_SECONDS}
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


def launch_agent(command: Sequence[str], label: str) -> str:
    """Return a LaunchAgent for macOS."""
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{escape(label)}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>{RESTART_SECONDS}</integer>
  <key>ExitTimeOut</key>
  <integer>{STOP_SECONDS}</integer>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
"""


def termux_run(command: Sequence[str]) -> str:
    """Return the `run` script of a Termux service (runit); the wake lock keeps Android from putting it to sleep."""
    words = " ".join(map(_shell_word, command))
    return f"#!/data/data/com.termux/files/usr/bin/sh\ntermux-wake-lock\numask 077\nexec {words} 2>&1\n"


def scheduled_task(command: Sequence[str], user: str) -> str:
    """Return a task for Windows' Task Scheduler, by which it runs while its user is logged in.

    The scheduler knows no shorter wait than a minute, and would end a task after three days, or where a laptop runs on
    its battery, if it were not told otherwise. It reads UTF-16, as it writes it itself.
    """
    program, *words = command
    return f"""\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>samemind: one memory on all your devices</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>{escape(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>{escape(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>255</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(list2cmdline(words))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def launch_label(home_suffix: str) -> str:
    """Return the name by which launchd knows the service."""
    return f"{_LABEL}{home_suffix}"


def _systemd_word(word: str) -> str:
    """Quote a word for ExecStart, where `%` and `$` mean something and a backslash escapes."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if any(c in word for c in " \t\"'\\;") or not word else plain


def _shell_word(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
