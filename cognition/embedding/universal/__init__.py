"""Embed by Google's multilingual Universal Sentence Encoder: sixteen languages in one space, with numpy alone."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.embedding.universal.embedder import UniversalEmbedder

__all__ = ["UniversalEmbedder"]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "embedder": ("UniversalEmbedder",),
        },
    )
