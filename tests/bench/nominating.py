"""Fit and judge what is named beside a new telling: `python -m tests.bench.nominating FOLDER|FILE.json… [--write]`.

Lives are told as `tests.bench.lives` tells them, and what speaks for each older memory near a new one is kept
(`--kept FOLDER`: it takes a minute a life, the fit a second). A logistic is fitted to tell partners (the older side of
a contradiction, or of a repetition) from the other nearest, and judged on the person who was left out, whose bar is
that of the others. Changes and look-alikes are neither partners nor plain. Printed is the share of contradictions and
repetitions whose older side is named, by how many plain memories name somebody, with the spread of 1,000 draws of
persons. `--write` writes the numbers of all into `cognition/judging/nominees.py`, where nobody types any.
`--judge` tells every life once more, by the numbers of the others, and has its key answer each nominee.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import samemind
from cognition.judging import nominating, nominees
from cognition.judging.nominees import BESIDE_SHARE, NOMINEES_MAX, Near, Nominee, PartnerEvidence
from tests.bench.lives import Life, files_of, measure, show
from tests.bench.logistic import Numbers, logistic

# How many plain memories may name somebody: the bar is set by the first, the others tell the curve.
NAMED: Final = (0.45, 0.30, 0.35, 0.40, 0.47, 0.50)
# Of each memory the nearest are fitted on; what is further off is told apart by nearness alone.
FITTED_ON: Final = 8
# A repetition counts half: there are few, and nearness finds them.
REPETITION: Final = 0.5
DRAWN: Final = 1_000


class Compared(NamedTuple):
    """A new memory beside an older one that lies near: their places in the life, and what speaks for naming it."""

    newer: int
    older: int
    evidence: list[float]


class Judged(NamedTuple):
    """A life: its pairs, how many memories it has, and what its key says."""

    name: str
    rows: Numbers
    newer: NDArray[np.int64]
    older: NDArray[np.int64]
    contradictions: list[tuple[int, int]]
    repetitions: list[list[int]]
    undecided: set[tuple[int, int]]
    plain: list[int]


class Named(NamedTuple):
    """Below which bar each is named: of contradictions and repetitions the older side, of plain memories anything."""

    contradictions: Numbers
    repetitions: Numbers
    plain: Numbers


def capture(told: Mapping[str, Any]) -> list[Compared]:
    """Tell a life, and return what speaks for whatever lay near each memory when it was told."""
    place = {memory["text"]: at for at, memory in enumerate(_ordered(told))}
    found: list[Compared] = []

    def record(text: str, near: Iterable[Near]) -> list[Nominee]:
        found.extend(
            Compared(place[text], place[each.text], list(nominees.evidence(text, each)))
            for each in near
            if each.cosine is not None
        )
        return []

    with (
        tempfile.TemporaryDirectory() as home,
        samemind.open_blocking(home) as mind,
        patch.object(nominating, "nominees", record),
    ):
        Life(dict(told), mind)
    return found


def judged(name: str, told: Mapping[str, Any], pairs: Sequence[Compared]) -> Judged:
    """Return a life as it is fitted and judged."""
    place = {memory["id"]: at for at, memory in enumerate(_ordered(told))}

    def of(key: str) -> set[tuple[int, int]]:
        ends = [(each.get("a") or each["old"], each.get("b") or each["new"]) for each in told.get(key, ())]
        return {(min(place[a], place[b]), max(place[a], place[b])) for a, b in ends}

    repetitions = [sorted(place[each] for each in group) for group in told["duplicates"]]
    contradictions = of("contradictions_expected")
    undecided = of("changes_of_mind") | of("not_contradictions") | of("contradictions_tolerated")
    busy = {at for pair in contradictions | undecided for at in pair} | {
        at for each in repetitions for at in each
    }
    return Judged(
        name,
        np.array([each.evidence for each in pairs]),
        np.array([each.newer for each in pairs]),
        np.array([each.older for each in pairs]),
        sorted(contradictions),
        repetitions,
        undecided,
        [at for at in place.values() if at not in busy],
    )


def fit(some: Sequence[Judged]) -> Numbers:
    """Return the logistic's numbers, the last one what is added."""
    rows, wanted, share = [], [], []
    for life in some:
        again = {(one, other) for each in life.repetitions for one in each for other in each if one < other}
        firm = set(life.contradictions)
        seen: dict[int, int] = {}
        for at in np.lexsort((-life.rows[:, 0], life.newer)):
            pair = (int(life.older[at]), int(life.newer[at]))
            seen[pair[1]] = seen.get(pair[1], 0) + 1
            partner = pair in firm or pair in again
            if pair in life.undecided or (not partner and seen[pair[1]] > FITTED_ON):
                continue
            rows.append(life.rows[at])
            wanted.append(float(partner))
            share.append(REPETITION if pair in again and pair not in firm else 1.0)
    return logistic(np.array(rows), np.array(wanted), np.array(share))


def named(life: Judged, numbers: Numbers) -> Named:
    """Return below which bar those would be named that are among the likeliest three; -1 where one is not."""
    said = 1 / (1 + np.exp(-(life.rows @ numbers[:-1] + numbers[-1])))
    best: dict[int, dict[int, float]] = {}
    for at in np.lexsort((-life.older, -said)):
        of = best.setdefault(int(life.newer[at]), {})
        if len(of) < NOMINEES_MAX:
            of[int(life.older[at])] = float(said[at])
    first = {newer: max(of.values()) for newer, of in best.items()}

    def of_pair(older: int, newer: int) -> float:
        return min(first.get(newer, -1.0), best.get(newer, {}).get(older, -1.0) / BESIDE_SHARE)

    return Named(
        np.array([of_pair(*pair) for pair in life.contradictions]),
        np.array([max(of_pair(each, group[-1]) for each in group[:-1]) for group in life.repetitions]),
        np.array([first.get(at, -1.0) for at in life.plain]),
    )


def bar(some: Sequence[Named], share: float) -> float:
    """Return above what a share of the plain memories name somebody."""
    return float(np.quantile(np.concatenate([each.plain for each in some]), 1 - share))


def shares(some: Sequence[Named], bars: Sequence[float]) -> Numbers:
    """Return the shares that are named of contradictions, of repetitions and of plain memories, each by its own bar."""
    parts = [
        [each[at] > least for each, least in zip(some, bars, strict=True)] for at in range(len(Named._fields))
    ]
    return np.array([np.concatenate(part).mean() for part in parts])


def play(path: Path, numbers: Numbers, least: float) -> Counter[str]:
    """Return the figures of a life by these numbers, its key answering each nominee (`tests.bench.lives`)."""
    weights = PartnerEvidence(*numbers[:-1].tolist())
    with patch.multiple(nominees, WEIGHTS=weights, ADDED=float(numbers[-1]), CHANCE_MIN=least):
        return measure(path)[0]


def play_left_out(lives: Mapping[Path, Judged]) -> None:
    """Print what is found in each life by the numbers of the others, with its key as a judge."""
    total: Counter[str] = Counter()
    for path, life in lives.items():
        others = [each for each in lives.values() if each is not life]
        numbers = fit(others)
        figures = play(path, numbers, bar([named(each, numbers) for each in others], NAMED[0]))
        show(path.stem, figures)
        total += figures
    show("all", total)


def left_out(lives: Sequence[Judged]) -> tuple[list[Named], dict[float, list[float]]]:
    """Return what is named of each life by the numbers of the others, and the bars that are theirs."""
    found: list[Named] = []
    bars: dict[float, list[float]] = {share: [] for share in NAMED}
    for life in lives:
        others = [each for each in lives if each is not life]
        numbers = fit(others)
        found.append(named(life, numbers))
        known = [named(each, numbers) for each in others]
        for share in NAMED:
            bars[share].append(bar(known, share))
    return found, bars


def report(lives: Sequence[Judged]) -> None:
    """Print what is named of those who were left out."""
    found, bars = left_out(lives)
    draws = np.random.default_rng(1).integers(len(lives), size=(DRAWN, len(lives)))
    for share in sorted(NAMED):
        least = bars[share]
        spread = np.array(
            [shares([found[at] for at in drawn], [least[at] for at in drawn]) for drawn in draws]
        )
        low, high = np.percentile(spread, [2.5, 97.5], axis=0)
        cells = [
            f"{name} {100 * told:.1f} % ({100 * below:.0f}-{100 * above:.0f})"
            for name, told, below, above in zip(Named._fields, shares(found, least), low, high, strict=True)
        ]
        print(f"bar for {share:.0%}: {', '.join(cells)}")
    for life, each, own in zip(lives, found, bars[NAMED[0]], strict=True):
        contradictions, repetitions, plain = ((part > own).sum() for part in each)
        print(
            f"{life.name:>20}: {contradictions}/{len(each.contradictions)} contradictions, "
            f"{repetitions}/{len(each.repetitions)} repetitions, {plain}/{len(each.plain)} plain"
        )


def write(numbers: Numbers, least: float) -> None:
    """Write fitted numbers into the product."""
    path = Path(str(nominees.__file__))
    parts = ", ".join(
        f"{name}={value:.2f}" for name, value in zip(PartnerEvidence._fields, numbers[:-1], strict=True)
    )
    text = path.read_text("utf-8")
    for name, value in (
        ("WEIGHTS", f"PartnerEvidence({parts})"),
        ("ADDED", f"{numbers[-1]:.2f}"),
        ("CHANCE_MIN", f"{least:.4f}"),
    ):
        text = re.sub(rf"(?m)^{name}: Final = .*$", f"{name}: Final = {value}", text)
    path.write_text(text, "utf-8")


def read(path: Path, folder: Path | None) -> Judged:
    """Return a life, told now unless a folder keeps what telling it found."""
    told = json.loads(path.read_text("utf-8"))
    name = f"{path.parent.name}-{path.stem}"
    kept = None if folder is None else folder / f"{name}.json"
    if kept is not None and kept.exists():
        pairs = [Compared(*each) for each in json.loads(kept.read_text("utf-8"))]
    else:
        pairs = capture(told)
        if kept is not None:
            kept.write_text(json.dumps(pairs), "utf-8")
    return judged(name, told, pairs)


def _ordered(told: Mapping[str, Any]) -> list[Any]:
    return sorted(told["memories"], key=lambda each: each["at"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is named of whoever was left out, and the numbers of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument(
        "--kept", type=Path, help="a folder for what telling the lives takes a minute each to find"
    )
    parser.add_argument("--write", action="store_true", help="write the numbers into the product")
    parser.add_argument("--judge", action="store_true", help="have the key of each life answer its nominees")
    options = parser.parse_args(arguments)
    lives = {path: read(path, options.kept) for path in files_of(options.paths)}
    everybody = list(lives.values())
    report(everybody)
    numbers = fit(everybody)
    least = bar([named(life, numbers) for life in everybody], NAMED[0])
    names = (*PartnerEvidence._fields, "added", "bar")
    print(", ".join(f"{name} {value:.4f}" for name, value in zip(names, [*numbers, least], strict=True)))
    if options.write:
        write(numbers, least)
    if options.judge:
        play_left_out(lives)


if __name__ == "__main__":
    main()
