"""Take what only POSIX has away from our packages, for a whole process and all that it starts.

Python runs this at its start where this folder is on PYTHONPATH. Our packages then find no `fcntl`, no `AF_UNIX`, no
`geteuid`; so they take the variant that was written for Windows, and fail where they use such a name anywhere else. The
standard library, other people's packages and the tests keep theirs: they run on Linux still, and say so.

Two rules of Windows that have nothing to do with names are kept too, for what our packages do in this process: a file
that is open, or mapped, is neither replaced nor removed, and a rename takes no name that is there. What stands in for
`msvcrt` is beside this file. The rest of Windows is not here: its paths, its access lists, its scheduler.
"""

import builtins
import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

OURS = {"samemind", "replica", "sync", "cognition", "simulations"}
MODULES = {"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "readline", "syslog", "curses"}
NAMES_OF_OS = """
geteuid getuid getegid getgid setuid setgid pwrite pread fork forkpty sync O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_CLOEXEC
O_TMPFILE fchmod fchown chown lchown uname killpg setsid getpgid getpgrp getsid memfd_create MFD_CLOEXEC statvfs
fstatvfs mkfifo mknod openpty getpriority setpriority nice posix_fallocate posix_fadvise posix_spawn chroot getloadavg
sendfile WNOHANG wait wait3 wait4 ctermid getgroups sched_yield sched_getaffinity confstr
"""
NAMES_OF_SIGNAL = """
SIGPIPE SIGHUP SIGKILL SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGQUIT SIGTSTP SIGCONT SIGSTOP SIGWINCH alarm setitimer pause
pthread_kill pthread_sigmask sigwait siginterrupt
"""
NAMES_OF_SOCKET = "AF_UNIX SO_PEERCRED socketpair SCM_RIGHTS CMSG_LEN CMSG_SPACE AF_NETLINK"
NAMES_OF_TRIO = "FdStream wait_readable_fd"


def is_ours(frame: FrameType | None) -> bool:
    """Say whether code of our packages runs there, itself or by what the standard library does with a path."""
    while frame is not None:
        names = frame.f_globals
        root = str(names.get("__package__") or names.get("__name__") or "").partition(".")[0]
        if root not in ("pathlib", "shutil"):
            return root in OURS
        if frame.f_code.co_name == "disk_usage":
            return False  # on Windows `shutil` has another one, which asks that system
        if frame.f_globals.get("__name__") not in ("pathlib", "shutil"):
            return False
        frame = frame.f_back
    return False


def take_away(module: ModuleType, names: str) -> None:
    """Leave these names of a module to others than us."""
    kept = {name: module.__dict__.pop(name) for name in names.split() if name in module.__dict__}

    def of(name: str) -> Any:
        if name in kept and not is_ours(sys._getframe(1)):
            return kept[name]
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__dict__["__getattr__"] = of


def imports() -> None:
    """Refuse our packages the modules that only POSIX has, and others the one that only Windows has."""
    import_ = builtins.__import__

    def refusing(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        root = name.partition(".")[0]
        frame = sys._getframe().f_back
        if not level and ((root in MODULES and is_ours(frame)) or root == "msvcrt"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        found = import_(name, globals, locals, fromlist, level)
        lowlevel = sys.modules.get("trio.lowlevel")
        if (
            lowlevel and "__getattr__" not in vars(lowlevel) and "FdStream" in vars(lowlevel)
        ):  # else not whole yet
            take_away(lowlevel, NAMES_OF_TRIO)
        return found

    builtins.__import__ = refusing


def open_here(path: Path) -> bool:
    """Say whether this process has a file open, or one in a folder, or mapped."""
    real = os.path.join(os.path.realpath(path.parent), path.name)
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        found += [line.split(None, 5)[5].rstrip("\n") for line in maps if line.count("/")]
    return any(each == real or each.startswith(f"{real}/") for each in found)


def refuses_what_is_open(name: str) -> None:
    """Have a function of `os` refuse what Windows does."""
    act: Callable[..., Any] = getattr(os, name)

    def refusing(*paths: Any, **options: Any) -> Any:
        if is_ours(sys._getframe(1)) and not options.get("dir_fd"):
            for each in paths:
                if open_here(Path(os.fsdecode(each))):
                    raise PermissionError(errno.EACCES, "as Windows: it is open", os.fsdecode(each))
            if name == "rename" and os.path.lexists(paths[1]):
                raise FileExistsError(errno.EEXIST, "as Windows: the name is taken", os.fsdecode(paths[1]))
        return act(*paths, **options)

    setattr(os, name, refusing)


def begin() -> None:
    """Do all of it."""
    import _socket  # before `socket`, whose functions are made anew of what is left, as on Windows

    for name in NAMES_OF_SOCKET.split():
        _socket.__dict__.pop(name, None)
    take_away(os, NAMES_OF_OS)
    take_away(signal, NAMES_OF_SIGNAL)
    for name in ("replace", "rename", "unlink", "remove"):
        refuses_what_is_open(name)
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "msvcrt", Path(__file__).with_name("stands_in_for_msvcrt.py")
    )
    assert spec is not None
    assert spec.loader is not None
    msvcrt = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(msvcrt)
    sys.modules["msvcrt"] = msvcrt
    imports()


begin()
