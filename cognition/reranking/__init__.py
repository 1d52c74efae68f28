"""Hold a question against what was read of the best candidates: one protocol, and a model from a wheel."""

from cognition.reranking.late import LateInteraction
from cognition.reranking.reranker import Reranker

__all__ = ["LateInteraction", "Reranker"]
