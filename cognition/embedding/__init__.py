"""Text to vectors: one protocol, and the embedders that need nothing but the core's dependencies."""

from cognition.embedding.embedder import Embedder, Vectors
from cognition.embedding.hashed import HashedEmbedder
from cognition.embedding.static import StaticEmbedder

__all__ = ["Embedder", "HashedEmbedder", "StaticEmbedder", "Vectors"]
