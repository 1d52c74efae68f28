"""Run worlds from the command line: one seed, many, a recording, a scenario, or a report.

With `--json`, exactly one JSON document on stdout; everything else goes to stderr. Exit codes: 0 nothing found, 1 a
checker found something, 2 usage, 130 interrupted.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from simulations.bugs import BUGS, HARMLESS
from simulations.drawing import PROTOCOLS, draw
from simulations.playing import Outcome
from simulations.recording import Recording, load, save
from simulations.report import write_report
from simulations.run import simulate
from simulations.scenarios import SCENARIOS, run_scenario
from simulations.shrink import shrink
from simulations.sweep import Sweep, sweep

OK: Final = 0
FOUND: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

SEEDS_MAX: Final = 10_000_000
PROGRESS_WIDTH: Final = 30


class UsageError(Exception):
    """What was typed cannot be done; the message says what was expected."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in typed
    try:
        options = _parser().parse_args([each for each in typed if each != "--json"])
        options.json = as_json
        return int(options.verb(options))
    except (UsageError, ValueError) as error:
        _fail("usage", str(error), as_json)
        return USAGE
    except KeyboardInterrupt:
        _fail("interrupted", "interrupted", as_json)
        return INTERRUPTED


# -- verbs -------------------------------------------------------------------------------------------------------


def run(options: argparse.Namespace) -> int:
    """One seed: print what was drawn, the trace if wanted, and what was found."""
    drawn = draw(options.seed, **_fixed(options))
    if not options.json:
        print(*drawn.lines(), sep="\n", file=sys.stderr)
    say = None
    if options.trace:
        say = (lambda line: print(line, file=sys.stderr)) if options.json else print
    outcome = simulate(drawn, say=say)
    _tell(outcome, options)
    if outcome.violations and not options.json:
        _offer_replay(options, outcome)
    return FOUND if outcome.violations else OK


def sweep_seeds(options: argparse.Namespace) -> int:
    """Many seeds: a line for each that failed, totals, and the smallest trace of the first failure."""
    first, last = options.seeds
    fixed = _fixed(options)
    if options.output is not None:
        _check_output(options.output)
    for seed in (first, last):
        draw(seed, **fixed)  # a bad option is a usage error here, not a traceback in every process
    bar = _progress(last - first + 1) if sys.stderr.isatty() else None
    result = sweep(range(first, last + 1), fixed, jobs=options.jobs, progress=bar)
    if bar is not None:
        print(file=sys.stderr)
    failed = [each.seed for each in result.failed]
    if options.json:
        _print_json(
            {
                "seeds": result.seeds,
                "failed": failed,
                **dict(sorted(result.totals.items())),
                "took_s": round(result.took_s, 2),
                "interrupted": result.interrupted,
            }
        )
    else:
        for each in result.failed:
            print(f"seed {each.seed}: {each.violations[0].checker}: {each.violations[0].detail}")
        totals = ", ".join(f"{count:,} {name}" for name, count in sorted(result.totals.items()))
        print(f"{result.seeds:,} seeds in {result.took_s:.1f} s, {len(failed)} failed; {totals}")
    if result.interrupted:
        print(f"interrupted after {result.seeds:,} of {last - first + 1:,} seeds", file=sys.stderr)
        return INTERRUPTED
    if result.failed and not options.no_shrink:
        _keep_smallest(result, options, fixed)
    return FOUND if failed else OK


def replay(options: argparse.Namespace) -> int:
    """A recording: print its cause, its trace, and what is found today."""
    recording = load(options.file)
    _check_bug(recording.bug)
    if not options.json:
        print(f"seed {recording.seed}, kept for {recording.checker}: {recording.cause}", file=sys.stderr)
    say = None if options.json or options.no_trace else print
    outcome = simulate(recording.options(), keep=recording.keep, say=say)
    _tell(outcome, options)
    return FOUND if outcome.violations else OK


def scenario(options: argparse.Namespace) -> int:
    """A hand-written world: print its story, its trace, and what was found."""
    if options.name == "all":
        return _all_scenarios(options)
    if options.name not in SCENARIOS:
        raise UsageError(f"expected one of {', '.join(sorted(SCENARIOS))}, or all; got {options.name!r}")
    told = SCENARIOS[options.name]
    if not options.json:
        print(f"{options.name}: {told.story}")
    outcome = run_scenario(told, say=print if options.trace and not options.json else None)
    _tell(outcome, options, scenario=options.name)
    return FOUND if outcome.violations else OK


def _all_scenarios(options: argparse.Namespace) -> int:
    if not options.json:
        return max(scenario(argparse.Namespace(**vars(options) | {"name": name})) for name in SCENARIOS)
    told = [{"scenario": name, **_plain(run_scenario(each))} for name, each in SCENARIOS.items()]
    _print_json({"scenarios": told})
    return FOUND if any(each["violations"] for each in told) else OK


def report(options: argparse.Namespace) -> int:
    """One page to look at."""
    _check_output(options.output)
    if options.replicas_max < 2:
        raise UsageError(f"expected at least 2 replicas, got {options.replicas_max}")
    write_report(
        options.output,
        replicas_max=options.replicas_max,
        seed=options.seed,
        say=lambda text: print(text, file=sys.stderr),
    )
    if options.json:
        _print_json({"path": str(options.output)})
    else:
        print(f"wrote {options.output}")
    return OK


# -- what is typed -----------------------------------------------------------------------------------------------


def _parser() -> _Parser:
    parser = _Parser(prog="python -m simulations", description=(__doc__ or "").partition("\n")[0])
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)
    world = _Parser(add_help=False)
    world.add_argument("--replicas", type=_number, help="devices at the start (default: drawn)")
    world.add_argument("--ops", type=_number, help="writes in the plan (default: drawn)")
    world.add_argument("--faults", choices=("none", "some", "all"), default="all")
    world.add_argument("--protocol", choices=PROTOCOLS, default="frontier")
    world.add_argument("--bug", default="", metavar="NAME", help="plant a bug: " + ", ".join(BUGS))
    one = verbs.add_parser("run", parents=[world], help="one seed")
    one.add_argument("--seed", type=_number, required=True)
    one.add_argument("--trace", action="store_true", help="print every event")
    one.set_defaults(verb=run)
    many = verbs.add_parser("sweep", parents=[world], help="many seeds, on every core")
    many.add_argument("--seeds", type=_range, required=True, metavar="A..B")
    many.add_argument("--jobs", type=_jobs, default=os.cpu_count() or 1)
    many.add_argument("--no-shrink", action="store_true", help="do not shrink the first failure")
    many.add_argument("-o", dest="output", type=Path, help="where to keep the shrunk recording")
    many.set_defaults(verb=sweep_seeds)
    again = verbs.add_parser("replay", help="a recording")
    again.add_argument("file", type=Path)
    again.add_argument("--no-trace", action="store_true")
    again.set_defaults(verb=replay)
    story = verbs.add_parser("scenario", help="a hand-written world, or all of them")
    story.add_argument("name")
    story.add_argument("--trace", action="store_true")
    story.set_defaults(verb=scenario)
    page = verbs.add_parser("report", help="a page with plots")
    page.add_argument("-o", dest="output", type=Path, required=True)
    page.add_argument("--replicas-max", type=_number, default=100)
    page.add_argument("--seed", type=_number, default=12, help="the seed that is drawn as a picture")
    page.set_defaults(verb=report)
    return parser


def _number(text: str) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected a number of 0 or more, got {number}")
    return number


def _jobs(text: str) -> int:
    jobs = _number(text)
    if not 1 <= jobs <= 256:
        raise argparse.ArgumentTypeError(f"expected from 1 to 256 jobs, got {jobs}")
    return jobs


def _range(text: str) -> tuple[int, int]:
    first, dots, last = text.partition("..")
    if not dots:
        raise argparse.ArgumentTypeError(f"expected a range such as 0..100, got {text!r}")
    bounds = _number(first), _number(last)
    if not bounds[0] <= bounds[1] < bounds[0] + SEEDS_MAX:
        raise argparse.ArgumentTypeError(f"expected a range of 1 to {SEEDS_MAX} seeds, got {text!r}")
    return bounds


def _check_output(path: Path) -> None:
    """Refuse a file that cannot be written before the work for it is done."""
    if not path.parent.is_dir():
        raise UsageError(f"expected a folder that exists, got {path.parent}")
    if path.is_dir():
        raise UsageError(f"expected a file to write, got the folder {path}")


def _fixed(options: argparse.Namespace) -> dict[str, Any]:
    _check_bug(options.bug)
    names = ("replicas", "ops", "faults", "protocol", "bug")
    return {name: getattr(options, name) for name in names}


def _check_bug(name: str) -> None:
    if name and name not in BUGS | HARMLESS:
        raise UsageError(f"expected one of the bugs {', '.join(BUGS | HARMLESS)}; got {name!r}")


# -- what is printed ---------------------------------------------------------------------------------------------


def _tell(outcome: Outcome, options: argparse.Namespace, **more: Any) -> None:
    if options.json:
        _print_json({**more, **_plain(outcome)})
        return
    for each in outcome.violations:
        print(f"{each.checker}: {each.detail}")
    end = "converged" if outcome.converged else "DID NOT CONVERGE"
    print(
        f"{end}: {outcome.ops} ops, {outcome.deliveries} delivered in {outcome.messages} messages "
        f"({outcome.bytes:,} bytes), {outcome.ticks} events, trace {outcome.trace_hash[:16]}"
    )


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "seed": outcome.options.seed,
        "replicas": outcome.options.replicas,
        "ops": outcome.ops,
        "converged": outcome.converged,
        "violations": [{"checker": each.checker, "detail": each.detail} for each in outcome.violations],
        "lost_ops": outcome.lost_ops,
        "ticks": outcome.ticks,
        "deliveries": outcome.deliveries,
        "messages": outcome.messages,
        "bytes": outcome.bytes,
        "trace_hash": outcome.trace_hash,
        "counts": outcome.counts,
    }


def _offer_replay(options: argparse.Namespace, outcome: Outcome) -> None:
    line = ["python", "-m", "simulations", "run", "--seed", str(options.seed), "--faults", options.faults]
    for name in ("replicas", "ops", "protocol", "bug"):
        if getattr(options, name) not in (None, ""):
            line += [f"--{name}", str(getattr(options, name))]
    print(f"again: {shlex.join([*line, '--trace'])}  ({len(outcome.violations)} violations)", file=sys.stderr)


def _keep_smallest(result: Sweep, options: argparse.Namespace, fixed: dict[str, Any]) -> None:
    failed = result.failed[0]
    checker, detail = failed.violations[0]
    drawn = draw(failed.seed, **fixed)
    print(f"shrinking seed {failed.seed} ({checker}) …", file=sys.stderr)
    keep = shrink(drawn, checker)
    path = options.output or Path(f"seed-{failed.seed}-{checker}.json")
    save(Recording(failed.seed, keep=keep, checker=checker, cause=detail, **fixed), path)
    out = sys.stderr if options.json else sys.stdout
    simulate(drawn, keep=keep, say=lambda line: print(line, file=out))
    print(f"{len(keep)} of {len(drawn.plan)} events are left", file=out)
    print(f"replay: python -m simulations replay {shlex.quote(str(path))}", file=out)


def _progress(seeds: int) -> Any:
    def show(sweep: Sweep) -> None:
        done = sweep.seeds * PROGRESS_WIDTH // seeds
        bar = "#" * done + "." * (PROGRESS_WIDTH - done)
        print(f"\r[{bar}] {sweep.seeds:,}/{seeds:,}, {len(sweep.failed)} failed", end="", file=sys.stderr)

    return show


def _print_json(document: dict[str, Any]) -> None:
    print(json.dumps(document))


def _fail(code: str, message: str, as_json: bool) -> None:
    if as_json:
        _print_json({"error": {"code": code, "message": message, "hint": "python -m simulations --help"}})
    else:
        print(f"error: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
