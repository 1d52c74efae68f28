"""Keep the models that were added to a home: `models/NAME/files`, and beside them what was pinned.

A model is copied or fetched into a folder of its own that takes its name when all of it is there and was tried: one
that was cut off is never met. What is pinned is the SHA-256 of every file; a model whose files differ is refused
(`cognition.embedding.transformer`), since its vectors would be of another space, or somebody else's.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from replica.values import dataclass
from samemind.config import Home
from samemind.durable import whole_file, whole_folder
from samemind.errors import Failed, NotFound, Usage

if TYPE_CHECKING:
    from cognition.embedding.embedder import Embedder

PINNED: Final = "pinned.json"
FILES: Final = "files"
NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
# A list of two hundred files with their hashes has thirty thousand.
_PINNED_BYTES_MAX: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedModel:
    """What is known of a model that was added; `files` maps each path to its SHA-256, `digest` is one of all that."""

    name: str
    source: str
    revision: str
    digest: str
    files: Mapping[str, str]
    bytes: int
    width: int
    ms_per_text: float
    added_ms: int


def check_name(name: str) -> str:
    """Return what a model is to be called here; `Usage` where that is no name of a folder."""
    from samemind.platform.names import is_portable  # here: a question adds none

    if not NAME.fullmatch(name) or not is_portable(name):
        raise Usage(
            f"expected a name of up to 64 letters, digits, dots, dashes and underscores, got {name[:80]!r}",
            code="invalid",
            hint="--name says what to call it here",
        )
    return name


def added_models(home: Home) -> list[AddedModel]:
    """Return the models of a home by their names; what is no model of ours is passed over."""
    try:
        folders = sorted(path for path in home.models.iterdir() if NAME.fullmatch(path.name))
    except FileNotFoundError:
        return []
    return [one for path in folders if (one := _read(path)) is not None]


def added_model(home: Home, name: str) -> AddedModel | None:
    """Return the model of that name, if it was added."""
    return _read(home.models / name) if NAME.fullmatch(name) else None


def files_of(home: Home, name: str) -> Path:
    """Return the folder of a model's own files."""
    return home.models / name / FILES


@contextmanager
def adding(home: Home, name: str) -> Iterator[Path]:
    """Give the folder into which a model's files go; it takes its place when the block ends well."""
    home.create()
    home.models.mkdir(mode=0o700, exist_ok=True)
    place = home.models / name
    if place.exists():
        raise Usage(
            f"expected a new name, but there is a model called {name} was added",
            code="exists",
            hint=f"samemind models remove {name}, or choose another with --name",
        )
    with whole_folder(place) as scratch:
        (scratch / FILES).mkdir()
        yield scratch


def pin(scratch: Path, added: AddedModel) -> None:
    """Write what was pinned beside the files."""
    with whole_file(scratch / PINNED) as file:
        file.write_text(json.dumps(asdict(added), ensure_ascii=False, indent=1), encoding="utf-8")


def drop(home: Home, name: str) -> None:
    """Delete a model."""
    if added_model(home, name) is None:
        known = ", ".join(one.name for one in added_models(home)) or "none was added"
        raise NotFound(f"expected a model that was added ({known}), got {name[:80]!r}")
    shutil.rmtree(home.models / name)


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its path; hidden ones are the hub's client's own."""
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            with path.open("rb") as file:
                found[relative.as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def trouble_with(home: Home, added: AddedModel) -> str:
    """Say which files of a model are not those that were pinned; empty where all are."""
    found = hashes(files_of(home, added.name))
    differ = sorted(
        path for path in found.keys() | added.files.keys() if found.get(path) != added.files.get(path)
    )
    return f"not as it was pinned: {', '.join(differ[:3])}" if differ else ""


def embedder_of(home: Home, setting: str) -> "Embedder":
    """Return the embedder that a setting names: one that was added here before any other of that name."""
    from cognition.choosing import embedder_called, model_of_transformers

    name = model_of_transformers(setting)
    added = added_model(home, name) if name else None
    if added is None:
        return embedder_called(setting)
    from cognition.embedding.transformer import TransformerEmbedder

    return TransformerEmbedder(str(files_of(home, name)), pinned=added.digest)


def _read(place: Path) -> AddedModel | None:
    try:
        text = (place / PINNED).read_bytes()
    except OSError:
        return None
    try:
        told: Any = json.loads(text[:_PINNED_BYTES_MAX])
        return AddedModel(**told)
    except (ValueError, TypeError) as error:
        raise Failed(
            f"expected what was pinned in {place / PINNED}, got: {error}",
            code="bad_model",
            hint=f"remove {place}, and add the model again",
        ) from None
