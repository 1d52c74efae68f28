"""Hold a question against what was read of the best candidates: one protocol, and a model from a wheel."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.reranking.late import LateInteraction
    from cognition.reranking.reranker import Reranker

__all__ = ["LateInteraction", "Reranker"]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "late": ("LateInteraction",),
            "reranker": ("Reranker",),
        },
    )
