"""A wall clock that is wrong, for a real program: a library before the system's own, which reads a file for how wrong.

The file is shared memory: what is written to it holds at once, in programs that run. Clocks that only count on are left
as they are, as a step of a machine's clock leaves them.
"""

import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

# [0] is 1 for a clock that stands still at [1]; otherwise it is [1] ahead. Nanoseconds.
SOURCE: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#define BILLION 1000000000LL
static volatile long long *wrong;
static int (*real)(clockid_t, struct timespec *);
__attribute__((constructor)) static void begin(void) {
    real = dlsym(RTLD_NEXT, "clock_gettime");
    int file = open(getenv("WRONG_CLOCK"), O_RDONLY);
    void *found = mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0 && found != MAP_FAILED) wrong = found;
}
int clock_gettime(clockid_t id, struct timespec *to) {
    if (!real) begin();
    int code = real(id, to);
    if (code || id != CLOCK_REALTIME || !wrong) return code;
    long long now = to->tv_sec * BILLION + to->tv_nsec;
    now = wrong[0] ? wrong[1] : now + wrong[1];
    to->tv_sec = now / BILLION;
    to->tv_nsec = now % BILLION;
    return 0;
}
time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *to, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


class WrongClock:
    """The clock of some programs: those that are started with its `environment`."""

    def __init__(self, folder: Path) -> None:
        source, library = folder / "clock.c", folder / "clock.so"
        source.write_text(SOURCE)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
        self._told = folder / "clock"
        self.step(0)
        self.environment = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(self._told)}

    def step(self, seconds: float) -> None:
        """Put it so far ahead of the true time, or behind."""
        self._tell(0, int(seconds * 10**9))

    def freeze(self) -> None:
        """Let it stand at what is now the true time."""
        self._tell(1, time.time_ns())

    def _tell(self, frozen: int, ns: int) -> None:
        with self._told.open(
            "r+b" if self._told.exists() else "wb"
        ) as file:  # the same file, which is mapped
            file.write(struct.pack("=qq", frozen, ns))


def why_no_wrong_clock() -> str | None:
    """Why no clock can be made wrong here; None where it can."""
    if not sys.platform.startswith("linux"):
        return "LD_PRELOAD is Linux's"
    return None if shutil.which("gcc") else "gcc is missing: no library with a wrong clock can be built"
