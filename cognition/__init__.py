"""What memory means to an agent; reads the replica, writes only ops."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.context import TOKENS_DEFAULT, Context
    from cognition.embedding.embedder import Embedder
    from cognition.embedding.hashed import HashedEmbedder
    from cognition.embedding.static import StaticEmbedder
    from cognition.errors import CognitionError, IndexStale, InvalidQuery, ModelUnavailable
    from cognition.explain import Stage
    from cognition.extraction import FACTS_MAX, Extraction
    from cognition.filters import Filters
    from cognition.memories import RECALLED, Shown, read_memories
    from cognition.mind import Mind, open_mind
    from cognition.past import PastMind
    from cognition.queue import Entry, QueueState
    from cognition.recall import K_DEFAULT, Found, Hit
    from cognition.tables import CognitionTables
    from cognition.taking import TakenIn, read_text, take_in

__all__ = [
    "FACTS_MAX",
    "K_DEFAULT",
    "RECALLED",
    "TOKENS_DEFAULT",
    "CognitionError",
    "CognitionTables",
    "Context",
    "Embedder",
    "Entry",
    "Extraction",
    "Filters",
    "Found",
    "HashedEmbedder",
    "Hit",
    "IndexStale",
    "InvalidQuery",
    "Mind",
    "ModelUnavailable",
    "PastMind",
    "QueueState",
    "Shown",
    "Stage",
    "StaticEmbedder",
    "TakenIn",
    "open_mind",
    "read_memories",
    "read_text",
    "take_in",
]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "context": ("TOKENS_DEFAULT", "Context"),
            "embedding.embedder": ("Embedder",),
            "embedding.hashed": ("HashedEmbedder",),
            "embedding.static": ("StaticEmbedder",),
            "errors": ("CognitionError", "IndexStale", "InvalidQuery", "ModelUnavailable"),
            "explain": ("Stage",),
            "extraction": ("FACTS_MAX", "Extraction"),
            "filters": ("Filters",),
            "memories": ("RECALLED", "Shown", "read_memories"),
            "mind": ("Mind", "open_mind"),
            "past": ("PastMind",),
            "queue": ("Entry", "QueueState"),
            "recall": ("K_DEFAULT", "Found", "Hit"),
            "tables": ("CognitionTables",),
            "taking": ("TakenIn", "read_text", "take_in"),
        },
    )
