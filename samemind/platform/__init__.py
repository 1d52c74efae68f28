"""What systems do differently, behind one interface: the lock, the local control channel, files and processes.

`system` is the variant of this machine. The rest of the program asks it and names nothing that only one system has: a
test reads every file for that. What can be done decides, and not the name of the system: whoever can lock as POSIX does
takes that variant, everybody else the one that was written for Windows. So a test that takes `fcntl` and its like away
runs the other variant on Linux, whole programs of it, without a switch that users could find.

What all packages need of files (to replace one, to make a folder remember its names) is `replica.file_system`, since
packages below know nothing of this one.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from samemind.platform.interface import System

try:
    from samemind.platform import posix as _variant
except ImportError:  # no `fcntl`
    from samemind.platform import windows as _variant  # type: ignore[no-redef]

system: "Final[System]" = _variant

__all__ = ["system"]
