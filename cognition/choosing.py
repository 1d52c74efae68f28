"""Turn the names that settings hold into models. Nothing is loaded, or even looked for, before it is used.

A model that cannot be had shows when it is first wanted: recall goes on by what there is, and `doctor` says what to
install. A device that would not open would not sync either.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cognition.embedding.embedder import Embedder
    from cognition.reranking.reranker import Reranker


def _made_by(name: str) -> Callable[[], Any]:
    """Return what loads a class of cognition, by its module and name, and makes one."""
    module, _, kind = name.rpartition(".")
    return lambda: getattr(import_module(f"cognition.{module}"), kind)()


EMBEDDERS: Final[Mapping[str, "Callable[[], Embedder]"]] = {
    "multilingual": _made_by("embedding.universal.embedder.UniversalEmbedder"),
    "small": _made_by("embedding.static.StaticEmbedder"),
    "wordllama": _made_by("embedding.static.StaticEmbedder"),  # as `small` was called in 0.1.0
    "bge-small": _made_by("embedding.onnx.OnnxEmbedder"),
}
# Before the folder, or the name, of a model of sentence-transformers.
TRANSFORMERS: Final = "transformers:"
RERANKERS: Final[Mapping[str, "Callable[[], Reranker | None]"]] = {
    "off": lambda: None,
    "colbert-small": _made_by("reranking.late.LateInteraction"),
}
# What finds near vectors among very many: a graph where it wins and can be had; always, or never.
INDEXES: Final = ("auto", "hnsw", "signatures")


def model_of_transformers(name: str) -> str:
    """Return the folder or the name of the model of sentence-transformers that a setting names; empty for none."""
    return name.removeprefix(TRANSFORMERS).strip() if name.startswith(TRANSFORMERS) else ""


def embedder_called(name: str) -> "Embedder":
    """Return the embedder of this name."""
    if model := model_of_transformers(name):
        from cognition.embedding.transformer import TransformerEmbedder

        return TransformerEmbedder(model)
    if name not in EMBEDDERS:
        raise ValueError(f"expected {', '.join(EMBEDDERS)} or {TRANSFORMERS}MODEL, got {name!r}")
    return EMBEDDERS[name]()


def reranker_called(name: str) -> "Reranker | None":
    """Return the reranker of this name; None for none."""
    if name not in RERANKERS:
        raise ValueError(f"expected {' or '.join(RERANKERS)}, got {name!r}")
    return RERANKERS[name]()
