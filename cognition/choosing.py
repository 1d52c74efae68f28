"""Turn the names that settings hold into models. Nothing is loaded, or even looked for, before it is used.

A model that cannot be had shows when it is first wanted: recall goes on by what there is, and `doctor` says what to
install. A device that would not open would not sync either.
"""

from collections.abc import Callable, Mapping
from typing import Final

from cognition.embedding.embedder import Embedder
from cognition.embedding.onnx import OnnxEmbedder
from cognition.embedding.static import StaticEmbedder
from cognition.embedding.transformer import TransformerEmbedder
from cognition.embedding.universal import UniversalEmbedder
from cognition.reranking.late import LateInteraction
from cognition.reranking.reranker import Reranker

EMBEDDERS: Final[Mapping[str, Callable[[], Embedder]]] = {
    "multilingual": UniversalEmbedder,
    "small": StaticEmbedder,
    "wordllama": StaticEmbedder,  # as `small` was called in 0.1.0
    "bge-small": OnnxEmbedder,
}
# Before the folder, or the name, of a model of sentence-transformers.
TRANSFORMERS: Final = "transformers:"
RERANKERS: Final[Mapping[str, Callable[[], Reranker | None]]] = {
    "off": lambda: None,
    "colbert-small": LateInteraction,
}


def embedder_called(name: str) -> Embedder:
    """Return the embedder of this name."""
    if name.startswith(TRANSFORMERS) and (model := name.removeprefix(TRANSFORMERS).strip()):
        return TransformerEmbedder(model)
    if name not in EMBEDDERS:
        raise ValueError(f"expected {', '.join(EMBEDDERS)} or {TRANSFORMERS}MODEL, got {name!r}")
    return EMBEDDERS[name]()


def reranker_called(name: str) -> Reranker | None:
    """Return the reranker of this name; None for none."""
    if name not in RERANKERS:
        raise ValueError(f"expected {' or '.join(RERANKERS)}, got {name!r}")
    return RERANKERS[name]()
