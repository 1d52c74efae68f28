"""Embed by any model of sentence-transformers that lies on this machine.

The extra `[transformers]` brings the library, and a gigabyte of torch with it; the model is the owner's: a folder, or
the name of one that is in the library's cache. Nothing is downloaded: a first run without network must say the same as
one with it.

The name of its space is a hash of the model's own files, wherever they lie: two devices with copies of one model share
a space, and other weights make another. The files are read for it when the embedder is made, and again when the model
has been loaded: what came in between is refused, since its vectors would bear the wrong name. A model whose files were
not found then stays unavailable.

The vectors are what the model gives, less what all texts have in common (`cognition.embedding.centring`).
"""

import hashlib
import importlib.util
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cognition.embedding.centring import centred, middle_of
from cognition.embedding.embedder import Vectors
from cognition.errors import ModelUnavailable

# The extra `transformers` of pyproject.toml, by names that any index has.
PACKAGES: Final = "'sentence-transformers>=5' 'transformers>=4.50'"
# Of a longer text the model would take the beginning too; but tokens of a megabyte would be counted first.
CHARACTERS_MAX: Final = 8_192
# Texts that go through the model together: more wait for the longest of them, and hold more memory.
TEXTS_PER_BATCH: Final = 32
# What is done to a text and its vector; raise it when that changes.
RECIPE: Final = 1
# Of the files beside the weights, those that say what is done to a text; not what only describes the model.
_SETTINGS: Final = {".json", ".txt", ".model"}
# The one that is loaded where there are both.
_WEIGHTS: Final = (".safetensors", ".bin")
# Under which names without an owner are found.
_OWNER: Final = "sentence-transformers"
_HASH_DIGITS: Final = 16


class TransformerEmbedder:
    """A model by its folder or name. It is loaded for its first vector, or for its width where no file says that."""

    def __init__(self, model: str, *, pinned: str | None = None) -> None:
        """`pinned`: what `digest_of` the model's folder must be."""
        self._model = model
        self._folder: Path | None = None
        self._fingerprint = ""
        self._trouble: str | None = None
        try:
            self._folder = _folder_of(model)
            if self._folder is not None:
                digest = digest_of(self._folder)
                if pinned is not None and digest != pinned:
                    raise ValueError(f"files whose SHA-256 is {digest} together, where {pinned} was pinned")
                self._fingerprint = digest[:_HASH_DIGITS]
        except (OSError, RuntimeError, ValueError) as error:  # `~nobody` is a RuntimeError
            self._folder, self._trouble = None, str(error)
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Vectors] | None = None

    @property
    def name(self) -> str:
        """The space: a hash of the files that were found; what was asked for, where none were."""
        return f"transformers:{self._fingerprint or self._model}/{RECIPE}"

    @property
    def width(self) -> int:
        """How many numbers a vector has.

        Most models say it in a small file. It is asked for by those who wait for no model, such as a sync that takes
        vectors; where the file does not say, the model is loaded.
        """
        if (
            self._loaded is None
            and self._folder is not None
            and (told := _width_told(self._folder)) is not None
        ):
            check_library()
            return told
        return len(self._load()[1])

    @property
    def costly(self) -> bool:
        """A text goes through every layer."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the model makes of each text, less what all texts have in common."""
        model, middle = self._load()
        return centred(_raw(model, texts, len(middle)), middle)

    def _load(self) -> tuple[Any, Vectors]:
        with self._loading:
            if self._loaded is None:
                model = self._opened()
                self._loaded = model, middle_of(lambda texts: _encoded(model, texts))
            return self._loaded

    def _opened(self) -> Any:
        check_library()
        if self._folder is None:
            raise ModelUnavailable(
                f"expected a model of sentence-transformers at {self._model}, or of that name in its cache, when this "
                f"program started, got: {self._trouble or 'nothing there'}"
            )
        model = _open(self._folder)
        try:
            found = digest_of(self._folder)[:_HASH_DIGITS]
        except OSError as error:
            raise ModelUnavailable(f"expected the model at {self._folder} to stay, got: {error}") from None
        if found != self._fingerprint:
            raise ModelUnavailable(
                f"expected the model at {self._folder} to be {self._fingerprint}, as when this program started, found "
                f"{found}: restart it"
            )
        return model


def _folder_of(model: str) -> Path | None:
    """Return where a model lies: the folder that was named, or that of its newest revision in the library's cache."""
    folder = Path(model).expanduser().absolute()
    if folder.is_dir():
        return folder
    for name in (model, f"{_OWNER}/{model}"):
        cached = _cache() / f"models--{name.replace('/', '--')}"
        newest = cached / "refs" / "main"
        if newest.is_file():
            revision = cached / "snapshots" / newest.read_text().strip()
            return revision if revision.is_dir() else None
    return None


def _cache() -> Path:
    """Return where the library keeps models that were once downloaded: a layout that many programs share."""
    at = os.environ.get
    home = at("HF_HOME") or Path(at("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(at("SENTENCE_TRANSFORMERS_HOME") or at("HF_HUB_CACHE") or Path(home) / "hub").expanduser()


def digest_of(folder: Path) -> str:
    """Return the SHA-256 of what is in the files that a model's vectors depend on, wherever they lie."""
    files = sorted(
        (path.relative_to(folder).as_posix(), path)
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    weights = next((kind for kind in _WEIGHTS if any(path.suffix == kind for _, path in files)), None)
    told = hashlib.sha256()
    for name, path in files:
        if path.suffix in _SETTINGS or path.suffix == weights:
            with path.open("rb") as file:
                told.update(repr((name, hashlib.file_digest(file, "sha256").hexdigest())).encode())
    return told.hexdigest()


def _width_told(folder: Path) -> int | None:
    """Return the width that a usual model's files state: layers, one pooling, perhaps a layer that resizes it."""
    try:
        modules = json.loads((folder / "modules.json").read_text("utf-8"))
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
        resized = kinds[2:3] == ["Dense"]
        if kinds[:2] != ["Transformer", "Pooling"] or kinds[3 if resized else 2 :] not in ([], ["Normalize"]):
            return None
        pooling = json.loads((folder / modules[1]["path"] / "config.json").read_text("utf-8"))
        ways = sum(pooling.get(name) is True for name in pooling if name.startswith("pooling_mode_"))
        width = pooling["word_embedding_dimension"]
        if resized:
            width = json.loads((folder / modules[2]["path"] / "config.json").read_text("utf-8"))[
                "out_features"
            ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return width if ways == 1 and type(width) is int and width > 0 else None


def check_library() -> None:
    """Raise `ModelUnavailable` where the library that runs these models is not installed; nothing is loaded."""
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ModelUnavailable(
            f"expected the package sentence-transformers to be installed; run: pip install {PACKAGES}, or make models "
            "in a copy of the repository"
        )


def _open(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer  # seconds, and hundreds of megabytes
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # it would be drawn on whatever stderr is
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except Exception as error:  # whatever the libraries below raise for a folder that holds no model
        said = str(error).partition("\n")[0]
        raise ModelUnavailable(
            f"expected a model of sentence-transformers at {folder}, got: {said}"
        ) from None


def _raw(model: Any, texts: Sequence[str], width: int) -> Vectors:
    rows = np.zeros((len(texts), width), np.float32)
    said = [i for i, text in enumerate(texts) if text.strip()]
    if said:
        clean = [texts[i][:CHARACTERS_MAX].encode(errors="replace").decode() for i in said]
        rows[said] = _encoded(model, clean)
    return rows


def _encoded(model: Any, texts: Sequence[str]) -> Vectors:
    made = model.encode(
        list(texts), batch_size=TEXTS_PER_BATCH, convert_to_numpy=True, show_progress_bar=False
    )
    return np.array(made, np.float32)
