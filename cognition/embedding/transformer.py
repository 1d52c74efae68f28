"""Embed by any model of sentence-transformers that lies on this machine.

The extra `[transformers]` brings the library, and a gigabyte of torch with it; the model is the owner's: a folder, or
the name of one that is in the library's cache. Nothing is downloaded: a first run without network must say the same as
one with it.

The vectors are what the model gives, less what all texts have in common (`cognition.embedding.centring`).
"""

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cognition.embedding.centring import centred, middle_of
from cognition.embedding.embedder import Vectors
from cognition.errors import ModelUnavailable

EXTRA: Final = "samemind[transformers]"
# Of a longer text the model would take the beginning too; but tokens of a megabyte would be counted first.
CHARACTERS_MAX: Final = 8_192
# Texts that go through the model together: more wait for the longest of them, and hold more memory.
TEXTS_PER_BATCH: Final = 32
RECIPE: Final = 1


class TransformerEmbedder:
    """A model by its folder or name. Nothing is loaded before its width, or a first vector, is asked for."""

    def __init__(self, model: str) -> None:
        folder = Path(model).expanduser().absolute()
        self._folder = folder if folder.is_dir() else None
        self._wanted = str(folder) if self._folder else model
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Vectors] | None = None

    @property
    def name(self) -> str:
        """The space: where the model lies, and what lies there now; or what it is called in the cache."""
        return f"transformers:{self._wanted}{_fingerprint(self._folder)}/{RECIPE}"

    @property
    def width(self) -> int:
        """How many numbers a vector has, which the model knows."""
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
                model = _open(self._wanted)
                self._loaded = model, middle_of(lambda texts: _encoded(model, texts))
            return self._loaded


def _fingerprint(folder: Path | None) -> str:
    """Return what changes when the files of a model do; they are too large to be read for it."""
    if folder is None:
        return ""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    told = [
        (str(path.relative_to(folder)), (found := path.stat()).st_size, found.st_mtime_ns) for path in files
    ]
    return "@" + hashlib.sha256(repr(told).encode()).hexdigest()[:12]


def _open(wanted: str) -> Any:
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ModelUnavailable(
            f"expected the package sentence-transformers to be installed; run: pip install '{EXTRA}'"
        )
    from sentence_transformers import SentenceTransformer  # seconds, and hundreds of megabytes
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # it would be drawn on whatever stderr is
    try:
        return SentenceTransformer(wanted, device="cpu", local_files_only=True)
    except Exception as error:  # whatever the libraries below raise for a folder that holds no model
        said = str(error).partition("\n")[0]
        raise ModelUnavailable(
            f"expected a model of sentence-transformers at {wanted}, or of that name in its cache, got: {said}"
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
