"""Where a bench reads LoCoMo from: it may not be copied into the repository, so it is named, or lies beside it."""

import argparse
from pathlib import Path

from tests.support.minds import LOCOMO


def add_data(parser: argparse.ArgumentParser, *, at_once: bool = True) -> None:
    """Give a bench its `--data`; one that is not there is refused, the default too, or left to the bench."""
    parser.add_argument(
        "--data",
        type=existing if at_once else Path,
        default=str(LOCOMO),
        help="the published file, locomo10.json, will do",
    )


def existing(name: str | Path) -> Path:
    """Return where LoCoMo is; where it is not, `ArgumentTypeError` says in words where to get it."""
    if not Path(name).is_file():
        raise argparse.ArgumentTypeError(
            f"expected LoCoMo, and there is no {name}; its authors publish locomo10.json"
            " (github.com/snap-research/locomo, data/), and --data names it"
        )
    return Path(name)
