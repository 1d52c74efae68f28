"""Run many seeds on every core, and say which failed.

Each seed is a world of its own, so processes share nothing; results come back in the order of the seeds, whatever
order they were run in.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.pool import Pool
from typing import Any

from simulations.drawing import draw
from simulations.run import simulate
from simulations.timeline import Violation


@dataclass(frozen=True, slots=True)
class SeedResult:
    """What one seed came to."""

    seed: int
    violations: tuple[Violation, ...]
    totals: dict[str, int]
    trace_hash: str


@dataclass(slots=True)
class Sweep:
    """What a sweep came to."""

    seeds: int = 0
    failed: list[SeedResult] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    took_s: float = 0.0
    interrupted: bool = False
    """Whether somebody ended it before all seeds had run."""


def run_seed(seed: int, fixed: dict[str, Any]) -> SeedResult:
    """Run one seed; `fixed` is what `draw` is told beside it."""
    outcome = simulate(draw(seed, **fixed))
    totals = {
        "ops": outcome.ops,
        "deliveries": outcome.deliveries,
        "messages": outcome.messages,
        "bytes": outcome.bytes,
        "lost_ops": outcome.lost_ops,
        **outcome.counts,
    }
    return SeedResult(seed, outcome.violations, totals, outcome.trace_hash)


def sweep(
    seeds: Iterable[int],
    fixed: dict[str, Any],
    *,
    jobs: int,
    progress: Callable[[Sweep], None] | None = None,
) -> Sweep:
    """Run seeds on `jobs` processes (1: in this one) and add up what they came to, also when it is interrupted."""
    began = time.perf_counter()
    result = Sweep()
    work = partial(run_seed, fixed=fixed)
    try:
        if jobs == 1:
            _collect(result, map(work, seeds), progress)
        else:
            with _pool(jobs) as pool:
                _collect(result, pool.imap(work, seeds, chunksize=8), progress)
    except KeyboardInterrupt:
        result.interrupted = True
    result.took_s = time.perf_counter() - began
    return result


def _pool(jobs: int) -> Pool:
    """Return fresh interpreters: a fork of a process that has threads (a test runner, say) may hang.

    They are begun while interrupts are ignored, and so ignore them: the process that was asked ends them, or each would
    print a traceback of its own.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return multiprocessing.get_context("spawn").Pool(jobs)
    finally:
        signal.signal(signal.SIGINT, before)


def _collect(result: Sweep, each: Iterable[SeedResult], progress: Callable[[Sweep], None] | None) -> None:
    for one in each:
        result.seeds += 1
        if one.violations:
            result.failed.append(one)
        for name, count in one.totals.items():
            result.totals[name] = result.totals.get(name, 0) + count
        if progress is not None:
            progress(result)
