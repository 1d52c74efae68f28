"""Keep one world in a file, so that it can be replayed on another machine years later.

A file names the seed and what was fixed beside it, never what was drawn: so it also says under which version of the
drawing it was recorded. When that changes, old seeds mean other worlds, and replaying them would prove nothing.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from simulations.drawing import draw
from simulations.options import Options

# Raised whenever a seed draws another world than before: a new fault, another weight, an event with other draws.
FORMAT: Final = 4


@dataclass(frozen=True, slots=True)
class Recording:
    """One world: a seed, what was fixed, the events that are played, and why it was kept."""

    seed: int
    replicas: int | None
    ops: int | None
    faults: str
    protocol: str
    bug: str
    keep: frozenset[int] | None
    checker: str
    cause: str
    undone: str = ""
    """The planted bug that brings the cause back: with it this world fails again."""

    def options(self, *, undone: bool = False) -> Options:
        """Return the options that this recording stands for; `undone`, with what it was kept for planted again."""
        return draw(
            self.seed,
            replicas=self.replicas,
            ops=self.ops,
            faults=self.faults,
            protocol=self.protocol,
            bug=self.undone if undone else self.bug,
        )


def save(recording: Recording, path: Path) -> None:
    """Write a recording down."""
    plain: dict[str, Any] = {"format": FORMAT}
    for name in Recording.__slots__:
        plain[name] = getattr(recording, name)
    plain["keep"] = None if recording.keep is None else sorted(recording.keep)
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")


def load(path: Path) -> Recording:
    """Return the recording in a file. Raises `ValueError`, and says what was expected, for anything else."""
    try:
        plain = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"expected a recording in {path}, got a file that cannot be read: {error}") from None
    if not isinstance(plain, dict) or not isinstance(plain.get("format"), int):
        raise ValueError(f"expected a recording in {path}, got JSON without a format number")
    if plain["format"] < FORMAT:
        raise ValueError(
            f"{path} was recorded in format {plain['format']}, and this program draws worlds of format {FORMAT}: "
            "its seed means another world now. Check out the revision that recorded it, or search anew with `sweep`"
        )
    if plain["format"] > FORMAT:
        raise ValueError(
            f"{path} was recorded by a later version (format {plain['format']}); upgrade to replay it"
        )
    return _read(plain, path)


def _read(plain: dict[str, Any], path: Path) -> Recording:
    shapes = {
        "seed": int,
        "replicas": int | None,
        "ops": int | None,
        "faults": str,
        "protocol": str,
        "bug": str,
        "keep": list | None,
        "checker": str,
        "cause": str,
        "undone": str,
    }
    for name, shape in shapes.items():
        if name not in plain or not isinstance(plain[name], shape):
            raise ValueError(f"expected {name!r} in {path}, got {plain.get(name)!r}")
    keep = plain["keep"]
    if keep is not None and not all(isinstance(each, int) for each in keep):
        raise ValueError(f"expected the numbers of events under 'keep' in {path}")
    values = {name: plain[name] for name in shapes} | {"keep": None if keep is None else frozenset(keep)}
    return Recording(**values)
