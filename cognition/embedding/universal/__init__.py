"""Embed by Google's multilingual Universal Sentence Encoder: sixteen languages in one space, with numpy alone."""

from cognition.embedding.universal.embedder import UniversalEmbedder

__all__ = ["UniversalEmbedder"]
