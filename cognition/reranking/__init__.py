"""Read the question and each of the best candidates together: one protocol, and a cross-encoder from a wheel."""

from cognition.reranking.cross_encoder import CrossEncoder
from cognition.reranking.reranker import Reranker

__all__ = ["CrossEncoder", "Reranker"]
