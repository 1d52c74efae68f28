"""Fit and judge what is named beside a new telling: `python -m tests.bench.nominating FOLDER|FILE.json… [--write]`.

Lives are told as `tests.bench.lives` tells them, each into a store of its own; then half of them into one store, the
other half into another, and all of them, with the notes of `tests/data/groups`, into a third: in a large store
strangers' notes lie near. What speaks for each older memory near a new one is kept (`--kept FOLDER`: it takes a few
minutes, the fit some seconds). A logistic is fitted to tell partners (the older side of a contradiction, or of a
repetition) from the other nearest, and judged on the person who was left out, whose bar is that of the others, each in
a store of their own. Changes and look-alikes are neither partners nor plain. Printed is the share of contradictions and
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
from datetime import date, timedelta
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
# Of each memory the nearest are fitted on, as they come; what is further off is told apart by nearness alone.
FITTED_ON: Final = 8
# A repetition counts half: there are few, and nearness finds them.
REPETITION: Final = 0.5
DRAWN: Final = 1_000
# What strangers' notes fill the largest store with, over how many days, as the lives are told.
GROUPS: Final = Path(__file__).parents[1] / "data" / "groups"
_FROM: Final = date(2025, 1, 1)
_DAYS: Final = 660
ALONE: Final = "alone"


class Compared(NamedTuple):
    """A new memory beside an older one that lies near: whose each is, its place there, and what speaks for naming."""

    whose: str
    newer: int
    older_whose: str
    older: int
    evidence: list[float]


class Judged(NamedTuple):
    """A life in a store: its pairs, whose the older side is of each, and what its key says.

    Places are those in the life; that of a stranger's memory is below nought. `wanted` is 1 where the older side is a
    partner, and `share` how much a pair counts in the fit.
    """

    name: str
    rows: Numbers
    newer: NDArray[np.int64]
    older: NDArray[np.int64]
    older_whose: NDArray[np.str_]
    wanted: Numbers
    share: Numbers
    contradictions: list[tuple[int, int]]
    repetitions: list[list[int]]
    plain: list[int]


class Named(NamedTuple):
    """Below which bar each is named: of contradictions and repetitions the older side, of plain memories anything."""

    contradictions: Numbers
    repetitions: Numbers
    plain: Numbers


# By the store that they were told into, and in each by whose they are.
Stores = Mapping[str, Mapping[str, Judged]]


def capture(lives: Mapping[str, Mapping[str, Any]], strangers: Sequence[str] = ()) -> list[Compared]:
    """Tell lives into one store, and return what speaks for whatever lay near each memory when it was told."""
    place = {
        memory["text"]: (name, at) for name, told in lives.items() for at, memory in enumerate(_ordered(told))
    }
    memories = [
        {**memory, "id": f"{name}-{memory['id']}"}
        for name, told in lives.items()
        for memory in told["memories"]
    ]
    for at, text in enumerate(strangers):
        place.setdefault(text, ("", at))
        day = _FROM + timedelta(at * _DAYS // len(strangers))
        memories.append({"id": f"-{at}", "text": text, "at": f"{day}T12:00:00Z"})
    found: list[Compared] = []

    def record(text: str, near: Iterable[Near]) -> list[Nominee]:
        if place[text][0]:
            found.extend(
                Compared(*place[text], *place[each.text], list(nominees.evidence(text, each)))
                for each in near
                if each.cosine is not None and each.text in place
            )
        return []

    with (
        tempfile.TemporaryDirectory() as home,
        samemind.open_blocking(home) as mind,
        patch.object(nominating, "nominees", record),
    ):
        Life({"memories": memories, "duplicates": []}, mind)
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
    again = {(one, other) for each in repetitions for one in each for other in each if one < other}
    firm = set(contradictions)
    ends = [
        (each.older if each.older_whose == name else -1 - at, each.newer) for at, each in enumerate(pairs)
    ]
    wanted, share = np.zeros(len(pairs)), np.zeros(len(pairs))
    seen: Counter[int] = Counter()
    for at, pair in enumerate(ends):
        seen[pair[1]] += 1
        wanted[at] = pair in firm or pair in again
        if pair not in undecided and (wanted[at] or seen[pair[1]] <= FITTED_ON):
            share[at] = REPETITION if pair in again and pair not in firm else 1.0
    return Judged(
        name,
        np.array([each.evidence for each in pairs]),
        np.array([newer for _, newer in ends]),
        np.array([older for older, _ in ends]),
        np.array([each.older_whose for each in pairs]),
        wanted,
        share,
        sorted(contradictions),
        repetitions,
        [at for at in place.values() if at not in busy],
    )


def fit(stores: Stores, without: str = "") -> Numbers:
    """Return the logistic's numbers, the last one what is added; of one person nothing is looked at."""
    lives = [life for store in stores.values() for life in store.values() if life.name != without]
    fitted = [(life.share > 0) & (life.older_whose != without) for life in lives]
    return logistic(
        np.concatenate([life.rows[some] for life, some in zip(lives, fitted, strict=True)]),
        np.concatenate([life.wanted[some] for life, some in zip(lives, fitted, strict=True)]),
        np.concatenate([life.share[some] for life, some in zip(lives, fitted, strict=True)]),
    )


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


def play_left_out(paths: Mapping[str, Path], stores: Stores) -> None:
    """Print what is found in each life by the numbers of the others, with its key as a judge."""
    total: Counter[str] = Counter()
    for name, path in paths.items():
        numbers = fit(stores, name)
        others = [named(each, numbers) for each in stores[ALONE].values() if each.name != name]
        figures = play(path, numbers, bar(others, NAMED[0]))
        show(path.stem, figures)
        total += figures
    show("all", total)


def left_out(stores: Stores) -> tuple[dict[str, list[Named]], dict[float, list[float]]]:
    """Return what is named of each life by the numbers of the others, in each store, and the bars that are theirs."""
    found: dict[str, list[Named]] = {store: [] for store in stores}
    bars: dict[float, list[float]] = {share: [] for share in NAMED}
    for name in stores[ALONE]:
        numbers = fit(stores, name)
        for store, lives in stores.items():
            found[store].append(named(lives[name], numbers))
        known = [named(each, numbers) for each in stores[ALONE].values() if each.name != name]
        for share in NAMED:
            bars[share].append(bar(known, share))
    return found, bars


def report(stores: Stores) -> None:
    """Print what is named of those who were left out."""
    every, bars = left_out(stores)
    names = [*stores[ALONE]]
    draws = np.random.default_rng(1).integers(len(names), size=(DRAWN, len(names)))
    for store, found in every.items():
        for share in sorted(NAMED):
            least = bars[share]
            spread = np.array(
                [shares([found[at] for at in drawn], [least[at] for at in drawn]) for drawn in draws]
            )
            low, high = np.percentile(spread, [2.5, 97.5], axis=0)
            cells = [
                f"{name} {100 * told:.1f} % ({100 * below:.0f}-{100 * above:.0f})"
                for name, told, below, above in zip(
                    Named._fields, shares(found, least), low, high, strict=True
                )
            ]
            print(f"{store}, bar for {share:.0%}: {', '.join(cells)}")
    for name, each, own in zip(names, every[ALONE], bars[NAMED[0]], strict=True):
        contradictions, repetitions, plain = ((part > own).sum() for part in each)
        print(
            f"{name:>20}: {contradictions}/{len(each.contradictions)} contradictions, "
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


def read(lives: Mapping[str, Mapping[str, Any]], folder: Path | None) -> dict[str, dict[str, Judged]]:
    """Return the lives in each store, told now unless a folder keeps what telling them found."""
    names = [*lives]
    strangers = [
        json.loads(line)["old"]
        for path in sorted(GROUPS.glob("*.jsonl"))
        for line in path.read_text("utf-8").split("\n")
        if line
    ]
    told = {
        ALONE: [([name], []) for name in names],
        "two stores": [(names[::2], []), (names[1::2], [])],
        "one store": [(names, strangers)],
    }
    return {
        store: {
            name: judged(name, lives[name], [each for each in pairs if each.whose == name])
            for some, others in parts
            for pairs in [_captured({name: lives[name] for name in some}, others, folder)]
            for name in some
        }
        for store, parts in told.items()
    }


def _captured(
    lives: Mapping[str, Mapping[str, Any]], strangers: Sequence[str], folder: Path | None
) -> list[Compared]:
    kept = None if folder is None else folder / f"{next(iter(lives))}-{len(lives)}.json"
    if kept is not None and kept.exists():
        return [Compared(*each) for each in json.loads(kept.read_text("utf-8"))]
    pairs = capture(lives, strangers)
    if kept is not None:
        kept.write_text(json.dumps(pairs), "utf-8")
    return pairs


def _ordered(told: Mapping[str, Any]) -> list[Any]:
    return sorted(told["memories"], key=lambda each: each["at"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is named of whoever was left out, and the numbers of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--kept", type=Path, help="a folder for what telling the lives takes minutes to find")
    parser.add_argument("--write", action="store_true", help="write the numbers into the product")
    parser.add_argument("--judge", action="store_true", help="have the key of each life answer its nominees")
    options = parser.parse_args(arguments)
    paths = {f"{path.parent.name}-{path.stem}": path for path in files_of(options.paths)}
    lives = {name: json.loads(path.read_text("utf-8")) for name, path in paths.items()}
    stores = read(lives, options.kept)
    report(stores)
    numbers = fit(stores)
    least = bar([named(life, numbers) for life in stores[ALONE].values()], NAMED[0])
    names = (*PartnerEvidence._fields, "added", "bar")
    print(", ".join(f"{name} {value:.4f}" for name, value in zip(names, [*numbers, least], strict=True)))
    if options.write:
        write(numbers, least)
    if options.judge:
        play_left_out(paths, stores)


if __name__ == "__main__":
    main()
