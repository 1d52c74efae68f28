"""What daemons at rest cost a battery: `python -m tests.bench.resting 120 PID…`, on Linux, of daemons that are up.

For each of their threads that ran: processor time a minute, and how often a second it was woken, which is as often as
it gave up the processor by itself. A machine is woken less often than its threads are: these wait for the same moments.
"""

import argparse
import time
from pathlib import Path
from typing import Final, NamedTuple

_NS: Final = 1e9


class ThreadCost(NamedTuple):
    """What a thread has taken since it began."""

    name: str
    cpu_s: float
    woken: int


def threads_of(pid: int) -> dict[str, ThreadCost]:
    """Return what each thread of a process has taken, by its id."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        status = dict(line.split(":", 1) for line in (thread / "status").read_text().splitlines())
        cpu_ns = int((thread / "schedstat").read_text().split()[0])
        found[thread.name] = ThreadCost(
            status["Name"].strip(), cpu_ns / _NS, int(status["voluntary_ctxt_switches"])
        )
    return found


def main() -> None:
    """Look twice, and print what happened between."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("pids", type=int, nargs="+")
    asked = parser.parse_args()
    before = {pid: threads_of(pid) for pid in asked.pids}
    time.sleep(asked.seconds)
    for pid in asked.pids:
        cpu_s, woken = 0.0, 0
        for thread, now in threads_of(pid).items():
            then = before[pid].get(thread, ThreadCost(now.name, 0.0, 0))
            if now.woken > then.woken:
                _say(f"{pid} {now.name}", now.cpu_s - then.cpu_s, now.woken - then.woken, asked.seconds)
            cpu_s, woken = cpu_s + now.cpu_s - then.cpu_s, woken + now.woken - then.woken
        _say(f"{pid} in all", cpu_s, woken, asked.seconds)


def _say(who: str, cpu_s: float, woken: int, seconds: float) -> None:
    print(
        f"{who:<28} {cpu_s * 60_000 / seconds:6.1f} ms of processor a minute, woken {woken / seconds:.2f} a second"
    )


if __name__ == "__main__":
    main()
