"""Draw one page that shows how news spreads: plots beside a contestant and the ideal, and one small world as a picture.

The page is one file without scripts, so it can be mailed, printed and kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from simulations.drawing import draw
from simulations.experiments import Measure, gossip
from simulations.picture import space_time
from simulations.plots import Series, line_plot
from simulations.run import simulate
from simulations.trace import LEGEND

REPLICAS: Final = (2, 4, 8, 16, 32, 64, 100, 200, 500, 1_000)
OPS: Final = (10, 30, 100, 300, 1_000)
# Beyond this the contestant's pages take longer than anybody wants to wait for a plot.
CONTESTANT_REPLICAS_MAX: Final = 64
OURS: Final = "this project: frontiers"
THEIRS: Final = "contestant: one (hlc, op id) cursor for each peer"
IDEAL: Final = "ideal"

STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24;
       background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; }
figure { margin: 1.5rem 0; overflow-x: auto; } figcaption { color: #444c56; max-width: 48rem; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem; text-align: right;
         border-bottom: 1px solid #d8dee4; }
th:first-child, td:first-child { text-align: left; }
code { background: #f0f2f4; padding: .1rem .3rem; } dt { font-weight: 600; } dd { margin: 0 0 .3rem 1.5rem; }
"""


@dataclass(frozen=True, slots=True)
class _Runs:
    ours: tuple[Measure, ...]
    theirs: tuple[Measure, ...]


def write_report(
    path: Path, *, replicas_max: int, seed: int, say: Callable[[str], None] = lambda text: None
) -> None:
    """Run the experiments and write the page."""
    sizes = [count for count in REPLICAS if count <= max(2, replicas_max)]
    by_size = _runs(sizes, say)
    by_ops = _Runs(
        tuple(gossip(replicas=4, ops_each=count, late=True, acquainted=True) for count in OPS),
        tuple(
            gossip(replicas=4, ops_each=count, late=True, acquainted=True, protocol="hlc-cursor")
            for count in OPS
        ),
    )
    say(f"drawing seed {seed}")
    drawn = draw(seed, replicas=4, ops=14)
    outcome = simulate(drawn, keep_events=True)
    body = [
        "<h1>How news spreads</h1>",
        (
            "<p>Every device writes five memories, then in each round talks once to one of the three devices that it "
            "knows: two neighbours on a ring, and one across. In the third round everybody writes once more, under a "
            "clock that is up to an hour slow. "
            "No faults here: this is what the protocols cost when all goes well. Made by "
            "<code>python -m simulations report</code>; the same seed gives the same page.</p>"
        ),
        *_figures(by_size, by_ops),
        "<h2>The numbers</h2>",
        _table(by_size),
        "<h2>One small world</h2>",
        (
            f"<p>Seed {seed} with four devices and fourteen writes, faults and all: {len(outcome.events)} events. Time "
            f"runs from left to right, one line a device. Replay it with <code>python -m simulations run --seed {seed} "
            "--replicas 4 --ops 14 --trace</code>.</p>"
        ),
        _figure(
            space_time(outcome.events),
            "Filled circles are commits, arrows are ops that arrived, crosses are crashes; "
            "grey bands are partitions. Hover over a mark to read its line of the trace.",
        ),
        "<h2>The words of a trace</h2>",
        "<dl>"
        + "".join(f"<dt>{escape(word)}</dt><dd>{escape(means)}</dd>" for word, means in LEGEND.items())
        + "</dl>",
    ]
    head = f'<meta charset="utf-8"><title>How news spreads</title><style>{STYLE}</style>'
    path.write_text(
        f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'
    )


def _figures(by_size: _Runs, by_ops: _Runs) -> list[str]:
    """What the protocols cost, drawn."""
    return [
        _figure(
            _plot(
                "Rounds until everybody has everything", "devices", "rounds", by_size, _rounds, _ideal_rounds
            ),
            "News that doubles with every round needs log₂ n rounds: nobody can be faster. The contestant is drawn "
            "only where it ever gets there.",
        ),
        _figure(
            _plot("Ops that somebody never got", "devices", "missing ops", by_size, _missing, None),
            "An op that reaches a peer after the peer's cursor has passed its stamp is never asked for again. Counted "
            "after 64 rounds, over all devices.",
        ),
        _figure(
            _plot("Bytes for each op delivered", "devices", "bytes", by_size, _bytes_each, _ideal_bytes_each),
            "All messages, greetings and frontiers included, for each op that was new to its receiver. The ideal is "
            "the words alone, uncompressed, so compression may go below it.",
        ),
        _figure(
            _plot(
                "Bytes for each op delivered, four devices",
                "ops written",
                "bytes",
                by_ops,
                _bytes_each,
                _ideal_bytes_each,
            ),
            "With more to say at once, greetings weigh less and compression finds more.",
        ),
    ]


def _runs(sizes: Sequence[int], say: Callable[[str], None]) -> _Runs:
    ours, theirs = [], []
    for count in sizes:
        say(f"{count} devices")
        ours.append(gossip(replicas=count, ops_each=5, late=True, acquainted=True))
        if count <= CONTESTANT_REPLICAS_MAX:
            theirs.append(
                gossip(replicas=count, ops_each=5, late=True, acquainted=True, protocol="hlc-cursor")
            )
    return _Runs(tuple(ours), tuple(theirs))


def _rounds(measure: Measure) -> float | None:
    return measure.rounds


def _ideal_rounds(measure: Measure) -> float | None:
    # Whoever writes in the third round can be heard everywhere no sooner than log2 n rounds later.
    return measure.ideal_rounds + 2


def _missing(measure: Measure) -> float | None:
    return measure.missing


def _bytes_each(measure: Measure) -> float | None:
    return measure.bytes / max(1, measure.ops * (measure.replicas - 1) - measure.missing)


def _ideal_bytes_each(measure: Measure) -> float | None:
    return measure.ideal_bytes / (measure.ops * (measure.replicas - 1))


def _plot(
    title: str,
    across: str,
    up: str,
    runs: _Runs,
    value: Callable[[Measure], float | None],
    ideal: Callable[[Measure], float | None] | None,
) -> str:
    def points(
        measures: Sequence[Measure], of: Callable[[Measure], float | None]
    ) -> tuple[tuple[float, float], ...]:
        found = [((each.replicas if across == "devices" else each.ops), of(each)) for each in measures]
        return tuple((float(x), y) for x, y in found if y is not None)

    series = [Series(OURS, points(runs.ours, value)), Series(THEIRS, points(runs.theirs, value))]
    if ideal is not None:
        series.append(Series(IDEAL, points(runs.ours, ideal)))
    return line_plot(title, across, up, series)


def _table(runs: _Runs) -> str:
    rows = []
    for measure in (*runs.ours, *runs.theirs):
        name = OURS if measure.protocol == "frontier" else THEIRS
        cells = (
            f"{measure.replicas:,}",
            f"{measure.ops:,}",
            "never" if measure.rounds is None else str(measure.rounds),
            f"{measure.missing:,}",
            f"{measure.messages:,}",
            f"{measure.bytes:,}",
            f"{measure.deliveries:,}",
        )
        rows.append(f"<tr><td>{escape(name)}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    heads = ("", "devices", "ops", "rounds", "missing", "messages", "bytes", "ops delivered")
    return (
        "<table><tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>" + "".join(rows) + "</table>"
    )


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"
