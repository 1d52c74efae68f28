"""Text to vectors: one protocol, and the embedders that need nothing but the core's dependencies."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.embedding.embedder import Embedder, Vectors
    from cognition.embedding.hashed import HashedEmbedder
    from cognition.embedding.static import StaticEmbedder

__all__ = ["Embedder", "HashedEmbedder", "StaticEmbedder", "Vectors"]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "embedder": ("Embedder", "Vectors"),
            "hashed": ("HashedEmbedder",),
            "static": ("StaticEmbedder",),
        },
    )
