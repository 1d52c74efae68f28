"""Where a bench reads LoCoMo from: it may not be copied into the repository, so it is named, or lies beside it."""

import argparse
from pathlib import Path

from tests.support.minds import LOCOMO


def add_data(parser: argparse.ArgumentParser) -> None:
    """Give a bench its `--data`; one that is not there is refused in words, the default too."""
    parser.add_argument(
        "--data", type=_file, default=str(LOCOMO), help="the published file, locomo10.json, will do"
    )


def _file(name: str) -> Path:
    if not Path(name).is_file():
        raise argparse.ArgumentTypeError(
            f"expected LoCoMo, and there is no {name}; its authors publish locomo10.json"
            " (github.com/snap-research/locomo, data/), and --data names it"
        )
    return Path(name)
